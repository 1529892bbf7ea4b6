#!/usr/bin/env python3
"""Writes a Gmsh file with 6*N^3 tetrahedra of a cube, to measure how meshes are read.

    python3 tests/benchmarks/make_tetrahedra.py N FILE [--version 2.2|4.1] [--binary] [--in-order]

Inner vertices are moved a little, nodes and elements are shuffled (as in files from mesh generators, neighbours are far from each other in
the file) unless --in-order is given. The boundary is one physical group, "wall". Needs numpy.
"""

import argparse
import itertools

import numpy


def make_cube(n, random, shuffled):
    """Nodes [nodes][3], tetrahedra [cells][4] and boundary triangles [faces][3] as node indices."""
    axis = numpy.arange(n + 1) / n
    nodes = numpy.stack(numpy.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    inner = numpy.all((nodes > 0) & (nodes < 1), axis=1)
    nodes[inner] += random.uniform(-0.15 / n, 0.15 / n, (inner.sum(), 3))
    number = lambda corner: (corner[..., 0] * (n + 1) + corner[..., 1]) * (n + 1) + corner[..., 2]
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    cells, faces = [], []
    for axes in itertools.permutations(range(3)):  # Kuhn's simplices
        corners = [numpy.zeros(3, int)]
        for k in axes:
            corners.append(corners[-1] + numpy.eye(3, dtype=int)[k])
        own = numpy.stack([number(grid + corner) for corner in corners], axis=1)
        if numpy.linalg.det(numpy.diff(corners, axis=0)) < 0:
            own = own[:, [0, 2, 1, 3]]
        cells.append(own)
        for side, triangle in ((0, corners[:3]), (1, corners[1:])):
            k = axes[2] if side == 0 else axes[0]
            at_side = grid[grid[:, k] == (0 if side == 0 else n - 1)]
            faces.append(numpy.stack([number(at_side + corner) for corner in triangle], axis=1))
    cells, faces = numpy.concatenate(cells), numpy.concatenate(faces)
    if shuffled:
        order = random.permutation(len(nodes))
        place = numpy.empty_like(order)
        place[order] = numpy.arange(len(nodes))
        nodes, cells, faces = nodes[order], random.permutation(place[cells]), place[faces]
    return nodes, cells, faces


def write_22(file, nodes, cells, faces, binary):
    file.write(b"$MeshFormat\n2.2 %d 8\n" % binary + (numpy.int32(1).tobytes() + b"\n" if binary else b"") + b"$EndMeshFormat\n")
    file.write(b'$PhysicalNames\n2\n2 1 "wall"\n3 2 "inside"\n$EndPhysicalNames\n$Nodes\n%d\n' % len(nodes))
    if binary:
        record = numpy.zeros(len(nodes), numpy.dtype([("tag", "<i4"), ("x", "<f8", 3)]))
        record["tag"], record["x"] = numpy.arange(1, len(nodes) + 1), nodes
        file.write(record.tobytes() + b"\n")
    else:
        for tag, x in enumerate(nodes.tolist(), 1):
            file.write(f"{tag} {x[0]!r} {x[1]!r} {x[2]!r}\n".encode())
    file.write(b"$EndNodes\n$Elements\n%d\n" % (len(cells) + len(faces)))
    tag = 1
    for kind, group, elements in ((2, 1, faces), (4, 2, cells)):
        rows = numpy.empty((len(elements), 3 + elements.shape[1]), "<i4")
        rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3:] = numpy.arange(tag, tag + len(elements)), group, group, elements + 1
        tag += len(elements)
        if binary:
            file.write(numpy.array([kind, len(elements), 2], "<i4").tobytes() + rows.tobytes())
        else:
            for row in rows.tolist():
                file.write(f"{row[0]} {kind} 2 {' '.join(map(str, row[1:]))}\n".encode())
    file.write(b"$EndElements\n")


def write_41(file, nodes, cells, faces, binary):
    def put(*items):  # (format, values) as bytes, or one line of text
        if binary:
            file.write(b"".join(numpy.asarray(values, kind).tobytes() for kind, values in items))
        else:
            file.write((" ".join(str(v) for _, values in items for v in numpy.atleast_1d(values).tolist()) + "\n").encode())

    def put_rows(kind, rows):
        if binary:
            file.write(rows.astype(kind).tobytes())
        else:
            for row in rows.tolist():
                file.write((" ".join(map(repr, row)) + "\n").encode())

    file.write(b"$MeshFormat\n4.1 %d 8\n" % binary + (numpy.int32(1).tobytes() + b"\n" if binary else b"") + b"$EndMeshFormat\n")
    file.write(b'$PhysicalNames\n2\n2 1 "wall"\n3 2 "inside"\n$EndPhysicalNames\n$Entities\n')
    put(("<u8", [0, 0, 1, 1]))
    for group in (1, 2):
        put(("<i4", [1]), ("<f8", [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), ("<u8", [1]), ("<i4", [group]), ("<u8", [0]))
    file.write(b"$EndEntities\n$Nodes\n")
    put(("<u8", [1, len(nodes), 1, len(nodes)]))
    put(("<i4", [3, 1, 0]), ("<u8", [len(nodes)]))
    put_rows("<u8", numpy.arange(1, len(nodes) + 1)[:, None])
    put_rows("<f8", nodes)
    file.write(b"$EndNodes\n$Elements\n")
    total = len(cells) + len(faces)
    put(("<u8", [2, total, 1, total]))
    tag = 1
    for dimension, kind, elements in ((2, 2, faces), (3, 4, cells)):
        put(("<i4", [dimension, 1, kind]), ("<u8", [len(elements)]))
        put_rows("<u8", numpy.column_stack([numpy.arange(tag, tag + len(elements)), elements + 1]))
        tag += len(elements)
    file.write(b"$EndElements\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, metavar="N")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--version", choices=["2.2", "4.1"], default="4.1")
    parser.add_argument("--binary", action="store_true")
    parser.add_argument("--in-order", action="store_true")
    options = parser.parse_args()
    mesh = make_cube(options.n, numpy.random.default_rng(1), not options.in_order)
    with open(options.file, "wb") as file:
        (write_41 if options.version == "4.1" else write_22)(file, *mesh, options.binary)
    print(f"{options.file}: {len(mesh[0])} nodes, {len(mesh[1])} tetrahedra, {len(mesh[2])} triangles")


if __name__ == "__main__":
    main()
