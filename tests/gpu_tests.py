#!/usr/bin/env python3
"""Runs the C++ test programs on the GPUs of this machine, many parts of a program at a time, and prints one line for each program.

    python3 tests/gpu_tests.py --build build [--parts 6] [--seconds 600] [--sanitizer memcheck] [PROGRAM...]

Without names: the programs that use devices. With --sanitizer (memcheck, racecheck, ...) they run under NVIDIA's compute-sanitizer; without
names then the toolkit's alone, and without the tests in WITHOUT_SANITIZER. Driver calls that tests make fail on purpose are not reported.
Results and messages lie in the folder --output. Exit status: 0 if nothing failed, no part ran out of time and the sanitizer found nothing.

    python3 tests/gpu_tests.py --build build --ranks [--device cuda]

Runs small problems of every shape on 1, 2 and 3 ranks (mpirun) that share the GPUs, with each way of exchanging values pinned, and from
checkpoints that another number of ranks wrote, and compares checksums with those of a run without mpirun; then test_ranks. A way that the
machine does not have is named with the program's reason; `ipc` must be there on CUDA devices.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

PROGRAMS = ["test_codegen", "test_solver", "test_verification", "test_kernels", "test_io"]
# What instrumented kernels cannot pass: the tuner does not choose kernels that spill, and they all do; measured limits are off by factors;
# a sort of more than 2^31 keys would take half an hour (the same kernels sort fewer keys).
WITHOUT_SANITIZER = [
    "*TunerOnDevice.*", "*ProfileOnDevice.limits_are_plausible*", "*LargeArraysOnDevice.sort_of_more_than_two_to_the_31_keys*",
]  # fmt: skip

# Density waves between walls of exact values: shape, cells, and what else is said.
RANKS_PROBLEM = """\
equations: euler
mesh:
  box: {{lower: {lower}, upper: {upper}, cells: {cells}, shape: {shape}, periodic: [{periodic}]{warp}}}
boundaries: {{left: exact, right: outflow}}
initial:
  rho: 1 + 0.3*sin(2*pi*x)
  v: {velocity}
  p: 1
exact:
  rho: 1 + 0.3*sin(2*pi*(x - 0.7*t))
  v: {velocity}
  p: 1
order: 3
nodes: {nodes}
precision: {precision}
time: {{end: 0.02, cfl: {cfl}}}
checkpoint: {{every: 2 steps, keep: 1000}}
output: {{every: 0.02, fields: [rho]}}
"""
RANKS_PROBLEMS = {
    "lines": {"cells": [61], "shape": "line", "nodes": "lobatto"},
    "triangles": {"cells": [12, 9], "shape": "tri", "nodes": "lobatto"},
    "hexahedra": {"cells": [8, 7, 6], "shape": "hex", "nodes": "lobatto"},
    "warped-hexahedra": {"cells": [6, 5, 4], "shape": "hex", "nodes": "lobatto", "warp": ", warp: 0.05"},
    "tetrahedra": {"cells": [5, 4, 4], "shape": "tet", "nodes": "lobatto"},
    "gauss-quadrilaterals": {"cells": [23, 17], "shape": "quad", "nodes": "gauss"},
    "single-precision-hexahedra": {"cells": [8, 7, 6], "shape": "hex", "nodes": "lobatto", "precision": "single"},
}
EXCHANGES = ["staged", "device", "ipc", "auto"]
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def ranks_problem(values):
    dimension = len(values["cells"])
    more = {"lower": [0] * dimension, "upper": [1] * dimension, "periodic": ", ".join("yz"[: dimension - 1]), "velocity": [0.7] + [0] * (dimension - 1)}
    return RANKS_PROBLEM.format(**{"warp": "", "precision": "double", "cfl": 0.3, **more, **values})


def run_program(command, folder, name, seconds):
    """The last line that it said if it failed, else nothing."""
    environment = {**os.environ, **MPI_ENVIRONMENT}
    environment.setdefault("DGSOLVE_CACHE_DIR", str(folder / "cache"))
    with open(folder / f"{name}.log", "w+") as log:
        try:
            status = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            return f"not done after {seconds} s"
        log.seek(0)
        lines = [line for line in log.read().splitlines() if "dgsolve: error" in line] or [f"exit status {status}"]
    return lines[-1] if status != 0 else ""


def checksum(folder, run):
    return json.loads((folder / run / "summary.json").read_text())["checksum"]


def best(possible):
    """What `auto` takes."""
    return next(exchange for exchange in ("ipc", "device", "staged") if exchange in possible)


def judge(folder, run, fault, expected, exchange):
    """Whether the run gave the expected bits by this exchange; prints it."""
    summary = {} if fault else json.loads((folder / run / "summary.json").read_text())
    same = summary.get("checksum") == expected
    warnings = [line for line in (folder / f"{run}.log").read_text().splitlines() if "warning" in line]
    judgement = fault or f"{summary['exchange']}, {'the same bits' if same else 'OTHER BITS than one rank'}"
    print("\n  ".join([f"{run}: {judgement}", *warnings]), flush=True)
    return same and summary["exchange"] == exchange


def test_problem(arguments, folder, dgsolve, name):
    """One problem on 1, 2 and 3 ranks by every exchange, then from checkpoints that other numbers of ranks wrote."""
    options = [f"{name}.yaml", "--device", arguments.device, "--quiet", "--output"]
    alone = f"{name}-alone"
    fault = run_program([dgsolve, *options, alone], folder, alone, 300)
    if fault:
        print(f"{alone}: {fault}")
        return False
    expected = checksum(folder, alone)
    possible, good = [], True
    for exchange in EXCHANGES:
        for ranks in (1, 2, 3) if exchange == "auto" else (2, 3):
            run = f"{name}-{exchange}-on-{ranks}"
            fault = run_program(["mpirun", "-np", str(ranks), dgsolve, *options, run, "--set", f"exchange={exchange}"], folder, run, 300)
            if "not possible here" in fault and not (exchange == "ipc" and arguments.device.startswith("cuda")):
                print(f"{run}: {fault}", flush=True)
                continue
            if exchange != "auto" and exchange not in possible:
                possible.append(exchange)
            good = judge(folder, run, fault, expected, "none" if ranks == 1 else best(possible) if exchange == "auto" else exchange) and good
    for written, ranks in ((alone, 2), (f"{name}-auto-on-2", 1), (f"{name}-auto-on-3", 2)):
        files = sorted(folder.glob(f"{written}/*.checkpoints/*.h5"))
        if len(files) < 3:
            print(f"{written}: {len(files)} checkpoints")
            return False
        run = f"{written}-again-on-{ranks}"
        launcher = ["mpirun", "-np", str(ranks)] if ranks > 1 else []
        fault = run_program([*launcher, dgsolve, *options, run, "--restart", str(files[len(files) // 2])], folder, run, 300)
        good = judge(folder, run, fault, expected, "none" if ranks == 1 else best(possible)) and good
    return good


def test_ranks(arguments, folder):
    """Whether all was right. Prints a line for each run."""
    dgsolve = str((arguments.build / "dgsolve").resolve())
    good = True
    for name, values in RANKS_PROBLEMS.items():
        (folder / f"{name}.yaml").write_text(ranks_problem(values))
        good = test_problem(arguments, folder, dgsolve, name) and good
    # Rates of a larger problem, for the eye alone.
    (folder / "rates.yaml").write_text(ranks_problem({**RANKS_PROBLEMS["hexahedra"], "cells": [32, 32, 32]}))
    for exchange in ("staged", "ipc") if arguments.device.startswith("cuda") else ("staged",):
        command = ["mpirun", "-np", "2", dgsolve, "bench", "rates.yaml", "--device", arguments.device, "--quiet", "--steps", "10"]
        fault = run_program([*command, "--set", f"exchange={exchange}"], folder, f"rates-{exchange}", 300)
        print(fault or (folder / f"rates-{exchange}.log").read_text(), flush=True)
        good = good and not fault
    for ranks in (2, 3):
        command = ["mpirun", "-np", str(ranks), str((arguments.build / "test_ranks").resolve())]
        fault = run_program(command, folder, f"test_ranks-{ranks}", 300)
        print(f"test_ranks on {ranks}: {fault or 'passed'}", flush=True)
        good = good and not fault
    return good


def start(arguments, program, part, folder):
    command = [str(program)]
    if arguments.sanitizer:
        options = ["--report-api-errors", "no"] if arguments.sanitizer == "memcheck" else []
        command = ["compute-sanitizer", "--tool", arguments.sanitizer, "--target-processes", "application-only", *options, *command]
        command.append("--gtest_filter=-" + ":".join(WITHOUT_SANITIZER))
    environment = {**os.environ, "GTEST_TOTAL_SHARDS": str(arguments.parts), "GTEST_SHARD_INDEX": str(part)}
    environment.setdefault("DGSOLVE_CACHE_DIR", str(folder / "cache"))
    work = pathlib.Path(tempfile.mkdtemp(prefix="work", dir=folder))  # tests may write into the folder where they run
    with open(folder / f"{program.name}.{part}.log", "w") as log:
        return subprocess.Popen(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)


def summary(name, texts, unfinished):
    """One line, and the names of tests that failed."""
    text = "\n".join(texts)
    passed = len(re.findall(r"^\[       OK \]", text, re.M))
    skipped = len(re.findall(r"^\[  SKIPPED \] .*ms\)$", text, re.M))
    failed = re.findall(r"^\[  FAILED  \] (\S+?),? .*ms\)$", text, re.M)
    found = len(re.findall(r"^=+ (?:ERROR|RACECHECK) SUMMARY: [1-9]", text, re.M))
    reports = re.findall(r"^=+ (?:ERROR|RACECHECK) SUMMARY: .*$", text, re.M)
    line = f"{name}: {passed} passed, {skipped} skipped, {len(failed)} failed"
    if unfinished:
        line += f", {unfinished} parts cut short"
    return "\n".join([line, *(f"  {test}" for test in failed), *(f"  {count} x {report}" for report, count in counts(reports))]), failed or ["reports"] * (found > 0)


def counts(items):
    return sorted({item: items.count(item) for item in items}.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="folder of the programs")
    parser.add_argument("--parts", type=int, default=min(6, os.cpu_count() or 1), help="parts of a program that run at a time")
    parser.add_argument("--seconds", type=float, default=600, help="limit for one program")
    parser.add_argument("--sanitizer", help="tool of compute-sanitizer")
    parser.add_argument("--output", type=pathlib.Path, help="folder of the logs (default: a new one)")
    parser.add_argument("--ranks", action="store_true", help="problems on several ranks instead")
    parser.add_argument("--device", default="cuda", help="with --ranks: as of dgsolve (default: cuda)")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="default: all that use devices")
    arguments = parser.parse_args()
    folder = (arguments.output or pathlib.Path(tempfile.mkdtemp(prefix="gpu-tests-"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print(f"logs in {folder}", flush=True)
    if arguments.ranks:
        sys.exit(0 if test_ranks(arguments, folder) else 1)
    good = True
    for name in arguments.programs or (["test_codegen"] if arguments.sanitizer else PROGRAMS):
        program = (arguments.build / name).resolve()
        if not program.is_file():
            sys.exit(f"there is no program {program}: build it first")
        end = time.monotonic() + arguments.seconds
        processes = [start(arguments, program, part, folder) for part in range(arguments.parts)]
        unfinished = 0
        for process in processes:
            try:
                good = process.wait(max(0.0, end - time.monotonic())) == 0 and good
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                unfinished += 1
        texts = [(folder / f"{name}.{part}.log").read_text(errors="replace") for part in range(arguments.parts)]
        line, failed = summary(name, texts, unfinished)
        good = good and not failed and not unfinished
        print(line, flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
