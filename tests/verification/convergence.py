#!/usr/bin/env python3
"""Observed orders of convergence of every shipped system on every shape, straight and warped, through `dgsolve converge`.

A row is one problem on one shape and kind of mesh at one polynomial order, on three meshes of halved cells. It holds if the order observed
in L2 between the last two meshes is at least p + 1 - 0.2 for every component that is not exactly zero. Needs nothing but the standard library
and the program.

    python3 tests/verification/convergence.py --program build/dgsolve --device cuda --jobs 4 --json out.json --write docs/verification.md
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

PROBLEMS = pathlib.Path(__file__).resolve().parent / "problems"
TOLERANCE = 0.2
MESHES = 3
WARP = 0.03
CURVED_OVERINTEGRATION = 1
# Meshes: straight; warped, with straight-sided simplices and Gauss nodes on quadrilaterals and hexahedra; curved cells with nodes on the
# faces, over-integrated, because collocated metric terms cost up to one order there (docs/verification.md).
MESH_KINDS = ("straight", "warped", "curved")
SHAPES = {1: ("line",), 2: ("tri", "quad"), 3: ("tet", "hex")}
TENSOR = ("line", "quad", "hex")
# Problem file: dimension.
SYSTEMS = {
    "advection_1d": 1, "advection_2d": 2, "advection_3d": 3,
    "advection_variable_1d": 1, "advection_variable_2d": 2, "advection_variable_3d": 3,
    "burgers_1d": 1, "burgers_2d": 2, "burgers_3d": 3,
    "acoustics_1d": 1, "acoustics_2d": 2, "acoustics_3d": 3,
    "maxwell_1d": 1, "maxwell_tm": 2, "maxwell_te": 2, "maxwell_3d": 3,
    "euler_1d": 1, "euler_2d": 2, "euler_3d": 3,
    "shallow_water_1d": 1, "shallow_water_2d": 2,
    "elasticity_1d": 1, "elasticity_2d": 2, "elasticity_3d": 3,
}  # fmt: skip
# Gauss nodes are tested where Lobatto nodes show what the systems do.
GAUSS = ("acoustics_1d", "acoustics_2d", "acoustics_3d", "euler_1d", "euler_2d", "euler_3d")
# Rows with another numerical flux than the problem's (docs/verification.md, "Elasticity on tetrahedra"): problem, shape, mesh, order.
FLUXES = {("elasticity_3d", "tet", mesh, order): "damped_upwind" for mesh in MESH_KINDS for order in (1, 2, 3, 4)}
# Small rows for the test suite: problem, shape, mesh, order, cells per direction of the first mesh.
QUICK = (
    ("advection_1d", "line", "straight", 3, 8), ("advection_2d", "tri", "curved", 2, 8), ("advection_variable_2d", "quad", "warped", 3, 8),
    ("burgers_1d", "line", "warped", 2, 16), ("burgers_2d", "tri", "straight", 2, 8),
    ("acoustics_2d", "tri", "warped", 2, 8), ("acoustics_3d", "hex", "straight", 2, 4),
    ("maxwell_1d", "line", "straight", 4, 8), ("maxwell_tm", "quad", "warped", 2, 8), ("maxwell_te", "tri", "straight", 2, 8),
    ("maxwell_3d", "tet", "straight", 2, 4),
    ("euler_1d", "line", "straight", 4, 8), ("euler_2d", "quad", "warped", 2, 8),
    ("shallow_water_1d", "line", "warped", 3, 8), ("shallow_water_2d", "quad", "straight", 3, 8),
    ("elasticity_1d", "line", "straight", 2, 8), ("elasticity_2d", "quad", "curved", 3, 6), ("elasticity_2d", "tri", "straight", 2, 8),
    ("elasticity_3d", "tet", "straight", 2, 4),
)  # fmt: skip


# Rows that reach the asymptotic range later (on 10, 20, 40 cells order 4.4, then 4.76, and 4.73, then 4.79): problem, shape, mesh, order.
FIRST_CELLS = {("euler_3d", "tet", "curved", 4): 16, ("elasticity_3d", "tet", "curved", 4): 12}


def first_cells(problem, shape, mesh, order):
    """Cells per direction of the first of three meshes: fine enough for the last pair to be in the asymptotic range."""
    if SYSTEMS[problem] < 3:
        return 16
    return FIRST_CELLS.get((problem, shape, mesh, order), {1: 16, 2: 12, 3: 10, 4: 10}[order])


@dataclasses.dataclass(frozen=True)
class Row:
    problem: str
    shape: str
    nodes: str
    mesh: str
    order: int
    cells: int

    @property
    def dimension(self):
        return SYSTEMS[self.problem]

    @property
    def flux(self):
        """Empty: the problem's."""
        return FLUXES.get((self.problem, self.shape, self.mesh, self.order), "")

    @property
    def kind(self):
        """What stands in the first columns of the table."""
        return self.problem, self.shape, self.nodes, self.mesh

    @property
    def name(self):
        return f"{' '.join(filter(None, self.kind))} p={self.order}"

    def command(self, program, device, json_file):
        settings = {"mesh.box.shape": self.shape, "mesh.box.cells": str([self.cells] * self.dimension).replace(" ", "")}
        if self.mesh != "straight":
            straight_sided = self.mesh == "warped" and self.shape not in TENSOR
            settings |= {"mesh.box.warp": WARP, "mesh.box.order": 1 if straight_sided else min(self.order + 1, 4)}
        if self.mesh == "curved":
            settings["overintegration"] = CURVED_OVERINTEGRATION
        if self.nodes:
            settings["nodes"] = self.nodes
        if self.flux:
            settings["flux"] = self.flux
        command = [program, "converge", str(PROBLEMS / f"{self.problem}.yaml"), "--refine", str(MESHES), "--orders", str(self.order)]
        command += ["--quiet", "--json", json_file]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        return command + (["--device", device] if device else [])


def node_sets(problem, shape, mesh):
    if shape not in TENSOR:
        return ("",)
    if mesh == "straight":
        return ("lobatto", "gauss") if problem in GAUSS else ("lobatto",)
    return ("lobatto",) if mesh == "curved" or shape == "line" else ("gauss",)


def all_rows():
    rows = []
    for problem, dimension in SYSTEMS.items():
        for shape in SHAPES[dimension]:
            for mesh in MESH_KINDS:
                if mesh == "curved" and shape == "line":
                    continue  # its warped rows have Lobatto nodes already
                for nodes in node_sets(problem, shape, mesh):
                    rows += [Row(problem, shape, nodes, mesh, p, first_cells(problem, shape, mesh, p)) for p in (1, 2, 3, 4)]
    return rows


def quick_rows():
    return [Row(problem, shape, node_sets(problem, shape, mesh)[0], mesh, p, cells) for problem, shape, mesh, p, cells in QUICK]


def run_row(row, program, device):
    """The row's result as a JSON-ready record."""
    started = time.monotonic()
    record = dataclasses.asdict(row) | {"name": row.name, "flux": row.flux}
    with tempfile.TemporaryDirectory() as folder:
        json_file = os.path.join(folder, "converge.json")
        command = row.command(program, device, json_file)
        process = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if process.returncode == 0:
            record |= judge(json.loads(pathlib.Path(json_file).read_text())["rows"], row.order + 1)
        else:
            record |= {"passed": False, "fault": f"exit status {process.returncode}: {process.stderr.strip()}"}
    record["seconds"] = round(time.monotonic() - started, 2)
    return record


def judge(meshes, due):
    """Orders of the last pair of meshes against the one that is due. Components that vanish on every mesh carry no error and are named."""
    zero = [name for name in meshes[-1]["errors"] if all(mesh["errors"][name]["L2"] == 0 for mesh in meshes)]
    observed = {name: meshes[-1]["observed"][name]["L2"] for name in meshes[-1]["errors"] if name not in zero}
    errors = {name: [mesh["errors"][name]["L2"] for mesh in meshes] for name in observed}
    wanted = due - TOLERANCE
    low = {name: value for name, value in observed.items() if value is None or not value >= wanted}
    record = {
        "meshes": [mesh["cells"] for mesh in meshes],
        "steps": [mesh["steps"] for mesh in meshes],
        "observed": observed,
        "observed_before": {name: meshes[-2]["observed"][name]["L2"] for name in observed},
        "errors": errors,
        "zero_components": zero,
        "passed": bool(observed) and not low,
    }
    if not observed:
        record["fault"] = "every component is exactly zero: nothing was tested"
    elif low:
        found = ", ".join(f"{name} {value:.2f}" if value is not None else f"{name} none" for name, value in low.items())
        record["fault"] = f"observed L2 order below {wanted:.1f}: {found}"
    return record


def save(json_file, device, started, records):
    report = {"device": device, "seconds": round(time.monotonic() - started, 1), "rows": records}
    pathlib.Path(json_file).write_text(json.dumps(report, indent=1))


def run_all(rows, program, device, jobs, json_file):
    """All records in the order of the rows. What is done is saved as it comes, so that a run that is stopped leaves its part."""
    records, started = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(run_row, row, program, device) for row in rows]
        for done in concurrent.futures.as_completed(waiting):
            record = done.result()
            records.append(record)
            if json_file:
                save(json_file, device, started, records)
            verdict = f"order {cell_text(record)}" if record["passed"] else f"FAILED: {record['fault']}"
            print(f"[{len(records):3}/{len(rows)}] {record['seconds']:6.1f} s  {record['name']}: {verdict}", file=sys.stderr, flush=True)
    place = {row.name: k for k, row in enumerate(rows)}
    records.sort(key=lambda record: place[record["name"]])
    if json_file:
        save(json_file, device, started, records)
    return records


def cell_text(record):
    if record is None:
        return ""
    if not record.get("observed") or None in record["observed"].values():
        return "**failed**"
    text = f"{min(record['observed'].values()):.2f} ({max(errors[-1] for errors in record['errors'].values()):.1e})"
    return text if record["passed"] else f"**{text}**"


def table(records):
    """Markdown: one line per problem, shape and mesh; per order the lowest observed order and the largest L2 error on the finest mesh."""
    kinds = {}
    for record in records:
        kind = (record["problem"], record["shape"], record["nodes"], record["mesh"], record.get("flux", ""))
        kinds.setdefault(kind, {})[record["order"]] = record
    orders = sorted({record["order"] for record in records})
    lines = ["| problem | shape | mesh | " + " | ".join(f"p = {p}" for p in orders) + " |", "|---|---|---|" + "---|" * len(orders)]
    for (problem, shape, nodes, mesh, flux), of_order in kinds.items():
        shape_text = ", ".join(filter(None, (shape, nodes if nodes == "gauss" else "", flux)))
        lines.append(f"| {problem} | {shape_text} | {mesh} | " + " | ".join(cell_text(of_order.get(p)) for p in orders) + " |")
    return "\n".join(lines) + "\n"


def write_section(document, text):
    """Replaces what stands between the two marks of the document."""
    begin, end = "<!-- convergence: begin -->\n", "<!-- convergence: end -->"
    path = pathlib.Path(document)
    before, mark, rest = path.read_text().partition(begin)
    if not mark or end not in rest:
        sys.exit(f"{document}: the marks {begin.strip()} and {end} are missing")
    path.write_text(before + begin + text + rest[rest.index(end) :])


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="dgsolve", help="the program (default: dgsolve of the PATH)")
    parser.add_argument("--device", default="", help="its --device, e.g. cuda (default: the program's choice)")
    parser.add_argument("--jobs", type=int, default=2, help="rows that run at once (default: 2)")
    parser.add_argument("--quick", action="store_true", help="the few small rows of the test suite")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose name matches, e.g. 'euler.* tri'")
    parser.add_argument("--json", default="", metavar="FILE", help="write all records")
    parser.add_argument("--records", default="", metavar="FILE", help="run nothing: judge and print what --json wrote before")
    parser.add_argument("--write", default="", metavar="DOCUMENT", help="put the table into this document, between its marks")
    parser.add_argument("--list", action="store_true", help="print the names of the rows and stop")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    rows = [row for row in (quick_rows() if arguments.quick else all_rows()) if re.search(arguments.only, row.name)]
    if arguments.list:
        print("\n".join(row.name for row in rows))
        return 0
    started = time.monotonic()
    if arguments.records:
        records = json.loads(pathlib.Path(arguments.records).read_text())["rows"]
    else:
        if not rows:
            sys.exit(f"no row matches {arguments.only!r}")
        records = run_all(rows, arguments.program, arguments.device, arguments.jobs, arguments.json)
    text = table(records)
    print(text)
    failed = [record for record in records if not record["passed"]]
    for record in failed:
        print(f"FAILED {record['name']}: {record['fault']}")
    print(f"{len(records) - len(failed)} of {len(records)} rows hold, {time.monotonic() - started:.0f} s")
    if arguments.write:
        write_section(arguments.write, text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
