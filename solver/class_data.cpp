// Packs geometry and links of a class into the order the kernels read.
#include "solver/class_data.h"

#include <algorithm>

namespace dgsolve::solver {
namespace {

using codegen::Precision;
using std::size_t;

size_t sz(std::int64_t value) { return static_cast<size_t>(value); }

/// [block][items][W] from value(element in class, item); padding repeats the last element.
template <class T, class Value>
std::vector<T> pack(const ElementClass& group, int width, size_t items, Value value) {
  std::vector<T> packed(sz(group.block_count) * items * sz(width));
  for (std::int32_t b = 0; b < group.block_count; ++b) {
    for (int lane = 0; lane < width; ++lane) {
      const size_t element = sz(std::min(b * width + lane, group.element_count - 1));
      for (size_t i = 0; i < items; ++i) packed[(sz(b) * items + i) * sz(width) + sz(lane)] = static_cast<T>(value(element, i));
    }
  }
  return packed;
}

std::vector<double> pack_metric(const Geometry& geometry, const ReferenceElement& element, const ElementClass& group, int width) {
  const size_t square = sz(element.dimension * element.dimension);
  if (geometry.affine) {
    return pack<double>(group, width, square, [&](size_t e, size_t i) { return geometry.metric[e * square + i]; });
  }
  const size_t nodes = sz(element.node_count);
  return pack<double>(group, width, (square + 1) * nodes, [&](size_t e, size_t i) {
    const size_t component = i / nodes;
    const size_t node = i % nodes;
    return component < square ? geometry.metric[(e * nodes + node) * square + component] : geometry.inverse_jacobian[e * nodes + node];
  });
}

/// The flux enters with the sign that makes rate += scale * flux right: minus on the owner's side. Lobatto nodes without dense operators:
/// 1/w_0 included.
std::vector<double> pack_faces(const Geometry& geometry, const ReferenceElement& element, const ElementClass& group, int width) {
  const size_t dim = sz(element.dimension);
  const size_t faces = sz(element.face_count);
  const size_t points = geometry.affine ? 1 : sz(element.face_node_count);
  const double end_weight = !element.dense() && element.nodes_on_faces ? 1.0 / element.line.weights(0) : 1.0;
  return pack<double>(group, width, faces * (dim + 1) * points, [&](size_t e, size_t i) {
    const size_t face = i / ((dim + 1) * points);
    const size_t component = i / points % (dim + 1);
    const size_t at = (e * faces + face) * points + i % points;
    if (component < dim) return geometry.face_normal[at * dim + component];
    return (geometry.face_owner[e * faces + face] > 0 ? -1.0 : 1.0) * geometry.face_scale[at] * end_weight;
  });
}

std::vector<std::int32_t> pack_links(const mesh::Mesh& mesh, const ReferenceElement& element, const Layout& layout,
                                     const ElementClass& group, const std::vector<int>& condition_of_boundary) {
  const size_t faces = sz(element.face_count);
  return pack<std::int32_t>(group, layout.width, faces * 2, [&](size_t e, size_t i) {
    const size_t cell = sz(group.cells[e]);
    const int face = static_cast<int>(i / 2);
    const mesh::FaceLink& link = mesh.links[mesh.face_offset[cell] + i / 2];
    const bool boundary = link.neighbour < 0;
    if (i % 2 == 0) return layout.slot_of_cell[boundary ? cell : sz(link.neighbour)];
    const int own = layout.width == 1 && face_sign(mesh, cell, face) > 0 ? 1 << 30 : 0;  // lanes classify faces by equal codes
    if (boundary) return own + (condition_of_boundary[sz(link.boundary)] + 1) * 64 + face * 8;
    return own + link.face * 8 + link.orientation;
  });
}

enum FaceKind : std::int32_t { general = 0, uniform = 1, whole = 2, up = 3, down = 4 };

/// Kind and block A of one face of a block from its links [slot, code][W]; see lanes.kernel.h.
std::array<std::int32_t, 2> classify(const std::int32_t* slots, const std::int32_t* codes, int width) {
  for (int i = 0; i < width; ++i) {
    if (codes[i] != codes[0] || codes[i] >= 64) return {general, 0};
  }
  const auto follows = [&](int from, int to, int shift) {
    for (int i = from; i < to; ++i) {
      if (slots[i] != slots[from] + i - from || slots[i] % width != i + shift) return false;
    }
    return true;
  };
  if (follows(0, width, 0)) return {whole, slots[0] / width};
  if (width > 1 && follows(0, width - 1, 1)) return {up, slots[0] / width};
  if (width > 1 && follows(1, width, -1)) return {down, slots[1] / width};
  return {uniform, 0};
}

std::vector<std::int32_t> classify_faces(const std::vector<std::int32_t>& links, int width) {
  std::vector<std::int32_t> kinds;
  const size_t record = 2 * sz(width);
  for (size_t at = 0; at < links.size(); at += record) {
    const auto kind = classify(&links[at], &links[at + sz(width)], width);
    kinds.insert(kinds.end(), kind.begin(), kind.end());
  }
  return kinds;
}

std::vector<double> tensor_operators(const ReferenceElement& element) {
  const Eigen::Index n = element.line.nodes.size();
  std::vector<double> table;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index m = 0; m < n; ++m) table.push_back(element.line.weak_derivative(i, m));
  }
  for (Eigen::Index end = 0; end < 2; ++end) {
    for (Eigen::Index i = 0; i < n; ++i) table.push_back(element.line.end_values(end, i) / element.line.weights(i));
  }
  for (Eigen::Index end = 0; end < 2; ++end) {
    for (Eigen::Index i = 0; i < n; ++i) table.push_back(element.line.end_values(end, i));
  }
  return table;
}

std::vector<double> simplex_operators(const ReferenceElement& element, int width) {
  const Eigen::Index np = element.node_count;
  const Eigen::Index columns = element.dimension * np + element.lift.cols();
  const auto value = [&](Eigen::Index row, Eigen::Index column) {
    if (column >= element.dimension * np) return element.lift(row, column - element.dimension * np);
    return element.weak_derivative[sz(column / np)](row, column % np);
  };
  std::vector<double> table;
  if (width == 1) {
    for (Eigen::Index c = 0; c < columns; ++c) {
      for (Eigen::Index i = 0; i < np; ++i) table.push_back(value(i, c));
    }
    return table;
  }
  for (Eigen::Index i = 0; i < (np + simplex_rows - 1) / simplex_rows * simplex_rows; ++i) {
    for (Eigen::Index c = 0; c < columns; ++c) table.push_back(i < np ? value(i, c) : 0.0);
  }
  return table;
}

/// The operator for the steps of stage_simplex_matrix.kernel.h: [step][tile of nodes][lane][2]. A step has eight columns: nodes of one
/// direction (all directions of the first eight nodes, then of the next), or face points. Lane l has the nodes 2 (l mod 4) and the next,
/// or the face points l mod 4 and 4 more. Of the tile it has node l / 8, or 4 + l / 8 if l / 4 is odd, so that neighbouring lanes hold
/// neighbouring nodes of the result. Two steps of zeros follow: the kernel reads ahead.
std::vector<double> simplex_fragments(const ReferenceElement& element) {
  const Eigen::Index np = element.node_count;
  const Eigen::Index dim = element.dimension;
  const Eigen::Index tiles = (np + 7) / 8;
  const auto value = [&](Eigen::Index node, Eigen::Index step, Eigen::Index column) {
    if (node >= np) return 0.0;
    if (step < tiles * dim) {
      const Eigen::Index other = step / dim * 8 + column;
      return other < np ? element.weak_derivative[sz(step % dim)](node, other) : 0.0;
    }
    const Eigen::Index point = (step - tiles * dim) * 8 + column;
    return point < element.lift.cols() ? element.lift(node, point) : 0.0;
  };
  std::vector<double> table;
  for (Eigen::Index step = 0; step < tiles * dim + (element.lift.cols() + 7) / 8 + 2; ++step) {
    for (Eigen::Index tile = 0; tile < tiles; ++tile) {
      for (Eigen::Index lane = 0; lane < 32; ++lane) {
        const Eigen::Index node = tile * 8 + lane / 8 + lane / 4 % 2 * 4;
        for (Eigen::Index i = 0; i < 2; ++i) {
          table.push_back(value(node, step, step < tiles * dim ? 2 * (lane % 4) + i : lane % 4 + 4 * i));
        }
      }
    }
  }
  return table;
}

}  // namespace

codegen::Buffer upload_reals(const codegen::Device& device, codegen::Queue& queue, std::span<const double> values, Precision precision,
                             std::string_view label) {
  if (precision == Precision::double_precision) {
    codegen::Buffer buffer = device.allocate(values.size_bytes(), label);
    queue.upload(buffer, values);
    return buffer;
  }
  std::vector<float> narrow(values.size());
  std::transform(values.begin(), values.end(), narrow.begin(), [](double v) { return static_cast<float>(v); });
  codegen::Buffer buffer = device.allocate(narrow.size() * sizeof(float), label);
  queue.upload(buffer, std::span<const float>(narrow));
  return buffer;
}

codegen::Buffer upload_ints(const codegen::Device& device, codegen::Queue& queue, std::span<const std::int32_t> values,
                            std::string_view label) {
  codegen::Buffer buffer = device.allocate(values.size_bytes(), label);
  queue.upload(buffer, values);
  return buffer;
}

std::vector<double> download_reals(codegen::Queue& queue, const codegen::Buffer& buffer, size_t count, Precision precision) {
  std::vector<double> values(count);
  if (precision == Precision::double_precision) {
    queue.download(buffer, std::span<double>(values));
    return values;
  }
  std::vector<float> narrow(count);
  queue.download(buffer, std::span<float>(narrow));
  std::copy(narrow.begin(), narrow.end(), values.begin());
  return values;
}

ElementTables make_element_tables(const codegen::Device& device, codegen::Queue& queue, const ReferenceElement& element, int width,
                                  Precision precision) {
  std::vector<std::int32_t> points(sz(element.face_count) * 8 * sz(element.face_node_count), 0);
  for (int face = 0; face < element.face_count; ++face) {
    for (size_t o = 0; o < element.face_permutation.size(); ++o) {
      for (int m = 0; m < element.face_node_count; ++m) {
        const int other = face * element.face_node_count + element.face_permutation[o][sz(m)];
        points[(sz(face) * 8 + o) * sz(element.face_node_count) + sz(m)] = element.nodes_on_faces ? element.face_nodes[sz(other)] : other;
      }
    }
  }
  ElementTables tables;
  tables.operators =
      upload_reals(device, queue, element.dense() ? simplex_operators(element, width) : tensor_operators(element), precision, "operators");
  if (element.dense() && width == 1 && device.facts().has_matrix_double) {
    tables.fragments = upload_reals(device, queue, simplex_fragments(element), Precision::double_precision, "operator fragments");
  }
  tables.points = upload_ints(device, queue, points, "face points");
  return tables;
}

codegen::Buffer upload_node_points(const codegen::Device& device, codegen::Queue& queue, const ReferenceElement& element,
                                   const Layout& layout, const ElementClass& group, const Geometry& geometry, Precision precision,
                                   std::size_t first_element) {
  const size_t dim = sz(element.dimension);
  const size_t nodes = sz(element.node_count);
  const auto packed = pack<double>(group, layout.width, dim * nodes, [&](size_t e, size_t i) {
    return geometry.coordinates[((first_element + e) * nodes + i % nodes) * dim + i / nodes];
  });
  return upload_reals(device, queue, packed, precision, "node coordinates");
}

ClassData make_class_data(const codegen::Device& device, codegen::Queue& queue, const mesh::Mesh& mesh, const ReferenceElement& element,
                          const Layout& layout, const ElementClass& group, const std::vector<int>& condition_of_boundary,
                          Precision precision, const ClassDataOptions& options) {
  ClassData data;
  const bool face_points = options.face_positions || group.boundary;
  data.geometry = make_geometry(mesh, element, group.cells, group.affine, face_points ? FaceCoordinates::all : FaceCoordinates::none);
  Geometry& geometry = data.geometry;
  data.metric = upload_reals(device, queue, pack_metric(geometry, element, group, layout.width), precision, "metric terms");
  data.faces = upload_reals(device, queue, pack_faces(geometry, element, group, layout.width), precision, "face geometry");
  data.geometry_bytes = data.metric.bytes();
  if (face_points) {
    const size_t dim = sz(element.dimension);
    const size_t points = sz(element.face_node_count);
    const auto packed = pack<double>(group, layout.width, sz(element.face_count) * dim * points, [&](size_t e, size_t i) {
      const size_t face = i / (dim * points);
      const size_t k = i / points % dim;
      return geometry.face_coordinates[((e * sz(element.face_count) + face) * points + i % points) * dim + k];
    });
    data.face_points = upload_reals(device, queue, packed, precision, "face coordinates");
    data.geometry_bytes += data.face_points.bytes();
  }
  if (options.node_positions) {
    data.node_points = upload_node_points(device, queue, element, layout, group, geometry, precision);
    data.geometry_bytes += data.node_points.bytes();
  }
  const auto links = pack_links(mesh, element, layout, group, condition_of_boundary);
  data.links = upload_ints(device, queue, links, "face links");
  data.kinds = upload_ints(device, queue, classify_faces(links, layout.width), "face kinds");
  data.link_bytes = data.links.bytes() + (layout.width > 1 ? data.kinds.bytes() : 0);
  for (auto* released : {&geometry.face_normal, &geometry.face_scale, &geometry.face_coordinates}) std::vector<double>().swap(*released);
  return data;
}

}  // namespace dgsolve::solver
