/* The largest of sum_c max_wave_speed(q, n_c) |m_c| over all nodes of a class, one result a group; m_c are combinations of
   grad xi^d (DIRECTIONS), n_c their unit vectors. With second-order terms DIFFUSION diffusivity(q) sum_k (sum_c |m_ck|)^2 more. BAD marks a non-finite or inadmissible node. A maximum has no order, so no rounding either. */

#define NVAR ${NVAR}
#define DIM ${DIM}
#define NP ${NP}
#define AFFINE ${AFFINE}
#define NODE_POSITION ${NODE_POSITION}
#define ADMISSIBLE ${ADMISSIBLE}
#define GROUP_SIZE ${GROUP_SIZE}
#define DIRECTION_COUNT ${DIRECTION_COUNT}
#define BAD ${BAD}
#define VISCOUS ${VISCOUS}
#define DIFFUSION ${DIFFUSION}   /* limit of advection over that of diffusion, docs/numerics.md */

#include "physics"
#include "directions"

${signature} {
  SHARED_MEMORY(real, shared, GROUP_SIZE);
  PREVIOUS_KERNEL_DONE();
  WRITTEN_BEFORE(state);
  WRITTEN_BEFORE(clock);
  const real t = clock[0];
  realv worst = REALV(0);
  const long total = (long)block_count * NP;
  const long workers = (long)GROUP_COUNT(0) * GROUP_SIZE;
  const long share = (total + workers - 1) / workers * GROUP_SIZE;
  const long begin = GROUP_ID(0) * share;
  const long end = begin + share < total ? begin + share : total;
  for (long p = begin + LOCAL_ID(0); p < end; p += GROUP_SIZE) {
    const int member = (int)(p / NP), node = (int)(p % NP);
    realv q[NVAR], x[DIM], probe = REALV(0), rate = REALV(0);
    UNROLL for (int v = 0; v < NVAR; ++v) {
      q[v] = VLOAD(state + (((long)(first_block + member) * NVAR + v) * NP + node) * VECTOR_WIDTH);
      probe += REALV(0) * q[v];
    }
    UNROLL for (int k = 0; k < DIM; ++k) {
#if NODE_POSITION
      x[k] = VLOAD(node_points + (((long)member * DIM + k) * NP + node) * VECTOR_WIDTH);
#else
      x[k] = REALV(0);
#endif
    }
#if AFFINE
    GLOBAL const real *g = metric + (long)member * DIM * DIM * VECTOR_WIDTH;
    const int step = VECTOR_WIDTH;
#else
    GLOBAL const real *g = metric + ((long)member * (DIM * DIM + 1) * NP + node) * VECTOR_WIDTH;
    const int step = NP * VECTOR_WIDTH;
    const realv inverse_jacobian = VLOAD(g + DIM * DIM * step);
#endif
#if VISCOUS
    realv spread[DIM];
    UNROLL for (int k = 0; k < DIM; ++k) spread[k] = REALV(0);
#endif
    UNROLL for (int c = 0; c < DIRECTION_COUNT; ++c) {
      realv n[DIM], square = REALV(0);
      UNROLL for (int k = 0; k < DIM; ++k) {
        n[k] = REALV(0);
        UNROLL for (int d = 0; d < DIM; ++d) n[k] = FMA(REALV(DIRECTIONS[c * DIM + d]), VLOAD(g + (d * DIM + k) * step), n[k]);
        square = FMA(n[k], n[k], square);
      }
#if VISCOUS
      UNROLL for (int k = 0; k < DIM; ++k) spread[k] += fabs(n[k]);
#endif
      const realv length = sqrt(square);
      UNROLL for (int k = 0; k < DIM; ++k) n[k] = n[k] / length;
      rate = FMA(length, physics_max_wave_speed(q, n, x, t), rate);
    }
#if !AFFINE
    rate *= inverse_jacobian;
#endif
#if VISCOUS
    realv spreads = REALV(0);
    UNROLL for (int k = 0; k < DIM; ++k) spreads = FMA(spread[k], spread[k], spreads);
#if !AFFINE
    spreads *= inverse_jacobian * inverse_jacobian;
#endif
    rate = FMA(REALV(DIFFUSION) * spreads, physics_diffusivity(q, x, t), rate);
#endif
    rate = SELECT(probe == REALV(0), rate, REALV(BAD));
    rate = SELECT(rate < REALV(BAD), rate, REALV(BAD));
#if ADMISSIBLE
    rate = SELECT(physics_admissible(q, x, t) > REALV(0), rate, REALV(BAD));
#endif
    worst = SELECT(rate > worst, rate, worst);
  }
  real result = 0;
  for (int i = 0; i < VECTOR_WIDTH; ++i) {
    const real one = LANE(worst, i);
    result = one > result ? one : result;
  }
  shared[LOCAL_ID(0)] = result;
  BARRIER();
  if (LOCAL_ID(0) == 0) {
    for (int i = 1; i < GROUP_SIZE; ++i) result = shared[i] > result ? shared[i] : result;
    rates[first_result + GROUP_ID(0)] = result;
  }
}
