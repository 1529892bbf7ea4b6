"""Runs one configuration of configs/ at a small size and judges it by the row of table.py that has its name.

Usage: configs_test.py CONFIG.yaml; DGSOLVE_PROGRAM is the program, DGSOLVE_TEST_DEVICE the device (default: auto).
"""

import csv
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import table


class Configuration(unittest.TestCase):
    path = None  # of the configuration

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        if cls.path.stem not in table.ROWS:
            raise AssertionError(f"{cls.path.name} has no row in tests/configs/table.py")
        cls.row = table.ROWS[cls.path.stem]
        command = [os.environ["DGSOLVE_PROGRAM"], str(cls.path), "--output", str(cls.folder), "--json", str(cls.folder / "out.json")]
        command += ["--quiet", "--device", os.environ.get("DGSOLVE_TEST_DEVICE", "auto")]
        for override in cls.row.overrides:
            command += ["--set", override]
        process = subprocess.run(command, cwd=cls.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if process.returncode != 0:
            raise AssertionError(f"exit status {process.returncode}: {process.stderr}")
        cls.summary = json.loads((cls.folder / "out.json").read_text())
        cls.monitors = {}
        if (cls.folder / "monitors.csv").exists():
            with open(cls.folder / "monitors.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            cls.monitors = {name: [float(row[name]) for row in rows] for name in rows[0]}

    def assert_near_stored(self, what, found, stored):
        self.assertTrue(math.isfinite(found), what)
        self.assertLessEqual(found, table.MORE * stored, f"{what}: worse than the stored value")
        self.assertGreaterEqual(found, table.LESS * stored, f"{what}: suspiciously far below the stored value")

    def test_it_runs_to_its_end(self):
        self.assertEqual(self.summary["status"], "done")
        self.assertGreater(self.summary["steps"], 0)
        self.assertEqual(self.summary["elements"], self.row.cells)

    def test_its_errors_are_the_stored_ones(self):
        self.assertEqual(set(self.row.errors) - set(self.summary["errors"]), set())
        for name, stored in self.row.errors.items():
            self.assert_near_stored(f"L2 of {name}", self.summary["errors"][name]["L2"], stored)

    def test_its_monitors_hold(self):
        for name, stored in self.row.finals.items():
            self.assert_near_stored(name, self.monitors[name][-1], stored)
        for name, bound in self.row.constants.items():
            first = self.monitors[name][0]
            self.assertLessEqual(max(abs(value - first) for value in self.monitors[name]), bound * abs(first), name)
        for name, bound in self.row.zeros.items():
            self.assertLessEqual(max(abs(value) for value in self.monitors[name]), bound, name)

    def test_something_is_judged(self):
        self.assertTrue(self.row.errors or self.row.finals)

    def test_its_comment_says_what_to_look_at_and_docs_list_it(self):
        text = self.path.read_text()
        comment = text.split("\nequations:")[0]
        self.assertTrue(all(line.startswith("#") for line in comment.splitlines()), "the file starts with a comment")
        self.assertIn("\n# Look at: ", text)
        self.assertIn("configs/" + self.path.name, (self.path.parents[1] / "docs" / "examples.md").read_text())

    @unittest.skipUnless(importlib.util.find_spec("vtk"), "this Python has no module vtk (./bootstrap test installs it)")
    def test_vtk_reads_cells_times_and_vectors(self):
        import wall_forces

        reader, times = wall_forces.open_series(self.folder / f"{self.path.stem}.vtkhdf")
        self.assertEqual(len(times), self.row.times)
        grid = wall_forces.read_step(reader, len(times) - 1)
        self.assertEqual(grid.GetNumberOfCells(), self.row.cells)
        data = grid.GetPointData()
        components = {data.GetArrayName(i): data.GetArray(i).GetNumberOfComponents() for i in range(data.GetNumberOfArrays())}
        self.assertEqual({name for name, count in components.items() if count == 3}, set(self.row.vectors))
        for i in range(data.GetNumberOfArrays()):
            for component in range(data.GetArray(i).GetNumberOfComponents()):
                self.assertTrue(all(math.isfinite(value) for value in data.GetArray(i).GetRange(component)), data.GetArrayName(i))


if __name__ == "__main__":
    Configuration.path = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
