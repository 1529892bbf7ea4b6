"""Runs the program as a user does, in a folder of its own, with a kernel cache that all these tests share."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DONE, BAD_INPUT, DIVERGED, TROUBLE, STOPPED = 0, 2, 3, 5, 75

# A small problem with an exact solution; tests change single lines of it.
WAVE = """\
equations: advection
parameters: {a: [1, 0]}
mesh:
  box: {lower: [0, 0], upper: [1, 1], cells: [4, 4], shape: quad, periodic: [x, y]}
initial:
  u: sin(2*pi*x)
exact:
  u: sin(2*pi*(x - t))
order: 2
flux: upwind
time: {end: 0.1}
output: {fields: [u]}
device: opencl
"""

GAS = """\
equations: euler
mesh:
  box: {lower: [0], upper: [1], cells: [8], periodic: [x]}
initial:
  rho: 1 + 0.5*sin(2*pi*x)
  v: 1
  p: 1
order: 2
flux: rusanov
time: {end: 0.05}
device: opencl
"""


class Result:
    def __init__(self, process):
        self.status = process.returncode
        self.output = process.stdout
        self.messages = process.stderr


def mpi_environment(sessions):
    """For mpirun, as root or not, on however few cores. Open MPI's own files lie in `sessions`: runs that begin and end at the same time take
    the folder that they otherwise share from each other."""
    return {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_orte_tmpdir_base": str(sessions),
    }


class ProgramTest(unittest.TestCase):
    """Each test starts in an empty folder."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "work"
        self.folder.mkdir()
        self.sessions = pathlib.Path(scratch.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def run_program(self, *arguments, environment=None, prepare=None):
        process = subprocess.run(
            [os.environ["DGSOLVE_PROGRAM"], *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            preexec_fn=prepare,
            check=False,
        )
        return Result(process)

    def run_text(self, text, *arguments, command=(), **more):
        """Writes the configuration and runs it (or another command on it)."""
        return self.run_program(*command, self.write("problem.yaml", text), *arguments, **more)

    def read_json(self, name):
        return json.loads((self.folder / name).read_text())

    def assert_fails(self, result, status, *parts):
        """The status, one message that starts as all do, and every part in it."""
        self.assertEqual(result.status, status, result.messages)
        self.assertIn("dgsolve: error: ", result.messages)
        for part in parts:
            self.assertIn(part, result.messages)

    def assert_succeeds(self, result):
        self.assertEqual(result.status, DONE, result.messages)
