#!/usr/bin/env python3
"""Measures the fused stages of all benchmark problems on one device and writes the table as JSON and Markdown.

    python3 tests/benchmarks/stage_table.py --program build/dgsolve --device cuda --output out [--only PATTERN] [--tune] [--ncu]

Every row is one `dgsolve bench` (median of five samples). The copy bandwidth and the arithmetic limit of the device are measured in the same
run. With --ncu the profiler of NVIDIA's toolkit adds what a stage really moved and computed. Needs Python alone; `roofline.py` draws
the result.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER.parent.parent
NCU_METRICS = {
    "dram__bytes_read.sum": "device_bytes",
    "dram__bytes_write.sum": "device_bytes",
    "lts__t_bytes.sum": "l2_bytes",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum": "flops",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum": "flops",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum": "fused",
    "sm__ops_path_tensor_src_fp64.sum": "tensor_flops",
}


@dataclass
class Row:
    """One line: a problem, its sizes by kind of device (cells per direction; 0: not measured there), and what to reach in GDOF/s."""

    name: str
    problem: str
    order: int
    gpu_cells: int
    cpu_cells: int
    settings: dict = field(default_factory=dict)
    gpu_aim: tuple = ()
    cpu_aim: tuple = ()


def rows():
    hexahedra, quadrilaterals = "euler-hexahedra.yaml", "euler-quadrilaterals.yaml"
    acoustics, maxwell = "acoustics-tetrahedra.yaml", "maxwell-tetrahedra.yaml"
    warp, tetrahedra = {"mesh.box.warp": 0.05}, {"mesh.box.shape": "tet"}
    table = []
    for order, gpu, cpu, aim, cpu_aim in (
        (2, 72, 32, (80, 100), ()),
        (3, 56, 24, (100, 115), (0.280, 0.380)),
        (4, 44, 19, (90, 110), ()),
        (5, 36, 16, (85, 105), (0.320, 0.420)),
        (7, 27, 12, (85, 105), ()),
    ):
        table.append(Row("Euler, affine hexahedra", hexahedra, order, gpu, cpu, {}, aim, cpu_aim))
    table.append(Row("Euler, warped hexahedra", hexahedra, 3, 56, 24, warp, (65, 90), (0.220, 0.300)))
    table.append(Row("Euler, Gauss nodes, affine hexahedra", hexahedra, 3, 56, 24, {"nodes": "gauss"}))
    table.append(Row("acoustics, affine hexahedra", acoustics, 3, 60, 26, {"mesh.box.shape": "hex"}, (90, 115)))
    for order, gpu, cpu, aim, cpu_aim in (
        (2, 60, 0, (60, 85), ()),
        (3, 48, 21, (65, 90), (0.250, 0.400)),
        (4, 40, 0, (58, 85), ()),
        (6, 29, 0, (42, 60), ()),
    ):
        table.append(Row("acoustics, tetrahedra", acoustics, order, gpu, cpu, {}, aim, cpu_aim))
    for order, gpu, aim in ((3, 42, (60, 85)), (4, 35, (52, 80)), (6, 26, (38, 55))):
        table.append(Row("Maxwell, tetrahedra", maxwell, order, gpu, 0, {}, aim))
    for order, gpu, cpu, aim, cpu_aim in ((3, 44, 20, (52, 80), (0.200, 0.300)), (4, 37, 0, (45, 70), ())):
        table.append(Row("Euler, tetrahedra", hexahedra, order, gpu, cpu, tetrahedra, aim, cpu_aim))
    table.append(Row("Euler, quadrilaterals", quadrilaterals, 4, 720, 210, {}, (85, 110), (0.500, 0.650)))
    table.append(Row("Euler, triangles", quadrilaterals, 4, 660, 0, {"mesh.box.shape": "tri"}, (75, 100)))
    table.append(Row("a system of one's own (three waves), hexahedra", "three-wave-hexahedra.yaml", 3, 64, 28))
    table.append(Row("acoustics shipped, hexahedra", acoustics, 3, 60, 26, {"mesh.box.shape": "hex"}))
    own = {"mesh.box.shape": "hex", "equations": str(SOURCE / "solver/equations/acoustics.yaml")}
    table.append(Row("acoustics read from a file, hexahedra", acoustics, 3, 60, 26, own))
    table.append(Row("single precision: Euler, affine hexahedra", hexahedra, 3, 56, 24, {"precision": "single"}, (170,)))
    table.append(Row("single precision: acoustics, tetrahedra", acoustics, 3, 48, 21, {"precision": "single"}, (110,)))
    for name, problem, cells, settings in (
        ("Euler, hexahedra", hexahedra, 3, {}),
        ("acoustics, tetrahedra", acoustics, 2, {}),
        ("Euler, quadrilaterals", quadrilaterals, 10, {"order": 4}),
    ):
        table.append(Row(f"small: {name}", problem, settings.get("order", 3), cells, cells, settings))
    return table


def dimension(row):
    return 2 if "quadrilaterals" in row.problem else 3


def command_of(arguments, row, cells):
    settings = {"order": row.order, "mesh.box.cells": "[" + ",".join([str(cells)] * dimension(row)) + "]", **row.settings}
    settings["tune"] = "on" if arguments.tune else "lookup"
    command = [arguments.program, "bench", str(FOLDER / row.problem), "--device", arguments.device]
    return command + [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]


def run(command):
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}\n{process.stdout}{process.stderr}")
    return process.stdout


def measure(arguments, row, cells):
    """The report of `dgsolve bench`, with the row's facts."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "bench.json")
        run(command_of(arguments, row, cells) + ["--json", file])
        report = json.loads(pathlib.Path(file).read_text())
    report.update(name=row.name, order=row.order, cells=cells, microseconds_per_stage=report["seconds_per_stage"] * 1e6)
    return report


def profile(arguments, row, cells, report):
    """Bytes and operations per DOF of the kernels of one step, by ncu. Stages are all launches whose kernels begin with "stage"."""
    stages = report["stages_per_step"]
    command = ["ncu", "--csv", "--print-units", "base", "--clock-control", "none", "--kernel-name", "regex:^stage"]
    command += ["--launch-skip", str(stages), "--launch-count", str(stages), "--metrics", ",".join(NCU_METRICS)]
    output = run(command + command_of(arguments, row, cells) + ["--steps", "1"])
    lines = output[output.index('"ID"') :]
    sums = dict.fromkeys(NCU_METRICS.values(), 0.0)
    for entry in csv.DictReader(io.StringIO(lines)):
        value = entry["Metric Value"].replace(",", "")
        if entry["Metric Name"] in NCU_METRICS and re.fullmatch(r"[\d.e+]+", value):
            sums[NCU_METRICS[entry["Metric Name"]]] += float(value)
    moved = report["dofs"] * stages
    return {
        "device_bytes_per_dof": sums["device_bytes"] / moved,
        "l2_bytes_per_dof": sums["l2_bytes"] / moved,
        "flops_per_dof": (sums["flops"] + 2 * sums["fused"] + sums["tensor_flops"]) / moved,
    }


def limits(arguments):
    """Copy bandwidth and arithmetic rates of the device, measured by the program."""
    text = run([arguments.program, "devices", "--measure"])
    found = re.search(r"copy ([\d.]+) GB/s, ([\d.]+) GFLOP/s single, ([\d.]+) GFLOP/s double", text)
    return {"copy_gb_s": float(found[1]), "single_gflop_s": float(found[2]), "double_gflop_s": float(found[3])} if found else {}


def table_line(report, is_cpu):
    unit = 1e3 if is_cpu else 1.0  # MDOF/s on CPUs
    aims = report["aim"]
    verdict = "-"
    if aims:
        reached = [f"{aim * unit:g} {'yes' if report['gdofs_per_s'] >= aim else 'no'}" for aim in aims]
        verdict = ", ".join(reached)
    measured = f"{report['device_bytes_per_dof']:.1f} / {report['l2_bytes_per_dof']:.0f}" if "device_bytes_per_dof" in report else "-"
    return (
        f"| {report['name']} | {report['order']} | {report['cells']} | {report['dofs'] * 1e-6:.3g} | {report['gdofs_per_s'] * unit:.3g} "
        f"| {verdict} | {report['bytes_per_dof']:.1f} | {measured} | {100 * report['share_of_copy']:.0f}% "
        f"| {report['microseconds_per_stage']:.4g} |"
    )


def save(arguments, reports, best, is_cpu):
    """Both files; after every row, so that a run that is stopped leaves its part."""
    unit = "MDOF/s" if is_cpu else "GDOF/s"
    head = f"| problem | order | cells a direction | M DOF | {unit} | reach, stretch | B/DOF, model | B/DOF of device memory, L2 | share of copy | us a stage |"
    facts = ", ".join(f"{name.replace('_', ' ', 1)} {value:g}" for name, value in best.items())
    lines = [f"{reports[0]['device']}: {facts}", "", head, "|" + "---|" * 10]
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "stages.md").write_text("\n".join(lines + [table_line(report, is_cpu) for report in reports]) + "\n")
    result = {"device": reports[0]["device"], "limits": best, "rows": reports}
    (arguments.output / "stages.json").write_text(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="dgsolve", help="the program (default: dgsolve of the PATH)")
    parser.add_argument("--device", default="auto", help="its --device")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("out"), help="folder of stages.json and stages.md")
    parser.add_argument("--only", default="", help="rows whose name matches this regular expression")
    parser.add_argument("--tune", action="store_true", help="tune each problem that has no record")
    parser.add_argument("--ncu", action="store_true", help="also profile one step of each with ncu")
    arguments = parser.parse_args()
    best = limits(arguments)
    reports, is_cpu = [], None
    for row in rows():
        if not re.search(arguments.only, row.name):
            continue
        if is_cpu is None:
            is_cpu = measure(arguments, row, 2)["is_cpu"]
        cells = row.cpu_cells if is_cpu else row.gpu_cells
        if cells == 0:
            continue
        report = measure(arguments, row, cells)
        report["aim"] = row.cpu_aim if is_cpu else row.gpu_aim
        if arguments.ncu:
            report.update(profile(arguments, row, cells, report))
        reports.append(report)
        print(table_line(report, is_cpu), flush=True)
        save(arguments, reports, best, is_cpu)
    if not reports:
        sys.exit(f"no row matches '{arguments.only}'")


if __name__ == "__main__":
    main()
