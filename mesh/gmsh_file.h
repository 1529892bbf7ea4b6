// What a Gmsh file holds, before it becomes a mesh.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mesh/gmsh_elements.h"

namespace dgsolve::mesh {

class GmshInput;

/// Node tags and where they stand in the list of nodes.
class GmshNodeIndex {
 public:
  /// Returns the first tag that occurs twice, if any.
  std::optional<std::int64_t> build(const std::vector<std::int64_t>& tags);
  [[nodiscard]] std::optional<std::int32_t> find(std::int64_t tag) const;

 private:
  std::vector<std::int32_t> dense_;  // by tag, -1: none
  std::unordered_map<std::int64_t, std::int32_t> sparse_;
};

struct GmshElement {
  std::int64_t tag = 0;
  std::size_t first_node = 0;  ///< in GmshFile::element_nodes
  GmshElementType type{};
  std::int32_t groups = 0;  ///< in GmshFile::group_sets
};

/// Pairs of nodes of a $Periodic section for one pair of entities.
struct GmshPeriodicLink {
  int dimension = 0;
  std::unordered_map<std::int32_t, std::int32_t> partner;  ///< node on the slave entity -> node on the master entity
};

struct GmshFile {
  int version = 0;                                         ///< 22 or 41
  std::map<std::pair<int, int>, std::string> group_names;  ///< (dimension, physical tag) -> name
  std::vector<std::int64_t> node_tags;
  std::vector<std::array<double, 3>> nodes;
  GmshNodeIndex node_index;
  std::vector<GmshElement> elements;
  std::vector<std::int32_t> element_nodes;       ///< indices into nodes, Gmsh's order
  std::vector<std::vector<int>> group_sets{{}};  ///< sets of physical tags; the first is empty
  std::vector<GmshPeriodicLink> periodic;
};

/// Throws MeshError naming file, section and line or byte.
[[nodiscard]] GmshFile parse_gmsh(GmshInput& input);

/// The sections that differ between the versions; each reads up to its $End line.
void parse_nodes_22(GmshInput& input, GmshFile& file);
void parse_elements_22(GmshInput& input, GmshFile& file);
void parse_periodic_22(GmshInput& input, GmshFile& file);
/// Physical tags of entities: (dimension, entity tag) -> index into GmshFile::group_sets.
using GmshEntityGroups = std::map<std::pair<int, int>, std::int32_t>;
[[nodiscard]] GmshEntityGroups parse_entities_41(GmshInput& input, GmshFile& file);
void parse_nodes_41(GmshInput& input, GmshFile& file);
void parse_elements_41(GmshInput& input, GmshFile& file, const GmshEntityGroups& groups);
void parse_periodic_41(GmshInput& input, GmshFile& file);

/// The type with this number; a fault of the input if it can not be read.
[[nodiscard]] GmshElementType require_type(const GmshInput& input, std::int64_t number);
/// Appends one node index; a fault of the input if there is no node with this tag.
void append_element_node(const GmshInput& input, GmshFile& file, std::int64_t element_tag, std::int64_t node_tag);
/// Index of this set of tags in group_sets, added if new. Tags may be negative (reversed entities).
[[nodiscard]] std::int32_t intern_groups(GmshFile& file, std::vector<int> tags);
/// Fault unless 0 <= value <= 3.
[[nodiscard]] int require_dimension(const GmshInput& input, std::int64_t value);

}  // namespace dgsolve::mesh
