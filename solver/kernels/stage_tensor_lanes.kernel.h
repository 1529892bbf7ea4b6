/* One Runge-Kutta stage on lines, quadrilaterals and hexahedra, W elements as lanes, one work-item a block (CPUs).
   The same scheme as stage_tensor_nodes.kernel.h. */

#define NVAR ${NVAR}             /* values of a node that the physics reads: the state, then gradients */
#define NSTATE ${NSTATE}         /* of them in the state */
#define NOUT ${NOUT}             /* values that are computed */
#define DIM ${DIM}
#define N ${N}
#define NP ${NP}
#define NFP ${NFP}
#define NFACE (2 * DIM)
#define BLOCKS ${BLOCKS}         /* blocks of a group */
#define AFFINE ${AFFINE}
#define BOUNDARY ${BOUNDARY}
#define CONDITIONS ${CONDITIONS}
#define GAUSS ${GAUSS}
#define STREAM ${STREAM}  /* the state is larger than the caches: registers and states are announced, the new state goes past them */
#define SOURCE ${SOURCE}
#define NODE_POSITION ${NODE_POSITION}
#define FACE_POSITION ${FACE_POSITION}
#define TRACE_POINTS (GAUSS ? NFACE * NFP : NP)

#if STREAM
#define STORE_NEXT(v, p) VSTREAM(v, p)
#endif
#include "physics"
#include "update"
#include "trace.kernel.h"
#include "lanes.kernel.h"

#define STRIDE(d) ((d) == 0 ? 1 : (d) == 1 ? N : N * N)
/* First node of line l (a face point of direction d). */
#define LINE_START(d, l) ((d) == 0 ? N * (l) : (d) == 1 ? (l) % N + N * N * ((l) / N) : (l))

${signature} {
  const real t = clock[0] + stage_time * clock[1];
  const real dt = clock[1];
#if NVAR == NSTATE
  GLOBAL const real *gradients = 0, *gradient_traces = 0;
#elif !GAUSS
  GLOBAL const real *gradient_traces = gradients;
#endif
#if !GAUSS
  GLOBAL const real *traces = state;
#endif
  realv rate[NOUT * NP];
  realv scaled[NOUT * NFP];
  for (int member = GROUP_ID(0) * BLOCKS; member < block_count && member < (GROUP_ID(0) + 1) * BLOCKS; ++member) {
    const int block = first_block + member;
    const long base = (long)block * NOUT * NP * VECTOR_WIDTH;
    LANES_READ_AHEAD(traces, block);
#if !NODE_POSITION
    GLOBAL const real *node_points = 0;
#endif

    UNROLL for (int d = 0; d < DIM; ++d) {
      for (int l = 0; l < NFP; ++l) {
        realv along[N][NOUT];
        const int start = LINE_START(d, l);
        UNROLL for (int m = 0; m < N; ++m) {
          const int node = start + m * STRIDE(d);
          realv q[NVAR], a[DIM], x[DIM];
          lanes_node(state, gradients, block, node, q);
#if AFFINE
          UNROLL for (int k = 0; k < DIM; ++k) a[k] = VLOAD(metric + (((long)member * DIM + d) * DIM + k) * VECTOR_WIDTH);
#else
          UNROLL for (int k = 0; k < DIM; ++k) {
            a[k] = VLOAD(metric + (((long)member * (DIM * DIM + 1) + d * DIM + k) * NP + node) * VECTOR_WIDTH);
          }
#endif
          node_position(node_points, member, node, x);
          physics_flux_along(q, a, x, t, along[m]);
        }
        for (int i = 0; i < N; ++i) {
          realv sum[NOUT];
          UNROLL for (int v = 0; v < NOUT; ++v) sum[v] = REALV(operators[i * N]) * along[0][v];
          UNROLL for (int m = 1; m < N; ++m) {
            UNROLL for (int v = 0; v < NOUT; ++v) sum[v] = FMA(REALV(operators[i * N + m]), along[m][v], sum[v]);
          }
          UNROLL for (int v = 0; v < NOUT; ++v) {
            const int at = v * NP + start + i * STRIDE(d);
            rate[at] = d == 0 ? sum[v] : rate[at] + sum[v];
          }
        }
      }
    }

    for (int face = 0; face < NFACE; ++face) {
      lanes_face(traces, gradient_traces, links, kinds, points, faces,
#if FACE_POSITION
                 face_points,
#endif
                 block, member, face, t, scaled, NFP);
#if GAUSS
      const int d = face / 2;
      const int stride = STRIDE(d);
      for (int m = 0; m < NFP; ++m) {
        const int start = LINE_START(d, m);
        UNROLL for (int v = 0; v < NOUT; ++v) {
          UNROLL for (int i = 0; i < N; ++i) {
            const int at = v * NP + start + i * stride;
            rate[at] = FMA(REALV(operators[N * N + (face & 1) * N + i]), scaled[v * NFP + m], rate[at]);
          }
        }
      }
#else
      GLOBAL const int *own_points = points + face * 8 * NFP;
      for (int m = 0; m < NFP; ++m) {
        UNROLL for (int v = 0; v < NOUT; ++v) rate[v * NP + own_points[m]] += scaled[v * NFP + m];
      }
#endif
    }

    for (int node = 0; node < NP; ++node) {
      realv q[NVAR];
      lanes_node(state, gradients, block, node, q);
#if !AFFINE
      const realv inverse_jacobian = VLOAD(metric + (((long)member * (DIM * DIM + 1) + DIM * DIM) * NP + node) * VECTOR_WIDTH);
      UNROLL for (int v = 0; v < NOUT; ++v) rate[v * NP + node] *= inverse_jacobian;
#endif
#if SOURCE
      realv x[DIM], s[NOUT];
      node_position(node_points, member, node, x);
      physics_source(q, x, t, s);
      UNROLL for (int v = 0; v < NOUT; ++v) rate[v * NP + node] += s[v];
#endif
      UNROLL for (int v = 0; v < NOUT; ++v) {
        const realv updated = STAGE_UPDATE(q[v], rate[v * NP + node], base + (v * NP + node) * VECTOR_WIDTH);
#if GAUSS
        rate[v * NP + node] = updated;
#else
        (void)updated;
#endif
      }
    }
#if GAUSS
    for (int face = 0; face < NFACE; ++face) {
      const int d = face / 2;
      const int stride = STRIDE(d);
      for (int m = 0; m < NFP; ++m) {
        const int start = LINE_START(d, m);
        UNROLL for (int v = 0; v < NOUT; ++v) {
          realv value = REALV(0);
          UNROLL for (int i = 0; i < N; ++i) {
            value = FMA(REALV(operators[N * N + 2 * N + (face & 1) * N + i]), rate[v * NP + start + i * stride], value);
          }
          VSTORE(value, new_traces + (((long)block * NOUT + v) * TRACE_POINTS + face * NFP + m) * VECTOR_WIDTH);
        }
      }
    }
#endif
  }
#if STREAM
  FENCE();
#endif
}
