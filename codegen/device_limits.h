// What a device can do at best, measured by generated kernels: the limits that rates are compared with.
#pragma once

#include "codegen/cache.h"
#include "codegen/device.h"

namespace dgsolve::codegen {

struct DeviceLimits {
  double copy_bytes_per_s = 0;    ///< read plus written by a plain copy kernel on buffers far larger than the caches
  double launch_s = 0;            ///< from launch to launch of an empty kernel in a full queue
  double round_trip_s = 0;        ///< one empty launch and the wait for it
  double single_flops_per_s = 0;  ///< fused multiply-adds in registers, two operations each
  double double_flops_per_s = 0;  ///< 0: the device has no double precision
};

/// Each is the best of several. Takes a second or two. Throws DeviceError.
[[nodiscard]] DeviceLimits measure_device_limits(const Device& device, Cache* cache);

/// What an earlier call left in the cache for this device and driver, else measured and left there.
[[nodiscard]] DeviceLimits device_limits(const Device& device, Cache& cache);

/// Only the copy bandwidth, measured now: bytes/s.
[[nodiscard]] double measure_copy_bandwidth(const Device& device, Cache* cache);

}  // namespace dgsolve::codegen
