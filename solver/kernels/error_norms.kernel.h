/* Of every variable of an element: sums of w J |e| and w J e^2 over an over-integrating quadrature (affine elements: without J), and the
   largest |e| over its points and the nodes; e = q - exact. One group a block; partial sums are added in the order of the threads. */

#define NVAR ${NVAR}
#define DIM ${DIM}
#define NP ${NP}
#define POINTS ${POINTS}
#define AFFINE ${AFFINE}
#define GROUP_SIZE ${GROUP_SIZE}

#include "physics"

INLINE void compare(const realv *q, const realv *x, const real t, const realv weight, realv *sums) {
  realv exact[NVAR];
  physics_exact(x, t, exact);
  UNROLL for (int v = 0; v < NVAR; ++v) {
    const realv e = fabs(q[v] - exact[v]);
    sums[v] = FMA(weight, e, sums[v]);
    sums[NVAR + v] = FMA(weight * e, e, sums[NVAR + v]);
    sums[2 * NVAR + v] = SELECT(e > sums[2 * NVAR + v], e, sums[2 * NVAR + v]);
  }
}

${signature} {
  SHARED_MEMORY(realv, shared, GROUP_SIZE * 3 * NVAR);
  const int member = GROUP_ID(0);
  const real t = clock[0];
  GLOBAL const real *q_block = state + (long)(first_block + member) * NVAR * NP * VECTOR_WIDTH;
  GLOBAL const real *x_block = node_points + (long)member * DIM * NP * VECTOR_WIDTH;
  realv sums[3 * NVAR];
  for (int i = 0; i < 3 * NVAR; ++i) sums[i] = REALV(0);
  for (int p = LOCAL_ID(0); p < POINTS; p += GROUP_SIZE) {
    realv q[NVAR], x[DIM], weight = REALV(weights[p]);
    for (int v = 0; v < NVAR; ++v) q[v] = REALV(0);
    for (int k = 0; k < DIM; ++k) x[k] = REALV(0);
#if !AFFINE
    realv jacobian = REALV(0);
#endif
    for (int i = 0; i < NP; ++i) {
      const realv basis = REALV(interpolation[p * NP + i]);
      UNROLL for (int v = 0; v < NVAR; ++v) q[v] = FMA(basis, VLOAD(q_block + (v * NP + i) * VECTOR_WIDTH), q[v]);
      UNROLL for (int k = 0; k < DIM; ++k) x[k] = FMA(basis, VLOAD(x_block + (k * NP + i) * VECTOR_WIDTH), x[k]);
#if !AFFINE
      jacobian += basis / VLOAD(metric + (((long)member * (DIM * DIM + 1) + DIM * DIM) * NP + i) * VECTOR_WIDTH);
#endif
    }
#if !AFFINE
    weight *= jacobian;
#endif
    compare(q, x, t, weight, sums);
  }
  for (int i = LOCAL_ID(0); i < NP; i += GROUP_SIZE) {
    realv q[NVAR], x[DIM];
    for (int v = 0; v < NVAR; ++v) q[v] = VLOAD(q_block + (v * NP + i) * VECTOR_WIDTH);
    for (int k = 0; k < DIM; ++k) x[k] = VLOAD(x_block + (k * NP + i) * VECTOR_WIDTH);
    compare(q, x, t, REALV(0), sums);
  }
  for (int i = 0; i < 3 * NVAR; ++i) shared[LOCAL_ID(0) * 3 * NVAR + i] = sums[i];
  BARRIER();
  if (LOCAL_ID(0) == 0) {
    for (int other = 1; other < GROUP_SIZE; ++other) {
      for (int i = 0; i < 2 * NVAR; ++i) sums[i] += shared[other * 3 * NVAR + i];
      for (int i = 2 * NVAR; i < 3 * NVAR; ++i) {
        const realv e = shared[other * 3 * NVAR + i];
        sums[i] = SELECT(e > sums[i], e, sums[i]);
      }
    }
    for (int i = 0; i < 3 * NVAR; ++i) VSTORE(sums[i], norms + ((long)(first_block + member) * 3 * NVAR + i) * VECTOR_WIDTH);
  }
}
