// Tests that run once on every device that is present.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/device.h"

namespace dgsolve::codegen {

/// Every device of this machine.
inline const std::vector<Device>& all_devices() {
  static const std::vector<Device> devices = discover_devices().devices;
  return devices;
}

/// The device of that place; if there is none, the message says what is missing and why.
inline const Device& device_at(std::size_t place) {
  if (place < all_devices().size()) return all_devices()[place];
  std::string message = "no device " + std::to_string(place) + " here";
  for (const MissingDevice& missing : discover_devices().missing) message += "; " + missing.backend + ": " + missing.reason;
  throw std::out_of_range(message);
}

/// A test body for every device; the parameter is the place in all_devices().
class EveryDevice : public testing::TestWithParam<std::size_t> {
 protected:
  EveryDevice() : device_(all_devices().at(GetParam())), queue_(device_.make_queue()) {}

  template <class T>
  Buffer buffer_with(const std::vector<T>& values, const char* label = "test") {
    Buffer buffer = device_.allocate(values.size() * sizeof(T), label);
    queue_.upload<T>(buffer, values);
    return buffer;
  }

  template <class T>
  std::vector<T> values_of(const Buffer& buffer) {
    std::vector<T> values(buffer.bytes() / sizeof(T));
    queue_.download<T>(buffer, values);
    return values;
  }

  Device device_;
  Queue queue_;
};

inline std::string device_test_name(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = all_devices().at(info.param).facts().selector;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

}  // namespace dgsolve::codegen
