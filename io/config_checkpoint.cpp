// The checkpoint section, and lengths of time as people write them: "10 min", "01:50:00", "100 steps", "0.5 time".
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "io/config_sections.h"

namespace dgsolve::io {
namespace {

using Unit = CheckpointInterval::Unit;

struct UnitRow {
  std::string_view name;
  Unit unit;
  double factor;
};
constexpr std::array<UnitRow, 6> units{{{"s", Unit::wall_time, 1},
                                        {"min", Unit::wall_time, 60},
                                        {"h", Unit::wall_time, 3600},
                                        {"steps", Unit::steps, 1},
                                        {"step", Unit::steps, 1},
                                        {"time", Unit::simulated_time, 1}}};

/// The number at the beginning of a text, which loses it and the blanks behind.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return value;
}

/// Seconds of "H:MM:SS" or "M:SS".
std::optional<double> clock_seconds(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return std::nullopt;
  double seconds = 0;
  for (bool first = true;; first = false) {
    const std::size_t end = std::min(text.find(':'), text.size());
    int part = 0;
    const auto result = std::from_chars(text.data(), text.data() + end, part);
    if (end == 0 || result.ec != std::errc{} || result.ptr != text.data() + end || part < 0 || (!first && (part > 59 || end != 2)))
      return std::nullopt;
    seconds = 60 * seconds + part;
    if (end == text.size()) return seconds;
    text.remove_prefix(end + 1);
  }
}

std::optional<CheckpointInterval> read_interval(std::string_view text) {
  if (const auto seconds = clock_seconds(text)) return CheckpointInterval{Unit::wall_time, *seconds};
  const auto value = take_number(text);
  if (!value) return std::nullopt;
  for (const UnitRow& row : units) {
    if (text == row.name) return CheckpointInterval{row.unit, *value * row.factor};
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> read_wall_time(const Reader& reader) {
  const Node* node = reader.find("time.wall");
  if (node == nullptr || !node->is_scalar()) return std::nullopt;
  const auto length = read_interval(node->text);
  if (length && length->unit == Unit::wall_time && length->value > 0) return length->value;
  reader.fault("time.wall", fmt::format("found '{}', allowed: a length of time, HH:MM:SS or a number with s, min or h", node->text));
  return std::nullopt;
}

CheckpointOptions read_checkpoint_section(const Reader& reader) {
  CheckpointOptions options;
  options.keep = reader.integer("checkpoint.keep");
  const Node* node = reader.find("checkpoint.every");
  if (node == nullptr || !node->is_scalar()) return options;
  options.every = read_interval(node->text);
  const bool whole = options.every && (options.every->unit != Unit::steps || std::floor(options.every->value) == options.every->value);
  if (options.every && options.every->value > 0 && whole && options.every->value < 1e15) return options;
  reader.fault("checkpoint.every",
               fmt::format("found '{}', allowed: a number above 0 with s, min or h (wall clock), steps, or time (simulated), e.g. 10 min, "
                           "100 steps, 0.5 time; or HH:MM:SS",
                           node->text));
  options.every.reset();
  return options;
}

}  // namespace dgsolve::io
