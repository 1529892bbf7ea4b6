// VTKHDF format, version 2.0, UnstructuredGrid with Steps: a fixed mesh, values that change.
#include "io/vtkhdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <system_error>
#include <utility>

#include "io/blocks_beside.h"
#include "io/config.h"
#include "io/hdf5.h"
#include "io/output_error.h"
#include "io/shared_file.h"

namespace dgsolve::io {
namespace {

std::string part_name(std::size_t index) { return fmt::format("{:06}.h5", index); }

/// Files that an earlier run of the same name may have left: the main file first, so that it never shows values of two runs.
void remove_old_series(const std::filesystem::path& main_file, const std::filesystem::path& parts) {
  std::error_code status;
  std::filesystem::remove(main_file, status);
  if (status) throw OutputError(fmt::format("{}: the old file cannot be removed: {}", main_file.string(), status.message()));
  if (!std::filesystem::is_directory(parts)) return;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(parts)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h5" || extension == ".tmp") old.push_back(entry.path());
  }
  for (const auto& file : old) {
    std::filesystem::remove(file, status);
    if (status) throw OutputError(fmt::format("{}: the old file cannot be removed: {}", file.string(), status.message()));
  }
}

void write_origin(Hdf5Writer& file, const OutputOrigin& origin) {
  for (const auto& [name, text] : origin) file.text_attribute("/", name, text);
}

void constant_series(Hdf5Writer& file, const std::string& path, std::size_t steps, std::int64_t value, std::size_t columns = 0) {
  file.dataset(path, std::vector<std::int64_t>(steps, value), columns);
}

}  // namespace

VtkhdfSeries::VtkhdfSeries(const std::filesystem::path& directory, const std::string& name, OutputGrid grid,
                           std::vector<OutputField> fields, ValueStorage storage, OutputOrigin origin, const mesh::Communicator& ranks,
                           const ResultsPosition& from)
    : ranks_(ranks),
      name_(name),
      main_file_(directory / (name + ".vtkhdf")),
      parts_(directory / (name + ".d")),
      grid_(std::move(grid)),
      fields_(std::move(fields)),
      storage_(storage),
      origin_(std::move(origin)) {
  for (const OutputField& field : fields_) {
    for (const int source : field.sources) components_ = std::max(components_, static_cast<std::size_t>(source + 1));
  }
  std::string answer;  // of rank 0: + if the series goes on, - if not, else what does not fit
  on_root(ranks_, [&] {
    make_folder(directory);
    try {
      answer = has_parts(from) ? "+" : "-";
    } catch (const ConfigError& error) {
      answer = error.what();
    }
    if (answer != "-") return;
    remove_old_series(main_file_, parts_);
    make_folder(parts_);
  });
  ranks_.broadcast(answer, 0);
  if (answer == "-") {
    write_mesh();
    return;
  }
  if (answer != "+") throw ConfigError(answer);
  times_ = from.output_times;
  steps_ = from.output_steps;
  on_root(ranks_, [&] {
    write_main();
    remove_later_parts();
  });
  std::vector<double>().swap(grid_.points);
}

bool VtkhdfSeries::has_parts(const ResultsPosition& from) const {
  if (from.output_times.empty() || !std::filesystem::exists(parts_ / "mesh.h5")) return false;
  for (std::size_t i = 0; i < from.output_times.size(); ++i) {
    const std::filesystem::path part = parts_ / part_name(i);
    if (!std::filesystem::exists(part)) return false;
    const Hdf5Reader reader(part);
    if (reader.number_attribute("time") != from.output_times[i]) return false;
    if (reader.number_attribute("step") != static_cast<double>(from.output_steps[i])) return false;
  }
  check_part(parts_ / part_name(0));
  return true;
}

void VtkhdfSeries::check_part(const std::filesystem::path& part) const {
  const Hdf5Reader reader(part);
  for (const OutputField& field : fields_) {
    if (reader.shape("/" + field.name) == std::array<std::uint64_t, 2>{point_count(), field.columns}) continue;
    throw ConfigError(fmt::format(
        "{}: the outputs there have other cells or fields ('{}' would be new): keep those, or begin a new series in another folder "
        "(--output)",
        main_file_.string(), field.name));
  }
}

void VtkhdfSeries::remove_later_parts() const {
  std::error_code status;
  for (std::size_t i = times_.size(); std::filesystem::remove(parts_ / part_name(i), status); ++i) {
  }
}

void VtkhdfSeries::write_mesh() {
  SharedHdf5File file(parts_ / "mesh.h5", ranks_, [&](SharedHdf5File::Layout& layout) {
    layout.dataset("/Connectivity", Hdf5Type::int64, point_count());
    layout.dataset("/Offsets", Hdf5Type::int64, cell_count() + 1);
    layout.dataset("/Types", Hdf5Type::uint8, cell_count());
    layout.dataset("/Points", Hdf5Type::float64, point_count(), 3);
  });
  const auto first = static_cast<std::uint64_t>(grid_.rows.first());
  const std::size_t cells = grid_.rows.count();
  std::vector<std::int64_t> numbers(cells * grid_.cell_points);
  std::iota(numbers.begin(), numbers.end(), static_cast<std::int64_t>(first * grid_.cell_points));
  file.write("/Connectivity", first * grid_.cell_points, std::span<const std::int64_t>(numbers));
  // Every cell's end, and by rank 0 the beginning.
  if (ranks_.is_root()) file.write("/Offsets", 0, std::span<const std::int64_t>(std::array<std::int64_t, 1>{0}));
  numbers.resize(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) numbers[cell] = static_cast<std::int64_t>((first + cell + 1) * grid_.cell_points);
  file.write("/Offsets", first + 1, std::span<const std::int64_t>(numbers));
  file.write("/Types", first, std::span<const std::uint8_t>(std::vector<std::uint8_t>(cells, grid_.cell_type)));
  const std::size_t per_cell = 3 * grid_.cell_points;
  grid_.rows.collect(std::span<const double>(grid_.points), per_cell, [&](std::int64_t row, const std::vector<double>& rows) {
    file.write("/Points", static_cast<std::uint64_t>(row) * per_cell, std::span(rows));
  });
  std::vector<double>().swap(grid_.points);
  file.close();
}

void VtkhdfSeries::write(double time, std::int64_t step, const std::vector<double>& values) {
  write_values(part_name(times_.size()), time, step, values);
  times_.push_back(time);
  steps_.push_back(step);
  try {
    on_root(ranks_, [&] { write_main(); });
  } catch (...) {
    times_.pop_back();
    steps_.pop_back();
    throw;
  }
}

template <class Value>
void VtkhdfSeries::write_fields(SharedHdf5File& file, const std::vector<double>& values) {
  std::vector<std::size_t> widths;
  for (const OutputField& field : fields_) widths.push_back(grid_.cell_points * field.columns);
  const std::size_t per_cell = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  BlocksBeside<Value> writes(1);  // one thread: the file takes one piece at a time
  const auto write = [&](std::size_t row, std::span<const Value> block) {
    const std::size_t count = block.size() / per_cell;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      file.write("/" + fields_[i].name, row * widths[i], block.first(count * widths[i]));
      block = block.subspan(count * widths[i]);
    }
  };
  grid_.rows.produce<Value>(
      widths,
      [&](std::span<const mesh::GlobalRows::Place<Value>> places) { fields_at_points<Value>(grid_, fields_, components_, values, places); },
      [&](std::int64_t row, std::vector<Value>& rows) {
        writes.add(rows, [&write, row](const std::vector<Value>& block) { write(static_cast<std::size_t>(row), block); });
      });
  writes.finish();
}

void VtkhdfSeries::write_values(const std::string& file_name, double time, std::int64_t step, const std::vector<double>& values) {
  const Hdf5Type type = storage_ == ValueStorage::float64 ? Hdf5Type::float64 : Hdf5Type::float32;
  SharedHdf5File file(parts_ / file_name, ranks_, [&](SharedHdf5File::Layout& layout) {
    write_origin(layout.writer(), origin_);
    layout.writer().number_attribute("/", "time", time);
    layout.writer().integer_attribute("/", "step", std::array{step});
    for (const OutputField& field : fields_) layout.dataset("/" + field.name, type, point_count(), field.columns == 1 ? 0 : field.columns);
  });
  if (storage_ == ValueStorage::float64) {
    write_fields<double>(file, values);
  } else {
    write_fields<float>(file, values);
  }
  file.close();
}

void VtkhdfSeries::write_main() const {
  const std::size_t count = times_.size();
  const std::string folder = name_ + ".d/";
  Hdf5Writer file(main_file_);
  write_origin(file, origin_);
  file.group("/VTKHDF");
  file.integer_attribute("/VTKHDF", "Version", std::array<std::int64_t, 2>{2, 0});
  file.ascii_attribute("/VTKHDF", "Type", "UnstructuredGrid");

  const auto mesh_part = [&](const std::string& name, Hdf5Type type, std::size_t columns, std::uint64_t rows) {
    file.virtual_dataset("/VTKHDF/" + name, type, columns, {{folder + "mesh.h5", "/" + name, rows}});
  };
  file.dataset("/VTKHDF/NumberOfPoints", std::array{static_cast<std::int64_t>(point_count())});
  file.dataset("/VTKHDF/NumberOfCells", std::array{static_cast<std::int64_t>(cell_count())});
  file.dataset("/VTKHDF/NumberOfConnectivityIds", std::array{static_cast<std::int64_t>(point_count())});
  mesh_part("Points", Hdf5Type::float64, 3, point_count());
  mesh_part("Connectivity", Hdf5Type::int64, 0, point_count());
  mesh_part("Offsets", Hdf5Type::int64, 0, cell_count() + 1);
  mesh_part("Types", Hdf5Type::uint8, 0, cell_count());

  file.group("/VTKHDF/Steps");
  file.integer_attribute("/VTKHDF/Steps", "NSteps", std::array{static_cast<std::int64_t>(count)});
  file.dataset("/VTKHDF/Steps/Values", times_);
  file.dataset("/VTKHDF/Steps/StepNumbers", steps_);
  constant_series(file, "/VTKHDF/Steps/NumberOfParts", count, 1);
  constant_series(file, "/VTKHDF/Steps/PartOffsets", count, 0);
  constant_series(file, "/VTKHDF/Steps/PointOffsets", count, 0);
  constant_series(file, "/VTKHDF/Steps/CellOffsets", count, 0, 1);
  constant_series(file, "/VTKHDF/Steps/ConnectivityIdOffsets", count, 0, 1);

  file.group("/VTKHDF/PointData");
  file.group("/VTKHDF/Steps/PointDataOffsets");
  std::vector<std::int64_t> offsets(count);
  for (std::size_t i = 0; i < count; ++i) offsets[i] = static_cast<std::int64_t>(i * point_count());
  const Hdf5Type type = storage_ == ValueStorage::float64 ? Hdf5Type::float64 : Hdf5Type::float32;
  for (const OutputField& field : fields_) {
    std::vector<VirtualPart> parts;
    for (std::size_t i = 0; i < count; ++i) parts.push_back({folder + part_name(i), "/" + field.name, point_count()});
    file.virtual_dataset("/VTKHDF/PointData/" + field.name, type, field.columns == 1 ? 0 : field.columns, parts);
    file.dataset("/VTKHDF/Steps/PointDataOffsets/" + field.name, offsets);
  }
  file.close();
}

void pack_series(const std::filesystem::path& main_file, const std::filesystem::path& target) {
  std::error_code status;
  if (std::filesystem::equivalent(main_file, target, status))
    throw OutputError(fmt::format("{}: cannot be packed into itself", main_file.string()));
  copy_hdf5(main_file, target);
}

}  // namespace dgsolve::io
