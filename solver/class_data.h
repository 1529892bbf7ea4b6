// What the kernels of one element class read besides the state: metric terms, face geometry, links, and the tables of the element.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codegen/device.h"
#include "codegen/kernel.h"
#include "mesh/mesh.h"
#include "solver/elements/reference_element.h"
#include "solver/geometry.h"
#include "solver/layout.h"

namespace dgsolve::solver {

/// Device buffer of reals in the problem's precision.
[[nodiscard]] codegen::Buffer upload_reals(const codegen::Device& device, codegen::Queue& queue, std::span<const double> values,
                                           codegen::Precision precision, std::string_view label);
[[nodiscard]] codegen::Buffer upload_ints(const codegen::Device& device, codegen::Queue& queue, std::span<const std::int32_t> values,
                                          std::string_view label);
[[nodiscard]] std::vector<double> download_reals(codegen::Queue& queue, const codegen::Buffer& buffer, std::size_t count,
                                                 codegen::Precision precision);

/// Tables that depend on the element alone.
struct ElementTables {
  codegen::Buffer operators;  ///< lines: Dhat [N][N], l_i(+-1)/w_i [2][N], l_i(+-1) [2][N]; dense: [column][Np] on GPUs, [Np][column]
                              ///< (rows padded) on CPUs
  codegen::Buffer fragments;  ///< dense operators on devices with matrix units: doubles [step][node tile][lane][2], the operator as
                              ///< stage_simplex_matrix.kernel.h reads it
  codegen::Buffer points;     ///< [face][8 orientations][Nfp]: point of the other side at this side's m (see lanes.kernel.h)
};
/// Rows of a dense operator are padded to a multiple of this on CPUs.
inline constexpr int simplex_rows = 4;
[[nodiscard]] ElementTables make_element_tables(const codegen::Device& device, codegen::Queue& queue, const ReferenceElement& element,
                                                int width, codegen::Precision precision);

/// Geometry and links of a class, on the device; arrays are indexed by the number in the class.
struct ClassData {
  Geometry geometry;               ///< host side; face arrays are released after upload
  codegen::Buffer metric;          ///< affine [block][d][k][W] (Ja/J); curved [block][d*k.., 1/J][node][W]
  codegen::Buffer faces;           ///< [block][face][normal.., signed scale][point][W], one point if affine
  codegen::Buffer face_points;     ///< [block][face][k][m][W]; empty unless asked for
  codegen::Buffer node_points;     ///< [block][k][node][W]; empty unless asked for
  codegen::Buffer links;           ///< [block][face][slot, code][W]
  codegen::Buffer kinds;           ///< [block][face][kind, block A]; only used with lanes
  std::size_t geometry_bytes = 0;  ///< metric terms and coordinates; `faces` are not read by all stage kernels
  std::size_t link_bytes = 0;
};

struct ClassDataOptions {
  bool node_positions = false;  ///< kernels of every stage read coordinates of nodes
  bool face_positions = false;  ///< ... or of face points
};

/// `condition_of_boundary`: index in Problem::boundaries of each of the mesh's boundary groups.
[[nodiscard]] ClassData make_class_data(const codegen::Device& device, codegen::Queue& queue, const mesh::Mesh& mesh,
                                        const ReferenceElement& element, const Layout& layout, const ElementClass& group,
                                        const std::vector<int>& condition_of_boundary, codegen::Precision precision,
                                        const ClassDataOptions& options);

/// Coordinates of the class's nodes as [block][k][node][W]. `group` may be some blocks of the class that `geometry` is of, from
/// `first_element` on.
[[nodiscard]] codegen::Buffer upload_node_points(const codegen::Device& device, codegen::Queue& queue, const ReferenceElement& element,
                                                 const Layout& layout, const ElementClass& group, const Geometry& geometry,
                                                 codegen::Precision precision, std::size_t first_element = 0);

}  // namespace dgsolve::solver
