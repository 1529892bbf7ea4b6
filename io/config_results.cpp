// The time, output, monitors, verify and cache sections.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "io/config_sections.h"
#include "io/formulas.h"
#include "io/schema.h"

namespace dgsolve::io {
namespace {

/// Names of data sets and columns: a letter or _, then letters, digits, _; an index like [i] may follow.
bool is_field_name(const std::string& name) {
  const std::string base = name.substr(0, name.find('['));
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !base.empty() && std::isdigit(static_cast<unsigned char>(base.front())) == 0 && std::all_of(base.begin(), base.end(), part);
}

void check_field_names(const Reader& reader, const std::string& path, const std::vector<solver::FieldSpec>& fields) {
  std::set<std::string> names;
  for (const auto& field : fields) {
    const std::string base = field.name.substr(0, field.name.find('['));
    if (!is_field_name(field.name)) {
      reader.faults().add(field.where, path, fmt::format("found '{}', allowed: a name; give a formula one (`name: formula`)", field.name));
    } else if (!names.insert(base).second) {
      reader.faults().add(field.where, path, fmt::format("'{}' stands twice", base));
    }
  }
}

/// The state's names without their indices: all of it.
std::vector<solver::FieldSpec> state_fields(const solver::EquationDefinition& equations) {
  std::vector<solver::FieldSpec> fields;
  std::string name;
  int depth = 0;
  bool index_seen = false;
  for (const char letter : equations.state.text + ',') {
    depth += letter == '[' ? 1 : letter == ']' ? -1 : 0;
    index_seen = index_seen || letter == '[';
    if (letter == ',' && depth == 0) {
      if (!name.empty()) fields.push_back({name, {}, equations.state.where});
      name.clear();
      index_seen = false;
    } else if (!index_seen && letter != ' ') {
      name += letter;
    }
  }
  return fields;
}

struct MonitorKind {
  std::string_view key;
  MonitorSpec::Kind kind;
};
constexpr std::array<MonitorKind, 4> monitor_kinds{{{"integral", MonitorSpec::Kind::integral},
                                                    {"max", MonitorSpec::Kind::max},
                                                    {"min", MonitorSpec::Kind::min},
                                                    {"at", MonitorSpec::Kind::at}}};

void read_point(const Reader& reader, const std::string& path, int dimension, MonitorSpec& monitor) {
  const auto point = reader.numbers(path + ".at").value_or(std::vector<double>{});
  const bool fits = dimension == 0 ? !point.empty() && point.size() <= 3 : point.size() == static_cast<std::size_t>(dimension);
  if (fits) {
    std::copy(point.begin(), point.end(), monitor.point.begin());
  } else {
    reader.fault(path + ".at", fmt::format("found {} number(s), allowed: {}, one per direction", point.size(),
                                           dimension == 0 ? std::string("1 to 3") : std::to_string(dimension)));
  }
}

MonitorSpec read_monitor(const Reader& reader, const Entry& entry, const solver::EquationDefinition& equations, int dimension) {
  const std::string path = "monitors." + entry.key;
  MonitorSpec monitor;
  monitor.name = entry.key;
  monitor.where = entry.where;
  monitor.every = reader.optional_number(path + ".every");
  int found = 0;
  for (const auto& [key, kind] : monitor_kinds) {
    const Node* value = entry.value.find(key);
    if (value == nullptr) continue;
    ++found;
    monitor.kind = kind;
    if (kind == MonitorSpec::Kind::at) {
      read_point(reader, path, dimension, monitor);
      const Node* fields = entry.value.find("fields");
      monitor.fields = fields != nullptr ? to_fields(*fields, entry.key) : state_fields(equations);
    } else {
      monitor.fields = to_fields(*value, entry.key);
    }
  }
  if (found != 1) reader.fault(path, fmt::format("has {} of integral, max, min, at, allowed: exactly one", found));
  if (entry.value.find("fields") != nullptr && entry.value.find("at") == nullptr) reader.fault(path + ".fields", "goes with `at` only");
  if (!is_field_name(entry.key)) reader.faults().add(entry.where, path, "allowed as a name: letters, digits and _");
  check_field_names(reader, path, monitor.fields);
  return monitor;
}

}  // namespace

solver::TimeOptions read_time_section(const Reader& reader) {
  solver::TimeOptions time;
  time.start = reader.number("time.start");
  time.end = reader.number("time.end");
  time.cfl = reader.number("time.cfl");
  time.step = reader.optional_number("time.step");
  if (reader.optional_number("time.end") && time.end <= time.start) {
    reader.fault("time.end", fmt::format("found {}, allowed: later than the start, {}", time.end, time.start));
  }
  if (reader.find("time.step") != nullptr && reader.find("time.cfl") != nullptr) {
    reader.fault("time.step", "a fixed step and cfl exclude one another, allowed: one of them");
  }
  return time;
}

codegen::CacheOptions read_cache_section(const Reader& reader) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  codegen::CacheOptions cache;
  cache.folder = reader.text("cache.directory");
  cache.shared = reader.text("cache.shared");
  cache.most_bytes = static_cast<std::uintmax_t>(reader.number("cache.size") * mebibyte);
  return cache;
}

std::map<std::string, std::int64_t> read_variant_section(const Reader& reader) {
  std::map<std::string, std::int64_t> variant;
  const Node* map = reader.find("variant");
  if (map == nullptr) return variant;
  for (const Entry& entry : map->entries) {
    if (const auto value = to_integer(entry.value)) variant[entry.key] = *value;
  }
  return variant;
}

std::vector<solver::FieldSpec> read_output_fields(const Reader& reader, const solver::EquationDefinition& equations) {
  const Node* node = reader.find("output.fields");
  if (node == nullptr) return state_fields(equations);
  auto fields = to_fields(*node, node->text);
  check_field_names(reader, "output.fields", fields);
  return fields;
}

std::vector<MonitorSpec> read_monitor_section(const Reader& reader, const solver::EquationDefinition& equations, int dimension) {
  std::vector<MonitorSpec> monitors;
  const Node* map = reader.find("monitors");
  if (map == nullptr) return monitors;
  for (const Entry& entry : map->entries) {
    if (entry.value.is_map()) monitors.push_back(read_monitor(reader, entry, equations, dimension));
  }
  return monitors;
}

std::vector<ErrorBound> read_error_bounds(const Reader& reader) {
  std::vector<ErrorBound> bounds;
  const Node* map = reader.find("verify.errors");
  if (map == nullptr) return bounds;
  for (const Entry& component : map->entries) {
    for (const Entry& norm : component.value.entries) bounds.push_back({component.key, norm.key, to_number(norm.value).value_or(0.0)});
  }
  return bounds;
}

}  // namespace dgsolve::io
