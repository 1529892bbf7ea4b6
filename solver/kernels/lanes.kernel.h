/* Lanes: W elements advance together as the lanes of a realv (CPUs). Loads that bring neighbours' values into lanes. */

/* VGATHER(p, offset): lane i from p[i][offset].  VGATHER_EACH(p, o): lane i from p[i][o[i]].  VFROM(a): lane i from a[i]. */
#if VECTOR_WIDTH == 1
#define VGATHER(p, o) ((p)[0][o])
#define VGATHER_EACH(p, o) ((p)[0][(o)[0]])
#define VFROM(a) ((a)[0])
#define VSHIFT_UP(a, b) (b)
#define VSHIFT_DOWN(a, b) (b)
#elif VECTOR_WIDTH == 2
#define VGATHER(p, o) ((realv)((p)[0][o], (p)[1][o]))
#define VGATHER_EACH(p, o) ((realv)((p)[0][(o)[0]], (p)[1][(o)[1]]))
#define VFROM(a) ((realv)((a)[0], (a)[1]))
#define VSHIFT_UP(a, b) ((realv)((a).s1, (b).s0))
#define VSHIFT_DOWN(a, b) ((realv)((b).s1, (a).s0))
#elif VECTOR_WIDTH == 4
#define VGATHER(p, o) ((realv)((p)[0][o], (p)[1][o], (p)[2][o], (p)[3][o]))
#define VGATHER_EACH(p, o) ((realv)((p)[0][(o)[0]], (p)[1][(o)[1]], (p)[2][(o)[2]], (p)[3][(o)[3]]))
#define VFROM(a) ((realv)((a)[0], (a)[1], (a)[2], (a)[3]))
#define VSHIFT_UP(a, b) ((realv)((a).s1, (a).s2, (a).s3, (b).s0))
#define VSHIFT_DOWN(a, b) ((realv)((b).s3, (a).s0, (a).s1, (a).s2))
#elif VECTOR_WIDTH == 8
#define VGATHER(p, o) ((realv)((p)[0][o], (p)[1][o], (p)[2][o], (p)[3][o], (p)[4][o], (p)[5][o], (p)[6][o], (p)[7][o]))
#define VGATHER_EACH(p, o) \
  ((realv)((p)[0][(o)[0]], (p)[1][(o)[1]], (p)[2][(o)[2]], (p)[3][(o)[3]], (p)[4][(o)[4]], (p)[5][(o)[5]], (p)[6][(o)[6]], (p)[7][(o)[7]]))
#define VFROM(a) ((realv)((a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5], (a)[6], (a)[7]))
#define VSHIFT_UP(a, b) ((realv)((a).s1, (a).s2, (a).s3, (a).s4, (a).s5, (a).s6, (a).s7, (b).s0))
#define VSHIFT_DOWN(a, b) ((realv)((b).s7, (a).s0, (a).s1, (a).s2, (a).s3, (a).s4, (a).s5, (a).s6))
#elif VECTOR_WIDTH == 16
#define VGATHER(p, o) \
  ((realv)((p)[0][o], (p)[1][o], (p)[2][o], (p)[3][o], (p)[4][o], (p)[5][o], (p)[6][o], (p)[7][o], \
           (p)[8][o], (p)[9][o], (p)[10][o], (p)[11][o], (p)[12][o], (p)[13][o], (p)[14][o], (p)[15][o]))
#define VGATHER_EACH(p, o) \
  ((realv)((p)[0][(o)[0]], (p)[1][(o)[1]], (p)[2][(o)[2]], (p)[3][(o)[3]], (p)[4][(o)[4]], (p)[5][(o)[5]], (p)[6][(o)[6]], (p)[7][(o)[7]], \
           (p)[8][(o)[8]], (p)[9][(o)[9]], (p)[10][(o)[10]], (p)[11][(o)[11]], (p)[12][(o)[12]], (p)[13][(o)[13]], (p)[14][(o)[14]], \
           (p)[15][(o)[15]]))
#define VFROM(a) \
  ((realv)((a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5], (a)[6], (a)[7], (a)[8], (a)[9], (a)[10], (a)[11], (a)[12], (a)[13], (a)[14], (a)[15]))
#define VSHIFT_UP(a, b) \
  ((realv)((a).s1, (a).s2, (a).s3, (a).s4, (a).s5, (a).s6, (a).s7, (a).s8, (a).s9, (a).sa, (a).sb, (a).sc, (a).sd, (a).se, (a).sf, (b).s0))
#define VSHIFT_DOWN(a, b) \
  ((realv)((b).sf, (a).s0, (a).s1, (a).s2, (a).s3, (a).s4, (a).s5, (a).s6, (a).s7, (a).s8, (a).s9, (a).sa, (a).sb, (a).sc, (a).sd, (a).se))
#endif

/* Coordinates of a node of block `member` of the class; 0 where no formula reads them. */
INLINE void node_position(GLOBAL const real *node_points, const int member, const int node, realv *x) {
#if NODE_POSITION
  UNROLL for (int k = 0; k < DIM; ++k) x[k] = VLOAD(node_points + (((long)member * DIM + k) * NP + node) * VECTOR_WIDTH);
#else
  UNROLL for (int k = 0; k < DIM; ++k) x[k] = REALV(0);
#endif
}

/* What the physics reads at a node of block `block`: state, then gradients, [block][value][node][W] each. */
INLINE void lanes_node(GLOBAL const real *state, GLOBAL const real *gradients, const int block, const int node, realv *q) {
  const long at = (long)block * NSTATE * NP * VECTOR_WIDTH, gradient_at = (long)block * (NVAR - NSTATE) * NP * VECTOR_WIDTH;
  UNROLL for (int v = 0; v < NSTATE; ++v) q[v] = VLOAD(state + at + (v * NP + node) * VECTOR_WIDTH);
  UNROLL for (int v = NSTATE; v < NVAR; ++v) q[v] = VLOAD(gradients + gradient_at + ((v - NSTATE) * NP + node) * VECTOR_WIDTH);
}

/* How the neighbours of the W lanes of a block lie behind one face: kinds[block][face] = (kind, block A).
   GENERAL: anything, also boundaries; UNIFORM: the same face code in every lane; WHOLE: lane i meets lane i of block A;
   UP: lane i meets lane i+1 of A, the last lane any; DOWN: lane i meets lane i-1 of A, the first lane any. */
#define KIND_GENERAL 0
#define KIND_UNIFORM 1
#define KIND_WHOLE 2
#define KIND_UP 3
#define KIND_DOWN 4

#if STREAM
/* Announces the traces that a block of the class meets as vectors. */
INLINE void lanes_traces_ahead(GLOBAL const real *traces, GLOBAL const int *links, GLOBAL const int *kinds, GLOBAL const int *points,
                               const int member) {
  for (int face = 0; face < NFACE; ++face) {
    const long record = (long)member * NFACE + face;
    if (kinds[2 * record] < KIND_WHOLE) continue;
    GLOBAL const int *other_points = points + (links[(2 * record + 1) * VECTOR_WIDTH] & 63) * NFP;
    GLOBAL const real *block_a = traces + (long)kinds[2 * record + 1] * NSTATE * TRACE_POINTS * VECTOR_WIDTH;
    for (int m = 0; m < NFP; ++m) {
      UNROLL for (int v = 0; v < NSTATE; ++v) PREFETCH(block_a + (v * TRACE_POINTS + other_points[m]) * VECTOR_WIDTH);
    }
  }
}

/* In the kernel, before a block: announces the registers, which it reads last, and state and traces that the next one reads. They lie where
   the hardware does not expect them. Worth its instructions only where they are in no cache. */
#define LANES_READ_AHEAD(traces, block) \
  do { \
    for (int ahead = 0; ahead < NOUT * NP; ++ahead) STAGE_PREFETCH(((long)(block) * NOUT * NP + ahead) * VECTOR_WIDTH); \
    for (int ahead = 0; ahead < NSTATE * NP; ++ahead) PREFETCH(state + (((long)(block) + 1) * NSTATE * NP + ahead) * VECTOR_WIDTH); \
    if (member + 1 < block_count) lanes_traces_ahead(traces, links, kinds, points, member + 1); \
  } while (0)
#else
#define LANES_READ_AHEAD(traces, block) ((void)0)
#endif

/* The neighbours' values behind a face whose kind is not general: `count` of them, from offset o of block A or of what the lanes meet. */
INLINE void lanes_others(const int kind, const int count, GLOBAL const real *block_a, GLOBAL const real *const *lane, const int o,
                         realv *other) {
  if (kind == KIND_WHOLE) {
    UNROLL for (int v = 0; v < count; ++v) other[v] = VLOAD(block_a + v * TRACE_POINTS * VECTOR_WIDTH + o);
  } else if (kind == KIND_UNIFORM) {
    UNROLL for (int v = 0; v < count; ++v) other[v] = VGATHER(lane, v * TRACE_POINTS * VECTOR_WIDTH + o);
  } else {
    UNROLL for (int v = 0; v < count; ++v) {
      const realv a = VLOAD(block_a + v * TRACE_POINTS * VECTOR_WIDTH + o);
      const realv b = REALV(lane[kind == KIND_UP ? VECTOR_WIDTH - 1 : 0][v * TRACE_POINTS * VECTOR_WIDTH + o]);
      other[v] = kind == KIND_UP ? VSHIFT_UP(a, b) : VSHIFT_DOWN(a, b);
    }
  }
}

/* block: number in the state; member: number in the class. Scaled fluxes of all points of one face of a block go to scaled[v * stride + m].
   traces: [block][variable][TRACE_POINTS][W], gradient_traces likewise; points: [face][orientation 0..7][m] -> point of TRACE_POINTS. */
INLINE void lanes_face(GLOBAL const real *traces, GLOBAL const real *gradient_traces, GLOBAL const int *links, GLOBAL const int *kinds,
                       GLOBAL const int *points, GLOBAL const real *faces,
#if FACE_POSITION
                       GLOBAL const real *face_points,
#endif
                       const int block, const int member, const int face, const real t, realv *scaled, const int stride) {
  const long record = (long)member * NFACE + face;
  GLOBAL const int *neighbour = links + record * 2 * VECTOR_WIDTH;
  GLOBAL const int *code = neighbour + VECTOR_WIDTH;
  const int kind = kinds[2 * record];
  GLOBAL const int *own_points = points + face * 8 * NFP;
  GLOBAL const int *uniform_points = points + (code[0] & 63) * NFP;
  const long block_reals = NSTATE * TRACE_POINTS * VECTOR_WIDTH, gradient_reals = (NVAR - NSTATE) * TRACE_POINTS * VECTOR_WIDTH;
  GLOBAL const real *own_block = traces + block * block_reals, *own_gradients = gradient_traces + block * gradient_reals;
  GLOBAL const real *block_a = traces + kinds[2 * record + 1] * block_reals;
  GLOBAL const real *gradients_a = gradient_traces + kinds[2 * record + 1] * gradient_reals;
  GLOBAL const real *lane[VECTOR_WIDTH], *gradient_lane[VECTOR_WIDTH];
  real lane_condition[VECTOR_WIDTH];
  UNROLL for (int i = 0; i < VECTOR_WIDTH; ++i) {
    lane[i] = traces + neighbour[i] / VECTOR_WIDTH * block_reals + neighbour[i] % VECTOR_WIDTH;
    gradient_lane[i] = gradient_traces + neighbour[i] / VECTOR_WIDTH * gradient_reals + neighbour[i] % VECTOR_WIDTH;
    lane_condition[i] = REAL(FACE_CONDITION(code[i]));
  }
  for (int m = 0; m < NFP; ++m) {
    realv own[NVAR], other[NVAR], normal[DIM], scale, x[DIM], flux[NOUT];
    const int at = own_points[m] * VECTOR_WIDTH;
    UNROLL for (int v = 0; v < NSTATE; ++v) own[v] = VLOAD(own_block + v * TRACE_POINTS * VECTOR_WIDTH + at);
    UNROLL for (int v = NSTATE; v < NVAR; ++v) own[v] = VLOAD(own_gradients + (v - NSTATE) * TRACE_POINTS * VECTOR_WIDTH + at);
#if AFFINE
    GLOBAL const real *g = faces + record * (DIM + 1) * VECTOR_WIDTH;
    UNROLL for (int k = 0; k < DIM; ++k) normal[k] = VLOAD(g + k * VECTOR_WIDTH);
    scale = VLOAD(g + DIM * VECTOR_WIDTH);
#else
    GLOBAL const real *g = faces + (record * (DIM + 1) * NFP + m) * VECTOR_WIDTH;
    UNROLL for (int k = 0; k < DIM; ++k) normal[k] = VLOAD(g + k * NFP * VECTOR_WIDTH);
    scale = VLOAD(g + DIM * NFP * VECTOR_WIDTH);
#endif
#if FACE_POSITION
    UNROLL for (int k = 0; k < DIM; ++k) x[k] = VLOAD(face_points + ((record * DIM + k) * NFP + m) * VECTOR_WIDTH);
#else
    UNROLL for (int k = 0; k < DIM; ++k) x[k] = REALV(0);
#endif
    if (kind == KIND_GENERAL) {
      int o[VECTOR_WIDTH];
      UNROLL for (int i = 0; i < VECTOR_WIDTH; ++i) o[i] = points[(code[i] & 63) * NFP + m] * VECTOR_WIDTH;
      UNROLL for (int v = 0; v < NSTATE; ++v) {
        other[v] = VGATHER_EACH(lane, o);
        UNROLL for (int i = 0; i < VECTOR_WIDTH; ++i) o[i] += TRACE_POINTS * VECTOR_WIDTH;
      }
      UNROLL for (int i = 0; i < VECTOR_WIDTH; ++i) o[i] -= NSTATE * TRACE_POINTS * VECTOR_WIDTH;
      UNROLL for (int v = NSTATE; v < NVAR; ++v) {
        other[v] = VGATHER_EACH(gradient_lane, o);
        UNROLL for (int i = 0; i < VECTOR_WIDTH; ++i) o[i] += TRACE_POINTS * VECTOR_WIDTH;
      }
#if BOUNDARY
      const realv condition = VFROM(lane_condition);
      UNROLL for (int c = 0; c < CONDITIONS; ++c) {
        int any = 0;
        UNROLL for (int i = 0; i < VECTOR_WIDTH; ++i) any |= FACE_CONDITION(code[i]) == c;
        if (any) {
          realv outer[NVAR];
          physics_boundary_state(c, own, normal, x, t, outer);
          UNROLL for (int v = 0; v < NVAR; ++v) other[v] = SELECT(condition == REALV(c), outer[v], other[v]);
        }
      }
#endif
    } else {
      const int o = uniform_points[m] * VECTOR_WIDTH;
      lanes_others(kind, NSTATE, block_a, lane, o, other);
      lanes_others(kind, NVAR - NSTATE, gradients_a, gradient_lane, o, other + NSTATE);
    }
    flux_in_owner_order(own, other, scale, normal, x, t, flux);
    UNROLL for (int v = 0; v < NOUT; ++v) scaled[v * stride + m] = scale * flux[v];
  }
}
