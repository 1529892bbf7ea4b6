#!/usr/bin/env python3
"""Draws the rows of stage_table.py under the device's roof.

    python3 tests/benchmarks/roofline.py out/stages.json docs/pictures/roofline.png

With figures of the profiler (--ncu), a point is at the operations per byte of device memory that the stage really had; without them
only the bytes of the model are known, and the picture shows rates against the roof of the copy. Needs matplotlib.
"""

import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot
import numpy


def group(name):
    return name.split(":")[0] if ":" in name else name


def draw_roofline(axes, data, rows, matrix_peak):
    """Operations per byte against GFLOP/s, both axes logarithmic."""
    copy, peak = data["limits"]["copy_gb_s"], data["limits"]["double_gflop_s"]
    intensity = numpy.logspace(0, 2, 100)
    if matrix_peak:
        roof = numpy.minimum(copy * intensity, matrix_peak)
        axes.loglog(intensity, roof, color="black", linestyle="--", label=f"{matrix_peak:.0f} GFLOP/s (matrix units)")
    axes.loglog(intensity, numpy.minimum(copy * intensity, peak), color="black", label=f"copy {copy:.0f} GB/s, {peak:.0f} GFLOP/s (FMA)")
    names = sorted({group(row["name"]) for row in rows})
    colours = dict(zip(names, pyplot.get_cmap("tab20").colors))
    for name in names:
        own = [row for row in rows if group(row["name"]) == name]
        x = [row["flops_per_dof"] / row["device_bytes_per_dof"] for row in own]
        y = [row["flops_per_dof"] * row["gdofs_per_s"] for row in own]
        axes.plot(x, y, "o", color=colours[name], label=name)
        for row, a, b in zip(own, x, y):
            axes.annotate(f"p={row['order']}", (a, b), textcoords="offset points", xytext=(4, -9), fontsize=7)
    axes.set_xlabel("double-precision operations per byte of device memory")
    axes.set_ylabel("GFLOP/s")
    axes.legend(fontsize=7, loc="lower right")


def draw_rates(axes, data, rows):
    """Bars of the rates, with the roof that the model's bytes leave."""
    copy = data["limits"]["copy_gb_s"]
    labels = [f"{row['name']}, p={row['order']}" for row in rows]
    place = numpy.arange(len(rows))
    axes.barh(place, [copy / row["bytes_per_dof"] for row in rows], color="lightgrey", label="roof of the copy")
    axes.barh(place, [row["gdofs_per_s"] for row in rows], color="steelblue", label="measured")
    axes.set_yticks(place, labels, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("GDOF/s")
    axes.legend(fontsize=7)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--matrix-gflop-s", type=float, default=0, help="a second roof: that of matrix units in double precision")
    arguments = parser.parse_args()
    data = json.loads(arguments.stages.read_text())
    rows = [row for row in data["rows"] if "small" not in row["name"] and "shipped" not in row["name"]]
    profiled = [row for row in rows if row.get("device_bytes_per_dof") and "single" not in row["name"]]
    figure, axes = pyplot.subplots(1, 2 if profiled else 1, figsize=(15 if profiled else 8, 6), squeeze=False)
    draw_rates(axes[0][0], data, rows)
    if profiled:
        draw_roofline(axes[0][1], data, profiled, arguments.matrix_gflop_s)
    figure.suptitle(f"Fused stages on {data['device']}")
    figure.tight_layout()
    figure.savefig(arguments.picture, dpi=90, bbox_inches="tight")


if __name__ == "__main__":
    main()
