/* Traces of the state at the face points of elements with Gauss nodes, from scratch (after the state was set). */

#define NVAR ${NVAR}
#define N ${N}
#define NP ${NP}
#define NFP ${NFP}
#define NFACE ${NFACE}

${signature} {
  const int block = GROUP_ID(0);
  for (int p = LOCAL_ID(0); p < NFACE * NFP; p += ${GROUP_SIZE}) {
    const int face = p / NFP, m = p % NFP, d = face / 2;
    const int stride = d == 0 ? 1 : d == 1 ? N : N * N;
    const int line = d == 0 ? N * m : d == 1 ? m % N + N * N * (m / N) : m;
    for (int v = 0; v < NVAR; ++v) {
      realv value = REALV(0);
      for (int i = 0; i < N; ++i) {
        value = FMA(REALV(operators[N * N + 2 * N + (face & 1) * N + i]),
                    VLOAD(state + (((long)block * NVAR + v) * NP + line + i * stride) * VECTOR_WIDTH), value);
      }
      VSTORE(value, new_traces + (((long)block * NVAR + v) * NFACE * NFP + p) * VECTOR_WIDTH);
    }
  }
}
