/* Node numbers on the faces of lines, quadrilaterals and hexahedra with N nodes in each direction. */

/* Volume node of point (a, b) of a face; a face is 2*direction + (0: lower, 1: upper end). */
INLINE int tensor_face_node(const int face, const int a, const int b) {
  const int end = (face & 1) * (N - 1);
#if DIM == 1
  return end;
#elif DIM == 2
  return face < 2 ? end + N * a : a + N * end;
#else
  return face < 2 ? end + N * (a + N * b) : face < 4 ? a + N * (end + N * b) : a + N * (b + N * end);
#endif
}

/* The point (a, b) of this side as a point of the other side's face. */
INLINE void tensor_turn(const int orientation, int *a, int *b) {
  const int p = (orientation & 4) ? *b : *a;
  const int q = (orientation & 4) ? *a : *b;
  *a = (orientation & 1) ? N - 1 - p : p;
  *b = (orientation & 2) ? N - 1 - q : q;
}
