// Rank 0 lays out, all write, rank 0 renames.
#include "io/shared_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <sstream>
#include <system_error>

#include "io/output_error.h"

namespace dgsolve::io {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they lie in memory");

}  // namespace

void on_root(const mesh::Communicator& ranks, const std::function<void()>& act) {
  std::string fault;
  if (ranks.is_root()) {
    try {
      act();
    } catch (const OutputError& error) {
      if (ranks.alone()) throw;
      fault = error.what();
    }
  }
  ranks.broadcast(fault, 0);
  if (!fault.empty()) throw OutputError(fault);
}

void SharedHdf5File::Layout::dataset(const std::string& path, Hdf5Type type, std::uint64_t rows, std::size_t columns) {
  places_[path] = writer_.reserve(path, type, rows, columns);
}

SharedHdf5File::SharedHdf5File(std::filesystem::path file, const mesh::Communicator& ranks, const std::function<void(Layout&)>& describe)
    : file_(std::move(file)), ranks_(ranks) {
  std::string places;  // temporary name, then a line for each data set
  on_root(ranks_, [&] {
    writer_.emplace(file_);
    Layout layout(*writer_, places_);
    describe(layout);
    writer_->flush();
    places = writer_->temporary().string() + "\n";
    for (const auto& [path, place] : places_) places += fmt::format("{} {}\n", place, path);
  });
  ranks_.broadcast(places, 0);
  std::istringstream lines(places);
  std::string temporary, path;
  std::getline(lines, temporary);
  for (std::uint64_t place = 0; lines >> place && lines.get() && std::getline(lines, path);) places_[path] = place;
  descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) keep_fault(errno);
}

SharedHdf5File::~SharedHdf5File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedHdf5File::keep_fault(int error) {
  if (fault_.empty()) fault_ = fmt::format("{}: cannot be written: {}", file_.string(), std::generic_category().message(error));
}

void SharedHdf5File::write_bytes(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes) {
  const auto place = static_cast<off_t>(places_.at(path) + offset);
  for (std::size_t done = 0; descriptor_ >= 0 && done < bytes.size();) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, place + static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return keep_fault(written < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(written);
  }
  // The disk may begin; whether it can is found out by close().
  if (descriptor_ >= 0) (void)::sync_file_range(descriptor_, place, static_cast<off_t>(bytes.size()), SYNC_FILE_RANGE_WRITE);
}

void SharedHdf5File::close(const std::function<void(Hdf5Writer&)>& complete) {
  if (descriptor_ >= 0 && fault_.empty() && ::fsync(descriptor_) != 0) keep_fault(errno);
  if (descriptor_ >= 0 && ::close(descriptor_) != 0) keep_fault(errno);
  descriptor_ = -1;
  if (const auto fault = ranks_.first_fault(fault_)) throw OutputError(fault->text);
  on_root(ranks_, [&] {
    if (complete) complete(*writer_);
    writer_->close();
  });
}

}  // namespace dgsolve::io
