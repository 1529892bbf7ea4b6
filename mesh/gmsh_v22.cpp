// Sections of MSH version 2.2 (Gmsh reference manual, "MSH file format version 2").
#include <fmt/format.h>

#include <limits>

#include "mesh/gmsh_file.h"
#include "mesh/gmsh_input.h"

namespace dgsolve::mesh {
namespace {

void require_index_range(const GmshInput& input, std::int64_t count) {
  if (count > std::numeric_limits<std::int32_t>::max()) input.fault(fmt::format("{} is more than can be numbered", count));
}

/// Physical tag, elementary tag and more of one element; only the first matters here.
std::int32_t parse_tags(GmshInput& input, GmshFile& file, std::int64_t count) {
  std::vector<int> physical;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto tag = static_cast<int>(input.integer());
    if (i == 0) physical.push_back(tag);
  }
  return intern_groups(file, std::move(physical));
}

void parse_nodes_of_element(GmshInput& input, GmshFile& file, GmshElement element) {
  element.first_node = file.element_nodes.size();
  for (int n = 0; n < element.type.nodes; ++n) append_element_node(input, file, element.tag, input.integer());
  file.elements.push_back(element);
}

std::int64_t tag_count(const GmshInput& input, std::int64_t count) {
  if (count < 0 || count > 100000) input.fault(fmt::format("an element can not have {} tags", count));
  return count;
}

void parse_text_elements(GmshInput& input, GmshFile& file, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    GmshElement element;
    element.tag = input.integer();
    element.type = require_type(input, input.integer());
    element.groups = parse_tags(input, file, tag_count(input, input.integer()));
    parse_nodes_of_element(input, file, element);
  }
}

void parse_binary_elements(GmshInput& input, GmshFile& file, std::int64_t count) {
  for (std::int64_t done = 0; done < count;) {
    const GmshElementType type = require_type(input, input.integer());
    const std::int64_t follow = input.integer();
    const std::int64_t tags = tag_count(input, input.integer());
    if (follow < 1 || follow > count - done)
      input.fault(fmt::format("a block of {} elements, but {} are left of those announced", follow, count - done));
    input.require(follow, 4 * static_cast<std::size_t>(1 + tags + type.nodes), 1, "elements");
    for (std::int64_t i = 0; i < follow; ++i, ++done) {
      GmshElement element;
      element.type = type;
      element.tag = input.integer();
      element.groups = parse_tags(input, file, tags);
      parse_nodes_of_element(input, file, element);
    }
  }
}

}  // namespace

void parse_nodes_22(GmshInput& input, GmshFile& file) {
  const std::int64_t count = input.text_count();
  input.require(count, 28, 8, "nodes");
  require_index_range(input, count);
  file.node_tags.reserve(static_cast<std::size_t>(count));
  file.nodes.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t tag = input.integer();
    if (tag < 0) input.fault(fmt::format("node tag {} is negative", tag));
    file.node_tags.push_back(tag);
    const double x = input.real();
    const double y = input.real();
    const double z = input.real();
    file.nodes.push_back({x, y, z});
  }
}

void parse_elements_22(GmshInput& input, GmshFile& file) {
  const std::int64_t count = input.text_count();
  input.require(count, 8, 8, "elements");
  require_index_range(input, count);
  file.elements.reserve(static_cast<std::size_t>(count));
  input.binary() ? parse_binary_elements(input, file, count) : parse_text_elements(input, file, count);
}

void parse_periodic_22(GmshInput& input, GmshFile& file) {
  input.read_as_text();
  const std::int64_t links = input.text_count();
  input.require(links, 8, 8, "periodic links");
  for (std::int64_t i = 0; i < links; ++i) {
    GmshPeriodicLink link;
    link.dimension = require_dimension(input, input.integer());
    static_cast<void>(input.integer());
    static_cast<void>(input.integer());
    static_cast<void>(input.rest_of_line());
    const char next = input.peek();
    if (next == 'A' || next == 'T') static_cast<void>(input.rest_of_line());
    const std::int64_t pairs = input.text_count();
    input.require(pairs, 4, 4, "periodic nodes");
    for (std::int64_t n = 0; n < pairs; ++n) {
      const auto slave = file.node_index.find(input.integer());
      const auto master = file.node_index.find(input.integer());
      if (slave && master) link.partner[*slave] = *master;
    }
    file.periodic.push_back(std::move(link));
  }
}

}  // namespace dgsolve::mesh
