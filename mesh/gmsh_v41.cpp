// Sections of MSH version 4.1 (Gmsh reference manual, "MSH file format").
#include <fmt/format.h>

#include <limits>

#include "mesh/gmsh_file.h"
#include "mesh/gmsh_input.h"

namespace dgsolve::mesh {
namespace {

struct BlockHeader {
  int dimension;
  int entity;
  std::int64_t third;  // parametric (nodes) or element type (elements)
  std::int64_t count;
};

BlockHeader parse_block_header(GmshInput& input) {
  BlockHeader header{};
  header.dimension = require_dimension(input, input.integer());
  header.entity = static_cast<int>(input.integer());
  header.third = input.integer();
  header.count = input.size();
  return header;
}

/// The four counts that begin $Nodes and $Elements: blocks, items, least and greatest tag. Returns the first two.
std::pair<std::int64_t, std::int64_t> parse_section_header(GmshInput& input, std::string_view what) {
  const std::int64_t blocks = input.size();
  const std::int64_t count = input.size();
  static_cast<void>(input.size());
  static_cast<void>(input.size());
  input.require(blocks, 16, 8, "blocks");
  input.require(count, 4, 2, what);
  if (count > std::numeric_limits<std::int32_t>::max()) input.fault(fmt::format("{} {} are more than can be numbered", count, what));
  return {blocks, count};
}

void require_total(const GmshInput& input, std::size_t found, std::int64_t announced, std::string_view what) {
  if (static_cast<std::int64_t>(found) != announced)
    input.fault(fmt::format("{} {} announced, but the blocks hold {}", announced, what, found));
}

std::vector<int> parse_int_list(GmshInput& input, std::string_view what) {
  const std::int64_t count = input.size();
  input.require(count, 4, 2, what);
  std::vector<int> list;
  for (std::int64_t i = 0; i < count; ++i) list.push_back(static_cast<int>(input.integer()));
  return list;
}

}  // namespace

GmshEntityGroups parse_entities_41(GmshInput& input, GmshFile& file) {
  std::array<std::int64_t, 4> counts{};
  for (std::int64_t& count : counts) count = input.size();
  GmshEntityGroups groups;
  for (int dimension = 0; dimension < 4; ++dimension) {
    const std::int64_t count = counts[static_cast<std::size_t>(dimension)];
    input.require(count, 32, 8, "entities");
    for (std::int64_t i = 0; i < count; ++i) {
      const auto tag = static_cast<int>(input.integer());
      input.skip_reals(dimension == 0 ? 3 : 6);
      groups[{dimension, tag}] = intern_groups(file, parse_int_list(input, "physical tags"));
      if (dimension > 0) static_cast<void>(parse_int_list(input, "bounding entities"));
    }
  }
  return groups;
}

void parse_nodes_41(GmshInput& input, GmshFile& file) {
  const auto [blocks, count] = parse_section_header(input, "nodes");
  file.node_tags.reserve(static_cast<std::size_t>(count));
  file.nodes.reserve(static_cast<std::size_t>(count));
  for (std::int64_t b = 0; b < blocks; ++b) {
    const BlockHeader block = parse_block_header(input);
    if (block.third != 0 && block.third != 1) input.fault(fmt::format("the parametric flag must be 0 or 1, found {}", block.third));
    input.require(block.count, 28, 8, "nodes");
    for (std::int64_t i = 0; i < block.count; ++i) file.node_tags.push_back(input.size());
    const int parameters = block.third == 1 ? block.dimension : 0;
    for (std::int64_t i = 0; i < block.count; ++i) {
      const double x = input.real();
      const double y = input.real();
      const double z = input.real();
      input.skip_reals(parameters);
      file.nodes.push_back({x, y, z});
    }
  }
  require_total(input, file.nodes.size(), count, "nodes");
}

void parse_elements_41(GmshInput& input, GmshFile& file, const GmshEntityGroups& groups) {
  const auto [blocks, count] = parse_section_header(input, "elements");
  file.elements.reserve(static_cast<std::size_t>(count));
  for (std::int64_t b = 0; b < blocks; ++b) {
    const BlockHeader block = parse_block_header(input);
    GmshElement element;
    element.type = require_type(input, block.third);
    if (shape_facts(element.type.shape).dimension != block.dimension) {
      input.fault(fmt::format("elements of shape {} in an entity of dimension {}", shape_facts(element.type.shape).name, block.dimension));
    }
    const auto group = groups.find({block.dimension, block.entity});
    element.groups = group == groups.end() ? 0 : group->second;
    input.require(block.count, 4 * static_cast<std::size_t>(1 + element.type.nodes), 2 * static_cast<std::size_t>(1 + element.type.nodes),
                  "elements");
    for (std::int64_t i = 0; i < block.count; ++i) {
      element.tag = input.size();
      element.first_node = file.element_nodes.size();
      for (int n = 0; n < element.type.nodes; ++n) append_element_node(input, file, element.tag, input.size());
      file.elements.push_back(element);
    }
  }
  require_total(input, file.elements.size(), count, "elements");
}

void parse_periodic_41(GmshInput& input, GmshFile& file) {
  const std::int64_t links = input.size();
  input.require(links, 20, 8, "periodic links");
  for (std::int64_t i = 0; i < links; ++i) {
    GmshPeriodicLink link;
    link.dimension = require_dimension(input, input.integer());
    static_cast<void>(input.integer());
    static_cast<void>(input.integer());
    const std::int64_t affine = input.size();
    if (affine != 0 && affine != 16) input.fault(fmt::format("an affine map has 16 coefficients, found {}", affine));
    input.skip_reals(static_cast<int>(affine));
    const std::int64_t pairs = input.size();
    input.require(pairs, 8, 4, "periodic nodes");
    for (std::int64_t n = 0; n < pairs; ++n) {
      const auto slave = file.node_index.find(input.size());
      const auto master = file.node_index.find(input.size());
      if (slave && master) link.partner[*slave] = *master;
    }
    file.periodic.push_back(std::move(link));
  }
}

}  // namespace dgsolve::mesh
