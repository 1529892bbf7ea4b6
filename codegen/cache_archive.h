// Entries of a cache in one file, to carry them to other machines.
//   dgsolve kernel archive 1
//   entry <key> <bytes>          one for each entry, in the order of keys, followed by the entry file's bytes
//   end <number of entries>
#pragma once

#include <cstdint>
#include <filesystem>

#include "codegen/cache_folder.h"

namespace dgsolve::codegen {

struct ArchiveReport {
  std::int64_t entries = 0;   ///< written or published
  std::int64_t left_out = 0;  ///< export: damaged, of another version, or PoCL's, whose files lie elsewhere; import: already there
  std::uintmax_t bytes = 0;
};

/// Writes every whole entry. The file appears in one step. Throws DeviceError if it cannot be written.
ArchiveReport export_cache(const CacheFolder& folder, const std::filesystem::path& file);

/// Publishes the entries that are not there. Nothing is published unless the whole archive is sound; names come from the entries' keys
/// alone, never from the archive as paths. Throws DeviceError.
ArchiveReport import_cache(const CacheFolder& folder, const std::filesystem::path& file);

}  // namespace dgsolve::codegen
