/* Derived fields at every node of consecutive blocks of a class. */

#define NVAR ${NVAR}
#define DIM ${DIM}
#define NP ${NP}
#define COMPONENTS ${COMPONENTS}

#include "physics"

${signature} {
  const int member = GROUP_ID(0);
  for (int node = LOCAL_ID(0); node < NP; node += ${GROUP_SIZE}) {
    realv q[NVAR], x[DIM], out[COMPONENTS];
    UNROLL for (int v = 0; v < NVAR; ++v) q[v] = VLOAD(state + (((long)(first_block + member) * NVAR + v) * NP + node) * VECTOR_WIDTH);
    UNROLL for (int k = 0; k < DIM; ++k) x[k] = VLOAD(node_points + (((long)member * DIM + k) * NP + node) * VECTOR_WIDTH);
    physics_fields(q, x, clock[0], out);
    UNROLL for (int c = 0; c < COMPONENTS; ++c) {
      VSTORE(out[c], fields + (((long)(first_output + member) * COMPONENTS + c) * NP + node) * VECTOR_WIDTH);
    }
  }
}
