/* The length of the next step from the rates of the present state, and the clocks of its stages: what run_simulation does on the host, by the
   same operations in the same order, so with the same bits. A step that is not an ordinary one (the limit is near, a fault, an under-flow)
   gets length 0 and does not count, nor does any later one: the rest of a batch changes nothing. One group. */

#define GROUP_SIZE ${GROUP_SIZE}
#define BAD ${BAD}

${signature} {
  SHARED_MEMORY(double, shared, GROUP_SIZE);
  PREVIOUS_KERNEL_DONE();
  WRITTEN_BEFORE(rates);
  double largest = 0;
  for (int i = LOCAL_ID(0); i < rate_count; i += GROUP_SIZE) largest = rates[i] > largest ? rates[i] : largest;
  shared[LOCAL_ID(0)] = largest;
  BARRIER();
  if (LOCAL_ID(0) == 0) {
    for (int i = 1; i < GROUP_SIZE; ++i) largest = shared[i] > largest ? shared[i] : largest;
    const double limit = plan[0], cfl = plan[1], fixed = plan[2], smallest = plan[3], stable_constant = plan[4];
    const double t = progress[0];
    double dt = fixed;
    if (!(fixed > 0)) {
      const double stable = stable_constant / largest;
      dt = cfl * stable;
    }
    if (progress[3] == 0 && largest < BAD && dt > smallest && dt <= 0.5 * (limit - t)) {
      progress[1] = dt;
      progress[2] += 1;
    } else {
      progress[3] = 1;
      dt = 0;
    }
    const double next = t + dt;
    progress[0] = next;
    clock[0] = t;
    clock[1] = dt;
    rate_clock[0] = next;
    rate_clock[1] = dt;
  }
}
