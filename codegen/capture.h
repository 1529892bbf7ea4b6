// Capture of one launch with everything it depends on, in one file, and its replay: to study a kernel apart from its program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "codegen/cache.h"
#include "codegen/device.h"

namespace dgsolve::codegen {

struct CaptureOptions {
  std::string kernel;          ///< name of the kernel
  std::filesystem::path file;  ///< where the bundle goes
  int skip = 0;                ///< launches of the kernel to let pass first
};

/// Writes one coming launch of a kernel on this queue to a file: spec with its source, groups, arguments, and the content of every buffer
/// before the launch and, if the kernel writes it, after. Waits for the queue there. A file that cannot be written is a DeviceError.
void capture_launch(Queue& queue, CaptureOptions options);

/// One buffer that the kernel wrote: captured against replayed.
struct ReplayedBuffer {
  std::string argument;
  std::size_t bytes = 0, different_bytes = 0, first_difference = 0;
};

struct Replay {
  std::string kernel;
  std::string captured_on;  ///< "cuda:0 (NVIDIA H200)"
  std::vector<ReplayedBuffer> outputs;
  [[nodiscard]] bool same() const;  ///< all bits of all outputs
};

/// Builds the kernel of a bundle for `device`, launches it on the captured buffers and compares the outputs bit for bit.
/// Throws DeviceError if the bundle cannot be read, is truncated or damaged, or does not fit the device; CompileError.
[[nodiscard]] Replay replay(const std::filesystem::path& bundle, const Device& device, Cache* cache);

}  // namespace dgsolve::codegen
