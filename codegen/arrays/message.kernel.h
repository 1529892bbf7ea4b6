// clang-format off
// Values of type message_ from group to group. Every four bytes travel with the number of the launch in a word of eight: who reads that
// number has the value too, in one trip and without fences.
#define MESSAGE_WORDS_ ((int)((sizeof(message_) + 3) / 4))
typedef union {
  message_ value;
  uint32 words[MESSAGE_WORDS_];
} message_bits_;

INLINE void send_(GLOBAL uint64* board_, int place_, message_ value_, int launch_) {
  message_bits_ bits_;
  bits_.words[MESSAGE_WORDS_ - 1] = 0;
  bits_.value = value_;
  UNROLL for (int w_ = 0; w_ < MESSAGE_WORDS_; ++w_) {
    ATOMIC_WRITE64(board_ + ((int64)place_ * MESSAGE_WORDS_ + w_), (uint64)launch_ << 32 | bits_.words[w_]);
  }
}

// Reads what is there now; nothing waits for it before receive_.
INLINE void ask_(uint64* words_, GLOBAL uint64* board_, int place_) {
  UNROLL for (int w_ = 0; w_ < MESSAGE_WORDS_; ++w_) words_[w_] = ATOMIC_READ64(board_ + ((int64)place_ * MESSAGE_WORDS_ + w_));
}

// The message, after ask_: asks again until it is there.
INLINE message_ receive_(uint64* words_, GLOBAL uint64* board_, int place_, int launch_) {
  message_bits_ bits_;
  UNROLL for (int w_ = 0; w_ < MESSAGE_WORDS_; ++w_) {
    while ((int)(words_[w_] >> 32) != launch_) ask_(words_, board_, place_);
    bits_.words[w_] = (uint32)words_[w_];
  }
  return bits_.value;
}
