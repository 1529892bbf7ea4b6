// Messages that go the same ways again and again.
#pragma once

#include <memory>
#include <span>

#include "mesh/communicator.h"

namespace dgsolve::mesh {

/// Messages between fixed places in memory, arranged once (persistent requests of MPI). An exchange is start_receives(), start_sends(),
/// finish(), by all ranks that take part; a receive may be started long before its message is sent. The memory must stay where it is until
/// this is gone, and goes unread and unwritten from the start of its message to finish(). Messages between two ranks arrive in the order of
/// the lists. Owner, move-only; receives that are under way when it goes are called off. A fault of MPI ends all ranks.
class RepeatedExchange {
 public:
  RepeatedExchange();  ///< no messages
  /// Exchanges that are under way at the same time between the same ranks need channels of their own (0 to 9).
  RepeatedExchange(const Communicator& ranks, std::span<const Communicator::Message> sends, std::span<const Communicator::Message> receives,
                   int channel = 0);
  ~RepeatedExchange();
  RepeatedExchange(RepeatedExchange&&) noexcept;
  RepeatedExchange& operator=(RepeatedExchange&&) noexcept;
  RepeatedExchange(const RepeatedExchange&) = delete;
  RepeatedExchange& operator=(const RepeatedExchange&) = delete;

  void start_receives();
  void start_sends();
  void finish();  ///< returns when every message has come and gone

 private:
  struct Requests;
  std::unique_ptr<Requests> requests_;
};

}  // namespace dgsolve::mesh
