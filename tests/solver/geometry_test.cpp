// Geometry: free streams, one normal for both sides of every face, exact volumes, and refusal of folded cells.
#include "solver/geometry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <numeric>

#include "mesh/box.h"
#include "mesh/gmsh.h"
#include "mesh/mapping.h"

namespace dgsolve::solver {
namespace {

using mesh::Mesh;
using mesh::Shape;

constexpr std::array<Shape, 5> shapes{Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron};

/// One class of cells of a mesh with its element and geometry.
struct Class {
  ReferenceElement element;
  std::vector<std::int32_t> cells;
  Geometry geometry;
};

std::vector<Class> make_classes(const Mesh& mesh, int order, NodeFamily family) {
  const std::vector<bool> affine = affine_cells(mesh);
  std::vector<Class> classes;
  for (const Shape shape : shapes) {
    for (const bool straight : {true, false}) {
      std::vector<std::int32_t> cells;
      for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
        if (mesh.shapes[c] == shape && affine[c] == straight) cells.push_back(static_cast<std::int32_t>(c));
      }
      if (cells.empty()) continue;
      ReferenceElement element = make_reference_element(shape, order, family);
      Geometry geometry = make_geometry(mesh, element, cells, straight);
      classes.push_back({std::move(element), std::move(cells), std::move(geometry)});
    }
  }
  return classes;
}

/// A view of one cell's geometry that hides whether it is affine.
struct CellView {
  const Class& kind;
  std::size_t index;
  [[nodiscard]] std::size_t dim() const { return static_cast<std::size_t>(kind.element.dimension); }
  [[nodiscard]] double inverse_jacobian(int node) const {
    const Geometry& g = kind.geometry;
    return g.affine ? g.inverse_jacobian[index]
                    : g.inverse_jacobian[index * static_cast<std::size_t>(kind.element.node_count) + static_cast<std::size_t>(node)];
  }
  /// Ja^d_k
  [[nodiscard]] double metric(int node, std::size_t d, std::size_t k) const {
    const Geometry& g = kind.geometry;
    if (g.affine) return g.metric[(index * dim() + d) * dim() + k] / g.inverse_jacobian[index];
    return g.metric[((index * static_cast<std::size_t>(kind.element.node_count) + static_cast<std::size_t>(node)) * dim() + d) * dim() + k];
  }
  [[nodiscard]] std::size_t face_point(int face, int m) const {
    const auto at = index * static_cast<std::size_t>(kind.element.face_count) + static_cast<std::size_t>(face);
    return kind.geometry.affine ? at : at * static_cast<std::size_t>(kind.element.face_node_count) + static_cast<std::size_t>(m);
  }
  /// |N|
  [[nodiscard]] double scale(int face, int m) const {
    const double stored = kind.geometry.face_scale[face_point(face, m)];
    return kind.geometry.affine ? stored / kind.geometry.inverse_jacobian[index] : stored;
  }
  [[nodiscard]] double owner_normal(int face, int m, std::size_t k) const {
    return kind.geometry.face_normal[face_point(face, m) * dim() + k];
  }
  [[nodiscard]] int sign(int face) const {
    return kind.geometry.face_owner[index * static_cast<std::size_t>(kind.element.face_count) + static_cast<std::size_t>(face)];
  }
  [[nodiscard]] double face_coordinate(int face, int m, std::size_t k) const {
    const auto row = (index * static_cast<std::size_t>(kind.element.face_count) + static_cast<std::size_t>(face)) *
                         static_cast<std::size_t>(kind.element.face_node_count) +
                     static_cast<std::size_t>(m);
    return kind.geometry.face_coordinates[row * dim() + k];
  }
};

/// Applies the line's operator along direction d of a tensor element.
Eigen::VectorXd apply_line(const ReferenceElement& element, const Eigen::MatrixXd& matrix, int d, const Eigen::VectorXd& u) {
  const int n = element.order + 1;
  int stride = 1;
  for (int e = 0; e < d; ++e) stride *= n;
  Eigen::VectorXd result = Eigen::VectorXd::Zero(u.size());
  for (int i = 0; i < u.size(); ++i) {
    const int digit = i / stride % n;
    for (int m = 0; m < n; ++m) result(i) += matrix(digit, m) * u(i + (m - digit) * stride);
  }
  return result;
}

/// Largest |sum_d Dhat_d Ja^d_k - lift N_k| / J * h over nodes: what a free stream of unit flux along k changes by in the time to cross a
/// cell.
double free_stream_defect(const Class& kind) {
  const ReferenceElement& element = kind.element;
  const Eigen::MatrixXd trace = element.interpolation_to(element.face_points);
  const Eigen::VectorXd face_weights = element.face_weights.replicate(element.face_count, 1);
  Eigen::MatrixXd lift = element.lift;
  if (lift.size() == 0) lift = element.weights.cwiseInverse().asDiagonal() * trace.transpose() * face_weights.asDiagonal();
  double worst = 0;
  for (std::size_t c = 0; c < kind.cells.size(); ++c) {
    const CellView cell{kind, c};
    for (std::size_t k = 0; k < cell.dim(); ++k) {
      Eigen::VectorXd residual = Eigen::VectorXd::Zero(element.node_count);
      for (int d = 0; d < element.dimension; ++d) {
        Eigen::VectorXd flux(element.node_count);
        for (int i = 0; i < element.node_count; ++i) flux(i) = cell.metric(i, static_cast<std::size_t>(d), k);
        residual += element.tensor ? apply_line(element, element.line.weak_derivative, d, flux)
                                   : Eigen::VectorXd(element.weak_derivative[static_cast<std::size_t>(d)] * flux);
      }
      Eigen::VectorXd normal(lift.cols());
      for (int f = 0; f < element.face_count; ++f) {
        for (int m = 0; m < element.face_node_count; ++m) {
          normal(f * element.face_node_count + m) = cell.sign(f) * cell.scale(f, m) * cell.owner_normal(f, m, k);
        }
      }
      residual -= lift * normal;
      for (int i = 0; i < element.node_count; ++i)
        worst = std::max(worst, std::abs(residual(i)) * cell.inverse_jacobian(i) * kind.geometry.size[c]);
    }
  }
  return worst;
}

/// Every interior face carries the same bits on both sides: unit normal, |N| up to the division by J, and coordinates; one side owns it.
/// Metric vectors across the faces of curved tensor elements with nodes there are the faces' own, in every bit.
void expect_metric_of_faces(const std::vector<Class>& classes) {
  for (const Class& kind : classes) {
    const ReferenceElement& element = kind.element;
    if (kind.geometry.affine || !element.tensor || !element.nodes_on_faces) continue;
    for (std::size_t c = 0; c < kind.cells.size(); ++c) {
      const CellView view{kind, c};
      for (int f = 0; f < element.face_count; ++f) {
        const int sign = view.sign(f) * (f % 2 == 1 ? 1 : -1);
        for (int m = 0; m < element.face_node_count; ++m) {
          const int node = element.face_nodes[static_cast<std::size_t>(f * element.face_node_count + m)];
          for (std::size_t k = 0; k < view.dim(); ++k) {
            ASSERT_EQ(view.metric(node, static_cast<std::size_t>(f / 2), k), sign * (view.owner_normal(f, m, k) * view.scale(f, m)));
          }
        }
      }
    }
  }
}

void expect_shared_faces(const Mesh& mesh, const std::vector<Class>& classes) {
  std::map<std::int32_t, CellView> views;
  for (const Class& kind : classes) {
    for (std::size_t c = 0; c < kind.cells.size(); ++c) views.emplace(kind.cells[c], CellView{kind, c});
  }
  for (const auto& [c, view] : views) {
    const auto cell = static_cast<std::size_t>(c);
    for (int f = 0; f < view.kind.element.face_count; ++f) {
      const mesh::FaceLink& link = mesh.links[mesh.face_offset[cell] + static_cast<std::size_t>(f)];
      EXPECT_EQ(view.sign(f), face_sign(mesh, cell, f));
      if (link.neighbour < 0) {
        EXPECT_EQ(view.sign(f), 1);
        continue;
      }
      const CellView& other = views.at(link.neighbour);
      ASSERT_EQ(view.sign(f), -other.sign(link.face));
      const auto& permutation = view.kind.element.face_permutation[static_cast<std::size_t>(link.orientation)];
      for (int m = 0; m < view.kind.element.face_node_count; ++m) {
        const int there = permutation[static_cast<std::size_t>(m)];
        for (std::size_t k = 0; k < view.dim(); ++k) {
          ASSERT_EQ(view.owner_normal(f, m, k), other.owner_normal(link.face, there, k));
          ASSERT_EQ(view.face_coordinate(f, m, k), other.face_coordinate(link.face, there, k));
        }
        if (view.kind.geometry.affine || other.kind.geometry.affine) {
          ASSERT_NEAR(view.scale(f, m) / other.scale(link.face, there), 1, 1e-15);
        } else {
          ASSERT_EQ(view.scale(f, m), other.scale(link.face, there));
        }
      }
    }
  }
}

double volume(const std::vector<Class>& classes) {
  double sum = 0;
  for (const Class& kind : classes) {
    for (std::size_t c = 0; c < kind.cells.size(); ++c) {
      for (int i = 0; i < kind.element.node_count; ++i) sum += kind.element.weights(i) / CellView{kind, c}.inverse_jacobian(i);
    }
  }
  return sum;
}

Mesh box(Shape shape, std::int64_t cells, double warp, int geometry_order, bool periodic) {
  mesh::BoxOptions options;
  options.dimension = mesh::shape_facts(shape).dimension;
  options.shape = shape;
  options.lower = {0.5, -1, 0};
  options.upper = {2.0, 1, 1};
  options.cells = {cells, cells + 1, cells};
  options.warp = warp;
  options.geometry_order = geometry_order;
  options.periodic = {periodic, periodic, periodic};
  return mesh::mesh_box(options);
}

struct BoxCase {
  Shape shape;
  NodeFamily family;
};
std::string box_case_name(const ::testing::TestParamInfo<BoxCase>& info) {
  return std::string(mesh::shape_facts(info.param.shape).name) + (info.param.family == NodeFamily::gauss ? "_gauss" : "_lobatto");
}
class BoxGeometry : public ::testing::TestWithParam<BoxCase> {};
INSTANTIATE_TEST_SUITE_P(all, BoxGeometry,
                         ::testing::Values(BoxCase{Shape::line, NodeFamily::lobatto}, BoxCase{Shape::line, NodeFamily::gauss},
                                           BoxCase{Shape::quadrilateral, NodeFamily::lobatto},
                                           BoxCase{Shape::quadrilateral, NodeFamily::gauss},
                                           BoxCase{Shape::hexahedron, NodeFamily::lobatto}, BoxCase{Shape::hexahedron, NodeFamily::gauss},
                                           BoxCase{Shape::triangle, NodeFamily::lobatto}, BoxCase{Shape::tetrahedron, NodeFamily::lobatto}),
                         box_case_name);

TEST_P(BoxGeometry, straight_boxes_are_affine_and_preserve_free_streams) {
  const Mesh mesh = box(GetParam().shape, 3, 0, 1, true);
  for (int p = 1; p <= 6; ++p) {
    const auto classes = make_classes(mesh, p, GetParam().family);
    ASSERT_EQ(classes.size(), 1U);
    EXPECT_TRUE(classes.front().geometry.affine);
    EXPECT_LT(free_stream_defect(classes.front()), 1.5e-14 * (1 + p * p)) << p;
    expect_shared_faces(mesh, classes);
  }
}

TEST_P(BoxGeometry, warped_boxes_of_any_geometry_order_preserve_free_streams_and_share_normals) {
  for (int g = 1; g <= 4; ++g) {
    const Mesh mesh = box(GetParam().shape, 3, 0.03, g, true);
    for (int p = 1; p <= 6; ++p) {
      const auto classes = make_classes(mesh, p, GetParam().family);
      for (const Class& kind : classes)
        EXPECT_LT(free_stream_defect(kind), 1.5e-14 * (1 + p * p)) << "geometry order " << g << ", p = " << p;
      expect_shared_faces(mesh, classes);
      expect_metric_of_faces(classes);
      if (HasFailure()) return;
    }
  }
}

TEST_P(BoxGeometry, straight_volumes_are_exact) {
  const int dimension = mesh::shape_facts(GetParam().shape).dimension;
  const double exact = std::array{1.5, 3.0, 3.0}[static_cast<std::size_t>(dimension) - 1];
  EXPECT_NEAR(volume(make_classes(box(GetParam().shape, 3, 0, 1, false), 3, GetParam().family)), exact, 1e-13);
}

TEST_P(BoxGeometry, warped_volumes_converge_to_the_box) {
  // The warp vanishes on the sides: the volume is that of the box once geometry and quadrature resolve it.
  const int dimension = mesh::shape_facts(GetParam().shape).dimension;
  const double exact = std::array{1.5, 3.0, 3.0}[static_cast<std::size_t>(dimension) - 1];
  const double error = std::abs(volume(make_classes(box(GetParam().shape, 4, 0.02, 4, false), 6, GetParam().family)) - exact);
  EXPECT_LT(error, dimension == 1 ? 1e-12 : 1e-6);
}

TEST_P(BoxGeometry, subsets_of_a_class_have_the_bits_of_the_whole_class) {
  const Mesh mesh = box(GetParam().shape, 3, 0.03, 2, true);
  const ReferenceElement element = make_reference_element(GetParam().shape, 3, GetParam().family);
  std::vector<std::int32_t> all(mesh.cell_count());
  std::iota(all.begin(), all.end(), 0);
  const Geometry whole = make_geometry(mesh, element, all, false);
  for (const std::int32_t cell : {std::int32_t{0}, static_cast<std::int32_t>(all.size() / 2), static_cast<std::int32_t>(all.size() - 1)}) {
    const Geometry single = make_geometry(mesh, element, {cell}, false);
    const auto expect_same = [&](const auto& part, const auto& full) {
      const auto offset = static_cast<std::ptrdiff_t>(part.size()) * cell;
      EXPECT_TRUE(std::equal(part.begin(), part.end(), full.begin() + offset));
    };
    expect_same(single.coordinates, whole.coordinates);
    expect_same(single.metric, whole.metric);
    expect_same(single.inverse_jacobian, whole.inverse_jacobian);
    expect_same(single.face_normal, whole.face_normal);
    expect_same(single.face_scale, whole.face_scale);
    expect_same(single.face_coordinates, whole.face_coordinates);
    expect_same(single.face_owner, whole.face_owner);
    expect_same(single.size, whole.size);
  }
}

TEST_P(BoxGeometry, affine_cells_may_be_treated_as_curved) {
  const Mesh mesh = box(GetParam().shape, 2, 0, 1, false);
  const ReferenceElement element = make_reference_element(GetParam().shape, 2, GetParam().family);
  std::vector<std::int32_t> all(mesh.cell_count());
  std::iota(all.begin(), all.end(), 0);
  const Class straight{element, all, make_geometry(mesh, element, all, true)};
  const Class curved{element, all, make_geometry(mesh, element, all, false)};
  const auto dim = static_cast<std::size_t>(element.dimension);
  for (std::size_t c = 0; c < all.size(); ++c) {
    EXPECT_NEAR(straight.geometry.size[c] / curved.geometry.size[c], 1, 1e-13);
    for (int i = 0; i < element.node_count; ++i) {
      for (std::size_t d = 0; d < dim * dim; ++d) {
        EXPECT_NEAR((CellView{straight, c}.metric(i, d / dim, d % dim)), (CellView{curved, c}.metric(i, d / dim, d % dim)), 1e-14);
      }
    }
    for (int f = 0; f < element.face_count; ++f) {
      for (int m = 0; m < element.face_node_count; ++m) {
        for (std::size_t k = 0; k < dim; ++k) {
          EXPECT_EQ((CellView{straight, c}.owner_normal(f, m, k)), (CellView{curved, c}.owner_normal(f, m, k)));
          EXPECT_EQ((CellView{straight, c}.face_coordinate(f, m, k)), (CellView{curved, c}.face_coordinate(f, m, k)));
        }
      }
    }
  }
}

TEST(geometry, free_streams_hold_on_the_shipped_meshes) {
  const std::filesystem::path folder = std::filesystem::path(DGSOLVE_SOURCE_DIR) / "configs/meshes";
  for (const char* file : {"annulus3d-hex-order3-v41bin.msh", "cylinder2d-quad-order3-v41bin.msh", "cylinder2d-tri-order2-v22.msh",
                           "mixed2d-tri-quad-v41.msh", "periodic3d-tet-v41bin.msh", "sphere3d-tet-order2-v41.msh"}) {
    const Mesh mesh = mesh::read_gmsh(folder / file);
    for (const int p : {1, 2, 4}) {
      const auto classes = make_classes(mesh, p, NodeFamily::lobatto);
      for (const Class& kind : classes) EXPECT_LT(free_stream_defect(kind), 5e-14 * (1 + p * p)) << file << ", p = " << p;
      expect_shared_faces(mesh, classes);
      if (HasFailure()) return;
    }
  }
}

TEST(geometry, curved_meshes_have_the_volume_of_their_domain) {
  // Error of the mesh's own geometry order: third order for the cylinder's quadrilaterals, second for its triangles and the sphere.
  const std::filesystem::path folder = std::filesystem::path(DGSOLVE_SOURCE_DIR) / "configs/meshes";
  const auto error = [&](const char* file, int p, double exact) {
    return std::abs(volume(make_classes(mesh::read_gmsh(folder / file), p, NodeFamily::lobatto)) / exact - 1);
  };
  const double pi = std::numbers::pi;
  EXPECT_LT(error("cylinder2d-quad-order3-v41bin.msh", 4, 200 - pi / 4), 1e-7);
  EXPECT_LT(error("cylinder2d-tri-order2-v22.msh", 4, 200 - pi / 4), 1e-6);
  EXPECT_LT(error("sphere3d-tet-order2-v41.msh", 4, 64 - pi / 6), 1e-5);
  EXPECT_LT(error("annulus3d-hex-order3-v41bin.msh", 4, 3 * pi / 4), 1e-5);
  EXPECT_LT(error("periodic3d-tet-v41bin.msh", 2, 1), 1e-13);
}

TEST(geometry, a_folded_cell_is_refused_with_its_number_and_coordinates) {
  // Two quadrilaterals, the second with two vertices exchanged.
  Mesh mesh;
  mesh.dimension = 2;
  mesh.shapes = {Shape::quadrilateral, Shape::quadrilateral};
  mesh.global_number = {7, 11};
  mesh.point_offset = {0, 4, 8};
  mesh.points = {0, 0, 1, 0, 0, 1, 1, 1, 5, 0, 6, 0, 5.9, 0.9, 5, 1};
  mesh.face_offset = {0, 4, 8};
  mesh.links.resize(8);
  const ReferenceElement element = make_reference_element(Shape::quadrilateral, 2, NodeFamily::lobatto);
  EXPECT_EQ(affine_cells(mesh), (std::vector<bool>{true, false}));
  try {
    static_cast<void>(make_geometry(mesh, element, {1}, false));
    FAIL();
  } catch (const mesh::MeshError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cell 11 (quadrilateral)"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("at (5"));
  }
  // An inverted affine cell.
  mesh.points = {0, 0, 0, 1, 1, 0, 1, 1, 5, 0, 6, 0, 5, 1, 6, 1};
  EXPECT_THROW(static_cast<void>(make_geometry(mesh, element, {0}, true)), mesh::MeshError);
  EXPECT_NO_THROW(static_cast<void>(make_geometry(mesh, element, {1}, true)));
}

TEST(geometry, keeps_its_precision_far_from_the_origin) {
  mesh::BoxOptions options;
  options.lower = {1000, 2000, 0};
  options.upper = {1001, 2001, 1};
  options.cells = {4, 4, 1};
  const auto classes = make_classes(mesh::mesh_box(options), 3, NodeFamily::lobatto);
  ASSERT_EQ(classes.size(), 1U);
  EXPECT_TRUE(classes.front().geometry.affine);
  EXPECT_LT(free_stream_defect(classes.front()), 1e-11);  // spacing of doubles near 2000 over the cell width: 1e-12
}

/// Largest |Ja - cofactors of dx/dxi| / h^(dim-1), where dx/dxi is that of the mesh's own mapping, differentiated by its
/// lattice's polynomials.
double metric_error(const Mesh& mesh, const Class& kind) {
  double worst = 0;
  std::vector<std::array<double, 3>> at;
  for (int i = 0; i < kind.element.node_count; ++i)
    at.push_back({kind.element.nodes(i, 0), kind.element.nodes(i, 1), kind.element.nodes(i, 2)});
  const mesh::LatticeBasis basis = mesh::lattice_basis(kind.element.shape, mesh.geometry_order, at);
  for (std::size_t c = 0; c < kind.cells.size(); ++c) {
    const double* points = mesh.points.data() + mesh.point_offset[static_cast<std::size_t>(kind.cells[c])] * 3;
    for (std::size_t i = 0; i < at.size(); ++i) {
      Eigen::Matrix3d slope = Eigen::Matrix3d::Zero();  // column d: dx/dxi_d
      for (std::size_t n = 0; n < basis.lattice; ++n) {
        for (std::size_t d = 0; d < 3; ++d) {
          slope.col(static_cast<Eigen::Index>(d)) +=
              basis.gradients[d][i * basis.lattice + n] * Eigen::Map<const Eigen::Vector3d>(points + 3 * n);
        }
      }
      for (int d = 0; d < 3; ++d) {
        const Eigen::Vector3d exact = slope.col((d + 1) % 3).cross(slope.col((d + 2) % 3));
        for (int k = 0; k < 3; ++k) {
          const double found = CellView{kind, c}.metric(static_cast<int>(i), static_cast<std::size_t>(d), static_cast<std::size_t>(k));
          worst = std::max(worst, std::abs(found - exact(k)) / std::pow(kind.geometry.size[c], 2));
        }
      }
    }
  }
  return worst;
}

TEST(geometry, metric_terms_of_gauss_hexahedra_converge_at_order_p_plus_one) {
  // Relative to the true ones of the mapping. A mapping or an argument of the curl interpolated at degree p would leave order p.
  for (const int p : {1, 2, 3}) {
    std::vector<double> errors;
    for (const std::int64_t cells : {4, 8}) {
      const Mesh mesh = box(Shape::hexahedron, cells, 0.05, 4, true);
      errors.push_back(0);
      for (const Class& kind : make_classes(mesh, p, NodeFamily::gauss)) errors.back() = std::max(errors.back(), metric_error(mesh, kind));
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), p + 1 - 0.3) << p;
  }
}

TEST(geometry, metric_terms_of_tetrahedra_are_those_of_the_mapping_of_degree_p_to_order_p_plus_one) {
  // The argument of the curl has degree 2p - 1 and is interpolated at degree p + 1: exact for p <= 2.
  const auto error = [](int p, std::int64_t cells) {
    const Mesh mesh = box(Shape::tetrahedron, cells, 0.03, p, true);
    double worst = 0;
    for (const Class& kind : make_classes(mesh, p, NodeFamily::lobatto)) worst = std::max(worst, metric_error(mesh, kind));
    return worst;
  };
  EXPECT_LT(error(2, 3), 1e-13);
  EXPECT_GT(std::log2(error(3, 8) / error(3, 16)), 4 - 0.3);
}

TEST(geometry, curved_coordinates_converge_at_order_p_plus_one) {
  // A mapping of order 4 interpolated at degree p < 4: the largest distance to the exact lattice image falls like h^(p+1).
  for (const int p : {1, 2, 3}) {
    std::vector<double> errors;
    for (const std::int64_t cells : {4, 8, 16}) {
      const Mesh mesh = box(Shape::quadrilateral, cells, 0.05, 4, false);
      const auto classes = make_classes(mesh, p, NodeFamily::gauss);
      const ReferenceElement fine = make_reference_element(Shape::quadrilateral, 4, NodeFamily::lobatto);
      double worst = 0;
      for (const Class& kind : classes) {
        if (kind.geometry.affine) continue;
        const Geometry exact = make_geometry(mesh, fine, kind.cells, false);
        const Eigen::MatrixXd to_fine = kind.element.interpolation_to(fine.nodes);
        for (std::size_t c = 0; c < kind.cells.size(); ++c) {
          for (int i = 0; i < fine.node_count; ++i) {
            for (std::size_t k = 0; k < 2; ++k) {
              double x = 0;
              for (int m = 0; m < kind.element.node_count; ++m) {
                x += to_fine(i, m) *
                     kind.geometry
                         .coordinates[(c * static_cast<std::size_t>(kind.element.node_count) + static_cast<std::size_t>(m)) * 2 + k];
              }
              worst = std::max(
                  worst,
                  std::abs(x - exact.coordinates[(c * static_cast<std::size_t>(fine.node_count) + static_cast<std::size_t>(i)) * 2 + k]));
            }
          }
        }
      }
      errors.push_back(worst);
    }
    EXPECT_GT(std::log2(errors[1] / errors[2]), p + 1 - 0.25) << p;
  }
}

}  // namespace
}  // namespace dgsolve::solver
