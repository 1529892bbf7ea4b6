// The measured copy bandwidth of a device: the limit that stage rates are compared with.
#pragma once

#include "codegen/cache.h"
#include "codegen/device.h"

namespace dgsolve::cli {

/// Bytes read plus bytes written per second by a plain copy kernel on buffers far larger than the caches: the best of five after a warm-up.
/// Throws codegen::DeviceError.
[[nodiscard]] double measure_copy_bandwidth(const codegen::Device& device, codegen::Cache* cache);

}  // namespace dgsolve::cli
