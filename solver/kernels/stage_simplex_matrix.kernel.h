/* One Runge-Kutta stage with the matrix units of a GPU, which compute in double precision whatever `real` is.
   Dense operators: triangles, tetrahedra, over-integrated elements.
   The scheme of stage_simplex_nodes.kernel.h: rate = (operator) (columns), for all variables of a group's elements one product
     rate[element, variable][node] = sum_c column[element, variable][c] operator[node][c].
   Eight columns are a step (MATRIX_STEP, docs/kernels.md). Lane l has one or two elements, number l / 4 of its warp, all their variables as
   rows of the product, and two of the columns. A group first copies its elements' state, metric and links to shared memory, then computes
   the numerical fluxes there. The contravariant fluxes are never stored: a lane computes those of its elements at its two nodes, direction
   by direction. */

#define NVAR ${NVAR}
#define DIM ${DIM}
#define NP ${NP}
#define NFP ${NFP}
#define NFACE ${NFACE}
#define LANE_ELEMENTS ${LANE_ELEMENTS}               /* 1: the two halves of a tile's rows are two variables; 2: two elements */
#define PAIR_WARPS ${PAIR_WARPS}                     /* the warps of a group are PAIR_WARPS x NODE_WARPS: */
#define NODE_WARPS ${NODE_WARPS}                     /* 8 LANE_ELEMENTS elements each, and a share of the nodes */
#define ELEMENTS (8 * LANE_ELEMENTS * PAIR_WARPS)
#define THREADS (32 * PAIR_WARPS * NODE_WARPS)
#define AFFINE ${AFFINE}
#define BOUNDARY ${BOUNDARY}
#define SOURCE ${SOURCE}
#define NODE_POSITION ${NODE_POSITION}
#define FACE_POSITION ${FACE_POSITION}
#define GATHER ${GATHER}                             /* face points of a thread whose neighbours are read at once */
#define OLD_LIMIT (24 / STAGE_OLD_COUNT)             /* values of a thread whose registers are read at once */

#include "simplex_matrix_layout.kernel.h"
#include "physics"
#include "update"
#include "trace.kernel.h"

#define NEXT_OPERATOR() \
  UNROLL for (int n = 0; n < NODE_TILES; ++n) { \
    b[n][0] = next[n][0]; \
    b[n][1] = next[n][1]; \
    LOAD_TWO(operator_of_lane + n * 64, next[n][0], next[n][1]); \
  } \
  operator_of_lane += TILES * 64

${signature} {
  SHARED_MEMORY(real, shared, SHARED_REALS);
  SHARED int *shared_links = (SHARED int *)(shared + LINKS_AT);
  const int thread = LOCAL_ID(0);
  const int first_index = GROUP_ID(0) * ELEMENTS;
  const int own_count = element_count - first_index < ELEMENTS ? element_count - first_index : ELEMENTS;
  const int value_count = own_count * VALUES;
  const long first_value = (long)(first_slot + first_index) * VALUES;

  /* Copies of what belongs to the elements, first what earlier kernels do not write; all loads before the first use. What is not there is 0. */
  {
#define UNIT (NP % 2 == 0 ? 2 : 1)
#define METRIC_REALS (AFFINE ? ELEMENTS * DIM * DIM : 1)
#define FACE_REALS (AFFINE ? ELEMENTS * NFACE * (DIM + 1) : 1)
    int link_copy[TURNS(ELEMENTS * NFACE)][2];
    real copy[TURNS(ELEMENTS * VALUES / UNIT)][2], face_copy[TURNS(FACE_REALS)], metric_copy[TURNS(METRIC_REALS)];
    GLOBAL const int *own_links = links + (long)first_index * NFACE * 2;
    UNROLL for (int k = 0; k < TURNS(ELEMENTS * NFACE); ++k) {
      const int p = thread + k * THREADS;
      const int there = p < own_count * NFACE;
      link_copy[k][0] = there ? own_links[2 * p] : first_slot;
      link_copy[k][1] = there ? own_links[2 * p + 1] : 0;
    }
#if AFFINE
    UNROLL for (int k = 0; k < TURNS(FACE_REALS); ++k) {
      const int p = thread + k * THREADS;
      face_copy[k] = p < own_count * NFACE * (DIM + 1) ? faces[(long)first_index * NFACE * (DIM + 1) + p] : 0;
    }
    UNROLL for (int k = 0; k < TURNS(METRIC_REALS); ++k) {
      const int p = thread + k * THREADS;
      metric_copy[k] = p < own_count * DIM * DIM ? metric[(long)first_index * DIM * DIM + p] : 0;
    }
#endif
    PREVIOUS_KERNEL_DONE();
    WRITTEN_BEFORE(state);
    WRITTEN_BEFORE(clock);
    GLOBAL const real *own_state = state + first_value;
    UNROLL for (int k = 0; k < TURNS(ELEMENTS * VALUES / UNIT); ++k) {
      const int p = (thread + k * THREADS) * UNIT;
      copy[k][0] = copy[k][1] = 0;
      if (p < value_count) {
#if NP % 2 == 0
        LOAD_TWO(own_state + p, copy[k][0], copy[k][1]);
#else
        copy[k][0] = own_state[p];
#endif
      }
    }
    for (int p = thread * 16; p < value_count; p += THREADS * 16) STAGE_PREFETCH(first_value + p);

    UNROLL for (int k = 0; k < TURNS(ELEMENTS * NFACE); ++k) {
      const int p = thread + k * THREADS;
      if (p < ELEMENTS * NFACE) {
        shared_links[2 * p] = link_copy[k][0];
        shared_links[2 * p + 1] = link_copy[k][1];
      }
    }
    UNROLL for (int k = 0; k < TURNS(ELEMENTS * VALUES / UNIT); ++k) {
      const int p = (thread + k * THREADS) * UNIT;
      if (p < ELEMENTS * VALUES) {
        SHARED real *to = shared + STATE_OFFSET(p);
#if NP % 2 == 0
        STORE_TWO(copy[k][0], copy[k][1], to);
#else
        to[0] = copy[k][0];
        if (p % NP == NP - 1) to[1] = copy[k][0];
#endif
      }
    }
#if AFFINE
    UNROLL for (int k = 0; k < TURNS(FACE_REALS); ++k) {
      if (thread + k * THREADS < FACE_REALS) shared[FACES_AT + thread + k * THREADS] = face_copy[k];
    }
    UNROLL for (int k = 0; k < TURNS(METRIC_REALS); ++k) {
      if (thread + k * THREADS < METRIC_REALS) shared[METRIC_AT + thread + k * THREADS] = metric_copy[k];
    }
#endif
#if FACE_STEPS * 8 > FACE_COLUMNS
#define PAD ((FACE_STEPS * 8 - FACE_COLUMNS) * 2)
    for (int p = thread; p < 8 * PAIR_WARPS * ROW_TILES * PAD; p += THREADS) {
      const int tile = p / PAD;
      shared[FLUX_AT + tile / ROW_TILES * FLUX_PITCH + tile % ROW_TILES * FACE_PITCH + FACE_COLUMNS * 2 + p % PAD] = 0;
    }
#endif
  }
  BARRIER();
  const real t = clock[0] + stage_time * clock[1];
  const real dt = clock[1];

  /* Numerical fluxes. Neighbours of the group are in shared memory; their loads go somewhere harmless, which costs less than a branch. */
#define ITEMS (ELEMENTS * FACE_COLUMNS)
#pragma unroll 1
  for (int first = thread; first < ITEMS; first += GATHER * THREADS) {
    realv other[GATHER][NVAR];
    int own_at[GATHER], other_at[GATHER];
    UNROLL for (int k = 0; k < GATHER; ++k) {
      const int p = first + k * THREADS < ITEMS ? first + k * THREADS : ITEMS - 1;
      const int record = p / NFP, m = p % NFP;
      const int neighbour = shared_links[2 * record], code = shared_links[2 * record + 1];
      const int near = neighbour - (first_slot + first_index), point = points[(code & 63) * NFP + m];
      const int inside = near >= 0 && near < own_count;
      own_at[k] = record / NFACE * STATE_PITCH + points[record % NFACE * 8 * NFP + m];
      other_at[k] = inside ? near * STATE_PITCH + point : -1;
      GLOBAL const real *from = state + (inside ? first_value : (long)neighbour * VALUES + point);
      UNROLL for (int v = 0; v < NVAR; ++v) other[k][v] = from[v * NP];
    }
    UNROLL for (int k = 0; k < GATHER; ++k) {
      const int p = first + k * THREADS < ITEMS ? first + k * THREADS : ITEMS - 1;
      const int record = p / NFP, e = record / NFACE;
      realv own[NVAR], normal[DIM], scale, x[DIM], flux[NVAR + 1];
      UNROLL for (int v = 0; v < NVAR; ++v) own[v] = shared[own_at[k] + v * NODE_PITCH];
      if (other_at[k] >= 0) {
        UNROLL for (int v = 0; v < NVAR; ++v) other[k][v] = shared[other_at[k] + v * NODE_PITCH];
      }
#if AFFINE
      SHARED const real *g = shared + FACES_AT + record * (DIM + 1);
      UNROLL for (int d = 0; d < DIM; ++d) normal[d] = g[d];
      scale = g[DIM];
#else
      GLOBAL const real *g = faces + ((long)MEMBER(e) * NFACE + record % NFACE) * (DIM + 1) * NFP + p % NFP;
      UNROLL for (int d = 0; d < DIM; ++d) normal[d] = g[d * NFP];
      scale = g[DIM * NFP];
#endif
#if FACE_POSITION
      UNROLL for (int d = 0; d < DIM; ++d) x[d] = face_points[(((long)MEMBER(e) * NFACE + record % NFACE) * DIM + d) * NFP + p % NFP];
#else
      UNROLL for (int d = 0; d < DIM; ++d) x[d] = 0;
#endif
#if BOUNDARY
      const int condition = FACE_CONDITION(shared_links[2 * record + 1]);
      if (condition >= 0) physics_boundary_state(condition, own, normal, x, t, other[k]);
#endif
      flux_in_owner_order(own, other[k], scale, normal, x, t, flux);
#if LANE_ELEMENTS == 1
      SHARED real *to = shared + FLUX_AT + e * FLUX_PITCH + p % FACE_COLUMNS * 2;
      flux[NVAR] = 0;
      UNROLL for (int v = 0; v < NVAR; v += 2) STORE_TWO(scale * flux[v], scale * flux[v + 1], to + v / 2 * FACE_PITCH);
#else
      SHARED real *to = shared + FLUX_AT + (e / 16 * 8 + e % 8) * FLUX_PITCH + p % FACE_COLUMNS * 2 + e / 8 % 2;
      UNROLL for (int v = 0; v < NVAR; ++v) to[v * FACE_PITCH] = scale * flux[v];
#endif
    }
  }
  BARRIER();

  /* The product; the operator of the next step is read a step ahead. */
  const int lane = thread & 31, quarter = lane & 3;
  const int pair_warp = thread / 32 / NODE_WARPS;
  const int first_element = pair_warp * 8 * LANE_ELEMENTS + (lane >> 2);
  const int first_tile = thread / 32 % NODE_WARPS * NODE_TILES;
  GLOBAL const double *operator_of_lane = fragments + (first_tile * 32 + lane) * 2;
  double sum[ROW_TILES][NODE_TILES][4], b[NODE_TILES][2], next[NODE_TILES][2];
  UNROLL for (int m = 0; m < ROW_TILES; ++m) {
    UNROLL for (int n = 0; n < NODE_TILES; ++n) {
      UNROLL for (int i = 0; i < 4; ++i) sum[m][n][i] = 0;
    }
  }
  NEXT_OPERATOR();

#pragma unroll 1
  for (int c = 0; c < TILES; ++c) {
    const int i = c * 8 + 2 * quarter < NP ? c * 8 + 2 * quarter : NODE_PITCH - 2; /* columns from NP on: any finite flux */
    realv q[2][LANE_ELEMENTS][NVAR], x[2][LANE_ELEMENTS][DIM];
    UNROLL for (int r = 0; r < LANE_ELEMENTS; ++r) {
      const int e = first_element + 8 * r;
      UNROLL for (int v = 0; v < NVAR; ++v) LOAD_TWO(shared + e * STATE_PITCH + v * NODE_PITCH + i, q[0][r][v], q[1][r][v]);
      UNROLL for (int j = 0; j < 2; ++j) {
#if NODE_POSITION
        UNROLL for (int k = 0; k < DIM; ++k) x[j][r][k] = node_points[((long)MEMBER(e) * DIM + k) * NP + (i + j < NP ? i + j : NP - 1)];
#else
        UNROLL for (int k = 0; k < DIM; ++k) x[j][r][k] = 0;
#endif
      }
    }
    UNROLL for (int d = 0; d < DIM; ++d) {
      realv flux[2][LANE_ELEMENTS][NVAR];
      NEXT_OPERATOR();
      UNROLL for (int r = 0; r < LANE_ELEMENTS; ++r) {
        const int e = first_element + 8 * r;
        UNROLL for (int j = 0; j < 2; ++j) {
          realv a[DIM];
#if AFFINE
          UNROLL for (int k = 0; k < DIM; ++k) a[k] = shared[METRIC_AT + (e * DIM + d) * DIM + k];
#else
          UNROLL for (int k = 0; k < DIM; ++k) {
            a[k] = metric[((long)MEMBER(e) * (DIM * DIM + 1) + d * DIM + k) * NP + (i + j < NP ? i + j : NP - 1)];
          }
#endif
          physics_flux_along(q[j][r], a, x[j][r], t, flux[j][r]);
        }
      }
      UNROLL for (int m = 0; m < ROW_TILES; ++m) {
        double a[4];
        UNROLL for (int j = 0; j < 4; ++j) a[j] = flux[j / 2][ROW_ELEMENT(m, j % 2)][ROW_VARIABLE(m, j % 2)];
        UNROLL for (int n = 0; n < NODE_TILES; ++n) MATRIX_STEP(sum[m][n], a, b[n]);
      }
    }
  }
  SHARED const real *flux_of_lane = shared + FLUX_AT + (pair_warp * 8 + (lane >> 2)) * FLUX_PITCH + 2 * quarter;
#pragma unroll 1
  for (int s = 0; s < FACE_STEPS; ++s) {
    NEXT_OPERATOR();
    UNROLL for (int m = 0; m < ROW_TILES; ++m) {
      real two[4];
      double a[4];
      UNROLL for (int j = 0; j < 2; ++j) LOAD_TWO(flux_of_lane + m * FACE_PITCH + (s * 8 + 4 * j) * 2, two[2 * j], two[2 * j + 1]);
      UNROLL for (int j = 0; j < 4; ++j) a[j] = two[j];
      UNROLL for (int n = 0; n < NODE_TILES; ++n) MATRIX_STEP(sum[m][n], a, b[n]);
    }
  }

  /* The rates go to shared memory, so that the update runs over consecutive values. A lane has all variables of its elements at nodes
     n * 8 + quarter and 4 more. */
#define BATCH (OLD_LIMIT < TURNS(ELEMENTS * VALUES) ? OLD_LIMIT : TURNS(ELEMENTS * VALUES))
#define LOAD_OLD(first) \
  UNROLL for (int k = 0; k < BATCH; ++k) { \
    if ((first) + k * THREADS < value_count) STAGE_OLD(old[k], first_value + (first) + k * THREADS); \
  }
  realv old[BATCH][STAGE_OLD_COUNT];
  LOAD_OLD(thread);
  BARRIER();
  UNROLL for (int n = 0; n < NODE_TILES; ++n) {
    UNROLL for (int j = 0; j < 2; ++j) {
      const int node = (first_tile + n) * 8 + 4 * j + quarter;
      UNROLL for (int r = 0; r < LANE_ELEMENTS; ++r) {
        const int e = first_element + 8 * r;
        realv rate[NVAR];
        UNROLL for (int v = 0; v < NVAR; ++v) {
          rate[v] = (real)(LANE_ELEMENTS == 2 ? sum[v % ROW_TILES][n][2 * r + j] : sum[v / 2][n][v % 2 * 2 + j]);
        }
        if (node < NP) {
#if !AFFINE
          const real inverse_jacobian = metric[((long)MEMBER(e) * (DIM * DIM + 1) + DIM * DIM) * NP + node];
          UNROLL for (int v = 0; v < NVAR; ++v) rate[v] *= inverse_jacobian;
#endif
#if SOURCE
          realv q[NVAR], x[DIM], s[NVAR];
          UNROLL for (int v = 0; v < NVAR; ++v) q[v] = shared[e * STATE_PITCH + v * NODE_PITCH + node];
#if NODE_POSITION
          UNROLL for (int k = 0; k < DIM; ++k) x[k] = node_points[((long)MEMBER(e) * DIM + k) * NP + node];
#else
          UNROLL for (int k = 0; k < DIM; ++k) x[k] = 0;
#endif
          physics_source(q, x, t, s);
          UNROLL for (int v = 0; v < NVAR; ++v) rate[v] += s[v];
#endif
          UNROLL for (int v = 0; v < NVAR; ++v) shared[FLUX_AT + e * STATE_PITCH + v * NODE_PITCH + node] = rate[v];
        }
      }
    }
  }
  BARRIER();
#pragma unroll 1
  for (int first = thread; first < value_count; first += BATCH * THREADS) {
    if (first != thread) LOAD_OLD(first);
    UNROLL for (int k = 0; k < BATCH; ++k) {
      const int p = first + k * THREADS, at = STATE_OFFSET(p);
      if (p < value_count) STAGE_UPDATE_FROM(shared[at], shared[FLUX_AT + at], old[k], first_value + p);
    }
  }
}
