// The bytes of a cache entry: a header that a person can read, then the payload.
//   dgsolve kernel cache 2
//   <SHA-256 of all that follows>
//   key <64 digits>
//   kernel <name>
//   backend <cuda, opencl or pocl>
//   architecture <sm_90, or the device's name>
//   bytes <size of the payload>
//   (empty line, payload)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dgsolve::codegen {

/// What a person wants to know of an entry; no part of its key.
struct EntryFacts {
  std::string kernel, backend, architecture;
};

/// The header of an entry, as far as it can be believed without the payload.
struct EntryHeader {
  std::string key;
  EntryFacts facts;
  std::uint64_t payload_bytes = 0;
  std::uint64_t header_bytes = 0;
};

/// No header is longer.
inline constexpr std::size_t most_header_bytes = 4096;

/// 64 lower-case hexadecimal digits.
[[nodiscard]] bool is_cache_key(std::string_view text);

/// Long or multi-line facts are shortened to one line.
[[nodiscard]] std::string pack_entry(std::string_view key, const EntryFacts& facts, std::string_view payload);

/// From the first bytes of an entry (`most_header_bytes` are enough); nothing if they are not an entry of this version.
[[nodiscard]] std::optional<EntryHeader> parse_entry_header(std::string_view start);

/// The header if every byte of the entry is as it was packed.
[[nodiscard]] std::optional<EntryHeader> verify_entry(std::string_view entry);

/// True for entries that another version of the program wrote.
[[nodiscard]] bool is_entry_of_other_version(std::string_view start);

}  // namespace dgsolve::codegen
