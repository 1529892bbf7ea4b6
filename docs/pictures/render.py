"""Renders the pictures of the documents from result files, without a display (VTK from PyPI: Mesa through EGL or OSMesa).

Usage: render.py FOLDER [NAME...]; FOLDER holds NAME.vtkhdf of the runs (dgsolve configs/NAME.yaml --output FOLDER). Writes NAME.png beside
this file, at the last output time. Cells are drawn with their own polynomials: each is cut into 4^SUBDIVISION pieces.
"""

import math
import pathlib
import sys
from dataclasses import dataclass

import vtkmodules.vtkRenderingFreeType  # noqa: F401  registers text rendering
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  registers the renderer
from vtkmodules.vtkCommonCore import vtkIdList, vtkLookupTable, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPlane, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkCleanPolyData, vtkContourFilter, vtkCutter
from vtkmodules.vtkFiltersGeometry import vtkDataSetSurfaceFilter
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkColorTransferFunction,
    vtkPolyDataMapper,
    vtkRenderer,
    vtkRenderWindow,
    vtkTextProperty,
    vtkWindowToImageFilter,
)

SUBDIVISION = 3


@dataclass(frozen=True)
class Panel:
    """One field over a window of the plane (x0, x1, y0, y1)."""

    field: str
    title: str
    window: tuple
    lines: int = 0  # contour lines
    cells: bool = True  # outlines of the cells
    limits: tuple = ()  # of the colours; empty: the values in the window


CYLINDER = [
    Panel("pressure", "pressure", (-2.2, 3.6, -1.45, 1.45), 23, limits=(16.2, 18.4)),
    Panel("mach", "Mach number", (-2.2, 3.6, -1.45, 1.45), 23, False, limits=(0, 0.44)),
]
PANELS = {
    "euler-vortex": [Panel("rho", "density", (0, 10, 0, 10), 10)],
    "cylinder2d-quad": CYLINDER,
    "cylinder2d-tri": CYLINDER,
}


def read_last(path):
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    reader.SetStep(max(0, reader.GetNumberOfSteps() - 1))
    reader.Update()
    return reader.GetOutput()


def surface_of(grid):
    surface = vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    surface.SetNonlinearSubdivisionLevel(SUBDIVISION)
    surface.Update()
    return surface.GetOutput()


def cell_outlines(grid, height=0.0):
    """The edges of the cells as lines through all their points."""
    points, lines = vtkPoints(), vtkCellArray()
    for number in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(number)
        for side in range(cell.GetNumberOfEdges()):
            place = cell.GetEdge(side).GetPoints()
            count = place.GetNumberOfPoints()
            lines.InsertNextCell(count)
            for i in [0, *range(2, count), 1]:  # VTK lists both ends first
                x, y, z = place.GetPoint(i)
                lines.InsertCellPoint(points.InsertNextPoint(x, y, z + height))
    outlines = vtkPolyData()
    outlines.SetPoints(points)
    outlines.SetLines(lines)
    return outlines


def colours(low, high):
    """From dark blue through white-green to yellow: even in lightness, also for those who do not see red."""
    transfer = vtkColorTransferFunction()
    transfer.SetColorSpaceToLab()
    table = [(0.267, 0.005, 0.329), (0.254, 0.265, 0.530), (0.164, 0.471, 0.558), (0.135, 0.659, 0.518), (0.478, 0.821, 0.318), (0.993, 0.906, 0.144)]
    for i, colour in enumerate(table):
        transfer.AddRGBPoint(i / (len(table) - 1), *colour)
    lookup = vtkLookupTable()
    lookup.SetNumberOfTableValues(256)
    lookup.SetRange(low, high)
    for i in range(256):
        lookup.SetTableValue(i, *transfer.GetColor(i / 255), 1.0)
    return lookup


def line_actor(data, colour, opacity, width):
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.ScalarVisibilityOff()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*colour)
    actor.GetProperty().SetOpacity(opacity)
    actor.GetProperty().SetLineWidth(width)
    actor.GetProperty().LightingOff()
    return actor


def field_actor(data, field, lookup):
    data.GetPointData().SetActiveScalars(field)
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetLookupTable(lookup)
    mapper.UseLookupTableScalarRangeOn()
    actor = vtkActor()
    actor.SetMapper(mapper)
    return actor


def scale_bar(lookup, title):
    bar = vtkScalarBarActor()
    bar.SetLookupTable(lookup)
    bar.SetTitle(title)
    bar.SetNumberOfLabels(5)
    bar.SetLabelFormat("%.4g")
    bar.UnconstrainedFontSizeOn()
    bar.SetPosition(0.86, 0.12)
    bar.SetWidth(0.11)
    bar.SetHeight(0.76)
    text = vtkTextProperty()
    text.SetColor(0, 0, 0)
    text.SetFontSize(16)
    bar.SetLabelTextProperty(text)
    bar.SetTitleTextProperty(text)
    return bar


def range_in(data, field, window):
    values = data.GetPointData().GetArray(field)
    x0, x1, y0, y1 = window
    inside = []
    for i in range(data.GetNumberOfPoints()):
        x, y, _ = data.GetPoint(i)
        if x0 <= x <= x1 and y0 <= y <= y1:
            inside.append(values.GetValue(i))
    return min(inside), max(inside)


def plane_renderer(grid, surface, panel):
    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    low, high = panel.limits or range_in(surface, panel.field, panel.window)
    lookup = colours(low, high)
    shown = vtkPolyData()
    shown.ShallowCopy(surface)
    actor = field_actor(shown, panel.field, lookup)
    actor.GetProperty().LightingOff()
    renderer.AddActor(actor)
    if panel.lines:
        contour = vtkContourFilter()
        contour.SetInputData(shown)
        contour.GenerateValues(panel.lines, low, high)
        contour.Update()
        raised = line_actor(contour.GetOutput(), (0, 0, 0), 0.75, 1.2)
        raised.SetPosition(0, 0, 0.01)
        renderer.AddActor(raised)
    if panel.cells:
        renderer.AddActor(line_actor(cell_outlines(grid, 0.005), (1, 1, 1), 0.3, 1.0))
    renderer.AddViewProp(scale_bar(lookup, panel.title))
    x0, x1, y0, y1 = panel.window
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    middle, shift = 0.5 * (x0 + x1), 0.08 * (x1 - x0)  # room for the scale
    camera.SetFocalPoint(middle + shift, 0.5 * (y0 + y1), 0)
    camera.SetPosition(middle + shift, 0.5 * (y0 + y1), 10 * (x1 - x0))
    camera.SetParallelScale(0.5 * (y1 - y0))
    renderer.ResetCameraClippingRange()
    return renderer


def save(renderers, size, path):
    """Stacks the renderers from top to bottom."""
    window = vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(size[0], size[1] * len(renderers))
    for i, renderer in enumerate(reversed(renderers)):
        renderer.SetViewport(0, i / len(renderers), 1, (i + 1) / len(renderers))
        window.AddRenderer(renderer)
    window.Render()
    image = vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    writer = vtkPNGWriter()
    writer.SetFileName(str(path))
    writer.SetInputConnection(image.GetOutputPort())
    writer.SetCompressionLevel(9)
    writer.Write()


def render_plane(grid, panels, path):
    surface = surface_of(grid)
    x0, x1, y0, y1 = panels[0].window
    height = 400 if len(panels) > 1 else 640
    width = int(height * (x1 - x0) / (y1 - y0) / 0.84)
    save([plane_renderer(grid, surface, panel) for panel in panels], (width, height), path)


def facets_near_sphere(surface, radius):
    """The facets with all corners on the sphere (every face of every cell is in the surface, as cells share no points)."""
    facets, kept = surface.GetPolys(), vtkCellArray()
    ids = vtkIdList()
    for number in range(facets.GetNumberOfCells()):
        facets.GetCellAtId(number, ids)
        corners = [surface.GetPoint(ids.GetId(i)) for i in range(ids.GetNumberOfIds())]
        if all(abs(math.hypot(*corner) - radius) < 4e-3 for corner in corners):
            kept.InsertNextCell(ids)
    body = vtkPolyData()
    body.SetPoints(surface.GetPoints())
    body.GetPointData().ShallowCopy(surface.GetPointData())
    body.SetPolys(kept)
    clean = vtkCleanPolyData()  # drops the points that no facet uses
    clean.SetInputData(body)
    clean.PointMergingOff()
    clean.Update()
    return clean.GetOutput()


def render_sphere(grid, path):
    """Pressure on the sphere and on the plane z = 0 through its middle."""
    body = facets_near_sphere(surface_of(grid), 0.5)
    plane = vtkPlane()
    plane.SetNormal(0, 0, 1)
    plane.SetOrigin(0, 0, -1e-4)
    cut = vtkCutter()
    cut.SetInputData(grid)
    cut.SetCutFunction(plane)
    cut.Update()
    lookup = colours(*range_in(body, "pressure", (-1, 1, -1, 1)))
    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    flat = field_actor(cut.GetOutput(), "pressure", lookup)
    flat.GetProperty().LightingOff()
    renderer.AddActor(flat)
    sphere = field_actor(body, "pressure", lookup)
    sphere.GetProperty().SetInterpolationToPhong()
    sphere.GetProperty().SetAmbient(0.55)
    sphere.GetProperty().SetDiffuse(0.5)
    renderer.AddActor(sphere)
    renderer.AddViewProp(scale_bar(lookup, "pressure"))
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(0.25, 0, 0)
    camera.SetPosition(-1.2, -2.8, 3.4)
    camera.SetViewUp(0, 0, 1)
    renderer.ResetCameraClippingRange()
    save([renderer], (900, 640), path)


def main():
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or [*PANELS, "sphere3d"]
    for name in names:
        grid = read_last(folder / f"{name}.vtkhdf")
        path = pathlib.Path(__file__).resolve().parent / f"{name}.png"
        if name in PANELS:
            render_plane(grid, PANELS[name], path)
        else:
            render_sphere(grid, path)
        print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
