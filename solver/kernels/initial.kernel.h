/* The initial state at every node of a class. Evaluated INSET of the way from the node to the element's centre, so that a jump that
   lies on a face is seen from inside. */

#define NVAR ${NVAR}
#define DIM ${DIM}
#define NP ${NP}
#define INSET ${INSET}

#include "physics"

${signature} {
  const int member = GROUP_ID(0);
  GLOBAL const real *points = node_points + (long)member * DIM * NP * VECTOR_WIDTH;
  realv centre[DIM];
  UNROLL for (int k = 0; k < DIM; ++k) {
    centre[k] = REALV(0);
    for (int i = 0; i < NP; ++i) centre[k] += VLOAD(points + (k * NP + i) * VECTOR_WIDTH);
    centre[k] = centre[k] / REALV(NP);
  }
  for (int node = LOCAL_ID(0); node < NP; node += ${GROUP_SIZE}) {
    realv q[NVAR], x[DIM];
    UNROLL for (int k = 0; k < DIM; ++k) {
      x[k] = VLOAD(points + (k * NP + node) * VECTOR_WIDTH);
      x[k] = FMA(REALV(INSET), centre[k] - x[k], x[k]);
    }
    physics_initial(x, clock[0], q);
    UNROLL for (int v = 0; v < NVAR; ++v) VSTORE(q[v], state + (((long)(first_block + member) * NVAR + v) * NP + node) * VECTOR_WIDTH);
  }
}
