// The header of a checkpoint: its names and values as text, and where they come from.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "codegen/digest.h"
#include "io/checkpoint.h"

namespace dgsolve::io {
namespace {

/// Every field with the name that it has in the file.
template <class Header, class Visitor>
void visit_fields(Header& header, const Visitor& visit) {
  visit("step", header.step);
  visit("time", header.time);
  visit("dt", header.dt);
  visit("equations", header.equations);
  visit("formulas", header.formulas);
  visit("parameters", header.parameters);
  visit("components", header.components);
  visit("shape", header.shape);
  visit("order", header.order);
  visit("overintegration", header.overintegration);
  visit("nodes", header.nodes);
  visit("precision", header.precision);
  visit("cells", header.cells);
  visit("mesh", header.mesh);
  visit("mesh_digest", header.mesh_digest);
  visit("device", header.device);
  visit("variant", header.variant);
  visit("output_times", header.results.output_times);
  visit("output_steps", header.results.output_steps);
  visit("monitor_times", header.results.monitor_times);
  visit("results_step", header.results.step);
  visit("program", header.program);
  visit("configuration", header.configuration);
}

// Numbers have all digits that their bits need; names have no blanks.
std::string encode(const std::string& value) { return value; }
std::string encode(double value) { return fmt::format("{}", value); }
std::string encode(std::int64_t value) { return fmt::format("{}", value); }

template <class Number>
std::string encode(const std::vector<Number>& values) {
  return fmt::format("{}", fmt::join(values, " "));
}

template <class Number>
std::string encode(const std::map<std::string, Number>& values) {
  std::string text;
  for (const auto& [name, value] : values) text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, value);
  return text;
}

[[noreturn]] void throw_bad_value(const std::string& text) { throw CheckpointError(fmt::format("a value that is none: '{}'", text)); }

void decode(const std::string& text, std::string& value) { value = text; }

void decode(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);  // knows inf, unlike streams
  if (text.empty() || end != text.c_str() + text.size()) throw_bad_value(text);
}

void decode(const std::string& text, std::int64_t& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) throw_bad_value(text);
}

template <class Number>
void decode(const std::string& text, std::vector<Number>& values) {
  std::istringstream words(text);
  for (std::string word; words >> word;) decode(word, values.emplace_back());
}

template <class Number>
void decode(const std::string& text, std::map<std::string, Number>& values) {
  std::istringstream words(text);
  for (std::string name, word; words >> name >> word;) decode(word, values[name]);
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return text;
}

std::string formulas_digest(const solver::EquationDefinition& equations) {
  std::string text = without_blanks(equations.state.text) + '\n';
  for (const auto* entries : {&equations.definitions, &equations.flux, &equations.source}) {
    for (const auto& entry : *entries) text += without_blanks(entry.target + ":" + entry.formula.text) + '\n';
    text += "--\n";
  }
  return codegen::sha256(text);
}

/// 1.40 and 1.4 are the same parameter.
std::string parameter_text(const solver::Formula& formula) {
  char* end = nullptr;
  const double value = std::strtod(formula.text.c_str(), &end);
  const bool number = !formula.text.empty() && end == formula.text.c_str() + formula.text.size();
  return number ? fmt::format("{}", value) : without_blanks(formula.text);
}

std::string describe_parameters(const solver::Problem& problem) {
  std::string text;
  for (const solver::ValueFormulas& standard : problem.equations.parameters) {
    const auto own = std::find_if(problem.parameters.begin(), problem.parameters.end(),
                                  [&](const solver::ValueFormulas& given) { return given.name == standard.name; });
    const solver::ValueFormulas& valid = own == problem.parameters.end() ? standard : *own;
    std::vector<std::string> components;
    for (const solver::Formula& component : valid.components) components.push_back(parameter_text(component));
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", standard.name, fmt::join(components, ", "));
  }
  return text;
}

std::string describe_mesh(const std::variant<mesh::BoxOptions, MeshFile>& mesh) {
  if (const auto* file = std::get_if<MeshFile>(&mesh)) return "file " + std::filesystem::absolute(file->path).string();
  const auto& box = std::get<mesh::BoxOptions>(mesh);
  return fmt::format("box {} {} {} {} {} {} {}", mesh::shape_facts(box.shape).name, box.dimension, fmt::join(box.lower, " "),
                     fmt::join(box.upper, " "), fmt::join(box.cells, " "), box.warp, box.geometry_order);
}

}  // namespace

std::string CheckpointHeader::text() const {
  std::string all;
  visit_fields(*this, [&](const char* name, const auto& value) { all += name + std::string(1, '\0') + encode(value) + '\0'; });
  return all;
}

CheckpointHeader CheckpointHeader::from_text(const std::string& text) {
  std::map<std::string, std::string> values;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t name_end = std::min(text.find('\0', at), text.size());
    const std::size_t value_end = std::min(text.find('\0', name_end + 1), text.size());
    values[text.substr(at, name_end - at)] = text.substr(name_end + 1, value_end - name_end - 1);
    at = value_end + 1;
  }
  CheckpointHeader header;
  visit_fields(header, [&](const char* name, auto& value) {
    const auto found = values.find(name);
    if (found == values.end()) throw CheckpointError(fmt::format("there is no '{}'", name));
    decode(found->second, value);
  });
  return header;
}

CheckpointHeader describe_problem(const Config& config) {
  const solver::Problem& problem = config.problem;
  CheckpointHeader header;
  header.equations = problem.equations.name + (problem.mode.empty() ? "" : " " + problem.mode);
  header.formulas = formulas_digest(problem.equations);
  header.parameters = describe_parameters(problem);
  header.order = problem.order;
  header.overintegration = problem.overintegration;
  header.nodes = problem.nodes == solver::NodeFamily::gauss ? "gauss" : "lobatto";
  header.precision = problem.precision == codegen::Precision::single_precision ? "single" : "double";
  header.mesh = describe_mesh(config.mesh);
  header.configuration = config.text;
  return header;
}

void describe_operator(CheckpointHeader& header, solver::DgOperator& op) {
  header.components = fmt::format("{}", fmt::join(op.system().component_names(), " "));
  header.shape = mesh::shape_facts(op.element().shape).name;
  header.cells = op.dof_count() / op.element().node_count / op.system().variable_count();
  header.mesh_digest = op.mesh_digest();
  header.device = describe_device_kind(op.device().facts());
  header.variant = op.choices();
}

std::string describe_device_kind(const codegen::DeviceFacts& facts) {
  return fmt::format("{} {} {}", facts.backend, facts.name, facts.architecture);
}

mesh::Mesh rebuild_mesh(const std::string& source) {
  std::istringstream words(source);
  std::string kind, shape;
  words >> kind;
  if (kind == "file") return mesh::read_gmsh(source.substr(kind.size() + 1));
  mesh::BoxOptions box;
  words >> shape >> box.dimension;
  for (auto& value : box.lower) words >> value;
  for (auto& value : box.upper) words >> value;
  for (auto& value : box.cells) words >> value;
  words >> box.warp >> box.geometry_order;
  const auto known = mesh::shape_from_name(shape);
  if (!words || !known) throw mesh::MeshError(fmt::format("the checkpoint's mesh is not known: '{}'", source));
  box.shape = *known;
  return mesh::mesh_box(box);
}

}  // namespace dgsolve::io
