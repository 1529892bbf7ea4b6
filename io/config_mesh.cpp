// The mesh section.
#include <fmt/format.h>

#include <algorithm>

#include "io/config_sections.h"
#include "io/schema.h"

namespace dgsolve::io {
namespace {

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};
constexpr std::array<mesh::Shape, 3> default_shapes{mesh::Shape::line, mesh::Shape::quadrilateral, mesh::Shape::hexahedron};
constexpr std::array<std::array<std::string_view, 2>, 3> side_names{{{"left", "right"}, {"bottom", "top"}, {"front", "back"}}};

std::array<double, 3> read_corner(const Reader& reader, std::string_view path, int dimension, double fallback) {
  std::array<double, 3> corner{fallback, fallback, fallback};
  const auto values = reader.numbers(path);
  if (!values) return corner;
  if (values->size() != static_cast<std::size_t>(dimension)) {
    reader.fault(path, fmt::format("found {} number(s), allowed: {}, as many as mesh.box.cells has", values->size(), dimension));
    return corner;
  }
  std::copy(values->begin(), values->end(), corner.begin());
  return corner;
}

mesh::Shape read_shape(const Reader& reader, int dimension) {
  const mesh::Shape fallback = default_shapes.at(static_cast<std::size_t>(dimension - 1));
  const auto shape = mesh::shape_from_name(reader.text("mesh.box.shape"));
  if (!shape) return fallback;
  if (mesh::shape_facts(*shape).dimension != dimension) {
    reader.fault("mesh.box.shape", fmt::format("a {} has {} dimension(s), mesh.box.cells has {}", mesh::shape_facts(*shape).name,
                                               mesh::shape_facts(*shape).dimension, dimension));
    return fallback;
  }
  return *shape;
}

/// Pairs of opposite sides make a box periodic just as `box.periodic` does.
void apply_periodic_pairs(const Reader& reader, mesh::BoxOptions& box) {
  const Node* pairs = reader.find("mesh.periodic");
  if (pairs == nullptr) return;
  for (const Node& pair : pairs->items) {
    if (pair.items.size() != 2) continue;
    bool known = false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(box.dimension); ++k) {
      const auto& [lower, upper] = side_names[k];
      const bool same =
          (pair.items[0].text == lower && pair.items[1].text == upper) || (pair.items[0].text == upper && pair.items[1].text == lower);
      if (same) box.periodic[k] = known = true;
    }
    if (!known) {
      reader.faults().add(pair.where, "mesh.periodic",
                          fmt::format("found [{}, {}], allowed on a box: pairs of opposite sides, e.g. [left, right]", pair.items[0].text,
                                      pair.items[1].text));
    }
  }
}

void read_periodic(const Reader& reader, mesh::BoxOptions& box) {
  for (const std::string& axis : reader.texts("mesh.box.periodic")) {
    const auto found = std::find(axis_names.begin(), axis_names.end(), axis);
    if (found == axis_names.end()) continue;
    const auto k = static_cast<std::size_t>(found - axis_names.begin());
    if (k < static_cast<std::size_t>(box.dimension)) {
      box.periodic[k] = true;
    } else {
      reader.fault("mesh.box.periodic", fmt::format("found '{}', but the box has {} dimension(s)", axis, box.dimension));
    }
  }
  apply_periodic_pairs(reader, box);
}

mesh::BoxOptions read_box(const Reader& reader) {
  mesh::BoxOptions box;
  const auto cells = reader.numbers("mesh.box.cells").value_or(std::vector<double>{1});
  if (cells.empty() || cells.size() > 3) {
    reader.fault("mesh.box.cells", fmt::format("found {} numbers, allowed: 1, 2 or 3 (the box's dimension)", cells.size()));
    return box;
  }
  box.dimension = static_cast<int>(cells.size());
  std::transform(cells.begin(), cells.end(), box.cells.begin(), [](double count) { return static_cast<std::int64_t>(count); });
  box.lower = read_corner(reader, "mesh.box.lower", box.dimension, 0.0);
  box.upper = read_corner(reader, "mesh.box.upper", box.dimension, 1.0);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (box.upper[k] > box.lower[k]) continue;
    reader.fault("mesh.box.upper",
                 fmt::format("found {} in {}, allowed: above mesh.box.lower, {}", box.upper[k], axis_names[k], box.lower[k]));
  }
  box.shape = read_shape(reader, box.dimension);
  read_periodic(reader, box);
  box.warp = reader.number("mesh.box.warp");
  constexpr int default_geometry_order = 3;
  box.geometry_order = std::min(reader.integer("order"), default_geometry_order);
  if (reader.find("mesh.box.order") != nullptr) box.geometry_order = reader.integer("mesh.box.order");
  return box;
}

MeshFile read_file(const Reader& reader, const std::filesystem::path& folder) {
  MeshFile file;
  file.path = folder / reader.text("mesh.file");
  if (const Node* pairs = reader.find("mesh.periodic")) {
    for (const Node& pair : pairs->items) {
      if (pair.items.size() == 2) file.options.periodic.emplace_back(pair.items[0].text, pair.items[1].text);
    }
  }
  return file;
}

}  // namespace

std::variant<mesh::BoxOptions, MeshFile> read_mesh_section(const Reader& reader, const std::filesystem::path& folder) {
  const bool has_box = reader.find("mesh.box") != nullptr;
  const bool has_file = reader.find("mesh.file") != nullptr;
  if (reader.find("mesh") != nullptr && has_box == has_file) {
    reader.fault("mesh",
                 has_box ? "has both a file and a box, allowed: one of them" : "has neither a file nor a box, allowed: one of them");
  }
  if (has_file) return read_file(reader, folder);
  return read_box(reader);
}

}  // namespace dgsolve::io
