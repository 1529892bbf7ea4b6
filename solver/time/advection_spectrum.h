// The spectrum of upwind advection on uniform periodic meshes of one element: what limits explicit steps.
#pragma once

#include <complex>
#include <vector>

#include "solver/elements/reference_element.h"

namespace dgsolve::solver {

/// How densely wave numbers and advection directions are sampled.
struct SpectrumSampling {
  int wave_numbers = 32;  ///< per direction of the mesh, over one period
  /// Simplices: rings of advection directions, with wave vectors of all directions. 0: the worst direction alone, which is along the edges
  /// that the cut leaves parallel to an axis; columns of cells then do not see each other and one wave number is enough.
  int directions = 0;
};

/// The upper half of the convex hull of the spectrum, as the points that are extreme towards the angles 0, 11.25, ..., 180 degrees; the
/// first is 0. The lower half is the conjugate. Unit: the step rate of integrator.h, so dt * rate * outline lies in the plane of the
/// stability region.
using SpectrumOutline = std::vector<std::complex<double>>;
inline constexpr int outline_size = 17;

/// Bloch analysis: eigenvalues of the semi-discrete operator on waves exp(i k.x) of a uniform mesh of unit cells, cut along their diagonals
/// for simplices (two triangles a square; six tetrahedra a cube, Kuhn 1960), scaled to max over cells of the rate = 1. Rate and operator
/// are invariant under affine maps, so the result holds for every affine image of the mesh. Tensor shapes give the spectrum of their line
/// factor: the rates of the directions add up, so several dimensions stay within its convex hull.
[[nodiscard]] SpectrumOutline sample_spectrum(const ReferenceElement& element, const SpectrumSampling& sampling);

/// The same, from the line's eigenvalues on tensor shapes and from a table of sample_spectrum's results on simplices.
[[nodiscard]] SpectrumOutline advection_spectrum(const ReferenceElement& element);

/// The largest absolute eigenvalue of the derivatives along the axes with central fluxes, which are imaginary, on the same meshes; unit of
/// the derivative along axis k: the largest sum over the rate directions of |m_k| of a cell. On simplices waves of the shortest lengths
/// that the mesh's period has, and those without phase, are taken to be the worst; the power iterations end within 2%, which is added.
[[nodiscard]] double central_radius(const ReferenceElement& element);

}  // namespace dgsolve::solver
