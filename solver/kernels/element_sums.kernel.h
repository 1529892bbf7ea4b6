/* Of every component of a field array: sum_i w_i J_i f_i over the nodes of an element in their order (affine elements: without J),
   the smallest and the largest nodal value. One work-item a block. */

#define NP ${NP}
#define DIM ${DIM}
#define COMPONENTS ${COMPONENTS}
#define AFFINE ${AFFINE}

${signature} {
  const int member = GROUP_ID(0) * ${GROUP_SIZE} + LOCAL_ID(0);
  if (member < block_count) {
    for (int c = 0; c < COMPONENTS; ++c) {
      GLOBAL const real *f = fields + ((long)(first_block + member) * COMPONENTS + c) * NP * VECTOR_WIDTH;
      realv sum = REALV(0), least = VLOAD(f), most = VLOAD(f);
      for (int i = 0; i < NP; ++i) {
        const realv value = VLOAD(f + i * VECTOR_WIDTH);
#if AFFINE
        sum = FMA(REALV(weights[i]), value, sum);
#else
        const realv jacobian = REALV(1) / VLOAD(metric + (((long)member * (DIM * DIM + 1) + DIM * DIM) * NP + i) * VECTOR_WIDTH);
        sum = FMA(REALV(weights[i]) * jacobian, value, sum);
#endif
        least = SELECT(value < least, value, least);
        most = SELECT(value > most, value, most);
      }
      GLOBAL real *out = sums + ((long)(first_block + member) * COMPONENTS + c) * 3 * VECTOR_WIDTH;
      VSTORE(sum, out);
      VSTORE(least, out + VECTOR_WIDTH);
      VSTORE(most, out + 2 * VECTOR_WIDTH);
    }
  }
}
