// dgsolve devices: every device found and, for what is missing, why.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "codegen/cache.h"
#include "codegen/device_limits.h"

namespace dgsolve::cli {
namespace {

void print_device(const codegen::DeviceFacts& facts) {
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  fmt::print("{:<10} {}\n", facts.selector, facts.name);
  fmt::print("{:<10} {}, driver {}, {} compute units, {:.1f} GiB, {:.0f} KiB shared per group, groups up to {}{}\n", "", facts.platform,
             facts.driver_version, facts.compute_units, static_cast<double>(facts.global_bytes) / gibibyte,
             static_cast<double>(facts.shared_bytes) / 1024.0, facts.max_group_size, facts.has_double ? "" : ", single precision only");
  if (!facts.architecture.empty()) fmt::print("{:<10} {}\n", "", facts.architecture);
}

void print_limits(const codegen::DeviceLimits& limits) {
  fmt::print(
      "{:<10} copy {:.1f} GB/s, {:.0f} GFLOP/s single, {:.0f} GFLOP/s double, {:.3g} us from launch to launch, {:.3g} us to wait for one\n",
      "", limits.copy_bytes_per_s * 1e-9, limits.single_flops_per_s * 1e-9, limits.double_flops_per_s * 1e-9, limits.launch_s * 1e6,
      limits.round_trip_s * 1e6);
}

int list_devices(bool measure) {
  const codegen::Discovery found = codegen::discover_devices();
  codegen::Cache cache(codegen::Cache::default_options());
  for (const codegen::Device& device : found.devices) {
    print_device(device.facts());
    if (measure) print_limits(codegen::device_limits(device, cache));
  }
  for (const codegen::MissingDevice& missing : found.missing) fmt::print("{:<10} none: {}\n", missing.backend, missing.reason);
  return exit_status::done;
}

}  // namespace

void add_command_devices(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("devices", "list the devices found and, for what is missing, why");
  const auto measure = std::make_shared<bool>(false);
  command->add_flag("--measure", *measure, "also what each can do at best: measured once, then read from the kernel cache");
  command->callback([measure, &action] { action = [measure](const mesh::Communicator&) { return list_devices(*measure); }; });
}

}  // namespace dgsolve::cli
