// The encodings of Gmsh files and the conversion of meshes into their content.
#include "gmsh_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "mesh/gmsh_elements.h"
#include "mesh/mapping.h"

namespace dgsolve::mesh {
namespace {

class Sink {
 public:
  explicit Sink(const Encoding& encoding) : encoding_(encoding) {}

  void text(const std::string& line) { bytes_ += line; }
  void integer(std::int64_t value) { number(static_cast<std::int32_t>(value)); }
  void size(std::int64_t value) { number(value); }
  void real(double value) { number(value); }
  void end_record() {
    if (!encoding_.binary) bytes_ += '\n';
  }
  /// A count that version 2.2 writes as text in every encoding.
  void text_count(std::size_t count) { bytes_ += fmt::format("{}\n", count); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

  template <typename T>
  void raw(T value) {
    std::array<char, sizeof(T)> buffer;
    std::memcpy(buffer.data(), &value, sizeof(T));
    if (encoding_.swapped) std::reverse(buffer.begin(), buffer.end());
    bytes_.append(buffer.data(), buffer.size());
  }

 private:
  template <typename T>
  void number(T value) {
    if (encoding_.binary) {
      raw(value);
    } else {
      bytes_ += fmt::format("{} ", value);
    }
  }

  Encoding encoding_;
  std::string bytes_;
};

void encode_22(const WrittenMesh& mesh, Sink& sink, const Encoding& encoding) {
  sink.text("$Nodes\n");
  sink.text_count(mesh.nodes.size());
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    sink.integer(mesh.tags[i]);
    for (const double x : mesh.nodes[i]) sink.real(x);
    sink.end_record();
  }
  sink.text("\n$EndNodes\n$Elements\n");
  sink.text_count(mesh.elements.size());
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    const WrittenElement& element = mesh.elements[i];
    const auto tag = static_cast<std::int64_t>(i) + 1;
    if (!encoding.binary) sink.integer(tag);
    sink.integer(element.type);
    if (encoding.binary) sink.integer(1);
    sink.integer(2);
    if (encoding.binary) sink.integer(tag);
    sink.integer(element.group);
    sink.integer(element.entity);
    for (const auto node : element.nodes) sink.integer(node);
    sink.end_record();
  }
  sink.text("\n$EndElements\n");
  if (mesh.periodic.empty()) return;
  sink.text(fmt::format("$Periodic\n{}\n", mesh.periodic.size()));
  for (const auto& link : mesh.periodic) {
    sink.text(fmt::format("{} 1 2\nAffine 1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1\n{}\n", link.dimension, link.pairs.size()));
    for (const auto& [slave, master] : link.pairs) sink.text(fmt::format("{} {}\n", slave, master));
  }
  sink.text("$EndPeriodic\n");
}

/// Entities are numbered group + 1, so that every group has its own.
void encode_entities_41(const WrittenMesh& mesh, Sink& sink) {
  std::array<std::set<int>, 4> groups;
  for (const auto& element : mesh.elements) groups[static_cast<std::size_t>(element.dimension)].insert(element.group);
  sink.text("$Entities\n");
  for (const auto& set : groups) sink.size(static_cast<std::int64_t>(set.size()));
  sink.end_record();
  for (std::size_t d = 0; d < 4; ++d) {
    for (const int group : groups[d]) {
      sink.integer(group + 1);
      for (int k = 0; k < (d == 0 ? 3 : 6); ++k) sink.real(0);
      sink.size(group == 0 ? 0 : 1);
      if (group != 0) sink.integer(group);
      if (d > 0) sink.size(0);
      sink.end_record();
    }
  }
  sink.text("\n$EndEntities\n");
}

void encode_41(const WrittenMesh& mesh, Sink& sink) {
  encode_entities_41(mesh, sink);
  sink.text("$Nodes\n");
  sink.size(1);
  sink.size(static_cast<std::int64_t>(mesh.nodes.size()));
  sink.size(1);
  sink.size(static_cast<std::int64_t>(mesh.nodes.size()));
  sink.end_record();
  sink.integer(1);
  sink.integer(1);
  sink.integer(0);
  sink.size(static_cast<std::int64_t>(mesh.nodes.size()));
  sink.end_record();
  for (const auto tag : mesh.tags) sink.size(tag);
  sink.end_record();
  for (const auto& node : mesh.nodes) {
    for (const double x : node) sink.real(x);
    sink.end_record();
  }
  sink.text("\n$EndNodes\n$Elements\n");
  sink.size(static_cast<std::int64_t>(mesh.elements.size()));
  sink.size(static_cast<std::int64_t>(mesh.elements.size()));
  sink.size(1);
  sink.size(static_cast<std::int64_t>(mesh.elements.size()));
  sink.end_record();
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    const WrittenElement& element = mesh.elements[i];
    sink.integer(element.dimension);
    sink.integer(element.group + 1);
    sink.integer(element.type);
    sink.size(1);
    sink.end_record();
    sink.size(static_cast<std::int64_t>(i) + 1);
    for (const auto node : element.nodes) sink.size(node);
    sink.end_record();
  }
  sink.text("\n$EndElements\n");
  if (mesh.periodic.empty()) return;
  sink.text("$Periodic\n");
  sink.size(static_cast<std::int64_t>(mesh.periodic.size()));
  sink.end_record();
  for (const auto& link : mesh.periodic) {
    for (const int value : {link.dimension, 1, 2}) sink.integer(value);
    sink.end_record();
    sink.size(16);
    for (int k = 0; k < 16; ++k) sink.real(k % 5 == 0 ? 1 : 0);
    sink.end_record();
    sink.size(static_cast<std::int64_t>(link.pairs.size()));
    for (const auto& [slave, master] : link.pairs) {
      sink.size(slave);
      sink.size(master);
      sink.end_record();
    }
  }
  sink.text("\n$EndPeriodic\n");
}

int type_number(Shape shape, int order) {
  for (int number = 1; number < 100; ++number) {
    const auto type = gmsh_element_type(number);
    if (type && type->shape == shape && (type->order == order || shape == Shape::point)) return number;
  }
  return 0;
}

/// Node tags of lattice points in Gmsh's order.
std::vector<std::int64_t> in_gmsh_order(Shape shape, int order, const std::vector<std::int64_t>& lattice_tags) {
  std::vector<std::int64_t> nodes(lattice_tags.size());
  const auto places = gmsh_node_of_lattice(shape, order);
  for (std::size_t i = 0; i < places.size(); ++i) nodes[static_cast<std::size_t>(places[i])] = lattice_tags[i];
  return nodes;
}

}  // namespace

std::string encode(const WrittenMesh& mesh, const Encoding& encoding) {
  Sink sink(encoding);
  sink.text(fmt::format("$MeshFormat\n{} {} 8\n", encoding.version == 22 ? "2.2" : "4.1", encoding.binary ? 1 : 0));
  if (encoding.binary) {
    sink.raw(std::int32_t{1});
    sink.text("\n");
  }
  sink.text("$EndMeshFormat\n");
  if (!mesh.names.empty()) {
    sink.text(fmt::format("$PhysicalNames\n{}\n", mesh.names.size()));
    for (const auto& [key, name] : mesh.names) sink.text(fmt::format("{} {} \"{}\"\n", key.first, key.second, name));
    sink.text("$EndPhysicalNames\n");
  }
  if (encoding.version == 22) {
    encode_22(mesh, sink, encoding);
  } else {
    encode_41(mesh, sink);
  }
  return sink.take();
}

WrittenMesh write_mesh(const Mesh& mesh) {
  const auto dimension = static_cast<std::size_t>(mesh.dimension);
  WrittenMesh written;
  std::map<std::array<std::int64_t, 3>, std::int64_t> tag_of_place;
  std::vector<std::int64_t> point_tags;
  for (std::size_t p = 0; p < mesh.points.size() / dimension; ++p) {
    std::array<double, 3> x{};
    std::array<std::int64_t, 3> place{};
    for (std::size_t d = 0; d < dimension; ++d) {
      x[d] = mesh.points[p * dimension + d];
      place[d] = std::llround(1e8 * x[d]);
    }
    const auto [found, fresh] = tag_of_place.emplace(place, static_cast<std::int64_t>(written.nodes.size()) + 1);
    if (fresh) {
      written.nodes.push_back(x);
      written.tags.push_back(found->second);
    }
    point_tags.push_back(found->second);
  }
  std::vector<WrittenElement> cells(mesh.cell_count());
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const Shape shape = mesh.shapes[cell];
    const std::vector<std::int64_t> tags(point_tags.begin() + static_cast<std::ptrdiff_t>(mesh.point_offset[cell]),
                                         point_tags.begin() + static_cast<std::ptrdiff_t>(mesh.point_offset[cell + 1]));
    cells[static_cast<std::size_t>(mesh.global_number[cell])] = {.type = type_number(shape, mesh.geometry_order),
                                                                 .dimension = mesh.dimension,
                                                                 .group = 100,
                                                                 .nodes = in_gmsh_order(shape, mesh.geometry_order, tags)};
    const auto faces = face_lattice_indices(shape, mesh.geometry_order);
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const FaceLink& link = mesh.links[mesh.face_offset[cell] + f];
      if (link.neighbour >= 0) continue;
      const Shape face_shape = shape_facts(shape).face_shapes[f];
      std::vector<std::int64_t> face_tags;
      for (const int i : faces[f]) face_tags.push_back(tags[static_cast<std::size_t>(i)]);
      written.elements.push_back({.type = type_number(face_shape, mesh.geometry_order),
                                  .dimension = mesh.dimension - 1,
                                  .group = link.boundary + 1,
                                  .nodes = in_gmsh_order(face_shape, mesh.geometry_order, face_tags)});
    }
  }
  written.elements.insert(written.elements.end(), cells.begin(), cells.end());
  written.names.push_back({{mesh.dimension, 100}, "fluid"});
  for (std::size_t g = 0; g < mesh.boundary_names.size(); ++g) {
    written.names.push_back({{mesh.dimension - 1, static_cast<int>(g) + 1}, mesh.boundary_names[g]});
  }
  return written;
}

}  // namespace dgsolve::mesh
