/* The first node of every element whose state is non-finite or inadmissible, or -1. One work-item a block. */

#define NVAR ${NVAR}
#define DIM ${DIM}
#define NP ${NP}
#define ADMISSIBLE ${ADMISSIBLE}

#include "physics"

${signature} {
  const int member = GROUP_ID(0) * ${GROUP_SIZE} + LOCAL_ID(0);
  if (member < block_count) {
    realv first = REALV(-1);
    for (int node = NP - 1; node >= 0; --node) {
      realv q[NVAR], x[DIM], probe = REALV(0);
      for (int v = 0; v < NVAR; ++v) {
        q[v] = VLOAD(state + (((long)(first_block + member) * NVAR + v) * NP + node) * VECTOR_WIDTH);
        probe += REALV(0) * q[v];
      }
      for (int k = 0; k < DIM; ++k) x[k] = VLOAD(node_points + (((long)member * DIM + k) * NP + node) * VECTOR_WIDTH);
      first = SELECT(probe == REALV(0), first, REALV(node));
#if ADMISSIBLE
      first = SELECT(physics_admissible(q, x, clock[0]) > REALV(0), first, REALV(node));
#endif
    }
    for (int i = 0; i < VECTOR_WIDTH; ++i) bad_nodes[(first_block + member) * VECTOR_WIDTH + i] = (int)LANE(first, i);
  }
}
