// dgsolve cache: looks into the kernel cache and looks after it.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "codegen/backends/opencl/pocl_files.h"
#include "codegen/cache.h"
#include "codegen/cache_archive.h"
#include "codegen/cache_folder.h"
#include "codegen/errors.h"
#include "codegen/offline_device.h"

namespace dgsolve::cli {
namespace {

using codegen::CacheFolder;
using codegen::EntryState;
using codegen::ListedEntry;
using codegen::Scrutiny;

struct CacheCommandOptions {
  std::filesystem::path folder;   ///< empty: the default
  std::filesystem::path archive;  ///< of export and import
  bool fix = false;
  std::uint64_t most_bytes = codegen::CacheOptions{}.most_bytes;
};

enum class Access { read, write };

/// Throws DeviceError if there is no folder that can be used. Another user's can be read.
CacheFolder open_folder(const CacheCommandOptions& options, Access access) {
  const std::filesystem::path path = options.folder.empty() ? codegen::Cache::default_folder() : options.folder;
  if (path.empty()) throw codegen::DeviceError("there is no kernel cache folder: none of DGSOLVE_CACHE_DIR, XDG_CACHE_HOME, HOME is set");
  const bool read = access == Access::read && std::filesystem::exists(path);
  CacheFolder folder = read ? CacheFolder::shared(path) : CacheFolder::own(path);
  if (!folder.refusal().empty()) throw codegen::DeviceError(fmt::format("kernel cache folder {} {}", path.string(), folder.refusal()));
  return folder;
}

std::string size_text(std::uintmax_t bytes) {
  if (bytes < 10240) return fmt::format("{} B", bytes);
  const double kibibytes = static_cast<double>(bytes) / 1024;
  return kibibytes < 10240 ? fmt::format("{:.0f} KiB", kibibytes) : fmt::format("{:.1f} MiB", kibibytes / 1024);
}

std::string time_text(std::filesystem::file_time_type time) {
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::chrono::duration_cast<std::chrono::seconds>(since).count()));
}

std::string_view state_text(EntryState state) { return state == EntryState::other_version ? "(of another version)" : "(damaged)"; }

int list(const CacheCommandOptions& options) {
  const auto entries = open_folder(options, Access::read).list(Scrutiny::headers);
  if (entries.empty()) return exit_status::done;
  fmt::print("{:16} {:8} {:24} {:>10}  {:16}  {}\n", "key", "backend", "architecture", "size", "last use", "kernel");
  for (const ListedEntry& entry : entries) {
    const bool whole = entry.state == EntryState::whole;
    fmt::print("{:16} {:8} {:24} {:>10}  {:16}  {}\n", entry.key.substr(0, 16), whole ? entry.facts.backend : "-",
               whole ? entry.facts.architecture.substr(0, 24) : "-", size_text(entry.bytes), time_text(entry.used),
               !whole                       ? state_text(entry.state)
               : entry.facts.kernel.empty() ? "-"
                                            : entry.facts.kernel);
  }
  return exit_status::done;
}

int print_statistics(const CacheCommandOptions& options) {
  const CacheFolder folder = open_folder(options, Access::read);
  struct Total {
    std::int64_t entries = 0;
    std::uintmax_t bytes = 0;
  };
  std::map<std::string, Total> totals;
  Total all;
  for (const ListedEntry& entry : folder.list(Scrutiny::headers)) {
    const bool whole = entry.state == EntryState::whole;
    for (Total* total :
         {&all,
          &totals[whole ? fmt::format("{} {}", entry.facts.backend, entry.facts.architecture) : std::string(state_text(entry.state))]}) {
      ++total->entries;
      total->bytes += entry.bytes;
    }
  }
  fmt::print("folder   {}\n", folder.path().string());
  const auto shared = codegen::Cache::default_options().shared;
  if (!shared.empty()) fmt::print("shared   {}\n", shared.string());
  fmt::print("NVRTC    {}\n", codegen::nvrtc_identity());
  fmt::print("entries  {}, {} (runs keep at most {} unless cache.size says otherwise)\n", all.entries, size_text(all.bytes),
             size_text(options.most_bytes));
  const std::uintmax_t pocl = codegen::backends::PoclFiles(folder.path() / "pocl").bytes();
  if (pocl > 0) fmt::print("         PoCL's programs: {}\n", size_text(pocl));
  for (const auto& [name, total] : totals) fmt::print("         {}: {}, {}\n", name, total.entries, size_text(total.bytes));
  return exit_status::done;
}

int verify(const CacheCommandOptions& options) {
  const CacheFolder folder = open_folder(options, options.fix ? Access::write : Access::read);
  std::int64_t whole = 0, others = 0, damaged = 0;
  for (const ListedEntry& entry : folder.list(Scrutiny::every_byte)) {
    whole += entry.state == EntryState::whole ? 1 : 0;
    others += entry.state == EntryState::other_version ? 1 : 0;
    if (entry.state != EntryState::damaged) continue;
    ++damaged;
    fmt::print("damaged  {}\n", entry.key);
    if (options.fix) folder.remove(entry.key);
  }
  fmt::print("{} whole, {} damaged{}, {} of another version\n", whole, damaged, options.fix && damaged > 0 ? " (removed)" : "", others);
  std::fflush(stdout);
  if (damaged == 0 || options.fix) return exit_status::done;
  throw codegen::DeviceError(
      fmt::format("{} entries of {} are damaged; runs rebuild them, cache verify --fix removes them", damaged, folder.path().string()));
}

int collect(const CacheCommandOptions& options) {
  const CacheFolder folder = open_folder(options, Access::write);
  const codegen::Removal removal = folder.collect(options.most_bytes);
  codegen::backends::PoclFiles(folder.path() / "pocl").collect(options.most_bytes);
  fmt::print("{} entries removed, {}\n", removal.entries, size_text(removal.bytes));
  return exit_status::done;
}

int export_entries(const CacheCommandOptions& options) {
  const auto report = codegen::export_cache(open_folder(options, Access::read), options.archive);
  fmt::print("{} entries, {}, written to {}; {} left out\n", report.entries, size_text(report.bytes), options.archive.string(),
             report.left_out);
  return exit_status::done;
}

int import_entries(const CacheCommandOptions& options) {
  const auto report = codegen::import_cache(open_folder(options, Access::write), options.archive);
  fmt::print("{} entries, {}, read from {}; {} were there\n", report.entries, size_text(report.bytes), options.archive.string(),
             report.left_out);
  return exit_status::done;
}

}  // namespace

void add_command_cache(CLI::App& program, Action& action) {
  const auto options = std::make_shared<CacheCommandOptions>();
  CLI::App* command = program.add_subcommand("cache", "look into the kernel cache and look after it");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* description, int (*work)(const CacheCommandOptions&)) {
    CLI::App* part = command->add_subcommand(name, description);
    part->add_option("--folder", options->folder, "another folder than the usual one (see: dgsolve cache stat)")->type_name("DIR");
    part->callback([options, &action, work] { action = [options, work](const mesh::Communicator&) { return work(*options); }; });
    return part;
  };
  add("ls", "every entry: key, kernel, backend, architecture, size, last use", list);
  add("stat", "folder, number and size of the entries", print_statistics);
  add("verify", "check every byte of every entry; status 5 if any is damaged", verify)
      ->add_flag("--fix", options->fix, "remove the damaged entries");
  add("gc", "remove the entries that were not used for longest", collect)
      ->add_option("--size", options->most_bytes, "if there is more than this, leave three quarters of it: 500MB, 2GB (default: 1 GB)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  add("export", "write all entries into one file, to carry them elsewhere", export_entries)
      ->add_option("FILE", options->archive, "the archive")
      ->required();
  add("import", "take the entries of an archive; they are code, so take none from strangers", import_entries)
      ->add_option("FILE", options->archive, "the archive")
      ->required();
}

}  // namespace dgsolve::cli
