// clang-format off
// What is scanned: the items themselves, or, with segments, each with the note whether a segment starts in what was folded into it.
#if ${has_segments}
typedef struct {
  item_ value;
  int starts;
} scan_;
#define VALUE_(scan) ((scan).value)
INLINE scan_ combine_(scan_ a, scan_ b) {
  scan_ result;
  result.value = b.starts ? b.value : reduce_(a.value, b.value);
  result.starts = a.starts | b.starts;
  return result;
}
INLINE scan_ nothing_(void) {
  scan_ result;
  result.value = neutral_();
  result.starts = 0;
  return result;
}
INLINE scan_ item_at_(int64 i, int64 item_count${parameters}) {
  scan_ result_;
  result_.value = input_(i, item_count${values});
  result_.starts = i == 0 || starts_(i, item_count${values}) ? 1 : 0;
  return result_;
}
#else
typedef item_ scan_;
#define VALUE_(scan) (scan)
INLINE scan_ combine_(scan_ a, scan_ b) { return reduce_(a, b); }
INLINE scan_ nothing_(void) { return neutral_(); }
INLINE scan_ item_at_(int64 i, int64 item_count${parameters}) { return input_(i, item_count${values}); }
#endif

INLINE void write_item_(int64 i, scan_ scanned_, scan_ before_, item_ last_item, int64 item_count${parameters}) {
  item_ previous_ = VALUE_(before_);
#if ${has_segments}
  if (i == 0 || starts_(i, item_count${values})) previous_ = neutral_();
#endif
  write_(i, VALUE_(scanned_), previous_, last_item, item_count${values});
}
