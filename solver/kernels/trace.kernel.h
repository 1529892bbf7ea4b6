/* Faces: which neighbour, which of its nodes, and the numerical flux with both sides in the owner's order.
   A face record is two integers: the neighbour's slot, and a code: bits 0-2 orientation, bits 3-5 the neighbour's face,
   bits 6.. boundary condition + 1 (0: interior), on GPUs bit 30 whether this side owns the face. Conventions: docs/architecture.md. */

#define FACE_ORIENTATION(code) ((code) & 7)
#define FACE_NEIGHBOUR_FACE(code) (((code) >> 3) & 7)
#define FACE_CONDITION(code) (((code) >> 6 & 0xffffff) - 1)
#define FACE_IS_OWN(code) ((code) >> 30 & 1)

/* Both sides of a face call the flux with (owner, other) and the owner's normal, so both get the same bits.
   scale < 0: this side owns the face. */
INLINE void flux_in_owner_order(const realv *own, const realv *other, const realv scale, const realv *normal,
                                const realv *x, const real t, realv *flux) {
  realv first[NVAR], second[NVAR];
  UNROLL for (int v = 0; v < NVAR; ++v) {
    first[v] = SELECT(scale < REALV(0), own[v], other[v]);
    second[v] = SELECT(scale < REALV(0), other[v], own[v]);
  }
  physics_numerical_flux(first, second, normal, x, t, flux);
}
