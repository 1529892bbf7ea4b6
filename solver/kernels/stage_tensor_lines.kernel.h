/* One Runge-Kutta stage on quadrilaterals and hexahedra with Lobatto nodes, lines of nodes over threads (GPUs).
   The same scheme as stage_tensor_nodes.kernel.h with fewer bytes through the caches and fewer waits. The states of a group's elements are
   copied into shared memory. Then, direction by direction, a thread has a line of N nodes and the two face points at its ends: the line's
   rates stay in registers while fluxes are computed and used, and are added up over directions in shared memory. What comes from device
   memory is asked for long before it is used: traces of neighbours outside the group while the derivative along the line is taken, the
   first Runge-Kutta register during the last direction.

   Shared memory: states [element][variable][place], rates alike, then for each element traces [end][variable][line], its geometry, and links
   [face][slot, code]. Curved elements: the metric vectors of the present direction, [inner node of a line][k][line], and those at the ends
   of the lines in two directions, [direction modulo 2][end][k][line]; there they are face normals times surface Jacobian, the same to the
   sign on both sides. */

#define NVAR ${NVAR}
#define DIM ${DIM}
#define N ${N}
#define NP ${NP}
#define NFP ${NFP}
#define NFACE (2 * DIM)
#define ELEMENTS ${ELEMENTS}           /* elements of a group */
#define LINES ${LINES}                 /* threads of an element: lines in each direction */
#define PITCH ${PITCH}                 /* shared reals from element to element */
#define SWIZZLE ${SWIZZLE}             /* N is a power of two: places are permuted against bank conflicts */
#define IN_ORDER ${IN_ORDER}           /* values are read and written in their order in memory, if the update is of one register */
#define SHARED_REALS ${SHARED_REALS}
#define AFFINE ${AFFINE}
#define BOUNDARY ${BOUNDARY}           /* elements of this class may touch the boundary */
#define SOURCE ${SOURCE}
#define NODE_POSITION ${NODE_POSITION}
#define FACE_POSITION ${FACE_POSITION}
#define LAST (DIM - 1)
#define TRACE_REALS (2 * NVAR * NFP)
#define METRIC_REALS (AFFINE ? DIM * DIM : (N - 2) * DIM * NFP)
#define FACE_REALS (AFFINE ? NFACE * (DIM + 1) : 4 * DIM * NFP)
#define END_FACTOR REAL(${END_FACTOR})   /* 1 / (weight of an end of a line) */
#define EXTRA_REALS ${EXTRA_REALS}     /* traces, geometry, links */
#if ${ROLLED}
#define DIRECTIONS ROLLED
#else
#define DIRECTIONS UNROLL
#endif
#define GROUP_THREADS (ELEMENTS * LINES)
#define VALUES (NVAR * NP)

#include "physics"
#include "update"
#include "line"
#include "trace.kernel.h"
#include "tensor_faces.kernel.h"

#if IN_ORDER && defined(STAGE_VALUES)
#define FLAT 1
#else
#define FLAT 0
#endif
#define METRIC_LATER (!AFFINE)                     /* inner metric vectors of a direction are asked for after those of the last were used */
#define INVERSE_EARLY (!AFFINE && N <= 2 * NVAR)   /* 1/J is asked for before the last derivative, in place of the last traces */
#if 32 % LINES == 0
#define TEAM_BARRIER() WARP_BARRIER()  /* an element's threads are in one warp */
#else
#define TEAM_BARRIER() BARRIER()
#endif

/* Place of node (x, y, z) in shared memory: whichever coordinate runs over the lanes, they use different banks. */
#if SWIZZLE
#define PLACE(x, y, z) (((x) ^ (y)) + N * ((y) ^ (z)) + N * N * (z))
#else
#define PLACE(x, y, z) ((x) + N * ((y) + N * (z)))
#endif

/* Value `at` of [element][variable][node] in shared memory. */
#define IN_SHARED(at) ((at) + (at) / VALUES * (PITCH - VALUES))

/* Node m of line (a, b) in direction d, as a place and as a number. */
INLINE int line_place(const int d, const int a, const int b, const int m) {
#if DIM == 2
  return d == 0 ? PLACE(m, a, 0) : PLACE(a, m, 0);
#else
  return d == 0 ? PLACE(m, a, b) : d == 1 ? PLACE(a, m, b) : PLACE(a, b, m);
#endif
}

INLINE int line_node(const int d, const int a, const int b, const int m) {
  return d == 0 ? m + N * (a + N * b) : d < LAST ? a + N * (m + N * b) : a + N * b + LINES * m;
}

/* What the functions below need to know of a thread's element and of its line (a, b) in the present direction. */
struct Line {
  SHARED real *shared;
  SHARED const int *links;    /* [face][slot, code] */
  SHARED real *metric, *faces;
#if FACE_POSITION
  GLOBAL const real *face_points;
#endif
#if NODE_POSITION
  GLOBAL const real *node_points;
#endif
  int a, b;                   /* the line's number is a + N b */
  int in_group;               /* the element's number in the group */
  int64 base;                 /* where the values begin in the state and in registers: of the group if FLAT, else of the element */
  int own, traces;            /* where in shared memory the element's state [variable][place] and traces are */
  int first, present;         /* first slot of the group, elements in it */
  int outer[2], stride[2];    /* where in shared memory the neighbours' traces are, and from variable to variable */
  real t;
};

/* Asks for the values of the state or of a register: for all the group's together if FLAT, else for those of the line in the last direction.
   Elements that the last group lacks are copies of its first. */
INLINE void ask_for_values(const struct Line *line, GLOBAL const real *values, const int to) {
#if FLAT
  UNROLL for (int j = 0; j < N * NVAR; ++j) {
    const int at = LOCAL_ID(0) + j * GROUP_THREADS;
    COPY_ASYNC(line->shared + to + IN_SHARED(at), values + line->base + (at < line->present * VALUES ? at : at % VALUES));
  }
#else
  UNROLL for (int m = 0; m < N; ++m) {
    UNROLL for (int v = 0; v < NVAR; ++v) {
      COPY_ASYNC(line->shared + to + line->in_group * PITCH + v * NP + line_place(LAST, line->a, line->b, m),
                 values + line->base + v * NP + line->a + N * line->b + m * LINES);
    }
  }
#endif
}

/* Finds the trace beyond an end of the line, or asks for it. */
INLINE void ask_for_trace(struct Line *line, GLOBAL const real *state, const int end, const int neighbour, const int code) {
  const int inside = neighbour - line->first, face = FACE_NEIGHBOUR_FACE(code);
  int aa = line->a, bb = line->b;
  tensor_turn(FACE_ORIENTATION(code), &aa, &bb);
  if (inside >= 0 && inside < line->present) {
    line->outer[end] = inside * PITCH + line_place(face / 2, aa, bb, (face & 1) * (N - 1));
    line->stride[end] = NP;
  } else {
    GLOBAL const real *q = state + (int64)neighbour * VALUES + tensor_face_node(face, aa, bb);
    line->outer[end] = line->traces + end * NVAR * NFP + line->a + N * line->b;
    line->stride[end] = NFP;
    UNROLL for (int v = 0; v < NVAR; ++v) COPY_ASYNC(line->shared + line->outer[end] + v * NFP, q + v * NP);
  }
}

#if !AFFINE
/* Places of the metric vectors of the line's end and of its inner node m. */
INLINE SHARED real *end_metric(const struct Line *line, const int d, const int end) {
  return line->faces + ((d & 1) * 2 + end) * DIM * NFP + line->a + N * line->b;
}

INLINE SHARED real *inner_metric(const struct Line *line, const int m) { return line->metric + (m - 1) * DIM * NFP + line->a + N * line->b; }

/* Asks for the metric vectors of the line's ends, or of its inner nodes. */
INLINE void ask_for_end_metric(const struct Line *line, GLOBAL const real *metric, const int d) {
  UNROLL for (int end = 0; end < 2; ++end) {
    UNROLL for (int k = 0; k < DIM; ++k) {
      COPY_ASYNC(end_metric(line, d, end) + k * NFP, metric + (d * DIM + k) * NP + line_node(d, line->a, line->b, end * (N - 1)));
    }
  }
}

INLINE void ask_for_inner_metric(const struct Line *line, GLOBAL const real *metric, const int d) {
  UNROLL for (int m = 1; m < N - 1; ++m) {
    UNROLL for (int k = 0; k < DIM; ++k) {
      COPY_ASYNC(inner_metric(line, m) + k * NFP, metric + (d * DIM + k) * NP + line_node(d, line->a, line->b, m));
    }
  }
}
#endif

/* Geometry of an end of the line: owner's unit normal, and the signed factor of the flux. */
INLINE void face_geometry(const struct Line *line, const int d, const int end, realv *normal, realv *scale) {
#if AFFINE
  SHARED const real *g = line->faces + (2 * d + end) * (DIM + 1);
  UNROLL for (int k = 0; k < DIM; ++k) normal[k] = g[k];
  *scale = g[DIM];
#else
  SHARED const real *g = end_metric(line, d, end);
  const int own = FACE_IS_OWN(line->links[2 * (2 * d + end) + 1]);
  realv square = 0;
  UNROLL for (int k = 0; k < DIM; ++k) {
    normal[k] = g[k * NFP];
    square = FMA(normal[k], normal[k], square);
  }
  const realv length = sqrt(square);
  const realv factor = (own == end ? REAL(1) : REAL(-1)) / length;
  UNROLL for (int k = 0; k < DIM; ++k) normal[k] *= factor;
  *scale = (own ? -END_FACTOR : END_FACTOR) * length;
#endif
}

INLINE void node_position(const struct Line *line, const int node, realv *x) {
#if NODE_POSITION
  UNROLL for (int k = 0; k < DIM; ++k) x[k] = line->node_points[k * NP + node];
#else
  UNROLL for (int k = 0; k < DIM; ++k) x[k] = 0;
#endif
}

/* Numerical flux times signed factor at an end of the line. Both traces are in shared memory: the owner's is read first, as it is the flux's
   first argument on both sides of the face. */
INLINE void face_rate(const struct Line *line, const int d, const int end, realv *rate) {
  const int own = line->own + line_place(d, line->a, line->b, end * (N - 1));
  realv normal[DIM], scale, x[DIM], flux[NVAR], first[NVAR], second[NVAR];
  face_geometry(line, d, end, normal, &scale);
#if FACE_POSITION
  UNROLL for (int k = 0; k < DIM; ++k) x[k] = line->face_points[((2 * d + end) * DIM + k) * NFP + line->a + N * line->b];
#else
  UNROLL for (int k = 0; k < DIM; ++k) x[k] = 0;
#endif
  const int owner = BOUNDARY || scale < REAL(0);   /* beyond a boundary there is no trace: the order is made by values then */
  SHARED const real *one = line->shared + (owner ? own : line->outer[end]), *two = line->shared + (owner ? line->outer[end] : own);
  const int one_stride = owner ? NP : line->stride[end], two_stride = owner ? line->stride[end] : NP;
  UNROLL for (int v = 0; v < NVAR; ++v) first[v] = one[v * one_stride];
  UNROLL for (int v = 0; v < NVAR; ++v) second[v] = two[v * two_stride];
#if BOUNDARY
  const int condition = FACE_CONDITION(line->links[2 * (2 * d + end) + 1]);
  if (condition >= 0) physics_boundary_state(condition, first, normal, x, line->t, second);
  flux_in_owner_order(first, second, scale, normal, x, line->t, flux);
#else
  physics_numerical_flux(first, second, normal, x, line->t, flux);
#endif
  UNROLL for (int v = 0; v < NVAR; ++v) rate[v] = scale * flux[v];
}

/* Adds the derivative of the fluxes along the line. */
INLINE void add_derivative(const struct Line *line, const int d, realv rate[N][NVAR]) {
  UNROLL for (int m = 0; m < N; ++m) {
    realv q[NVAR], direction[DIM], x[DIM], flux[NVAR];
    UNROLL for (int v = 0; v < NVAR; ++v) q[v] = line->shared[line->own + v * NP + line_place(d, line->a, line->b, m)];
    UNROLL for (int k = 0; k < DIM; ++k) {
#if AFFINE
      direction[k] = line->metric[d * DIM + k];
#else
      direction[k] = (m == 0 ? end_metric(line, d, 0) : m == N - 1 ? end_metric(line, d, 1) : inner_metric(line, m))[k * NFP];
#endif
    }
    node_position(line, line_node(d, line->a, line->b, m), x);
    physics_flux_along(q, direction, x, line->t, flux);
    UNROLL for (int i = 0; i < N; ++i) {
      UNROLL for (int v = 0; v < NVAR; ++v) rate[i][v] = FMA(weak_derivative[i * N + m], flux[v], rate[i][v]);
    }
  }
}

${signature} {
  SHARED_MEMORY(real, shared, SHARED_REALS);
  const int thread = LOCAL_ID(0) % LINES, in_group = LOCAL_ID(0) / LINES;
  const int first_member = GROUP_ID(0) * ELEMENTS;
  const int present = element_count - first_member < ELEMENTS ? element_count - first_member : ELEMENTS;
  const int member = first_member + (in_group < present ? in_group : 0);
  const int64 base = (int64)(first_slot + (FLAT ? first_member : member)) * VALUES;
  SHARED real *own_state = shared + in_group * PITCH;
  SHARED real *own_rate = shared + (ELEMENTS + in_group) * PITCH;
  SHARED real *geometry = shared + 2 * ELEMENTS * PITCH + in_group * EXTRA_REALS + TRACE_REALS;
  SHARED int *own_links = (SHARED int *)(geometry + METRIC_REALS + FACE_REALS);

  struct Line line;
  line.shared = shared;
  line.links = own_links;
  line.a = thread % N;
  line.b = thread / N;
  line.in_group = in_group;
  line.base = base;
  line.own = in_group * PITCH;
  line.traces = 2 * ELEMENTS * PITCH + in_group * EXTRA_REALS;
  line.first = first_slot + first_member;
  line.present = present;
#if FACE_POSITION
  line.face_points = face_points + (int64)member * NFACE * DIM * NFP;
#endif
#if NODE_POSITION
  line.node_points = node_points + (int64)member * DIM * NP;
#endif
  line.metric = geometry;
  line.faces = geometry + METRIC_REALS;
#if AFFINE
  metric += (int64)member * DIM * DIM;
  faces += (int64)member * NFACE * (DIM + 1);
#else
  metric += (int64)member * (DIM * DIM + 1) * NP;
#endif

  GLOBAL const int *first_links = links + (int64)member * NFACE * 2;
  int neighbours[2], codes[2];
  UNROLL for (int end = 0; end < 2; ++end) {
    neighbours[end] = first_links[2 * end];
    codes[end] = first_links[2 * end + 1];
  }
#if AFFINE
  for (int i = thread; i < DIM * DIM; i += LINES) COPY_ASYNC(line.metric + i, metric + i);
  for (int i = thread; i < NFACE * (DIM + 1); i += LINES) COPY_ASYNC(line.faces + i, faces + i);
#else
  ask_for_end_metric(&line, metric, 0);
  ask_for_inner_metric(&line, metric, 0);
#endif
  for (int i = thread; i < NFACE * 2; i += LINES) COPY_ASYNC(own_links + i, first_links + i);
  PREVIOUS_KERNEL_DONE();
  WRITTEN_BEFORE(state);
  WRITTEN_BEFORE(clock);
  const real dt = clock[1];
  line.t = clock[0] + stage_time * dt;
  ask_for_values(&line, state, 0);
  CLOSE_COPIES();
  UNROLL for (int end = 0; end < 2; ++end) ask_for_trace(&line, state, end, neighbours[end], codes[end]);
  CLOSE_COPIES();
  WAIT_COPIES(0);
  BARRIER();

  realv rate[N][NVAR];
  DIRECTIONS for (int d = 0; d < DIM; ++d) {
    realv ends[2][NVAR];
    WAIT_COPIES(METRIC_LATER);
    face_rate(&line, d, 0, ends[0]);
    face_rate(&line, d, 1, ends[1]);
    if (d < LAST) {
      UNROLL for (int end = 0; end < 2; ++end) {
        const int face = 2 * d + 2 + end;
        ask_for_trace(&line, state, end, own_links[2 * face], own_links[2 * face + 1]);
      }
#if !AFFINE
      ask_for_end_metric(&line, metric, d + 1);
#endif
    }
    UNROLL for (int m = 0; m < N; ++m) {
      UNROLL for (int v = 0; v < NVAR; ++v) rate[m][v] = m == 0 ? ends[0][v] : m == N - 1 ? ends[1][v] : 0;
    }
    if (d > 0) {
      UNROLL for (int m = 0; m < N; ++m) {
        UNROLL for (int v = 0; v < NVAR; ++v) rate[m][v] += own_rate[v * NP + line_place(d, line.a, line.b, m)];
      }
    }
    if (d == LAST) {
#if FLAT
      BARRIER();   /* rates have been taken up */
#endif
#ifdef STAGE_EARLY_REGISTER
      ask_for_values(&line, STAGE_EARLY_REGISTER, ELEMENTS * PITCH);
#endif
#if INVERSE_EARLY
      UNROLL for (int m = 0; m < N; ++m) {
        COPY_ASYNC(shared + line.traces + thread + m * LINES, metric + DIM * DIM * NP + thread + m * LINES);
      }
#endif
    }
    CLOSE_COPIES();
#if METRIC_LATER
    WAIT_COPIES(1);
#endif
    add_derivative(&line, d, rate);
    if (d < LAST) {
#if METRIC_LATER
      ask_for_inner_metric(&line, metric, d + 1);
      CLOSE_COPIES();
#endif
      UNROLL for (int m = 0; m < N; ++m) {
        UNROLL for (int v = 0; v < NVAR; ++v) own_rate[v * NP + line_place(d, line.a, line.b, m)] = rate[m][v];
      }
      TEAM_BARRIER();
    }
  }
  WAIT_COPIES(0);
#if FLAT
  BARRIER();
#endif

  UNROLL for (int m = 0; m < N; ++m) {
    const int node = thread + m * LINES, place = line_place(LAST, line.a, line.b, m);
    realv q[NVAR];
    UNROLL for (int v = 0; v < NVAR; ++v) q[v] = own_state[v * NP + place];
#if !AFFINE
#if INVERSE_EARLY
    const real inverse_jacobian = shared[line.traces + node];
#else
    const real inverse_jacobian = metric[DIM * DIM * NP + node];
#endif
    UNROLL for (int v = 0; v < NVAR; ++v) rate[m][v] *= inverse_jacobian;
#endif
#if SOURCE
    realv x[DIM], s[NVAR];
    node_position(&line, node, x);
    physics_source(q, x, line.t, s);
    UNROLL for (int v = 0; v < NVAR; ++v) rate[m][v] += s[v];
#endif
#if FLAT
    UNROLL for (int v = 0; v < NVAR; ++v) {
      realv next, kept = 0;
      STAGE_VALUES(q[v], rate[m][v], own_rate[v * NP + place], &next, &kept);
      own_state[v * NP + place] = next;
      own_rate[v * NP + place] = kept;
    }
#else
    if (in_group < present) {
      UNROLL for (int v = 0; v < NVAR; ++v) {
#ifdef STAGE_EARLY_REGISTER
        (void)STAGE_UPDATE_EARLY(q[v], rate[m][v], base + v * NP + node, own_rate[v * NP + place]);
#else
        (void)STAGE_UPDATE(q[v], rate[m][v], base + v * NP + node);
#endif
      }
    }
#endif
  }
#if FLAT
  BARRIER();
  UNROLL for (int j = 0; j < N * NVAR; ++j) {
    const int at = LOCAL_ID(0) + j * GROUP_THREADS;
    if (at < present * VALUES) STAGE_STORE(shared[IN_SHARED(at)], shared[ELEMENTS * PITCH + IN_SHARED(at)], base + at);
  }
#endif
}
