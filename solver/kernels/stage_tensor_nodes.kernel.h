/* One Runge-Kutta stage on lines, quadrilaterals and hexahedra, nodes over threads (GPUs).
   Weak form, collocated: dq_i/dt = 1/J_i [ sum_d sum_m Dhat_im (Ja^d . F)_m - boundary terms ] + source, docs/numerics.md.
   Contravariant fluxes of a node are staged in shared memory, STAGED_DIRECTIONS directions and STAGED_VARIABLES variables at a time. */

#define NVAR ${NVAR}             /* values of a node that the physics reads: the state, then gradients */
#define NSTATE ${NSTATE}         /* of them in the state */
#define NOUT ${NOUT}             /* values that are computed */
#define NVALUES (NVAR > NOUT ? NVAR : NOUT)
#define DIM ${DIM}
#define N ${N}
#define NP ${NP}
#define NFP ${NFP}
#define NFACE (2 * DIM)
#define ELEMENTS ${ELEMENTS}     /* elements of a group */
#define THREADS ${THREADS}       /* threads of an element */
#define STAGED_DIRECTIONS ${STAGED_DIRECTIONS}
#define STAGED_VARIABLES ${STAGED_VARIABLES}
#define AFFINE ${AFFINE}
#define BOUNDARY ${BOUNDARY}     /* elements of this class may touch the boundary */
#define GAUSS ${GAUSS}           /* nodes inside: traces live in arrays of their own */
#define STAGED_FACES ${STAGED_FACES}   /* face points over threads (1), or every thread the faces of its node (0) */
#define SOURCE ${SOURCE}
#define NODE_POSITION ${NODE_POSITION}
#define FACE_POSITION ${FACE_POSITION}
#define TRACE_POINTS (GAUSS ? NFACE * NFP : NP)   /* points of one variable where traces are read */
#define CHUNKS ((NP + THREADS - 1) / THREADS)
#define STAGE_REALS ${STAGE_REALS}   /* shared reals of one element */
#define SHARED_REALS ${SHARED_REALS}

#include "physics"
#include "update"
#include "trace.kernel.h"
#include "tensor_faces.kernel.h"

/* Geometry of a face point: owner's unit normal, and the signed factor of the flux. */
INLINE void face_geometry(GLOBAL const real *faces, const int member, const int face, const int m, realv *normal, realv *scale) {
#if AFFINE
  GLOBAL const real *g = faces + ((long)member * NFACE + face) * (DIM + 1);
  UNROLL for (int k = 0; k < DIM; ++k) normal[k] = g[k];
  *scale = g[DIM];
#else
  GLOBAL const real *g = faces + (((long)member * NFACE + face) * (DIM + 1)) * NFP + m;
  UNROLL for (int k = 0; k < DIM; ++k) normal[k] = g[k * NFP];
  *scale = g[DIM * NFP];
#endif
}

/* What the physics reads at a point where traces are. */
INLINE void trace_at(GLOBAL const real *traces, GLOBAL const real *gradient_traces, const int slot, const int point, realv *q) {
  GLOBAL const real *state_at = traces + (long)slot * NSTATE * TRACE_POINTS + point;
  UNROLL for (int v = 0; v < NSTATE; ++v) q[v] = state_at[v * TRACE_POINTS];
  UNROLL for (int v = NSTATE; v < NVAR; ++v) {
    q[v] = gradient_traces[((long)slot * (NVAR - NSTATE) + v - NSTATE) * TRACE_POINTS + point];
  }
}

/* Numerical flux times signed factor at point m = (a, b) of a face; own: this side's trace. */
INLINE void face_contribution(GLOBAL const real *traces, GLOBAL const real *gradient_traces, GLOBAL const int *links,
                              GLOBAL const real *faces,
#if FACE_POSITION
                              GLOBAL const real *face_points,
#endif
                              const int member, const int face, const int a, const int b, const real t, const realv *own, realv *scaled) {
  const int m = a + N * b;
  const long record = (long)member * NFACE + face;
  const int neighbour = links[2 * record], code = links[2 * record + 1];
  realv normal[DIM], scale, other[NVAR], x[DIM], flux[NOUT];
  face_geometry(faces, member, face, m, normal, &scale);
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
    int aa = a, bb = b;
    tensor_turn(FACE_ORIENTATION(code), &aa, &bb);
    const int nface = FACE_NEIGHBOUR_FACE(code);
    const int point = GAUSS ? nface * NFP + aa + N * bb : tensor_face_node(nface, aa, bb);
    trace_at(traces, gradient_traces, neighbour, point, other);
  }
  flux_in_owner_order(own, other, scale, normal, x, t, flux);
  UNROLL for (int v = 0; v < NOUT; ++v) scaled[v] = scale * flux[v];
}

${signature} {
  SHARED_MEMORY(real, shared, SHARED_REALS);
#if NVAR == NSTATE
  GLOBAL const real *gradients = 0, *gradient_traces = 0;
#elif !GAUSS
  GLOBAL const real *gradient_traces = gradients;
#endif
#if !GAUSS
  GLOBAL const real *traces = state;
#endif
  const int in_group = LOCAL_ID(0) / THREADS;
  const int thread = LOCAL_ID(0) % THREADS;
  const int index = GROUP_ID(0) * ELEMENTS + in_group;
  const int present = index < element_count;
  const int member = present ? index : element_count - 1;            /* number in the class: geometry */
  const int slot = first_slot + member;                              /* number in the state */
  SHARED real *dhat = shared;                                       /* [N][N] */
  SHARED real *staged = shared + N * N + in_group * STAGE_REALS;    /* [direction][variable][node] */
  PREVIOUS_KERNEL_DONE();
  WRITTEN_BEFORE(state);
  WRITTEN_BEFORE(traces);
#if NVAR > NSTATE
  WRITTEN_BEFORE(gradients);
  WRITTEN_BEFORE(gradient_traces);
#endif
  WRITTEN_BEFORE(clock);
  const real t = clock[0] + stage_time * clock[1];
  const real dt = clock[1];
  const long base = (long)slot * NOUT * NP;

  for (int i = LOCAL_ID(0); i < N * N; i += ELEMENTS * THREADS) dhat[i] = operators[i];

  realv q[CHUNKS][NVALUES], rate[CHUNKS][NOUT], contravariant[CHUNKS][DIM][NOUT];
  UNROLL for (int c = 0; c < CHUNKS; ++c) {
    const int node = thread + c * THREADS < NP ? thread + c * THREADS : NP - 1;
    realv x[DIM];
#if NODE_POSITION
    UNROLL for (int k = 0; k < DIM; ++k) x[k] = node_points[((long)member * DIM + k) * NP + node];
#else
    UNROLL for (int k = 0; k < DIM; ++k) x[k] = 0;
#endif
    UNROLL for (int v = 0; v < NSTATE; ++v) q[c][v] = state[((long)slot * NSTATE + v) * NP + node];
    UNROLL for (int v = NSTATE; v < NVAR; ++v) q[c][v] = gradients[((long)slot * (NVAR - NSTATE) + v - NSTATE) * NP + node];
    UNROLL for (int v = 0; v < NOUT; ++v) rate[c][v] = 0;
    UNROLL for (int d = 0; d < DIM; ++d) {
      realv a[DIM];
#if AFFINE
      UNROLL for (int k = 0; k < DIM; ++k) a[k] = metric[((long)member * DIM + d) * DIM + k];
#else
      UNROLL for (int k = 0; k < DIM; ++k) a[k] = metric[((long)member * (DIM * DIM + 1) + d * DIM + k) * NP + node];
#endif
      physics_flux_along(q[c], a, x, t, contravariant[c][d]);
    }
  }

#if STAGED_FACES
  SHARED real *staged_faces = staged + STAGED_DIRECTIONS * STAGED_VARIABLES * NP;   /* [variable][face point] */
#endif
  UNROLL for (int first = 0; first < DIM; first += STAGED_DIRECTIONS) {
    UNROLL for (int low = 0; low < NOUT; low += STAGED_VARIABLES) {
      if (first > 0 || low > 0) BARRIER();
      UNROLL for (int c = 0; c < CHUNKS; ++c) {
        const int node = thread + c * THREADS;
        if (node < NP) {
          UNROLL for (int d = first; d < DIM && d < first + STAGED_DIRECTIONS; ++d) {
            UNROLL for (int v = low; v < NOUT && v < low + STAGED_VARIABLES; ++v) {
              staged[((d - first) * STAGED_VARIABLES + v - low) * NP + node] = contravariant[c][d][v];
            }
          }
        }
      }
#if STAGED_FACES
      if (first == 0 && low == 0) {
        /* Face points over threads: scaled fluxes to shared memory, where the nodes find them after the barrier. */
        for (int p = thread; p < NFACE * NFP; p += THREADS) {
          const int face = p / NFP, m = p % NFP;
          realv own[NVAR], scaled[NOUT];
          const int own_point = GAUSS ? p : tensor_face_node(face, m % N, m / N);
          trace_at(traces, gradient_traces, slot, own_point, own);
          face_contribution(traces, gradient_traces, links, faces,
#if FACE_POSITION
                            face_points,
#endif
                            member, face, m % N, m / N, t, own, scaled);
          UNROLL for (int v = 0; v < NOUT; ++v) staged_faces[v * NFACE * NFP + p] = scaled[v];
        }
      }
#endif
      BARRIER();
      UNROLL for (int c = 0; c < CHUNKS; ++c) {
        const int node = thread + c * THREADS < NP ? thread + c * THREADS : NP - 1;
        UNROLL for (int d = first; d < DIM && d < first + STAGED_DIRECTIONS; ++d) {
          const int stride = d == 0 ? 1 : d == 1 ? N : N * N;
          const int i = (node / stride) % N;
          const int line = node - i * stride;
          UNROLL for (int m = 0; m < N; ++m) {
            const real w = dhat[i * N + m];
            UNROLL for (int v = low; v < NOUT && v < low + STAGED_VARIABLES; ++v) {
              rate[c][v] = FMA(w, staged[((d - first) * STAGED_VARIABLES + v - low) * NP + line + m * stride], rate[c][v]);
            }
          }
        }
      }
    }
  }

#if STAGED_FACES
  UNROLL for (int c = 0; c < CHUNKS; ++c) {
    const int node = thread + c * THREADS < NP ? thread + c * THREADS : NP - 1;
    UNROLL for (int d = 0; d < DIM; ++d) {
      const int i = d == 0 ? node % N : d == 1 ? (node / N) % N : node / (N * N);
      const int m = d == 0 ? node / N : d == 1 ? node % N + N * (node / (N * N)) : node % (N * N);
#if GAUSS
      UNROLL for (int end = 0; end < 2; ++end) {
        const real w = operators[N * N + end * N + i];
        UNROLL for (int v = 0; v < NOUT; ++v) rate[c][v] = FMA(w, staged_faces[v * NFACE * NFP + (2 * d + end) * NFP + m], rate[c][v]);
      }
#else
      if (i == 0 || i == N - 1) {
        UNROLL for (int v = 0; v < NOUT; ++v) rate[c][v] += staged_faces[v * NFACE * NFP + (2 * d + (i > 0)) * NFP + m];
      }
#endif
    }
  }
#else
  UNROLL for (int c = 0; c < CHUNKS; ++c) {
    const int node = thread + c * THREADS < NP ? thread + c * THREADS : NP - 1;
    UNROLL for (int d = 0; d < DIM; ++d) {
      const int i = d == 0 ? node % N : d == 1 ? (node / N) % N : node / (N * N);
      if (i == 0 || i == N - 1) {
#if DIM == 1
        const int a = 0, b = 0;
#elif DIM == 2
        const int a = d == 0 ? node / N : node % N, b = 0;
#else
        const int a = d == 0 ? (node / N) % N : node % N;
        const int b = d == 2 ? (node / N) % N : node / (N * N);
#endif
        realv scaled[NOUT];
        face_contribution(traces, gradient_traces, links, faces,
#if FACE_POSITION
                          face_points,
#endif
                          member, 2 * d + (i > 0), a, b, t, q[c], scaled);
        UNROLL for (int v = 0; v < NOUT; ++v) rate[c][v] += scaled[v];
      }
    }
  }
#endif

  UNROLL for (int c = 0; c < CHUNKS; ++c) {
    const int node = thread + c * THREADS;
    if (node < NP) {
#if !AFFINE
      const real inverse_jacobian = metric[((long)member * (DIM * DIM + 1) + DIM * DIM) * NP + node];
      UNROLL for (int v = 0; v < NOUT; ++v) rate[c][v] *= inverse_jacobian;
#endif
#if SOURCE
      realv x[DIM], s[NOUT];
#if NODE_POSITION
      UNROLL for (int k = 0; k < DIM; ++k) x[k] = node_points[((long)member * DIM + k) * NP + node];
#else
      UNROLL for (int k = 0; k < DIM; ++k) x[k] = 0;
#endif
      physics_source(q[c], x, t, s);
      UNROLL for (int v = 0; v < NOUT; ++v) rate[c][v] += s[v];
#endif
      if (present) {
        UNROLL for (int v = 0; v < NOUT; ++v) {
          const realv updated = STAGE_UPDATE(q[c][v], rate[c][v], base + v * NP + node);
          q[c][v] = updated;
        }
      }
    }
  }
#if GAUSS
  /* New traces from the new state, as many variables at a time as were staged before. */
  UNROLL for (int low = 0; low < NOUT; low += STAGED_DIRECTIONS * STAGED_VARIABLES) {
    const int high = low + STAGED_DIRECTIONS * STAGED_VARIABLES < NOUT ? low + STAGED_DIRECTIONS * STAGED_VARIABLES : NOUT;
    BARRIER();
    UNROLL for (int c = 0; c < CHUNKS; ++c) {
      const int node = thread + c * THREADS;
      if (node < NP) {
        UNROLL for (int v = low; v < high; ++v) staged[(v - low) * NP + node] = q[c][v];
      }
    }
    BARRIER();
    if (present) {
      for (int p = thread; p < NFACE * NFP; p += THREADS) {
        const int face = p / NFP, m = p % NFP, d = face / 2;
        const int stride = d == 0 ? 1 : d == 1 ? N : N * N;
        const int line = d == 0 ? N * m : d == 1 ? m % N + N * N * (m / N) : m;
        UNROLL for (int v = low; v < high; ++v) {
          real value = 0;
          UNROLL for (int i = 0; i < N; ++i) {
            value = FMA(operators[N * N + 2 * N + (face & 1) * N + i], staged[(v - low) * NP + line + i * stride], value);
          }
          new_traces[((long)slot * NOUT + v) * TRACE_POINTS + p] = value;
        }
      }
    }
  }
#endif
}
