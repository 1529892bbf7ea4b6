// The sections that both versions of the format share, and the loop over sections.
#include "mesh/gmsh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

#include "mesh/gmsh_input.h"
#include "mesh/mesh.h"

namespace dgsolve::mesh {
namespace {

void parse_group_names(GmshInput& input, GmshFile& file) {
  input.read_as_text();
  const std::int64_t count = input.text_count();
  input.require(count, 6, 6, "physical names");
  for (std::int64_t i = 0; i < count; ++i) {
    const int dimension = require_dimension(input, input.integer());
    const auto tag = static_cast<int>(input.integer());
    const std::string_view quoted = input.rest_of_line();
    if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') input.fault("expected a physical name in quotes");
    const std::string_view name = quoted.substr(1, quoted.size() - 2);
    if (name.empty()) input.fault("a physical group has an empty name");
    file.group_names[{dimension, std::abs(tag)}] = name;
  }
}

class SectionReader {
 public:
  SectionReader(GmshInput& input, GmshFile& file) : input_(input), file_(file) {}

  void read_all() {
    for (std::string section = input_.next_section(); !section.empty(); section = input_.next_section()) {
      if (!read(section)) {
        input_.skip_section();
        continue;
      }
      if (!seen_.insert(section).second) input_.fault("the section occurs twice");
      input_.end_section();
    }
    for (const char* required : {"Nodes", "Elements"}) {
      if (!seen_.contains(required))
        throw MeshError(fmt::format("{}: there is no ${} section: the file is truncated or not a mesh", input_.name(), required));
    }
  }

 private:
  /// False if the section is not one of those that make a mesh.
  bool read(const std::string& section) {
    if (section == "PhysicalNames") {
      parse_group_names(input_, file_);
    } else if (section == "PartitionedEntities") {
      input_.fault("partitioned meshes are not supported: save the mesh without partitions");
    } else if (section == "ParametricNodes") {
      input_.fault("parametric nodes are not supported: set Mesh.SaveParametric = 0");
    } else if (section == "Entities" && file_.version == 41) {
      groups_ = parse_entities_41(input_, file_);
    } else if (section == "Nodes") {
      file_.version == 41 ? parse_nodes_41(input_, file_) : parse_nodes_22(input_, file_);
      if (const auto twice = file_.node_index.build(file_.node_tags)) input_.fault(fmt::format("node {} occurs twice", *twice));
    } else if (section == "Elements") {
      if (!seen_.contains("Nodes")) input_.fault("$Elements stands before $Nodes");
      file_.version == 41 ? parse_elements_41(input_, file_, groups_) : parse_elements_22(input_, file_);
    } else if (section == "Periodic") {
      file_.version == 41 ? parse_periodic_41(input_, file_) : parse_periodic_22(input_, file_);
    } else {
      return false;
    }
    return true;
  }

  GmshInput& input_;
  GmshFile& file_;
  GmshEntityGroups groups_;
  std::set<std::string> seen_;
};

}  // namespace

std::optional<std::int64_t> GmshNodeIndex::build(const std::vector<std::int64_t>& tags) {
  const std::int64_t largest = tags.empty() ? 0 : *std::max_element(tags.begin(), tags.end());
  const bool dense = largest < 4 * static_cast<std::int64_t>(tags.size()) + 1024;
  if (dense) dense_.assign(static_cast<std::size_t>(largest) + 1, -1);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    if (dense) {
      std::int32_t& place = dense_[static_cast<std::size_t>(tags[i])];
      if (place >= 0) return tags[i];
      place = index;
    } else if (!sparse_.emplace(tags[i], index).second) {
      return tags[i];
    }
  }
  return std::nullopt;
}

std::optional<std::int32_t> GmshNodeIndex::find(std::int64_t tag) const {
  if (!dense_.empty()) {
    if (tag < 0 || tag >= static_cast<std::int64_t>(dense_.size())) return std::nullopt;
    const std::int32_t index = dense_[static_cast<std::size_t>(tag)];
    return index < 0 ? std::nullopt : std::optional(index);
  }
  const auto found = sparse_.find(tag);
  return found == sparse_.end() ? std::nullopt : std::optional(found->second);
}

GmshElementType require_type(const GmshInput& input, std::int64_t number) {
  const bool possible = number > 0 && number <= std::numeric_limits<int>::max();
  const auto type = possible ? gmsh_element_type(static_cast<int>(number)) : std::nullopt;
  if (!type) input.fault(possible ? gmsh_unsupported_reason(static_cast<int>(number)) : fmt::format("unknown element type {}", number));
  return *type;
}

void append_element_node(const GmshInput& input, GmshFile& file, std::int64_t element_tag, std::int64_t node_tag) {
  const auto index = file.node_index.find(node_tag);
  if (!index) input.fault(fmt::format("element {} has node {}, which is not among the nodes", element_tag, node_tag));
  file.element_nodes.push_back(*index);
}

std::int32_t intern_groups(GmshFile& file, std::vector<int> tags) {
  for (int& tag : tags) tag = std::abs(tag);
  std::erase(tags, 0);
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  const auto found = std::find(file.group_sets.begin(), file.group_sets.end(), tags);
  const auto index = static_cast<std::int32_t>(found - file.group_sets.begin());
  if (found == file.group_sets.end()) file.group_sets.push_back(std::move(tags));
  return index;
}

int require_dimension(const GmshInput& input, std::int64_t value) {
  if (value < 0 || value > 3) input.fault(fmt::format("a dimension must be 0 to 3, found {}", value));
  return static_cast<int>(value);
}

GmshFile parse_gmsh(GmshInput& input) {
  GmshFile file;
  file.version = input.read_format();
  SectionReader(input, file).read_all();
  return file;
}

}  // namespace dgsolve::mesh
