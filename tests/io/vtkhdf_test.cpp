// Output cells, padding of fields, and series that stay whole whatever happens.
#include "io/vtkhdf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

#include "codegen/environment.h"
#include "io/output_error.h"
#include "io/vtk_cells.h"
#include "tests/io/file_size_limit.h"
#include "tests/io/sample_series.h"

namespace dgsolve::io {
namespace {

using mesh::Shape;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array shapes{Shape::line, Shape::triangle, Shape::quadrilateral, Shape::tetrahedron, Shape::hexahedron};

int largest_order(Shape shape) { return mesh::shape_facts(shape).tensor ? 10 : 8; }

TEST(VtkCells, the_order_of_points_is_a_permutation_with_the_vertices_first) {
  for (const Shape shape : shapes) {
    for (int order = 1; order <= 10; ++order) {
      const auto points = vtk_point_order(shape, order);
      EXPECT_EQ(points.size(), static_cast<std::size_t>(mesh::lattice_size(shape, order)));
      EXPECT_EQ(std::set<int>(points.begin(), points.end()).size(), points.size()) << mesh::shape_facts(shape).name << order;
      EXPECT_EQ(points.front(), 0);
      EXPECT_GE(*std::min_element(points.begin(), points.end()), 0);
    }
  }
  EXPECT_THAT(vtk_point_order(Shape::quadrilateral, 2), ElementsAre(0, 2, 8, 6, 1, 5, 7, 3, 4));
  EXPECT_THAT(vtk_point_order(Shape::triangle, 2), ElementsAre(0, 2, 5, 1, 4, 3));
}

TEST(VtkCells, shapes_without_output_say_so) { EXPECT_THROW((void)vtk_cell_type(Shape::pyramid), std::invalid_argument); }

TEST(OutputFields, vectors_have_three_components_and_tensors_six) {
  using Kind = solver::Quantity::Kind;
  const auto fields = make_output_fields({{"p", Kind::scalar, {"p"}, {}},
                                          {"v", Kind::vector, {"v_x", "v_y"}, {0, 1}},
                                          {"s", Kind::symmetric_tensor, {"s_xx", "s_xy", "s_yy"}, {}},
                                          {"E", Kind::vector, {"E_z"}, {2}}});
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_THAT(fields[0].sources, ElementsAre(0));
  EXPECT_THAT(fields[1].sources, ElementsAre(1, 2, -1));
  EXPECT_THAT(fields[2].sources, ElementsAre(3, 5, -1, 4, -1, -1));
  EXPECT_THAT(fields[3].sources, ElementsAre(-1, -1, 6));
  const auto solid = make_output_fields({{"s", Kind::symmetric_tensor, {"xx", "xy", "xz", "yy", "yz", "zz"}, {}}});
  EXPECT_THAT(solid[0].sources, ElementsAre(0, 3, 5, 1, 4, 2));
}

/// [cells in mesh order][points of a cell][columns], interpolated in the order of `cells`.
template <class Value>
std::vector<Value> at_points(const OutputGrid& grid, const OutputField& field, std::size_t components, const std::vector<double>& values,
                             const std::vector<std::size_t>& cells) {
  std::vector<Value> result(grid.point_count() * field.columns);
  std::vector<mesh::GlobalRows::Place<Value>> places;
  for (const std::size_t cell : cells) places.push_back({cell, result.data(), cell, grid.cell_count});
  fields_at_points<Value>(grid, std::span(&field, 1), components, values, places);
  return result;
}

std::vector<std::size_t> ascending(std::size_t count) {
  std::vector<std::size_t> cells(count);
  std::iota(cells.begin(), cells.end(), std::size_t{0});
  return cells;
}

TEST(OutputGrid, values_at_the_points_are_those_of_the_polynomial_there) {
  for (const Shape shape : shapes) {
    for (const solver::NodeFamily family : {solver::NodeFamily::lobatto, solver::NodeFamily::gauss}) {
      for (const int order : {1, 3, 6}) {
        if (family == solver::NodeFamily::gauss && (shape == Shape::triangle || shape == Shape::tetrahedron)) continue;
        SampleProblem sample = make_sample(shape, order, 0.0);
        sample.element = solver::make_reference_element(shape, order, family);
        const OutputGrid grid = make_output_grid(mesh::whole_part(sample.mesh), sample.element);
        const auto fields = make_output_fields({{"p", solver::Quantity::Kind::scalar, {"p"}, {}}});
        const auto values = at_points<double>(grid, fields[0], 1, sample_values(sample, 1, 0.5), ascending(grid.cell_count));
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::array<double, 3> x{grid.points[3 * i], grid.points[3 * i + 1], grid.points[3 * i + 2]};
          EXPECT_NEAR(values[i], sample_value(x, order, 0, 0.5), 1e-12);
        }
      }
    }
  }
}

TEST(OutputGrid, values_of_a_cell_do_not_depend_on_the_cells_beside_it) {
  const SampleProblem sample = make_sample(Shape::hexahedron, 3, 0.0, 3);
  const OutputGrid grid = make_output_grid(mesh::whole_part(sample.mesh), sample.element);
  const auto fields = make_output_fields(sample_quantities(3));
  const std::size_t components = component_count(sample_quantities(3));
  const auto values = sample_values(sample, components, 0.5);
  std::vector<std::size_t> cells = ascending(grid.cell_count);
  for (const OutputField& field : fields) {
    const auto together = at_points<double>(grid, field, components, values, cells);
    std::vector<double> alone(together.size());
    for (const std::size_t cell : cells) {
      const auto one = at_points<double>(grid, field, components, values, {cell});
      for (std::size_t i = 0; i < one.size(); ++i) alone[i] += one[i];
    }
    EXPECT_EQ(alone, together) << field.name;
    std::reverse(cells.begin(), cells.end());
    EXPECT_EQ(at_points<double>(grid, field, components, values, cells), together) << field.name;
    EXPECT_EQ(at_points<float>(grid, field, components, values, cells), std::vector<float>(together.begin(), together.end()));
  }
}

TEST(OutputGrid, rows_stand_in_the_order_of_the_global_numbers) {
  const SampleProblem sample = make_sample(Shape::quadrilateral, 1, 0.0, 4);
  OutputGrid grid = make_output_grid(mesh::whole_part(sample.mesh), sample.element);
  ASSERT_EQ(grid.rows.count(), 16U);
  std::vector<std::int64_t> numbers;
  grid.rows.collect(std::span<const std::int64_t>(sample.mesh.global_number), 1, [&](std::int64_t row, const auto& rows) {
    EXPECT_EQ(row, static_cast<std::int64_t>(numbers.size()));
    numbers.insert(numbers.end(), rows.begin(), rows.end());
  });
  for (std::size_t cell = 0; cell < 16; ++cell) EXPECT_EQ(numbers[cell], static_cast<std::int64_t>(cell));
}

class Series : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("series_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) names.insert(std::filesystem::relative(entry.path(), folder_).string());
    }
    return names;
  }
  std::filesystem::path folder_;
};

TEST_F(Series, every_time_has_a_file_and_nothing_temporary_remains) {
  write_sample_series(folder_ / "out", "case", make_sample(Shape::triangle, 2, 0.0), {0.0, 0.5, 1.0});
  EXPECT_THAT(files(),
              ElementsAre("out/case.d/000000.h5", "out/case.d/000001.h5", "out/case.d/000002.h5", "out/case.d/mesh.h5", "out/case.vtkhdf"));
}

TEST_F(Series, a_new_run_leaves_nothing_of_the_old_one) {
  write_sample_series(folder_, "case", make_sample(Shape::triangle, 2, 0.0), {0.0, 0.5, 1.0});
  std::ofstream(folder_ / "case.d" / ".000003.h5.1.tmp") << "left by a kill";
  std::ofstream(folder_ / "case.d" / "notes.txt") << "not ours";
  write_sample_series(folder_, "case", make_sample(Shape::quadrilateral, 1, 0.0), {0.0});
  EXPECT_THAT(files(), ElementsAre("case.d/000000.h5", "case.d/mesh.h5", "case.d/notes.txt", "case.vtkhdf"));
}

TEST_F(Series, a_folder_that_cannot_be_made_names_itself) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "file") << "";
  try {
    write_sample_series(folder_ / "file" / "out", "case", make_sample(Shape::line, 1, 0.0), {0.0});
    FAIL() << "no fault";
  } catch (const OutputError& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder_ / "file" / "out").string()));
  }
}

TEST_F(Series, a_full_disk_is_one_clear_message_and_leaves_the_times_before_whole) {
  const SampleProblem sample = make_sample(Shape::quadrilateral, 4, 0.0, 16);
  const auto quantities = sample_quantities(2);
  VtkhdfSeries series(folder_, "case", make_output_grid(mesh::whole_part(sample.mesh), sample.element), make_output_fields(quantities),
                      ValueStorage::float64, {});
  const auto values = sample_values(sample, component_count(quantities), 0.0);
  series.write(0.0, 0, values);
  const auto before = files();
  const auto main_size = std::filesystem::file_size(series.main_file());
  for (const rlim_t bytes : {rlim_t{100}, rlim_t{5000}, rlim_t{100000}}) {
    const FileSizeLimit limit(bytes);
    try {
      series.write(0.5, 7, values);
      FAIL() << "no fault";
    } catch (const OutputError& error) {
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("000001.h5"), HasSubstr("File too large")));
    }
  }
  EXPECT_EQ(files(), before);
  EXPECT_EQ(std::filesystem::file_size(series.main_file()), main_size);
  series.write(0.5, 7, values);
  EXPECT_EQ(series.time_count(), 2U);
}

TEST_F(Series, a_vanished_folder_is_one_clear_message) {
  const SampleProblem sample = make_sample(Shape::line, 2, 0.0);
  const auto quantities = sample_quantities(1);
  VtkhdfSeries series(folder_, "case", make_output_grid(mesh::whole_part(sample.mesh), sample.element), make_output_fields(quantities),
                      ValueStorage::float64, {});
  std::filesystem::remove_all(folder_);
  try {
    series.write(0.0, 0, sample_values(sample, component_count(quantities), 0.0));
    FAIL() << "no fault";
  } catch (const OutputError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("000000.h5"), HasSubstr("No such file or directory")));
  }
}

TEST_F(Series, packing_makes_one_file_and_refuses_what_is_incomplete) {
  write_sample_series(folder_, "case", make_sample(Shape::triangle, 2, 0.0), {0.0, 0.5});
  pack_series(folder_ / "case.vtkhdf", folder_ / "packed.vtkhdf");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "packed.vtkhdf"));
  EXPECT_THROW(pack_series(folder_ / "case.vtkhdf", folder_ / "case.vtkhdf"), OutputError);
  EXPECT_THROW(pack_series(folder_ / "none.vtkhdf", folder_ / "b.vtkhdf"), OutputError);
  std::filesystem::remove(folder_ / "case.d" / "000001.h5");
  EXPECT_THROW(pack_series(folder_ / "case.vtkhdf", folder_ / "b.vtkhdf"), OutputError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.vtkhdf"));
}

/// The files that vtkhdf_check.py reads: every shape and order, straight and warped, single precision, moved, packed.
TEST(SampleSeries, are_written_for_the_reader_test) {
  const std::string wanted = codegen::environment_value("DGSOLVE_SAMPLE_FOLDER");
  const std::filesystem::path folder =
      wanted.empty() ? std::filesystem::path(testing::TempDir()) / "sample_series" : std::filesystem::path(wanted);
  std::filesystem::remove_all(folder);
  for (const Shape shape : shapes) {
    const std::string name(mesh::shape_facts(shape).name);
    for (int order = 1; order <= largest_order(shape); ++order) {
      const bool large = mesh::shape_facts(shape).dimension == 3;
      write_sample_series(folder, name + "_" + std::to_string(order), make_sample(shape, order, 0.0, large ? 1 : 2), {0.0, 0.25, 1.0});
    }
    if (shape != Shape::line) write_sample_series(folder, name + "_3_warped", make_sample(shape, 3, 0.08), {0.0});
  }
  write_sample_series(folder, "quadrilateral_2_single", make_sample(Shape::quadrilateral, 2, 0.0), {0.0, 2.0}, ValueStorage::float32);
  write_sample_series(folder / "before", "quadrilateral_2_moved", make_sample(Shape::quadrilateral, 2, 0.0), {0.0, 2.0});
  pack_series(folder / "before" / "quadrilateral_2_moved.vtkhdf", folder / "quadrilateral_2_packed.vtkhdf");
  std::filesystem::rename(folder / "before", folder / "after");
  EXPECT_TRUE(std::filesystem::exists(folder / "after" / "quadrilateral_2_moved.vtkhdf"));
}

}  // namespace
}  // namespace dgsolve::io
