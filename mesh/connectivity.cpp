// Face matching: faces are dealt into buckets by their smallest vertex, and compared inside a bucket only.
#include "mesh/connectivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace dgsolve::mesh {
namespace {

struct SmallFace {
  std::array<std::int32_t, 4> number{};
  std::size_t count = 0;
};

SmallFace numbers_of(const ShapeFacts& facts, std::span<const std::int32_t> cell_vertices, std::size_t face) {
  SmallFace result;
  for (const int v : facts.face_vertices[face]) result.number[result.count++] = cell_vertices[static_cast<std::size_t>(v)];
  return result;
}

/// All faces of all cells, those with the same smallest vertex next to each other.
struct Buckets {
  std::vector<std::size_t> offset;  // [vertices+1]
  std::vector<CellFace> faces;
};

Buckets deal_faces(const Mesh& mesh, const CellVertices& vertices) {
  const std::int32_t last = vertices.number.empty() ? -1 : *std::max_element(vertices.number.begin(), vertices.number.end());
  Buckets buckets;
  buckets.offset.assign(static_cast<std::size_t>(last) + 2, 0);
  const auto for_each_face = [&](const auto& act) {
    for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
      const ShapeFacts& facts = shape_facts(mesh.shapes[cell]);
      for (std::size_t face = 0; face < facts.face_shapes.size(); ++face) {
        const SmallFace small = numbers_of(facts, vertices.of(cell), face);
        act(static_cast<std::size_t>(
                *std::min_element(small.number.begin(), small.number.begin() + static_cast<std::ptrdiff_t>(small.count))),
            CellFace{static_cast<std::int32_t>(cell), static_cast<std::int8_t>(face)});
      }
    }
  };
  for_each_face([&](std::size_t smallest, CellFace) { ++buckets.offset[smallest + 1]; });
  for (std::size_t v = 1; v < buckets.offset.size(); ++v) buckets.offset[v] += buckets.offset[v - 1];
  buckets.faces.resize(buckets.offset.back());
  auto next = buckets.offset;
  for_each_face([&](std::size_t smallest, CellFace face) { buckets.faces[next[smallest]++] = face; });
  return buckets;
}

[[noreturn]] void fault_at_face(const Mesh& mesh, CellFace face, const CellNamer& namer, std::string_view what) {
  const auto cell = static_cast<std::size_t>(face.cell);
  throw MeshError(fmt::format("{}, face {} at {}: {}", name_cell(mesh, cell, namer), static_cast<int>(face.face),
                              format_point(face_centre(mesh, cell, static_cast<std::size_t>(face.face)), mesh.dimension), what));
}

void join(Mesh& mesh, const CellVertices& vertices, CellFace here, CellFace there, const CellNamer& namer) {
  const auto here_numbers = face_vertex_numbers(mesh, vertices, here);
  const auto there_numbers = face_vertex_numbers(mesh, vertices, there);
  const Shape face_shape = shape_facts(mesh.shapes[static_cast<std::size_t>(here.cell)]).face_shapes[static_cast<std::size_t>(here.face)];
  const auto orientation = find_orientation(face_shape, here_numbers, there_numbers);
  if (!orientation) {
    fault_at_face(mesh, here, namer,
                  fmt::format("it has the vertices of a face of {}, but in another order round the face",
                              name_cell(mesh, static_cast<std::size_t>(there.cell), namer)));
  }
  link_faces(mesh, here, there, *orientation);
}

void set_face_offsets(Mesh& mesh) {
  mesh.face_offset.assign(mesh.cell_count() + 1, 0);
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    mesh.face_offset[cell + 1] = mesh.face_offset[cell] + shape_facts(mesh.shapes[cell]).face_shapes.size();
  }
  mesh.links.assign(mesh.face_offset.back(), FaceLink{});
}

}  // namespace

FaceKey face_key(std::span<const std::int32_t> vertices) {
  FaceKey key;
  key.fill(-1);
  std::copy(vertices.begin(), vertices.end(), key.begin());
  std::sort(key.begin(), key.end());
  return key;
}

std::vector<std::int32_t> face_vertex_numbers(const Mesh& mesh, const CellVertices& vertices, CellFace face) {
  const auto cell = static_cast<std::size_t>(face.cell);
  const SmallFace small = numbers_of(shape_facts(mesh.shapes[cell]), vertices.of(cell), static_cast<std::size_t>(face.face));
  return {small.number.begin(), small.number.begin() + static_cast<std::ptrdiff_t>(small.count)};
}

std::optional<int> find_orientation(Shape face_shape, std::span<const std::int32_t> here, std::span<const std::int32_t> there) {
  if (here.size() != there.size()) return std::nullopt;
  for (int code = 0; code < orientation_count(face_shape); ++code) {
    const auto turned = orientation_vertices(face_shape, code);
    std::size_t s = 0;
    while (s < here.size() && here[s] == there[static_cast<std::size_t>(turned[s])]) ++s;
    if (s == here.size()) return code;
  }
  return std::nullopt;
}

void link_faces(Mesh& mesh, CellFace here, CellFace there, int orientation) {
  const auto cell = static_cast<std::size_t>(here.cell);
  const Shape face_shape = shape_facts(mesh.shapes[cell]).face_shapes[static_cast<std::size_t>(here.face)];
  mesh.links[mesh.face_offset[cell] + static_cast<std::size_t>(here.face)] = {
      .neighbour = there.cell, .boundary = -1, .face = there.face, .orientation = static_cast<std::int8_t>(orientation)};
  mesh.links[mesh.face_offset[static_cast<std::size_t>(there.cell)] + static_cast<std::size_t>(there.face)] = {
      .neighbour = here.cell,
      .boundary = -1,
      .face = here.face,
      .orientation = static_cast<std::int8_t>(inverse_orientation(face_shape, orientation))};
}

std::vector<OpenFace> match_faces(Mesh& mesh, const CellVertices& vertices, const CellNamer& namer) {
  set_face_offsets(mesh);
  const Buckets buckets = deal_faces(mesh, vertices);
  std::vector<OpenFace> open;
  std::vector<OpenFace> bucket;
  for (std::size_t v = 0; v + 1 < buckets.offset.size(); ++v) {
    bucket.clear();
    for (std::size_t i = buckets.offset[v]; i < buckets.offset[v + 1]; ++i) {
      const auto cell = static_cast<std::size_t>(buckets.faces[i].cell);
      const SmallFace small =
          numbers_of(shape_facts(mesh.shapes[cell]), vertices.of(cell), static_cast<std::size_t>(buckets.faces[i].face));
      bucket.push_back({face_key(std::span(small.number).first(small.count)), buckets.faces[i]});
    }
    std::stable_sort(bucket.begin(), bucket.end(), [](const OpenFace& a, const OpenFace& b) { return a.key < b.key; });
    for (std::size_t i = 0; i < bucket.size();) {
      std::size_t end = i + 1;
      while (end < bucket.size() && bucket[end].key == bucket[i].key) ++end;
      if (end - i > 2) {
        fault_at_face(mesh, bucket[i].face, namer,
                      fmt::format("three cells share this face, also {} and {}",
                                  name_cell(mesh, static_cast<std::size_t>(bucket[i + 1].face.cell), namer),
                                  name_cell(mesh, static_cast<std::size_t>(bucket[i + 2].face.cell), namer)));
      }
      if (end - i == 2) {
        join(mesh, vertices, bucket[i].face, bucket[i + 1].face, namer);
      } else {
        open.push_back(bucket[i]);
      }
      i = end;
    }
  }
  std::sort(open.begin(), open.end(), [](const OpenFace& a, const OpenFace& b) { return a.key < b.key; });
  return open;
}

const OpenFace* find_open_face(std::span<const OpenFace> faces, const FaceKey& key) {
  const auto found = std::lower_bound(faces.begin(), faces.end(), key, [](const OpenFace& face, const FaceKey& k) { return face.key < k; });
  return found != faces.end() && found->key == key ? &*found : nullptr;
}

void require_groups(const Mesh& mesh, std::string_view advice, const CellNamer& namer) {
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    for (std::size_t i = mesh.face_offset[cell]; i < mesh.face_offset[cell + 1]; ++i) {
      if (mesh.links[i].neighbour >= 0 || mesh.links[i].boundary >= 0) continue;
      fault_at_face(mesh, {static_cast<std::int32_t>(cell), static_cast<std::int8_t>(i - mesh.face_offset[cell])}, namer,
                    fmt::format("a boundary face without a group{}{}", advice.empty() ? "" : "; ", advice));
    }
  }
}

void drop_empty_groups(Mesh& mesh) {
  std::vector<std::int16_t> renumbered(mesh.boundary_names.size(), -1);
  for (const FaceLink& link : mesh.links) {
    if (link.boundary >= 0) renumbered[static_cast<std::size_t>(link.boundary)] = 0;
  }
  std::vector<std::string> names;
  for (std::size_t g = 0; g < renumbered.size(); ++g) {
    if (renumbered[g] < 0) continue;
    renumbered[g] = static_cast<std::int16_t>(names.size());
    names.push_back(std::move(mesh.boundary_names[g]));
  }
  mesh.boundary_names = std::move(names);
  for (FaceLink& link : mesh.links) {
    if (link.boundary >= 0) link.boundary = renumbered[static_cast<std::size_t>(link.boundary)];
  }
}

}  // namespace dgsolve::mesh
