// Reads a configuration: parse, override, validate by the schema, read the sections, report all faults.
#include "io/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/nearest.h"
#include "io/config_sections.h"
#include "io/formulas.h"
#include "io/schema.h"
#include "io/yaml.h"
#include "solver/exchange/choice.h"

namespace dgsolve::io {
namespace {

void set_places(Node& node, const solver::Location& where) {
  node.where = where;
  for (Node& item : node.items) set_places(item, where);
  for (Entry& entry : node.entries) {
    entry.where = where;
    set_places(entry.value, where);
  }
}

/// "key.path=value", the value being YAML.
void apply_override(Node& root, const std::string& text, Faults& faults) {
  const std::string place = "--set " + text;
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0) {
    faults.add({place}, "", "not of the form key.path=value");
    return;
  }
  try {
    Node value = parse_yaml(std::string_view(text).substr(equal + 1), place);
    set_places(value, {place});
    set_path(root, std::string_view(text).substr(0, equal), std::move(value));
  } catch (const std::invalid_argument& error) {
    faults.add({place}, "", error.what());
  } catch (const ConfigError& error) {
    faults.add({}, "", error.what());
  }
}

/// A missing file's message names the nearest YAML file beside it.
std::string read_configuration_text(const std::filesystem::path& file) {
  std::error_code status;
  if (!std::filesystem::exists(file, status)) {
    std::vector<std::string> names;
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    for (const auto& entry : std::filesystem::directory_iterator(folder, status)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    throw ConfigError(fmt::format("{}: there is no such file{}", file.string(), codegen::did_you_mean(file.filename().string(), names)));
  }
  return read_text_file(file);
}

bool is_simplex(mesh::Shape shape) { return shape == mesh::Shape::triangle || shape == mesh::Shape::tetrahedron; }

void check_box_against_problem(const Reader& reader, const mesh::BoxOptions& box, const solver::Problem& problem) {
  constexpr int largest_simplex_order = 8;
  if (is_simplex(box.shape) && problem.order > largest_simplex_order) {
    reader.fault("order", fmt::format("found '{}', allowed: 1 to {} on triangles and tetrahedra", problem.order, largest_simplex_order));
  }
  const auto& dimensions = problem.equations.dimensions;
  if (problem.equations.modes.empty() && std::find(dimensions.begin(), dimensions.end(), box.dimension) == dimensions.end()) {
    reader.fault("mesh.box.cells", fmt::format("{} is not made for {} dimension(s), allowed: {}", problem.equations.name, box.dimension,
                                               fmt::join(dimensions, ", ")));
  }
}

void check_names(const Reader& reader, const solver::Problem& problem) {
  const auto fluxes = solver::flux_names(problem.equations);
  if (std::find(fluxes.begin(), fluxes.end(), problem.flux) == fluxes.end()) {
    reader.fault("flux", fmt::format("found '{}', allowed for {}: {}{}", problem.flux, problem.equations.name, fmt::join(fluxes, ", "),
                                     codegen::did_you_mean(problem.flux, fluxes)));
  }
  if (problem.mode.empty()) return;
  std::vector<std::string> modes;
  for (const auto& mode : problem.equations.modes) modes.push_back(mode.name);
  if (std::find(modes.begin(), modes.end(), problem.mode) != modes.end()) return;
  const std::string allowed = modes.empty() ? "none: the system has no modes" : fmt::format("{}", fmt::join(modes, ", "));
  reader.fault("mode", fmt::format("found '{}', allowed for {}: {}{}", problem.mode, problem.equations.name, allowed,
                                   codegen::did_you_mean(problem.mode, modes)));
}

solver::Problem read_problem(const Reader& reader, const std::filesystem::path& folder, const mesh::BoxOptions* box) {
  solver::Problem problem;
  const auto equations = read_equation_section(reader, folder);
  problem.equations = equations.value_or(solver::EquationDefinition{});
  problem.mode = reader.text("mode");
  problem.parameters = to_values(reader.find("parameters"));
  problem.initial = to_values(reader.find("initial"));
  problem.exact = to_values(reader.find("exact"));
  problem.source = to_values(reader.find("source"));
  problem.order = reader.integer("order");
  problem.overintegration = reader.integer("overintegration");
  problem.nodes = reader.text("nodes") == "gauss" ? solver::NodeFamily::gauss : solver::NodeFamily::lobatto;
  problem.flux = reader.text("flux");
  problem.precision = reader.text("precision") == "single" ? codegen::Precision::single_precision : codegen::Precision::double_precision;
  problem.integrator = reader.text("time.integrator");
  problem.exchange = solver::exchange_of(reader.text("exchange")).value_or(problem.exchange);
  problem.variant = read_variant_section(reader);
  if (!equations) return problem;
  problem.boundaries = read_boundary_section(reader, problem.equations, box);
  check_names(reader, problem);
  if (box != nullptr) check_box_against_problem(reader, *box, problem);
  return problem;
}

}  // namespace

Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  Config config;
  config.path = file;
  config.name = file.stem().string();
  config.text = read_configuration_text(file);
  Faults faults;
  Node root = parse_yaml(config.text, file.string());
  if (!config.text.empty() && config.text.back() != '\n') config.text += '\n';
  for (const std::string& override_text : overrides) {
    apply_override(root, override_text, faults);
    config.text += fmt::format("# --set {}\n", override_text);
  }
  validate(root, "", "", faults);

  const Reader reader(root, faults);
  const std::filesystem::path folder = file.parent_path();
  config.mesh = read_mesh_section(reader, folder);
  const auto* box = std::get_if<mesh::BoxOptions>(&config.mesh);
  config.problem = read_problem(reader, folder, box);
  config.time = read_time_section(reader);
  config.wall_time = read_wall_time(reader);
  config.checkpoint = read_checkpoint_section(reader);
  config.output_directory = reader.text("output.directory");
  config.output_every = reader.optional_number("output.every");
  config.output_fields = read_output_fields(reader, config.problem.equations);
  config.monitors = read_monitor_section(reader, config.problem.equations, box != nullptr ? box->dimension : 0);
  config.device = reader.text("device");
  config.tune = reader.text("tune");
  config.cache = read_cache_section(reader);
  config.verify_errors = read_error_bounds(reader);
  config.verify_order = reader.optional_number("verify.order");
  if (reader.find("verify") != nullptr && reader.find("exact") == nullptr) reader.fault("verify", "needs the exact solution (`exact:`)");
  faults.throw_if_any();
  return config;
}

}  // namespace dgsolve::io
