// Reductions from texts: a map of every item, an associative operator, several results in one pass, always in the same order.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/custom_argument.h"
#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {

/// One result of a reduction.
struct Reduction {
  std::string type;     ///< of the result: a plain type, or one of the kernel's structures
  std::string map;      ///< expression of the item number `i` (int64), `item_count` and the arguments, e.g. "x[i]*y[i]"
  std::string reduce;   ///< expression of `a` and `b`, associative, e.g. "a + b"
  std::string neutral;  ///< expression; reduce of it and any value is that value
};

/// Whether the operator commutes, a ∘ b = b ∘ a. If it does not, `kept` folds the items in their order (and reads them more slowly).
enum class OperandOrder { free, kept };

struct ReductionOptions {
  std::string name = "reduction";
  std::string preamble{};
  std::vector<ElementType> structures{};
  OperandOrder operand_order = OperandOrder::free;
  WorkStyle style = WorkStyle::of_device;  ///< the results do not depend on it
};

/// The kernel of a reduction, for compilers without a device; `options.style` must be set. Throws std::invalid_argument.
[[nodiscard]] KernelSpec reduction_spec(std::string_view arguments, std::span<const Reduction> reductions, const ReductionOptions& options);

/// result_r = neutral ∘ map(0) ∘ map(1) ∘ ... ∘ map(count - 1), for each of a list of results, in one kernel that reads every item once.
///
/// The order of the operations depends on nothing but the count, so the bits are the same in every run and on every device whose
/// operators give the same bits (+ and * do): the items are cut into at most 512 chunks of 256 * 2^m items, the smallest m of 4 or more
/// that does it. A chunk has 256 lanes; lane l folds its items l, l + 256, ... one after another from the neutral value (`kept`: a run of
/// 2^m items); the lanes' values are folded as a binary tree of neighbours. The chunks' values are folded the same way, as one more chunk.
class ReductionKernel {
 public:
  /// `arguments` as in C, e.g. "const double* x, const double* y"; names that end in '_' and i, a, b, item_count are taken.
  /// Builds the kernel. Throws std::invalid_argument for faults of the lists, CompileError for faults of the texts, called NAME.map,
  /// NAME.reduce, NAME.neutral (with several results NAME.map_0 and so on) in its message.
  ReductionKernel(const Context& context, std::string_view arguments, std::vector<Reduction> reductions, ReductionOptions options = {});

  /// Enqueues the reduction of `item_count` items. results[r] is an array of one or more items of the r-th type; its first item is set.
  /// No result may share memory with another one or with an argument. Nothing to reduce gives the neutral values.
  void enqueue(CustomArguments arguments, std::int64_t item_count, CustomArguments results) const;

  /// The one result, read to the host. Waits for the queue. Throws std::invalid_argument if T is not its type.
  template <class T>
  [[nodiscard]] T run(std::initializer_list<CustomArgument> arguments, std::int64_t item_count) const {
    const Array<T> result(context(), 1, "result of a reduction");
    const CustomArgument target(result);
    enqueue({arguments.begin(), arguments.size()}, item_count, {&target, 1});
    return result.to_host().front();
  }
  [[nodiscard]] const Context& context() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dgsolve::codegen
