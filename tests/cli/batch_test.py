"""The batch scripts of docs/cluster, run to the end without a batch system: this test starts a job again when it asks for it or was killed."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

from program import DONE, SOURCE, STOPPED, WAVE, mpi_environment
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
            **mpi_environment(self.sessions),
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

    def newest_checkpoint(self):
        return max((int(file.stem) for file in self.folder.glob("out/*.checkpoints/*.h5")), default=-1)

    def interrupt(self, process, kill):
        """Once in a while before the first step, else some checkpoints and some milliseconds later."""
        target = self.newest_checkpoint() + self.random.choice((0, 1, 2, 3))
        end = time.time() + 120
        while (self.newest_checkpoint() < target or not self.programs(process)) and process.poll() is None and time.time() < end:
            time.sleep(0.002)
        time.sleep(self.random.uniform(0, 0.05))
        programs = self.programs(process)
        if programs:
            os.kill(self.random.choice(programs), kill)

    def programs(self, process):
        return [pid for pid, name in descendants(process.pid) if name == "dgsolve"]

    def assert_survives(self, script, jobs, ranks):
        """`jobs`: a signal for each, or the wall time (PBS) that it has."""
        self.write("problem.yaml", self.PROBLEM)
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "straight", "--quiet"))
        statuses = []
        for job in jobs:
            clock = isinstance(job, str)
            self.environment["WALL"] = job if clock else "01:50:00"
            statuses.append(self.run_job(script, ranks, None if clock else job)[0])
        self.assertNotIn(DONE, statuses, "a job was done before it was interrupted")
        self.assertIn(STOPPED, statuses)
        self.assertTrue(set(statuses) - {STOPPED}, f"nothing was killed: {statuses}")
        self.environment["WALL"] = "01:50:00"
        status, messages = self.run_job(script, ranks, None)
        self.assertEqual(status, DONE, messages)
        self.assertNotIn("warning", messages)
        expected, found = self.results("straight"), self.results("out")
        self.assertEqual(sorted(found), sorted(expected))
        for key, value in expected.items():
            self.assertEqual(found[key], value, key)

    # 2200 steps of a millisecond or two.
    PROBLEM = WAVE.replace("[4, 4]", "[60, 60]").replace("order: 2", "order: 3").replace("end: 0.1", "end: 6.6, step: 0.003").replace("fields: [u]", "fields: [u], every: 2") + """\
checkpoint: {every: 50 steps}
monitors:
  mass: {integral: u, every: 0.5}
  probe: {at: [0.31, 0.31], fields: u, every: 0.3}
"""


class BatchJobs(BatchTest):
    def test_slurm_on_one_rank(self):
        self.assert_survives("slurm.sh", [signal.SIGKILL, signal.SIGUSR1, signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1], ranks=1)

    def test_slurm_on_two_ranks(self):
        self.assert_survives("slurm.sh", [signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1, signal.SIGKILL, signal.SIGTERM], ranks=2)

    def test_pbs_stops_by_its_clock(self):
        self.assert_survives("pbs.sh", [signal.SIGKILL, "0.01 s", signal.SIGKILL, "1 s"], ranks=2)
