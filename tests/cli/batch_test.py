"""The batch scripts of docs/cluster, run to the end without a batch system: this test starts a job again when it asks for it or was killed."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

from program import DONE, SOURCE, STOPPED, WAVE
from ranks_test import RanksTest

# What stands in for the commands of a batch system.
SRUN = """#!/bin/bash
while [[ $1 == --* ]]; do shift; done
shift
if [ "$RANKS" = 1 ]; then exec "$DGSOLVE_PROGRAM" "$@"; fi
exec "$REAL_MPIRUN" -np "$RANKS" "$DGSOLVE_PROGRAM" "$@"
"""
MPIRUN = SRUN
AGAIN = """#!/bin/bash
echo "$@" >> again
"""


def descendants(pid):
    """Process ids below one, with the names of their programs."""
    try:
        children = [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []
    found = []
    for child in children:
        try:
            found.append((child, pathlib.Path(f"/proc/{child}/comm").read_text().strip()))
        except FileNotFoundError:
            continue
        found += descendants(child)
    return found


class BatchTest(RanksTest):
    KILLS = 5

    def setUp(self):
        super().setUp()
        self.random = random.Random(20)
        commands = self.folder / "bin"
        commands.mkdir()
        for name, text in (("srun", SRUN), ("mpirun", MPIRUN), ("scontrol", AGAIN), ("qsub", AGAIN)):
            (commands / name).write_text(text)
            (commands / name).chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{commands}:{os.environ['PATH']}",
            "REAL_MPIRUN": shutil.which("mpirun"),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "SLURM_JOB_ID": "7",
            "PBS_O_WORKDIR": str(self.folder),
            "CONFIG": "problem.yaml",
        }

    def start(self, script, ranks):
        return subprocess.Popen(["bash", SOURCE / "docs/cluster" / script, "problem.yaml"], cwd=self.folder, env={**self.environment, "RANKS": str(ranks)},
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def run_job(self, script, ranks, kill):
        """One start of the job; `kill`: a signal for one of its ranks at a random moment. Returns status and messages."""
        again = self.folder / "again"
        again.unlink(missing_ok=True)
        with self.start(script, ranks) as process:
            self.addCleanup(process.kill)
            if kill:
                self.interrupt(process, kill)
            messages = process.communicate(timeout=240)[1]
        self.assertEqual(again.exists(), process.returncode == STOPPED, messages)
        return process.returncode, messages

    def interrupt(self, process, kill):
        """At some moment, which may be before the first step."""
        end = time.time() + self.random.uniform(0.3, 3)
        while time.time() < end and process.poll() is None:
            time.sleep(0.02)
        programs = [pid for pid, name in descendants(process.pid) if name == "dgsolve"]
        if programs:
            os.kill(self.random.choice(programs), kill)

    def assert_survives(self, script, ranks, signals):
        self.write("problem.yaml", self.problem(ranks))
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "straight", "--quiet"))
        statuses = []
        for number in signals:
            statuses.append(self.run_job(script, ranks, number)[0])
        self.assertIn(STOPPED, statuses)
        self.assertTrue(set(statuses) - {DONE, STOPPED}, f"nothing was killed: {statuses}")
        for _ in range(20):
            status, messages = self.run_job(script, ranks, None)
            if status != STOPPED:
                break
        self.assertEqual(status, DONE, messages)
        expected, found = self.results("straight"), self.results("out")
        self.assertEqual(sorted(found), sorted(expected))
        for key, value in expected.items():
            self.assertEqual(found[key], value, key)

    def problem(self, ranks):
        end = 200 if ranks == 1 else 30
        text = WAVE.replace("[4, 4]", "[16, 12]").replace("order: 2", "order: 3").replace("end: 0.1", f"end: {end}").replace("fields: [u]", f"fields: [u], every: {end / 7}")
        return text + "checkpoint: {every: 0.1 s}\nmonitors:\n  mass: {integral: u, every: 0.5}\n  probe: {at: [0.31, 0.31], fields: u, every: 0.3}\n"


class BatchJobs(BatchTest):
    def test_slurm_on_one_rank(self):
        self.assert_survives("slurm.sh", 1, [signal.SIGKILL, signal.SIGUSR1, signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1])

    def test_slurm_on_two_ranks(self):
        self.assert_survives("slurm.sh", 2, [signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1, signal.SIGKILL, signal.SIGTERM])

    def test_pbs_stops_by_its_clock(self):
        self.environment["WALL"] = "3 s"
        self.assert_survives("pbs.sh", 2, [signal.SIGKILL, None, None])
