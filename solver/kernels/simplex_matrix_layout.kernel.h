/* Counts, shared memory and indices of stage_simplex_matrix.kernel.h. */

#define VALUES (NVAR * NP)
#define TILES ((NP + 7) / 8)                         /* of eight nodes, as rows of the operator and as columns */
#define ROW_TILES ((NVAR * LANE_ELEMENTS + 1) / 2)   /* of a warp */
#define NODE_TILES ((TILES + NODE_WARPS - 1) / NODE_WARPS)
#define FACE_COLUMNS (NFACE * NFP)
#define FACE_STEPS ((FACE_COLUMNS + 7) / 8)

/* Shared memory, in reals: the state [element][variable][node]; scaled numerical fluxes [eight elements][row tile][face point][half], later
   the rates, like the state; metric; faces; links. Strides of elements are 8 modulo 16, so that reads of 16 bytes have no bank conflicts. */
#define ODD_MULTIPLE_OF_8(reals) ((reals) + (24 - (reals) % 16) % 16)
#define NODE_PITCH ((NP + 1) / 2 * 2)
#define STATE_PITCH ODD_MULTIPLE_OF_8(NVAR * NODE_PITCH)
#define FACE_PITCH (FACE_STEPS * 8 * 2)
#define FLUX_PITCH ODD_MULTIPLE_OF_8(ROW_TILES * FACE_PITCH)
#define FLUX_AT (ELEMENTS * STATE_PITCH)
#define FLUX_REALS (8 * PAIR_WARPS * FLUX_PITCH)
#define METRIC_AT (FLUX_AT + (FLUX_REALS > ELEMENTS * STATE_PITCH ? FLUX_REALS : ELEMENTS * STATE_PITCH))
#define FACES_AT (METRIC_AT + AFFINE * ELEMENTS * DIM * DIM)
#define LINKS_AT (FACES_AT + AFFINE * ELEMENTS * NFACE * (DIM + 1))
#define SHARED_REALS (LINKS_AT + ELEMENTS * NFACE * (REAL_BITS == 32 ? 2 : 1))

/* Element of the group to member of the class; beyond the last element the last. */
#define MEMBER(e) (first_index + (e) < element_count ? first_index + (e) : element_count - 1)
#define TURNS(count) (((count) + THREADS - 1) / THREADS)
/* Value p of [element][variable][node] in shared memory. */
#define STATE_OFFSET(p) ((p) + (p) / NP * (NODE_PITCH - NP) + (p) / VALUES * (STATE_PITCH - NVAR * NODE_PITCH))
/* Row of tile m, lower or upper half h: which of the lane's elements, and which variable; the last half may be empty. */
#define ROW_ELEMENT(m, h) (LANE_ELEMENTS == 2 ? (h) : 0)
#define ROW_VARIABLE(m, h) (LANE_ELEMENTS == 2 ? (m) : 2 * (m) + (h) < NVAR ? 2 * (m) + (h) : NVAR - 1)
