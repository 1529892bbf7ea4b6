/* One Runge-Kutta stage, W elements as lanes, one work-item a block (CPUs). Dense operators: triangles, tetrahedra, over-integrated elements.
   The same scheme as stage_simplex_nodes.kernel.h; rows of the operator are taken ROWS at a time so that the sums stay in registers. */

#define NVAR ${NVAR}             /* values of a node that the physics reads: the state, then gradients */
#define NSTATE ${NSTATE}         /* of them in the state */
#define NOUT ${NOUT}             /* values that are computed */
#define DIM ${DIM}
#define NP ${NP}
#define NFP ${NFP}
#define NFACE ${NFACE}
#define ROWS ${ROWS}
#define BLOCKS ${BLOCKS}
#define AFFINE ${AFFINE}
#define BOUNDARY ${BOUNDARY}
#define CONDITIONS ${CONDITIONS}
#define STREAM ${STREAM}  /* the state is larger than the caches: registers and states are announced, the new state goes past them */
#define SOURCE ${SOURCE}
#define NODE_POSITION ${NODE_POSITION}
#define FACE_POSITION ${FACE_POSITION}
#define COLUMNS (DIM * NP + NFACE * NFP)
#define TRACE_POINTS NP

#if STREAM
#define STORE_NEXT(v, p) VSTREAM(v, p)
#endif
#include "physics"
#include "update"
#include "trace.kernel.h"
#include "lanes.kernel.h"

${signature} {
  const real t = clock[0] + stage_time * clock[1];
  const real dt = clock[1];
#if NVAR == NSTATE
  GLOBAL const real *gradients = 0;
#endif
  realv columns[NOUT * COLUMNS];
#if !NODE_POSITION
  GLOBAL const real *node_points = 0;
#endif
  for (int member = GROUP_ID(0) * BLOCKS; member < block_count && member < (GROUP_ID(0) + 1) * BLOCKS; ++member) {
    const int block = first_block + member;
    const long base = (long)block * NOUT * NP * VECTOR_WIDTH;
    LANES_READ_AHEAD(state, block);

    for (int node = 0; node < NP; ++node) {
      realv q[NVAR], x[DIM];
      lanes_node(state, gradients, block, node, q);
      node_position(node_points, member, node, x);
      UNROLL for (int d = 0; d < DIM; ++d) {
        realv a[DIM], flux[NOUT];
#if AFFINE
        UNROLL for (int k = 0; k < DIM; ++k) a[k] = VLOAD(metric + (((long)member * DIM + d) * DIM + k) * VECTOR_WIDTH);
#else
        UNROLL for (int k = 0; k < DIM; ++k) {
          a[k] = VLOAD(metric + (((long)member * (DIM * DIM + 1) + d * DIM + k) * NP + node) * VECTOR_WIDTH);
        }
#endif
        physics_flux_along(q, a, x, t, flux);
        UNROLL for (int v = 0; v < NOUT; ++v) columns[v * COLUMNS + d * NP + node] = flux[v];
      }
    }

    for (int face = 0; face < NFACE; ++face) {
      lanes_face(state, gradients, links, kinds, points, faces,
#if FACE_POSITION
                 face_points,
#endif
                 block, member, face, t, columns + DIM * NP + face * NFP, COLUMNS);
    }

    for (int row = 0; row < NP; row += ROWS) {
      realv rate[ROWS][NOUT];
      UNROLL for (int r = 0; r < ROWS; ++r) {
        UNROLL for (int v = 0; v < NOUT; ++v) rate[r][v] = REALV(0);
      }
      GLOBAL const real *w = operators + row * COLUMNS;
      for (int c = 0; c < COLUMNS; ++c) {
        UNROLL for (int r = 0; r < ROWS; ++r) {
          UNROLL for (int v = 0; v < NOUT; ++v) rate[r][v] = FMA(REALV(w[r * COLUMNS + c]), columns[v * COLUMNS + c], rate[r][v]);
        }
      }
      UNROLL for (int r = 0; r < ROWS; ++r) {
        const int node = row + r;
        if (node < NP) {
          realv q[NVAR];
          lanes_node(state, gradients, block, node, q);
#if !AFFINE
          const realv inverse_jacobian = VLOAD(metric + (((long)member * (DIM * DIM + 1) + DIM * DIM) * NP + node) * VECTOR_WIDTH);
          UNROLL for (int v = 0; v < NOUT; ++v) rate[r][v] *= inverse_jacobian;
#endif
#if SOURCE
          realv x[DIM], s[NOUT];
          node_position(node_points, member, node, x);
          physics_source(q, x, t, s);
          UNROLL for (int v = 0; v < NOUT; ++v) rate[r][v] += s[v];
#endif
          UNROLL for (int v = 0; v < NOUT; ++v) {
            const realv updated = STAGE_UPDATE(q[v], rate[r][v], base + (v * NP + node) * VECTOR_WIDTH);
            (void)updated;
          }
        }
      }
    }
  }
#if STREAM
  FENCE();
#endif
}
