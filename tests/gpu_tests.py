#!/usr/bin/env python3
"""Runs the C++ test programs on the GPUs of this machine, many parts of a program at a time, and prints one line for each program.

    python3 tests/gpu_tests.py --build build [--parts 6] [--seconds 600] [--sanitizer memcheck] [PROGRAM...]

Without names: the programs that use devices. With --sanitizer (memcheck, racecheck, ...) they run under NVIDIA's compute-sanitizer; without
names then the toolkit's alone, and without the tests in WITHOUT_SANITIZER. Driver calls that tests make fail on purpose are not reported.
Results and messages lie in the folder --output. Exit status: 0 if nothing failed, no part ran out of time and the sanitizer found nothing.
"""

import argparse
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
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="default: all that use devices")
    arguments = parser.parse_args()
    folder = (arguments.output or pathlib.Path(tempfile.mkdtemp(prefix="gpu-tests-"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print(f"logs in {folder}", flush=True)
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
