// clang-format off
// Lists made by the user's statements: a first launch counts what they append for every item, a second one writes it.
${definitions}
${appends}
INLINE void generate_(int64 i, int64 item_count${parameters}${list_parameters}) {
${body}
}

${signature} {
  ${advance}
  const int64 first_ = ((int64)GROUP_ID(0) * ${group} + LOCAL_ID(0)) * ${run};
  for (int64 i = first_; i < first_ + ${run} && i < item_count; ++i) {
    ${begin}
    generate_(i, item_count${values}${list_values});
    ${end}
  }
}
