// Looking for devices and choosing one.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "codegen/backends/backend.h"
#include "codegen/backends/cuda/cuda_device.h"
#include "codegen/backends/opencl/opencl_device.h"
#include "codegen/errors.h"
#include "codegen/nearest.h"

namespace dgsolve::codegen {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return result;
}

/// 0: CUDA GPU, 1: OpenCL GPU or accelerator, 2: CPU.
int preference(const DeviceFacts& facts) {
  if (facts.is_cpu) return 2;
  return facts.backend == "cuda" ? 0 : 1;
}

std::optional<Device> find_device(const std::vector<Device>& devices, const std::string& wanted) {
  std::optional<Device> best;
  for (const Device& device : devices) {
    const DeviceFacts& facts = device.facts();
    if (wanted == facts.selector) return device;
    const bool fits = wanted == "auto" || wanted.empty() || wanted == facts.backend ||
                      (wanted != "cuda" && wanted != "opencl" && lower(facts.name).find(wanted) != std::string::npos);
    if (fits && (!best || preference(facts) < preference(best->facts()))) best = device;
  }
  return best;
}

std::string failure_text(const Discovery& discovery, std::string_view choice, const std::string& wanted) {
  std::vector<std::string> names{"auto"};
  std::string text = fmt::format("no device '{}'", choice);
  std::string list;
  for (const Device& device : discovery.devices) {
    const DeviceFacts& facts = device.facts();
    for (const std::string& name : {facts.selector, facts.backend, lower(facts.name)}) names.push_back(name);
    list += fmt::format("\n  {}: {} ({}, driver {})", facts.selector, facts.name, facts.platform, facts.driver_version);
  }
  text += did_you_mean(wanted, names);
  text += list.empty() ? "\nno device was found" : "\ndevices:" + list;
  for (const MissingDevice& missing : discovery.missing) text += fmt::format("\nmissing {}: {}", missing.backend, missing.reason);
  return text + "\nallowed: auto, cuda, cuda:N, opencl, opencl:N, or part of a device's name";
}

}  // namespace

Discovery discover_devices(const std::filesystem::path& cache_folder) {
  Discovery discovery;
  backends::discover_cuda(discovery);
  backends::discover_opencl(discovery, cache_folder);
  return discovery;
}

Device select_device(std::string_view choice, const std::filesystem::path& cache_folder) {
  const Discovery discovery = discover_devices(cache_folder);
  const std::string wanted = lower(choice);
  if (auto device = find_device(discovery.devices, wanted)) return *device;
  throw DeviceError(failure_text(discovery, choice, wanted));
}

}  // namespace dgsolve::codegen
