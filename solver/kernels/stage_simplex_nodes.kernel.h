/* One Runge-Kutta stage, nodes over threads (GPUs). Dense operators: triangles, tetrahedra, over-integrated elements.
   dq_i/dt = 1/J_i [ sum_d (M^-1 D_d^T M)_ij (Ja^d . F)_j - lift_im f*_m |N|_m ] + source, docs/numerics.md.
   First all contravariant and numerical fluxes of the group's elements go to shared memory (the columns), then every thread
   multiplies its row of the operator with the columns of ELEMENTS_PER_THREAD elements. */

#define NVAR ${NVAR}             /* values of a node that the physics reads: the state, then gradients */
#define NSTATE ${NSTATE}         /* of them in the state */
#define NOUT ${NOUT}             /* values that are computed */
#define DIM ${DIM}
#define NP ${NP}
#define NFP ${NFP}
#define NFACE ${NFACE}
#define TEAMS ${TEAMS}                               /* teams of NP threads in a group */
#define ELEMENTS_PER_THREAD ${ELEMENTS_PER_THREAD}
#define ELEMENTS (TEAMS * ELEMENTS_PER_THREAD)
#define THREADS (TEAMS * NP)
#define AFFINE ${AFFINE}
#define BOUNDARY ${BOUNDARY}
#define SOURCE ${SOURCE}
#define NODE_POSITION ${NODE_POSITION}
#define FACE_POSITION ${FACE_POSITION}
#define PARTS ${PARTS}                               /* 1: all columns at once; DIM + 1: direction by direction, then the faces */
#define COLUMNS (DIM * NP + NFACE * NFP)
#define PITCH ${PITCH}                               /* from column to column: ELEMENTS * NOUT, even, padded against bank conflicts */
#define SHARED_REALS ${SHARED_REALS}                 /* PITCH times the columns staged at once */

#include "physics"
#include "update"
#include "trace.kernel.h"

/* State and gradients of a node of an element. */
INLINE void values_at(GLOBAL const real *state, GLOBAL const real *gradients, const int slot, const int node, realv *q) {
  UNROLL for (int v = 0; v < NSTATE; ++v) q[v] = state[((long)slot * NSTATE + v) * NP + node];
  UNROLL for (int v = NSTATE; v < NVAR; ++v) q[v] = gradients[((long)slot * (NVAR - NSTATE) + v - NSTATE) * NP + node];
}

${signature} {
  SHARED_MEMORY(real, shared, SHARED_REALS);
  const int thread = LOCAL_ID(0);
  const int first_index = GROUP_ID(0) * ELEMENTS;
  PREVIOUS_KERNEL_DONE();
  WRITTEN_BEFORE(state);
#if NVAR > NSTATE
  WRITTEN_BEFORE(gradients);
#else
  GLOBAL const real *gradients = 0;
#endif
  WRITTEN_BEFORE(clock);
  const real t = clock[0] + stage_time * clock[1];
  const real dt = clock[1];

  const int team = thread / NP, node = thread % NP;
  SHARED const real *columns = shared + team * ELEMENTS_PER_THREAD * NOUT;
  realv rate[ELEMENTS_PER_THREAD][NOUT];
  UNROLL for (int r = 0; r < ELEMENTS_PER_THREAD; ++r) {
    UNROLL for (int v = 0; v < NOUT; ++v) rate[r][v] = 0;
  }

  UNROLL for (int part = 0; part < PARTS; ++part) {
    if (part > 0) BARRIER();
    if (PARTS == 1 || part < DIM) {
      for (int p = thread; p < ELEMENTS * NP; p += THREADS) {
        const int e = p / NP, i = p % NP;
        const int member = first_index + e < element_count ? first_index + e : element_count - 1;
        const int slot = first_slot + member;
        realv q[NVAR], x[DIM];
        values_at(state, gradients, slot, i, q);
#if NODE_POSITION
        UNROLL for (int k = 0; k < DIM; ++k) x[k] = node_points[((long)member * DIM + k) * NP + i];
#else
        UNROLL for (int k = 0; k < DIM; ++k) x[k] = 0;
#endif
        UNROLL for (int d = PARTS == 1 ? 0 : part; d < (PARTS == 1 ? DIM : part + 1); ++d) {
          realv a[DIM], flux[NOUT];
#if AFFINE
          UNROLL for (int k = 0; k < DIM; ++k) a[k] = metric[((long)member * DIM + d) * DIM + k];
#else
          UNROLL for (int k = 0; k < DIM; ++k) a[k] = metric[((long)member * (DIM * DIM + 1) + d * DIM + k) * NP + i];
#endif
          physics_flux_along(q, a, x, t, flux);
          UNROLL for (int v = 0; v < NOUT; ++v) shared[((PARTS == 1 ? d * NP : 0) + i) * PITCH + e * NOUT + v] = flux[v];
        }
      }
    }
    if (PARTS == 1 || part == DIM) {
      for (int p = thread; p < ELEMENTS * NFACE * NFP; p += THREADS) {
        const int e = p / (NFACE * NFP), face_point = p % (NFACE * NFP);
        const int face = face_point / NFP, m = face_point % NFP;
        const int member = first_index + e < element_count ? first_index + e : element_count - 1;
        const int slot = first_slot + member;
        const long record = (long)member * NFACE + face;
        const int neighbour = links[2 * record], code = links[2 * record + 1];
        realv own[NVAR], other[NVAR], normal[DIM], scale, x[DIM], flux[NOUT];
        const int own_point = points[face * 8 * NFP + m];
        values_at(state, gradients, slot, own_point, own);
#if AFFINE
        GLOBAL const real *g = faces + record * (DIM + 1);
        UNROLL for (int k = 0; k < DIM; ++k) normal[k] = g[k];
        scale = g[DIM];
#else
        GLOBAL const real *g = faces + record * (DIM + 1) * NFP + m;
        UNROLL for (int k = 0; k < DIM; ++k) normal[k] = g[k * NFP];
        scale = g[DIM * NFP];
#endif
#if FACE_POSITION
        UNROLL for (int k = 0; k < DIM; ++k) x[k] = face_points[(record * DIM + k) * NFP + m];
#else
        UNROLL for (int k = 0; k < DIM; ++k) x[k] = 0;
#endif
#if BOUNDARY
        if (FACE_CONDITION(code) >= 0) {
          physics_boundary_state(FACE_CONDITION(code), own, normal, x, t, other);
        } else
#endif
        {
          const int point = points[(code & 63) * NFP + m];
          values_at(state, gradients, neighbour, point, other);
        }
        flux_in_owner_order(own, other, scale, normal, x, t, flux);
        UNROLL for (int v = 0; v < NOUT; ++v) shared[((PARTS == 1 ? DIM * NP : 0) + face_point) * PITCH + e * NOUT + v] = scale * flux[v];
      }
    }
    BARRIER();

    const int first_column = PARTS == 1 ? 0 : part * NP;
    const int column_count = PARTS == 1 ? COLUMNS : part < DIM ? NP : NFACE * NFP;
#pragma unroll ${UNROLL_COLUMNS}
    for (int c = 0; c < column_count; ++c) {
      const real w = operators[(first_column + c) * NP + node];
      UNROLL for (int r = 0; r < ELEMENTS_PER_THREAD; ++r) {
        UNROLL for (int v = 0; v < NOUT; ++v) rate[r][v] = FMA(w, columns[c * PITCH + r * NOUT + v], rate[r][v]);
      }
    }
  }

  UNROLL for (int r = 0; r < ELEMENTS_PER_THREAD; ++r) {
    const int member = first_index + team * ELEMENTS_PER_THREAD + r;
    if (member < element_count) {
      const int slot = first_slot + member;
      realv q[NVAR];
      values_at(state, gradients, slot, node, q);
#if !AFFINE
      const real inverse_jacobian = metric[((long)member * (DIM * DIM + 1) + DIM * DIM) * NP + node];
      UNROLL for (int v = 0; v < NOUT; ++v) rate[r][v] *= inverse_jacobian;
#endif
#if SOURCE
      realv x[DIM], s[NOUT];
#if NODE_POSITION
      UNROLL for (int k = 0; k < DIM; ++k) x[k] = node_points[((long)member * DIM + k) * NP + node];
#else
      UNROLL for (int k = 0; k < DIM; ++k) x[k] = 0;
#endif
      physics_source(q, x, t, s);
      UNROLL for (int v = 0; v < NOUT; ++v) rate[r][v] += s[v];
#endif
      UNROLL for (int v = 0; v < NOUT; ++v) {
        const realv updated = STAGE_UPDATE(q[v], rate[r][v], ((long)slot * NOUT + v) * NP + node);
        (void)updated;
      }
    }
  }
}
