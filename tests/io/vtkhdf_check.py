"""Reads the sample series with VTK's own reader and with h5py: points, cells, times, values between the points.

Usage: vtkhdf_check.py FOLDER, the folder that test_io's SampleSeries test writes. Exit status 77: a module is missing.
"""
import pathlib
import random
import re
import sys
import unittest

try:
    import h5py
    import numpy
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

FOLDER = pathlib.Path(sys.argv.pop(1))
DIMENSION = {"line": 1, "triangle": 2, "quadrilateral": 2, "tetrahedron": 3, "hexahedron": 3}
CELL_TYPE = {"line": 68, "triangle": 69, "quadrilateral": 70, "tetrahedron": 71, "hexahedron": 72}
CELLS_PER_BOX = {"line": 1, "triangle": 2, "quadrilateral": 1, "tetrahedron": 6, "hexahedron": 1}
BOX = (1.0, 1.5, 2.0)


def sample_value(x, degree, component, time):
    """The polynomial of sample_series.h."""
    return (0.3 + 0.7 * x[0] - 0.4 * x[1] + 0.25 * x[2] + 0.1 * component) ** degree + time


def random_parametric(shape):
    """A point inside VTK's parametric cell."""
    point = [random.uniform(0.05, 0.95) if k < DIMENSION[shape] else 0.0 for k in range(3)]
    if shape in ("triangle", "tetrahedron"):
        excess = sum(point)
        point = [value / (excess + random.uniform(0.1, 0.6)) for value in point]
    return point


def parametric_corners(shape):
    """The parametric vertices, to find cells that are turned inside out."""
    if shape in ("triangle", "tetrahedron"):
        return [[0, 0, 0]] + [[1 if k == m else 0 for k in range(3)] for m in range(DIMENSION[shape])]
    return [[(m >> k) & 1 if k < DIMENSION[shape] else 0 for k in range(3)] for m in range(2 ** DIMENSION[shape])]


class Series:
    """A file opened by vtkHDFReader."""

    def __init__(self, path):
        match = re.match(r"([a-z]+)_(\d+)(_.*)?$", path.stem)
        self.shape, self.order = match.group(1), int(match.group(2))
        self.degree = 1 if match.group(3) == "_warped" else self.order
        self.tolerance = 1e-5 if match.group(3) == "_single" else 1e-10
        self.reader = vtk.vtkHDFReader()
        self.reader.SetFileName(str(path))
        self.reader.UpdateInformation()
        key = vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS()
        information = self.reader.GetOutputInformation(0)
        self.times_of_vtk = [information.Get(key, i) for i in range(information.Length(key))]
        with h5py.File(path) as file:
            self.times = [float(time) for time in file["VTKHDF/Steps/Values"]]

    def grid(self, time):
        self.reader.UpdateTimeStep(time)
        return self.reader.GetOutputDataObject(0)


def series_files():
    return sorted(FOLDER.rglob("*.vtkhdf"))


class Reader(unittest.TestCase):
    def test_there_are_files_of_every_shape(self):
        self.assertEqual({path.stem.split("_")[0] for path in series_files()}, set(DIMENSION))

    def test_times_cells_and_arrays_are_there(self):
        for path in series_files():
            with self.subTest(path.name):
                series = Series(path)
                dimension = DIMENSION[series.shape]
                # VTK reports no times where there is only one.
                self.assertEqual(series.times_of_vtk, series.times if len(series.times) > 1 else [])
                for time in series.times:
                    grid = series.grid(time)
                    count = CELLS_PER_BOX[series.shape] * (1 if dimension == 3 and "_warped" not in path.name else 2) ** dimension
                    self.assertEqual(grid.GetNumberOfCells(), count)
                    self.assertEqual({grid.GetCellType(i) for i in range(count)}, {CELL_TYPE[series.shape]})
                    points = grid.GetPointData()
                    columns = {points.GetArrayName(i): points.GetArray(i).GetNumberOfComponents() for i in range(points.GetNumberOfArrays())}
                    self.assertEqual(columns, {"pressure": 1, "velocity": 3, "stress": 6})
                    bounds = grid.GetBounds()
                    for k in range(dimension):
                        self.assertAlmostEqual(bounds[2 * k], 0.0)
                        self.assertAlmostEqual(bounds[2 * k + 1], BOX[k])

    def test_values_between_the_points_are_those_of_the_polynomial(self):
        """Wrong point orders, wrong paddings and mixed-up times all fail here."""
        random.seed(1)
        for path in series_files():
            with self.subTest(path.name):
                series = Series(path)
                dimension = DIMENSION[series.shape]
                for time in series.times:
                    grid = series.grid(time)
                    data = {name: vtk_to_numpy(grid.GetPointData().GetArray(name)) for name in ("pressure", "velocity", "stress")}
                    for index in range(grid.GetNumberOfCells()):
                        self.check_cell(series, grid, data, index, dimension, time)

    def check_cell(self, series, grid, data, index, dimension, time):
        cell = grid.GetCell(index)
        ids = [cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())]
        for _ in range(3):
            weights, x = [0.0] * len(ids), [0.0] * 3
            cell.EvaluateLocation(vtk.reference(0), random_parametric(series.shape), x, weights)
            value = {name: numpy.asarray(weights) @ array[ids] for name, array in data.items()}
            expected = lambda component: sample_value(x, series.degree, component, time)
            near = lambda a, b: self.assertLess(abs(a - b), series.tolerance * max(1.0, abs(b)))
            near(value["pressure"], expected(0))
            for k in range(3):
                near(value["velocity"][k], expected(1 + k) if k < dimension else 0.0)
            self.check_tensor(value["stress"], dimension, expected, near)

    def check_tensor(self, stress, dimension, expected, near):
        """XX YY ZZ XY YZ XZ from the upper half, which is stored by rows."""
        stored = [(i, k) for i in range(dimension) for k in range(i, dimension)]
        place = {(0, 0): 0, (1, 1): 1, (2, 2): 2, (0, 1): 3, (1, 2): 4, (0, 2): 5}
        for pair, column in place.items():
            near(stress[column], expected(1 + dimension + stored.index(pair)) if pair in stored else 0.0)

    def test_points_have_the_parametric_coordinates_that_vtk_expects(self):
        """On straight cells the points are the affine image of VTK's own parametric coordinates of the cell."""
        for path in series_files():
            if "_warped" in path.name:
                continue
            with self.subTest(path.name):
                series = Series(path)
                grid = series.grid(0.0)
                cell = grid.GetCell(0)
                count = cell.GetNumberOfPoints()
                parametric = self.parametric(cell, count)
                points = numpy.array([grid.GetPoint(cell.GetPointId(i)) for i in range(count)])
                system = numpy.hstack([parametric, numpy.ones((count, 1))])
                affine, *_ = numpy.linalg.lstsq(system, points, rcond=None)
                self.assertLess(numpy.abs(system @ affine - points).max(), 1e-12)

    def parametric(self, cell, count):
        """Where VTK's shape function of each point is one: found by asking for the point's own position."""
        result = []
        for i in range(count):
            closest, parametric, weights = [0.0] * 3, [0.0] * 3, [0.0] * count
            cell.EvaluatePosition(cell.GetPoints().GetPoint(i), closest, vtk.reference(0), parametric, vtk.reference(0.0), weights)
            result.append(parametric)
        return numpy.array(result)

    def test_cells_are_not_turned_inside_out(self):
        for path in series_files():
            with self.subTest(path.name):
                series = Series(path)
                grid = series.grid(series.times[0])
                for index in range(grid.GetNumberOfCells()):
                    self.assertGreater(self.orientation(grid.GetCell(index), series.shape), 0.0)

    def orientation(self, cell, shape):
        corners = []
        for parametric in parametric_corners(shape):
            x = [0.0] * 3
            cell.EvaluateLocation(vtk.reference(0), [float(value) for value in parametric], x, [0.0] * cell.GetNumberOfPoints())
            corners.append(numpy.array(x))
        dimension = DIMENSION[shape]
        axes = [1, 2, 3] if shape in ("triangle", "tetrahedron") else [1, 2, 4]
        jacobian = numpy.array([(corners[axes[k]] - corners[0])[:dimension] for k in range(dimension)])
        return numpy.linalg.det(jacobian)


class Files(unittest.TestCase):
    def test_the_origin_is_recorded_also_if_it_is_long(self):
        for path in series_files():
            with h5py.File(path) as file, self.subTest(path.name):
                self.assertEqual(len(file.attrs["configuration"]), 100000)
                self.assertIn(file.attrs["version"], ("test", b"test", numpy.bytes_(b"test")))

    def test_every_time_file_holds_its_time_and_step(self):
        with h5py.File(FOLDER / "line_1.d" / "000001.h5") as file:
            self.assertEqual(file.attrs["time"], 0.25)
            self.assertEqual(file.attrs["step"], 1)

    def test_a_packed_file_needs_no_other_and_a_series_does(self):
        with h5py.File(FOLDER / "quadrilateral_2_packed.vtkhdf") as file:
            self.assertFalse(file["VTKHDF/PointData/pressure"].is_virtual)
            self.assertFalse(file["VTKHDF/Points"].is_virtual)
        with h5py.File(FOLDER / "after" / "quadrilateral_2_moved.vtkhdf") as file:
            self.assertTrue(file["VTKHDF/PointData/pressure"].is_virtual)
            for source in file["VTKHDF/PointData/pressure"].virtual_sources():
                self.assertFalse(pathlib.Path(source.file_name).is_absolute())

    def test_single_precision_is_stored_as_such(self):
        with h5py.File(FOLDER / "quadrilateral_2_single.vtkhdf") as file:
            self.assertEqual(file["VTKHDF/PointData/velocity"].dtype, numpy.float32)
            self.assertEqual(file["VTKHDF/Points"].dtype, numpy.float64)


if __name__ == "__main__":
    unittest.main(verbosity=2)
