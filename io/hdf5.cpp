// The only file that sees HDF5. The library may be a parallel build; it is used serially and needs no MPI for that.
#include "io/hdf5.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <source_location>

#include "io/output_error.h"

namespace dgsolve::io {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t), "handles are kept as 64-bit integers");

/// The system's reason out of HDF5's error stack, or its innermost description.
struct Reason {
  std::string text;
  bool from_system = false;
};

herr_t collect_reason(unsigned, const H5E_error2_t* error, void* data) {
  auto& reason = *static_cast<Reason*>(data);
  const std::string text = error->desc == nullptr ? "" : error->desc;
  constexpr std::string_view marker = "error message = '";
  const std::size_t begin = text.find(marker);
  if (begin != std::string::npos) {
    const std::size_t first = begin + marker.size();
    reason = {text.substr(first, text.find('\'', first) - first), true};
    return 1;
  }
  if (reason.text.empty()) reason.text = text;
  return 0;
}

template <class Result>
Result checked(Result result, const std::filesystem::path& file, std::string_view what,
               std::source_location place = std::source_location::current()) {
  if (result >= 0) return result;
  Reason reason;
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect_reason, &reason);
  (void)H5Eclear2(H5E_DEFAULT);
  if (reason.from_system) throw OutputError(fmt::format("{}: {}: {}", file.string(), what, reason.text));
  throw OutputError(fmt::format("{}: {}: HDF5 says '{}' (hdf5.cpp, line {})", file.string(), what, reason.text, place.line()));
}

/// Owns any HDF5 handle.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  ~Handle() {
    if (id_ >= 0) (void)closer_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  [[nodiscard]] hid_t get() const { return id_; }

 private:
  hid_t id_;
  Closer closer_;
};

hid_t native(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::float32:
      return H5T_NATIVE_FLOAT;
    case Hdf5Type::float64:
      return H5T_NATIVE_DOUBLE;
    case Hdf5Type::int64:
      return H5T_NATIVE_INT64;
    case Hdf5Type::uint8:
      return H5T_NATIVE_UINT8;
  }
  return H5T_NATIVE_DOUBLE;
}

/// What is stored: little-endian, the same bytes on every machine.
hid_t stored(hid_t memory_type) {
  if (H5Tequal(memory_type, H5T_NATIVE_FLOAT) > 0) return H5T_IEEE_F32LE;
  if (H5Tequal(memory_type, H5T_NATIVE_INT64) > 0) return H5T_STD_I64LE;
  if (H5Tequal(memory_type, H5T_NATIVE_UINT8) > 0) return H5T_STD_U8LE;
  return H5T_IEEE_F64LE;
}

std::vector<hsize_t> shape_of(std::size_t count, std::size_t columns) {
  if (columns == 0) return {count};
  return {count / columns, columns};
}

hid_t make_space(const std::vector<hsize_t>& shape) { return H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr); }

hid_t new_file(const std::filesystem::path& temporary, const std::filesystem::path& file) {
  prepare_hdf5();
  const Handle access(checked(H5Pcreate(H5P_FILE_ACCESS), file, "cannot be created"), H5Pclose);
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), file, "cannot be created");
  const Handle creation(checked(H5Pcreate(H5P_FILE_CREATE), file, "cannot be created"), H5Pclose);
  checked(H5Pset_obj_track_times(creation.get(), false), file, "cannot be created");  // the same content, the same bytes
  return checked(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), file, "cannot be created");
}

}  // namespace

/// Messages come from the error stack, and a file that could not be flushed must not be tried again when the process ends.
void prepare_hdf5() {
  static std::once_flag once;
  std::call_once(once, [] {
    (void)H5dont_atexit();
    (void)H5open();
    (void)H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  });
}

Hdf5Writer::Hdf5Writer(const std::filesystem::path& file) : file_(file), place_(file), id_(new_file(place_.temporary(), file)) {}

Hdf5Writer::~Hdf5Writer() {
  if (id_ >= 0) (void)H5Fclose(id_);
}

void Hdf5Writer::close() {
  flush();
  const hid_t id = id_;
  id_ = -1;
  checked(H5Fclose(id), file_, "cannot be closed");
  place_.publish();
}

void Hdf5Writer::flush() { checked(H5Fflush(id_, H5F_SCOPE_LOCAL), file_, "cannot be written"); }

std::uint64_t Hdf5Writer::reserve(const std::string& path, Hdf5Type type, std::uint64_t rows, std::size_t columns) {
  std::vector<hsize_t> shape{rows};
  if (columns > 0) shape.push_back(columns);
  const Handle space(checked(make_space(shape), file_, "cannot be written"), H5Sclose);
  const Handle creation(checked(H5Pcreate(H5P_DATASET_CREATE), file_, "cannot be written"), H5Pclose);
  checked(H5Pset_obj_track_times(creation.get(), false), file_, "cannot be written");
  checked(H5Pset_layout(creation.get(), H5D_CONTIGUOUS), file_, "cannot be written");
  checked(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), file_, "cannot be written");
  checked(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), file_, "cannot be written");
  const Handle set(checked(H5Dcreate2(id_, path.c_str(), stored(native(type)), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                           file_, "cannot be written"),
                   H5Dclose);
  const haddr_t place = H5Dget_offset(set.get());
  if (place == HADDR_UNDEF) throw OutputError(fmt::format("{}: cannot be written: HDF5 gives no place for {}", file_.string(), path));
  return place;
}

void Hdf5Writer::group(const std::string& path) {
  const Handle group(checked(H5Gcreate2(id_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), file_, "cannot be written"), H5Gclose);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, std::int64_t type, std::int64_t space, const void* value) {
  const Handle owner(checked(H5Oopen(id_, object.c_str(), H5P_DEFAULT), file_, "cannot be written"), H5Oclose);
  const Handle handle(checked(H5Acreate2(owner.get(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), file_, "cannot be written"),
                      H5Aclose);
  checked(H5Awrite(handle.get(), type, value), file_, "cannot be written");
}

namespace {

hid_t text_type(std::size_t size, H5T_cset_t characters, const std::filesystem::path& file) {
  const hid_t type = checked(H5Tcopy(H5T_C_S1), file, "cannot be written");
  checked(H5Tset_size(type, std::max<std::size_t>(size, 1)), file, "cannot be written");
  checked(H5Tset_strpad(type, H5T_STR_NULLPAD), file, "cannot be written");
  checked(H5Tset_cset(type, characters), file, "cannot be written");
  return type;
}

}  // namespace

void Hdf5Writer::text_attribute(const std::string& object, const std::string& name, std::string_view text) {
  const Handle type(text_type(text.size(), H5T_CSET_UTF8, file_), H5Tclose);
  const Handle space(checked(H5Screate(H5S_SCALAR), file_, "cannot be written"), H5Sclose);
  attribute(object, name, type.get(), space.get(), std::string(text).c_str());
}

void Hdf5Writer::ascii_attribute(const std::string& object, const std::string& name, std::string_view text) {
  const Handle type(text_type(text.size(), H5T_CSET_ASCII, file_), H5Tclose);
  const Handle space(checked(H5Screate(H5S_SCALAR), file_, "cannot be written"), H5Sclose);
  attribute(object, name, type.get(), space.get(), std::string(text).c_str());
}

void Hdf5Writer::integer_attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values) {
  const Handle space(values.size() == 1 ? H5Screate(H5S_SCALAR) : make_space({values.size()}), H5Sclose);
  attribute(object, name, H5T_NATIVE_INT64, checked(space.get(), file_, "cannot be written"), values.data());
}

void Hdf5Writer::number_attribute(const std::string& object, const std::string& name, double value) {
  const Handle space(checked(H5Screate(H5S_SCALAR), file_, "cannot be written"), H5Sclose);
  attribute(object, name, H5T_NATIVE_DOUBLE, space.get(), &value);
}

void Hdf5Writer::write(const std::string& path, std::int64_t type, const void* values, std::size_t count, std::size_t columns) {
  const Handle space(checked(make_space(shape_of(count, columns)), file_, "cannot be written"), H5Sclose);
  const Handle set(
      checked(H5Dcreate2(id_, path.c_str(), stored(type), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), file_, "cannot be written"),
      H5Dclose);
  if (count > 0) checked(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), file_, "cannot be written");
}

void Hdf5Writer::dataset(const std::string& path, std::span<const double> values, std::size_t columns) {
  write(path, H5T_NATIVE_DOUBLE, values.data(), values.size(), columns);
}
void Hdf5Writer::dataset(const std::string& path, std::span<const float> values, std::size_t columns) {
  write(path, H5T_NATIVE_FLOAT, values.data(), values.size(), columns);
}
void Hdf5Writer::dataset(const std::string& path, std::span<const std::int64_t> values, std::size_t columns) {
  write(path, H5T_NATIVE_INT64, values.data(), values.size(), columns);
}
void Hdf5Writer::dataset(const std::string& path, std::span<const std::uint8_t> values, std::size_t columns) {
  write(path, H5T_NATIVE_UINT8, values.data(), values.size(), columns);
}

void Hdf5Writer::virtual_dataset(const std::string& path, Hdf5Type type, std::size_t columns, const std::vector<VirtualPart>& parts) {
  const auto shaped = [&](std::uint64_t rows) {
    return shape_of(static_cast<std::size_t>(rows) * std::max<std::size_t>(columns, 1), columns);
  };
  std::uint64_t rows = 0;
  for (const VirtualPart& part : parts) rows += part.rows;
  const Handle space(checked(make_space(shaped(rows)), file_, "cannot be written"), H5Sclose);
  const Handle creation(checked(H5Pcreate(H5P_DATASET_CREATE), file_, "cannot be written"), H5Pclose);
  std::vector<hsize_t> start(columns == 0 ? 1 : 2, 0);
  for (const VirtualPart& part : parts) {
    if (part.rows == 0) continue;
    const std::vector<hsize_t> count = shaped(part.rows);
    const Handle source(checked(make_space(count), file_, "cannot be written"), H5Sclose);
    checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), file_, "cannot be written");
    checked(H5Pset_virtual(creation.get(), space.get(), part.file.c_str(), part.dataset.c_str(), source.get()), file_, "cannot be written");
    start[0] += part.rows;
  }
  checked(H5Sselect_all(space.get()), file_, "cannot be written");
  const Handle set(checked(H5Dcreate2(id_, path.c_str(), stored(native(type)), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                           file_, "cannot be written"),
                   H5Dclose);
}

namespace {

/// Copies a tree of groups, attributes and data sets.
class Copier {
 public:
  Copier(std::filesystem::path source, std::filesystem::path target, hid_t source_id, hid_t target_id)
      : source_(std::move(source)), target_(std::move(target)), source_id_(source_id), target_id_(target_id) {}

  void copy_group(const std::string& path) {
    copy_attributes(path);
    const Handle group(checked(H5Gopen2(source_id_, path.c_str(), H5P_DEFAULT), source_, "cannot be read"), H5Gclose);
    H5G_info_t info{};
    checked(H5Gget_info(group.get(), &info), source_, "cannot be read");
    for (hsize_t i = 0; i < info.nlinks; ++i) {
      const ssize_t length =
          checked(H5Lget_name_by_idx(group.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT), source_, "cannot be read");
      std::string name(static_cast<std::size_t>(length), '\0');
      checked(H5Lget_name_by_idx(group.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size() + 1, H5P_DEFAULT), source_,
              "cannot be read");
      const std::string child = path == "/" ? "/" + name : path + "/" + name;
      copy_object(child);
    }
  }

 private:
  void copy_object(const std::string& path) {
    const Handle object(checked(H5Oopen(source_id_, path.c_str(), H5P_DEFAULT), source_, "cannot be read"), H5Oclose);
    if (H5Iget_type(object.get()) == H5I_GROUP) {
      const Handle group(checked(H5Gcreate2(target_id_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), target_, "cannot be written"),
                         H5Gclose);
      copy_group(path);
    } else {
      copy_dataset(path, object.get());
    }
  }

  void copy_attributes(const std::string& path) {
    const Handle from(checked(H5Oopen(source_id_, path.c_str(), H5P_DEFAULT), source_, "cannot be read"), H5Oclose);
    const Handle to(checked(H5Oopen(target_id_, path.c_str(), H5P_DEFAULT), target_, "cannot be written"), H5Oclose);
    H5O_info_t info{};
    checked(H5Oget_info(from.get(), &info), source_, "cannot be read");
    for (hsize_t i = 0; i < info.num_attrs; ++i) {
      const Handle attribute(
          checked(H5Aopen_by_idx(from.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT), source_, "cannot be read"),
          H5Aclose);
      const ssize_t length = checked(H5Aget_name(attribute.get(), 0, nullptr), source_, "cannot be read");
      std::string name(static_cast<std::size_t>(length), '\0');
      checked(H5Aget_name(attribute.get(), name.size() + 1, name.data()), source_, "cannot be read");
      const Handle type(checked(H5Aget_type(attribute.get()), source_, "cannot be read"), H5Tclose);
      const Handle space(checked(H5Aget_space(attribute.get()), source_, "cannot be read"), H5Sclose);
      std::vector<char> value(H5Tget_size(type.get()) *
                              static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.get()), 1)));
      checked(H5Aread(attribute.get(), type.get(), value.data()), source_, "cannot be read");
      const Handle copy(
          checked(H5Acreate2(to.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), target_, "cannot be written"),
          H5Aclose);
      checked(H5Awrite(copy.get(), type.get(), value.data()), target_, "cannot be written");
    }
  }

  /// HDF5 shows zeros where a source of a virtual data set is missing.
  void check_sources(hid_t dataset) const {
    const Handle creation(checked(H5Dget_create_plist(dataset), source_, "cannot be read"), H5Pclose);
    if (H5Pget_layout(creation.get()) != H5D_VIRTUAL) return;
    std::size_t count = 0;
    checked(H5Pget_virtual_count(creation.get(), &count), source_, "cannot be read");
    for (std::size_t i = 0; i < count; ++i) {
      const ssize_t length = checked(H5Pget_virtual_filename(creation.get(), i, nullptr, 0), source_, "cannot be read");
      std::string name(static_cast<std::size_t>(length), '\0');
      checked(H5Pget_virtual_filename(creation.get(), i, name.data(), name.size() + 1), source_, "cannot be read");
      const std::filesystem::path part = source_.parent_path() / name;
      if (!std::filesystem::exists(part))
        throw OutputError(fmt::format("{}: refers to {}, which does not exist", source_.string(), part.string()));
    }
  }

  void copy_dataset(const std::string& path, hid_t from) {
    check_sources(from);
    const Handle type(checked(H5Dget_type(from), source_, "cannot be read"), H5Tclose);
    const Handle space(checked(H5Dget_space(from), source_, "cannot be read"), H5Sclose);
    std::vector<hsize_t> shape(static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space.get()), source_, "cannot be read")));
    checked(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), source_, "cannot be read");
    const Handle to(checked(H5Dcreate2(target_id_, path.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), target_,
                            "cannot be written"),
                    H5Dclose);
    copy_attributes(path);
    copy_rows(from, to.get(), type.get(), space.get(), shape);
  }

  /// Some rows at a time, so that memory stays small.
  void copy_rows(hid_t from, hid_t to, hid_t type, hid_t space, const std::vector<hsize_t>& shape) const {
    constexpr std::size_t block_bytes = std::size_t{32} << 20U;
    std::size_t row_bytes = H5Tget_size(type);
    for (std::size_t k = 1; k < shape.size(); ++k) row_bytes *= static_cast<std::size_t>(shape[k]);
    const hsize_t block = std::max<hsize_t>(1, block_bytes / std::max<std::size_t>(row_bytes, 1));
    std::vector<char> rows(static_cast<std::size_t>(std::min(block, shape[0])) * row_bytes);
    std::vector<hsize_t> start(shape.size(), 0);
    std::vector<hsize_t> count = shape;
    for (; start[0] < shape[0]; start[0] += block) {
      count[0] = std::min(block, shape[0] - start[0]);
      const Handle memory(checked(make_space(count), target_, "cannot be written"), H5Sclose);
      checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), source_, "cannot be read");
      checked(H5Dread(from, type, memory.get(), space, H5P_DEFAULT, rows.data()), source_, "cannot be read");
      checked(H5Dwrite(to, type, memory.get(), space, H5P_DEFAULT, rows.data()), target_, "cannot be written");
    }
  }

  std::filesystem::path source_;
  std::filesystem::path target_;
  hid_t source_id_;
  hid_t target_id_;
};

}  // namespace

void copy_hdf5(const std::filesystem::path& source, const std::filesystem::path& target) {
  prepare_hdf5();
  if (!std::filesystem::exists(source)) throw OutputError(fmt::format("{}: there is no such file", source.string()));
  const Handle from(checked(H5Fopen(source.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), source, "cannot be read"), H5Fclose);
  Hdf5Writer to(target);
  Copier(source, target, from.get(), to.id_).copy_group("/");
  to.close();
}

namespace {

hid_t open_file(const std::filesystem::path& file) {
  prepare_hdf5();
  if (!std::filesystem::exists(file)) throw OutputError(fmt::format("{}: there is no such file", file.string()));
  return checked(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), file, "cannot be read");
}

/// The shape of a data set or attribute of up to two dimensions as rows and columns.
std::array<std::uint64_t, 2> rows_and_columns(hid_t space, const std::filesystem::path& file) {
  const int rank = checked(H5Sget_simple_extent_ndims(space), file, "cannot be read");
  std::array<hsize_t, 2> shape{1, 1};
  if (rank > 2) throw OutputError(fmt::format("{}: cannot be read: a data set of {} dimensions", file.string(), rank));
  if (rank > 0) checked(H5Sget_simple_extent_dims(space, shape.data(), nullptr), file, "cannot be read");
  return {shape[0], shape[1]};
}

}  // namespace

Hdf5Reader::Hdf5Reader(const std::filesystem::path& file) : file_(file), id_(open_file(file)) {}

Hdf5Reader::~Hdf5Reader() {
  if (id_ >= 0) (void)H5Fclose(id_);
}

std::map<std::string, std::string> Hdf5Reader::text_attributes() const {
  std::map<std::string, std::string> texts;
  H5O_info_t info{};
  checked(H5Oget_info(id_, &info), file_, "cannot be read");
  for (hsize_t i = 0; i < info.num_attrs; ++i) {
    const Handle attribute(
        checked(H5Aopen_by_idx(id_, "/", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT), file_, "cannot be read"), H5Aclose);
    const Handle type(checked(H5Aget_type(attribute.get()), file_, "cannot be read"), H5Tclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) continue;
    const ssize_t length = checked(H5Aget_name(attribute.get(), 0, nullptr), file_, "cannot be read");
    std::string name(static_cast<std::size_t>(length), '\0'), value(H5Tget_size(type.get()), '\0');
    checked(H5Aget_name(attribute.get(), name.size() + 1, name.data()), file_, "cannot be read");
    checked(H5Aread(attribute.get(), type.get(), value.data()), file_, "cannot be read");
    value.erase(value.find_last_not_of('\0') + 1);
    texts[name] = value;
  }
  return texts;
}

std::optional<double> Hdf5Reader::number_attribute(const std::string& name) const {
  if (checked(H5Aexists(id_, name.c_str()), file_, "cannot be read") == 0) return std::nullopt;
  const Handle attribute(checked(H5Aopen(id_, name.c_str(), H5P_DEFAULT), file_, "cannot be read"), H5Aclose);
  double value = 0;
  checked(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value), file_, "cannot be read");
  return value;
}

std::optional<std::array<std::uint64_t, 2>> Hdf5Reader::shape(const std::string& path) const {
  if (H5Lexists(id_, path.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
  const Handle set(checked(H5Dopen2(id_, path.c_str(), H5P_DEFAULT), file_, "cannot be read"), H5Dclose);
  const Handle space(checked(H5Dget_space(set.get()), file_, "cannot be read"), H5Sclose);
  return rows_and_columns(space.get(), file_);
}

std::vector<double> Hdf5Reader::rows(const std::string& path, std::uint64_t first, std::uint64_t count) const {
  const Handle set(checked(H5Dopen2(id_, path.c_str(), H5P_DEFAULT), file_, "cannot be read"), H5Dclose);
  const Handle space(checked(H5Dget_space(set.get()), file_, "cannot be read"), H5Sclose);
  const std::array<hsize_t, 2> start{first, 0}, part{count, rows_and_columns(space.get(), file_)[1]};
  const Handle memory(checked(H5Screate_simple(2, part.data(), nullptr), file_, "cannot be read"), H5Sclose);
  checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr), file_, "cannot be read");
  std::vector<double> values(static_cast<std::size_t>(part[0] * part[1]));
  if (values.empty()) return values;
  checked(H5Dread(set.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, values.data()), file_, "cannot be read");
  return values;
}

}  // namespace dgsolve::io
