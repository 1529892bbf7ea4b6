// Packing and checking of cache entries.
#include "codegen/cache_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "codegen/digest.h"

namespace dgsolve::codegen {
namespace {

constexpr std::string_view family = "dgsolve kernel cache ";
constexpr std::string_view magic = "dgsolve kernel cache 2\n";
constexpr std::size_t digest_digits = 64;
constexpr std::size_t most_fact_bytes = 512;

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, most_fact_bytes));
  for (char& letter : line) {
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  return line;
}

/// Takes `name value\n` from the front.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view name) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || end < name.size() + 1 || !text.starts_with(name) || text[name.size()] != ' ') return std::nullopt;
  const std::string_view value = text.substr(name.size() + 1, end - name.size() - 1);
  text.remove_prefix(end + 1);
  return value;
}

}  // namespace

bool is_cache_key(std::string_view text) {
  return text.size() == digest_digits &&
         std::all_of(text.begin(), text.end(), [](char digit) { return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'); });
}

std::string pack_entry(std::string_view key, const EntryFacts& facts, std::string_view payload) {
  const std::string rest = fmt::format("key {}\nkernel {}\nbackend {}\narchitecture {}\nbytes {}\n\n{}", key, one_line(facts.kernel),
                                       one_line(facts.backend), one_line(facts.architecture), payload.size(), payload);
  return fmt::format("{}{}\n{}", magic, sha256(rest), rest);
}

std::optional<EntryHeader> parse_entry_header(std::string_view start) {
  std::string_view text = start.substr(0, most_header_bytes);
  const std::size_t all = text.size();
  if (!text.starts_with(magic)) return std::nullopt;
  text.remove_prefix(magic.size());
  if (text.size() <= digest_digits || !is_cache_key(text.substr(0, digest_digits)) || text[digest_digits] != '\n') return std::nullopt;
  text.remove_prefix(digest_digits + 1);
  std::array<std::string_view, 5> values;
  constexpr std::array<std::string_view, 5> names{"key", "kernel", "backend", "architecture", "bytes"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = take_line(text, names[i]);
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  if (!text.starts_with('\n') || !is_cache_key(values[0])) return std::nullopt;
  EntryHeader header{std::string(values[0]), {std::string(values[1]), std::string(values[2]), std::string(values[3])}, 0, 0};
  const auto [end, fault] = std::from_chars(values[4].data(), values[4].data() + values[4].size(), header.payload_bytes);
  if (fault != std::errc() || end != values[4].data() + values[4].size()) return std::nullopt;
  header.header_bytes = all - text.size() + 1;
  return header;
}

std::optional<EntryHeader> verify_entry(std::string_view entry) {
  auto header = parse_entry_header(entry);
  if (!header || entry.size() - header->header_bytes != header->payload_bytes) return std::nullopt;
  const std::size_t digested = magic.size() + digest_digits + 1;
  if (sha256(entry.substr(digested)) != entry.substr(magic.size(), digest_digits)) return std::nullopt;
  return header;
}

bool is_entry_of_other_version(std::string_view start) {
  if (!start.starts_with(family) || start.starts_with(magic)) return false;
  const std::string_view version = start.substr(family.size(), start.find('\n') - family.size());
  return start.find('\n') != std::string_view::npos && !version.empty() &&
         version.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace dgsolve::codegen
