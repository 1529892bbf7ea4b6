// Memory that processes of a node map.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "codegen/device.h"

namespace dgsolve::codegen::backends {

/// Zeroed pages in an anonymous file, which is gone with the last process that has it: nothing is left behind by one that is killed. Owner.
/// Processes of one user and one process namespace find it through /proc. Throws DeviceError, OutOfMemoryError if that is the reason.
class SharedMemory {
 public:
  /// `label` begins messages.
  SharedMemory(std::size_t bytes, std::string_view label);
  /// That of another process.
  SharedMemory(const ProcessHandle& handle, std::size_t bytes, std::string_view label);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  [[nodiscard]] void* begin() const { return begin_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] ProcessHandle handle() const;  ///< of memory that this process made

 private:
  void map(std::string_view what);
  void* begin_ = nullptr;
  std::size_t bytes_;
  int descriptor_ = -1;
  std::array<char, 48> name_{};
};

}  // namespace dgsolve::codegen::backends
