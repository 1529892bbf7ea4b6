// dgsolve devices: every device found and, for what is missing, why.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "codegen/device.h"

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

int list_devices() {
  const codegen::Discovery found = codegen::discover_devices();
  for (const codegen::Device& device : found.devices) print_device(device.facts());
  for (const codegen::MissingDevice& missing : found.missing) fmt::print("{:<10} none: {}\n", missing.backend, missing.reason);
  return exit_status::done;
}

}  // namespace

void add_command_devices(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("devices", "list the devices found and, for what is missing, why");
  command->callback([&action] { action = list_devices; });
}

}  // namespace dgsolve::cli
