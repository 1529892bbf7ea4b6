// Shape tables: faces, orientations and lattices agree with the conventions.
#include "mesh/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mesh/mapping.h"

namespace dgsolve::mesh {
namespace {

const std::vector<Shape> all_shapes{Shape::point,       Shape::line,       Shape::triangle, Shape::quadrilateral,
                                    Shape::tetrahedron, Shape::hexahedron, Shape::prism,    Shape::pyramid};

TEST(Shape, names_and_aliases_find_their_shape) {
  for (const Shape shape : all_shapes) {
    EXPECT_EQ(shape_from_name(shape_facts(shape).name), shape);
    EXPECT_EQ(shape_facts(shape).shape, shape);
  }
  EXPECT_EQ(shape_from_name("tri"), Shape::triangle);
  EXPECT_EQ(shape_from_name("quad"), Shape::quadrilateral);
  EXPECT_EQ(shape_from_name("tet"), Shape::tetrahedron);
  EXPECT_EQ(shape_from_name("hex"), Shape::hexahedron);
  EXPECT_EQ(shape_from_name(""), std::nullopt);
  EXPECT_EQ(shape_from_name("cube"), std::nullopt);
}

TEST(Shape, faces_have_as_many_vertices_as_their_shape_and_cover_each_edge_twice) {
  for (const Shape shape : all_shapes) {
    const ShapeFacts& facts = shape_facts(shape);
    ASSERT_EQ(facts.face_shapes.size(), facts.face_vertices.size());
    std::multiset<std::set<int>> ridges;
    for (std::size_t f = 0; f < facts.face_shapes.size(); ++f) {
      const ShapeFacts& face = shape_facts(facts.face_shapes[f]);
      EXPECT_EQ(face.dimension, facts.dimension - 1);
      ASSERT_EQ(face.vertices.size(), facts.face_vertices[f].size());
      for (const auto& ridge : face.face_vertices) {
        std::set<int> vertices;
        for (const int v : ridge) vertices.insert(facts.face_vertices[f][static_cast<std::size_t>(v)]);
        ridges.insert(vertices);
      }
    }
    for (const auto& ridge : ridges) EXPECT_EQ(ridges.count(ridge), 2U) << facts.name;
  }
}

TEST(Shape, orientations_are_distinct_and_their_inverses_undo_them) {
  for (const Shape shape : {Shape::point, Shape::line, Shape::triangle, Shape::quadrilateral}) {
    std::set<std::vector<int>> seen;
    for (int code = 0; code < orientation_count(shape); ++code) {
      const auto there = orientation_vertices(shape, code);
      const auto back = orientation_vertices(shape, inverse_orientation(shape, code));
      EXPECT_TRUE(seen.emplace(there.begin(), there.end()).second);
      for (std::size_t s = 0; s < there.size(); ++s) EXPECT_EQ(back[static_cast<std::size_t>(there[s])], static_cast<int>(s));
    }
  }
  EXPECT_EQ(orientation_count(Shape::triangle), 6);
  EXPECT_EQ(orientation_count(Shape::quadrilateral), 8);
}

TEST(Shape, quadrilateral_orientation_bits_are_swap_and_signs) {
  // Code 5: (a', b') = (-b, a): the vertex (1, -1) (number 1) goes to (1, 1) (number 3).
  EXPECT_EQ(orientation_vertices(Shape::quadrilateral, 5)[1], 3);
  EXPECT_EQ(orientation_vertices(Shape::quadrilateral, 1)[0], 1);
  EXPECT_EQ(orientation_vertices(Shape::quadrilateral, 2)[0], 2);
  EXPECT_EQ(orientation_vertices(Shape::quadrilateral, 4)[1], 2);
}

TEST(Shape, lattices_have_their_size_and_run_first_coordinate_fastest) {
  for (const Shape shape : all_shapes) {
    for (int order = 1; order <= 5; ++order) {
      const auto points = lattice_points(shape, order);
      ASSERT_EQ(points.size(), static_cast<std::size_t>(lattice_size(shape, order))) << shape_facts(shape).name << order;
      for (std::size_t i = 1; i < points.size(); ++i) {
        const auto key = [&](std::size_t p) { return std::array<double, 3>{points[p][2], points[p][1], points[p][0]}; };
        EXPECT_LT(key(i - 1), key(i));
      }
    }
    const auto first = lattice_points(shape, 1);
    for (const auto& vertex : shape_facts(shape).vertices) {
      EXPECT_NE(std::find(first.begin(), first.end(), vertex), first.end());
    }
  }
}

TEST(Mapping, lattice_basis_is_one_at_its_own_point_and_reproduces_polynomials_with_gradients) {
  for (const Shape shape : {Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron, Shape::prism}) {
    for (int order = 1; order <= 4; ++order) {
      const auto lattice = lattice_points(shape, order);
      const auto own = lattice_basis(shape, order, lattice);
      for (std::size_t i = 0; i < lattice.size(); ++i) {
        for (std::size_t j = 0; j < lattice.size(); ++j) EXPECT_NEAR(own.values[i * lattice.size() + j], i == j ? 1 : 0, 1e-12);
      }
      const auto f = [&](const std::array<double, 3>& x) { return std::pow(0.3 * x[0] - 0.7 * x[1] + 0.2 * x[2] + 0.5, order); };
      const std::array<double, 3> slope{0.3, -0.7, 0.2};
      const auto points = gauss_rule(shape, 3).points;
      const auto basis = lattice_basis(shape, order, points);
      for (std::size_t q = 0; q < points.size(); ++q) {
        double value = 0;
        std::array<double, 3> gradient{};
        for (std::size_t i = 0; i < lattice.size(); ++i) {
          value += basis.values[q * lattice.size() + i] * f(lattice[i]);
          for (std::size_t d = 0; d < static_cast<std::size_t>(shape_facts(shape).dimension); ++d) {
            gradient[d] += basis.gradients[d][q * lattice.size() + i] * f(lattice[i]);
          }
        }
        EXPECT_NEAR(value, f(points[q]), 1e-12);
        const double inner = 0.3 * points[q][0] - 0.7 * points[q][1] + 0.2 * points[q][2] + 0.5;
        for (std::size_t d = 0; d < static_cast<std::size_t>(shape_facts(shape).dimension); ++d) {
          EXPECT_NEAR(gradient[d], order * slope[d] * std::pow(inner, order - 1), 1e-11);
        }
      }
    }
  }
}

TEST(Mapping, gauss_rules_integrate_monomials_of_the_triangle_and_tetrahedron) {
  // With u = (1+r)/2 etc.: the integral of u^a v^b w^c over the unit simplex is a! b! c! / (a + b + c + d)!.
  const CellRule triangle = gauss_rule(Shape::triangle, 4);
  double integral = 0;
  for (std::size_t q = 0; q < triangle.points.size(); ++q) {
    const double u = 0.5 * (1 + triangle.points[q][0]);
    const double v = 0.5 * (1 + triangle.points[q][1]);
    integral += triangle.weights[q] / 4 * std::pow(u, 2) * std::pow(v, 3);
  }
  EXPECT_NEAR(integral, 2.0 * 6.0 / 5040.0, 1e-15);
  const CellRule tetrahedron = gauss_rule(Shape::tetrahedron, 4);
  integral = 0;
  for (std::size_t q = 0; q < tetrahedron.points.size(); ++q) {
    const double u = 0.5 * (1 + tetrahedron.points[q][0]);
    const double v = 0.5 * (1 + tetrahedron.points[q][1]);
    const double w = 0.5 * (1 + tetrahedron.points[q][2]);
    integral += tetrahedron.weights[q] / 8 * u * v * v * w * w;
  }
  EXPECT_NEAR(integral, 1.0 * 2.0 * 2.0 / 40320.0, 1e-16);
}

}  // namespace
}  // namespace dgsolve::mesh
