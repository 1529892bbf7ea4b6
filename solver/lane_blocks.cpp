// Rows of equal cells, and blocks spread from them over the faces of a mesh.
#include "solver/lane_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "mesh/shape.h"

namespace dgsolve::solver {
namespace {

/// The faces through which a walk leads from cell to cell.
using Path = std::vector<std::int8_t>;

class LaneBlocks {
 public:
  LaneBlocks(const mesh::Mesh& mesh, const std::vector<std::int32_t>& cells, int width)
      : mesh_(mesh), cells_(cells), width_(static_cast<std::size_t>(width)), free_(mesh.cell_count(), false) {
    for (const std::int32_t cell : cells) free_[at(cell)] = true;
  }

  std::vector<std::int32_t> order() {
    std::vector<std::int32_t> rest;
    for (const std::int32_t cell : cells_) {
      while (free_[at(cell)]) {  // the blocks of a row need not reach it
        if (const auto row = best_row(cell)) {
          spread(*row);
        } else {
          free_[at(cell)] = false;
          rest.push_back(cell);
        }
      }
    }
    return sorted(rest);
  }

 private:
  static std::size_t at(std::int32_t cell) { return static_cast<std::size_t>(cell); }
  [[nodiscard]] std::span<const mesh::FaceLink> links(std::int32_t cell) const {
    return std::span(mesh_.links).subspan(mesh_.face_offset[at(cell)], mesh_.face_offset[at(cell) + 1] - mesh_.face_offset[at(cell)]);
  }
  static bool met_alike(const mesh::FaceLink& a, const mesh::FaceLink& b) {
    return a.face == b.face && a.orientation == b.orientation && a.boundary == b.boundary;
  }
  [[nodiscard]] bool equal_cells(std::int32_t a, std::int32_t b) const {
    const auto left = links(a), right = links(b);
    return mesh_.shapes[at(a)] == mesh_.shapes[at(b)] && std::equal(left.begin(), left.end(), right.begin(), right.end(), met_alike);
  }

  [[nodiscard]] std::array<double, 3> centre(std::int32_t cell) const {
    const auto dimension = static_cast<std::size_t>(mesh_.dimension);
    const std::size_t first = mesh_.point_offset[at(cell)], count = mesh_.point_offset[at(cell) + 1] - first;
    std::array<double, 3> sum{};
    for (std::size_t i = 0; i < count * dimension; ++i) sum[i % dimension] += mesh_.points[first * dimension + i];
    for (double& component : sum) component /= static_cast<double>(count);
    return sum;
  }

  /// Whether two simplices differ little but in place and size. The six tetrahedra of a grid cell may all have equal links, and a row of
  /// one kind is wanted.
  [[nodiscard]] bool turned_alike(std::int32_t a, std::int32_t b) const {
    const auto dimension = static_cast<std::size_t>(mesh_.dimension);
    const std::array<double, 3> centre_a = centre(a), centre_b = centre(b);
    const double* const points_a = &mesh_.points[mesh_.point_offset[at(a)] * dimension];
    const double* const points_b = &mesh_.points[mesh_.point_offset[at(b)] * dimension];
    const std::size_t count = mesh_.point_offset[at(a) + 1] - mesh_.point_offset[at(a)];
    double product = 0, square_a = 0, square_b = 0;
    for (std::size_t i = 0; i < count * dimension; ++i) {
      const double from_a = points_a[i] - centre_a[i % dimension], from_b = points_b[i] - centre_b[i % dimension];
      product += from_a * from_b;
      square_a += from_a * from_a;
      square_b += from_b * from_b;
    }
    return product > 0.9 * std::sqrt(square_a * square_b);
  }
  /// Whether `next` may follow `cell` in a row.
  [[nodiscard]] bool follows(std::int32_t cell, std::int32_t next) const {
    if (next < 0 || next == cell || !free_[at(next)] || !equal_cells(cell, next)) return false;
    return mesh::shape_facts(mesh_.shapes[at(cell)]).tensor || turned_alike(cell, next);
  }

  /// The cell at the end of a path, -1 if it leads over a boundary; `back`: the path from there.
  [[nodiscard]] std::int32_t walk(std::int32_t cell, const Path& path, Path* back = nullptr) const {
    if (back != nullptr) back->clear();
    for (const std::int8_t face : path) {
      const auto faces = links(cell);
      if (static_cast<std::size_t>(face) >= faces.size()) return -1;  // of a ghost, whose links lead to owned cells or nowhere
      const mesh::FaceLink& link = faces[static_cast<std::size_t>(face)];
      if (link.neighbour < 0) return -1;
      cell = link.neighbour;
      if (back != nullptr) back->insert(back->begin(), link.face);
    }
    return cell;
  }

  /// The cells after `first` along a path, while they are free and alike, at most `most`. Each is the end of one step only, since the path
  /// `back` leads where the step began; so no cell comes twice.
  [[nodiscard]] std::vector<std::int32_t> run(std::int32_t first, const Path& path, const Path& back, std::size_t most) const {
    std::vector<std::int32_t> cells;
    std::int32_t cell = first;
    while (cells.size() < most) {
      const std::int32_t next = walk(cell, path);
      if (next == first || !follows(cell, next) || walk(next, back) != cell) break;
      cells.push_back(cell = next);
    }
    return cells;
  }

  /// The first cells of the row along a path that holds `cell`, at most `width`. Rows begin where no cell is free.
  [[nodiscard]] std::vector<std::int32_t> row_along(std::int32_t cell, const Path& path) const {
    constexpr std::size_t longest = 4096;
    Path back;
    (void)walk(cell, path, &back);
    const std::vector<std::int32_t> before = run(cell, back, path, longest);
    const bool is_ring = !before.empty() && walk(before.back(), back) == cell;
    const std::int32_t first = before.empty() || before.size() == longest || is_ring ? cell : before.back();
    std::vector<std::int32_t> row = run(first, path, back, width_ - 1);
    row.insert(row.begin(), first);
    return row;
  }

  /// Of the rows through a cell the one whose cells are nearest to each other in the mesh. Equal cells of Kuhn's simplices are two
  /// faces apart in two dimensions, three in three.
  [[nodiscard]] std::optional<std::vector<std::int32_t>> best_row(std::int32_t cell) const {
    const mesh::ShapeFacts& facts = mesh::shape_facts(mesh_.shapes[at(cell)]);
    std::optional<std::vector<std::int32_t>> best;
    std::int32_t least = 0;
    Path path;
    const auto search = [&](const auto& deeper, std::int32_t here, std::int8_t arrived, std::size_t depth) -> void {
      const auto faces = links(here);
      for (std::size_t face = 0; face < faces.size(); ++face) {
        const std::int32_t next = faces[face].neighbour;
        if (next < 0 || static_cast<std::int8_t>(face) == arrived) continue;
        path.push_back(static_cast<std::int8_t>(face));
        if (follows(cell, next)) {
          auto row = row_along(cell, path);
          const auto [low, high] = std::minmax_element(row.begin(), row.end());
          if (row.size() == width_ && (!best || *high - *low < least)) {
            least = *high - *low;
            best = std::move(row);
          }
        }
        if (depth > 1) deeper(deeper, next, faces[face].face, depth - 1);
        path.pop_back();
      }
    };
    search(search, cell, -1, facts.tensor ? 1 : static_cast<std::size_t>(facts.dimension));
    return best;
  }

  void take(std::span<const std::int32_t> block) {
    for (const std::int32_t cell : block) free_[at(cell)] = false;
    blocks_.insert(blocks_.end(), block.begin(), block.end());
  }

  /// A block whose neighbours behind a face may be a block.
  struct Candidate {
    float distance;  ///< between the centres of the first lane's cell and of its neighbour
    std::size_t block, face;
    bool operator>(const Candidate& other) const {
      return std::tie(distance, block, face) > std::tie(other.distance, other.block, other.face);
    }
  };
  using Candidates = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

  void add_candidates(std::size_t block, Candidates& candidates) const {
    const std::int32_t cell = blocks_[block];
    const std::array<double, 3> here = centre(cell);
    for (std::size_t face = 0; face < links(cell).size(); ++face) {
      const std::int32_t neighbour = links(cell)[face].neighbour;
      if (neighbour < 0 || !free_[at(neighbour)]) continue;
      const std::array<double, 3> there = centre(neighbour);
      double square = 0;
      for (std::size_t d = 0; d < 3; ++d) square += (there[d] - here[d]) * (there[d] - here[d]);
      candidates.push({static_cast<float>(std::sqrt(square)), block, face});
    }
  }

  /// The neighbours of a block's lanes behind a face, if each is free and met in the same way.
  [[nodiscard]] bool neighbours(std::size_t block, std::size_t face, std::vector<std::int32_t>& cells) const {
    const mesh::FaceLink& first = links(blocks_[block])[face];
    for (std::size_t i = 0; i < width_; ++i) {
      const mesh::FaceLink& link = links(blocks_[block + i])[face];
      if (link.neighbour < 0 || !met_alike(link, first) || !free_[at(link.neighbour)]) return false;
      cells[i] = link.neighbour;
    }
    return true;
  }

  /// Takes a row as a block, and its neighbours, and theirs. Near ones first: the simplices of one grid cell before those of the next in
  /// the row, else their rows would begin at other places.
  void spread(const std::vector<std::int32_t>& row) {
    Candidates candidates;
    std::vector<std::int32_t> block = row;
    const auto add = [&] {
      take(block);
      add_candidates(blocks_.size() - width_, candidates);
    };
    for (add(); !candidates.empty();) {
      const Candidate next = candidates.top();
      candidates.pop();
      if (neighbours(next.block, next.face, block)) add();
    }
  }

  /// All blocks and the rest, by first cells; what fills no block comes last.
  [[nodiscard]] std::vector<std::int32_t> sorted(const std::vector<std::int32_t>& rest) {
    const std::size_t whole = rest.size() / width_ * width_;
    blocks_.insert(blocks_.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(whole));
    std::vector<std::pair<std::int32_t, std::size_t>> places;
    for (std::size_t block = 0; block < blocks_.size(); block += width_) {
      const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(block);
      places.emplace_back(*std::min_element(begin, begin + static_cast<std::ptrdiff_t>(width_)), block);
    }
    std::sort(places.begin(), places.end());
    std::vector<std::int32_t> order;
    order.reserve(cells_.size());
    for (const auto& [least, block] : places) {
      const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(block);
      order.insert(order.end(), begin, begin + static_cast<std::ptrdiff_t>(width_));
    }
    order.insert(order.end(), rest.begin() + static_cast<std::ptrdiff_t>(whole), rest.end());
    return order;
  }

  const mesh::Mesh& mesh_;
  const std::vector<std::int32_t>& cells_;
  std::size_t width_;
  std::vector<bool> free_;            ///< [cells of the mesh] in the class and in no block
  std::vector<std::int32_t> blocks_;  ///< [block][width]
};

}  // namespace

std::vector<std::int32_t> lane_order(const mesh::Mesh& mesh, const std::vector<std::int32_t>& cells, int width) {
  return LaneBlocks(mesh, cells, width).order();
}

}  // namespace dgsolve::solver
