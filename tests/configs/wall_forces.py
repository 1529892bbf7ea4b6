"""Pressure force on a circular wall in two dimensions, and the error of the total enthalpy, from a result file.

Usage: wall_forces.py RESULT.vtkhdf [--radius 0.5] prints, for every output time, drag and lift coefficient for a free stream of density 1
and speed 1 and a body of the given radius at the origin: c = 2 F/(rho U^2 D), F = integral of p n over the wall, n out of the fluid.
The cells of the file carry the polynomials of the solution and of the mesh; the integral uses both on each edge, so it adds no error.
"""

import argparse
import math

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader


def open_series(path):
    """The reader and the times of a result file."""
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    key = vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    times = reader.GetOutputInformation(0).Get(key) if reader.GetOutputInformation(0).Has(key) else (0.0,)
    return reader, list(times)


def read_step(reader, step):
    reader.SetStep(step)
    reader.Update()
    return reader.GetOutput()


def wall_edges(grid, radius, tolerance=2e-3):
    """Point numbers of every cell edge on the circle, in order along the edge: [edges][order + 1]."""
    points = vtk_to_numpy(grid.GetPoints().GetData())
    on_wall = numpy.abs(numpy.hypot(points[:, 0], points[:, 1]) - radius) < tolerance * radius
    edges = []
    for number in range(grid.GetNumberOfCells()):
        ids = grid.GetCell(number).GetPointIds()
        if sum(on_wall[ids.GetId(i)] for i in range(ids.GetNumberOfIds())) < 2:
            continue
        cell = grid.GetCell(number)
        for side in range(cell.GetNumberOfEdges()):
            of_edge = cell.GetEdge(side).GetPointIds()
            found = [of_edge.GetId(i) for i in range(of_edge.GetNumberOfIds())]
            if all(on_wall[i] for i in found):  # VTK lists both ends first
                edges.append([found[0], *found[2:], found[1]])
    return numpy.array(edges)


def wall_force(grid, radius, field="pressure"):
    """(F_x, F_y) and the length of the wall."""
    points = vtk_to_numpy(grid.GetPoints().GetData())
    values = vtk_to_numpy(grid.GetPointData().GetArray(field))
    edges = wall_edges(grid, radius)
    order = edges.shape[1] - 1
    nodes = numpy.linspace(-1, 1, order + 1)
    gauss, weights = numpy.polynomial.legendre.leggauss(order + 2)
    powers = numpy.linalg.inv(numpy.vander(nodes, increasing=True))
    at_gauss = numpy.vander(gauss, order + 1, increasing=True) @ powers
    derivative = numpy.hstack([numpy.zeros((gauss.size, 1)), numpy.vander(gauss, order, increasing=True) * numpy.arange(1, order + 1)]) @ powers
    force, length = numpy.zeros(2), 0.0
    for edge in edges:
        position = at_gauss @ points[edge, :2]
        tangent = derivative @ points[edge, :2]
        normal = numpy.stack([tangent[:, 1], -tangent[:, 0]], axis=1)
        normal *= -numpy.sign(numpy.sum(normal * position, axis=1))[:, None]  # out of the fluid is towards the middle
        force += (weights * (at_gauss @ values[edge])) @ normal
        length += weights @ numpy.hypot(tangent[:, 0], tangent[:, 1])
    return force, length


def main():
    arguments = argparse.ArgumentParser(description="drag and lift of a circular body")
    arguments.add_argument("result")
    arguments.add_argument("--radius", type=float, default=0.5)
    options = arguments.parse_args()
    reader, times = open_series(options.result)
    print("time  drag_coefficient  lift_coefficient  wall_length/(2 pi R)")
    for step, time in enumerate(times):
        force, length = wall_force(read_step(reader, step), options.radius)
        drag, lift = force / options.radius
        print(f"{time:g}  {drag:.6f}  {lift:.6f}  {length / (2 * math.pi * options.radius):.8f}")


if __name__ == "__main__":
    main()
