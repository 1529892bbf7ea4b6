"""What others see of the results: VTK's own HDF reader opens them, with all cells, times, vectors and values."""

import importlib.util
import math
import unittest

from program import ProgramTest

PULSE = """\
equations: acoustics
mesh:
  box: {lower: [0, 0], upper: [2, 1], cells: [6, 4], shape: SHAPE, periodic: [x, y]}
initial:
  p: 1 + x + 10*y
  v: [y, -x]
order: 3
flux: upwind
time: {end: 0.05}
output: {every: 0.02, fields: [p, v]}
device: opencl
"""
POINTS_OF_CELL = {"quad": 16, "tri": 10}
CELLS = {"quad": 24, "tri": 48}


@unittest.skipUnless(importlib.util.find_spec("vtk"), "this Python has no module vtk (./bootstrap test installs it)")
class Vtk(ProgramTest):
    def read(self, file, step):
        from vtkmodules.vtkIOHDF import vtkHDFReader

        reader = vtkHDFReader()
        reader.SetFileName(str(file))
        reader.UpdateInformation()
        reader.SetStep(step)
        reader.Update()
        return reader, reader.GetOutput()

    def times(self, reader):
        from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

        return reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())

    def check_series(self, file, shape):
        reader, grid = self.read(file, 0)
        self.assertEqual(reader.GetNumberOfSteps(), 4)  # 0, 0.02, 0.04, 0.05
        for found, expected in zip(self.times(reader), (0, 0.02, 0.04, 0.05), strict=True):
            self.assertAlmostEqual(found, expected, places=14)
        self.assertEqual(grid.GetNumberOfCells(), CELLS[shape])
        self.assertEqual(grid.GetNumberOfPoints(), CELLS[shape] * POINTS_OF_CELL[shape])
        pressure = grid.GetPointData().GetArray("p")
        velocity = grid.GetPointData().GetArray("v")
        self.assertEqual((pressure.GetNumberOfComponents(), velocity.GetNumberOfComponents()), (1, 3))
        for i in range(grid.GetNumberOfPoints()):  # polynomials of degree 1: the points show them exactly
            x, y, z = grid.GetPoint(i)
            self.assertEqual(z, 0)
            self.assertAlmostEqual(pressure.GetValue(i), 1 + x + 10 * y, places=11)
            for found, expected in zip(velocity.GetTuple3(i), (y, -x, 0)):
                self.assertAlmostEqual(found, expected, places=12)

    def check_last_time(self, file):
        _, first = self.read(file, 0)
        _, last = self.read(file, 3)
        values = [grid.GetPointData().GetArray("p").GetRange() for grid in (first, last)]
        self.assertNotEqual(values[0], values[1])
        self.assertTrue(all(math.isfinite(value) for value in values[1]))

    def test_series_of_every_shape_shows_cells_times_vectors_and_values(self):
        for shape in CELLS:
            with self.subTest(shape):
                self.assert_succeeds(self.run_text(PULSE.replace("SHAPE", shape), "--output", shape))
                self.check_series(self.folder / shape / "problem.vtkhdf", shape)
                self.check_last_time(self.folder / shape / "problem.vtkhdf")

    def test_a_packed_file_shows_the_same(self):
        self.assert_succeeds(self.run_text(PULSE.replace("SHAPE", "quad")))
        self.assert_succeeds(self.run_program("pack", "out/problem.vtkhdf", "--to", "alone.vtkhdf"))
        (self.folder / "out").rename(self.folder / "moved")
        self.check_series(self.folder / "alone.vtkhdf", "quad")
        self.check_last_time(self.folder / "alone.vtkhdf")

    def test_the_folder_of_results_can_be_moved(self):
        self.assert_succeeds(self.run_text(PULSE.replace("SHAPE", "quad")))
        (self.folder / "out").rename(self.folder / "moved")
        self.check_series(self.folder / "moved/problem.vtkhdf", "quad")


if __name__ == "__main__":
    unittest.main()
