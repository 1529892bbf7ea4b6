// Scans from texts: running folds of items under an associative operator, with or without segments.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/arrays/custom_argument.h"
#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {

/// What is scanned and what becomes of it. In all texts but `scan` and `neutral`, `i` is the item's number (int64), `item_count` how many
/// there are, and the arguments are known.
struct Scan {
  std::string type;     ///< of the items: a plain type, or one of the kernel's structures
  std::string input;    ///< expression: item i, e.g. "x[i]"
  std::string scan;     ///< expression of `a` and `b` (all before, what follows): associative, need not commute, e.g. "a + b"
  std::string neutral;  ///< expression; scan of it and any value is that value
  /// Statements run once for every i: `item` is the fold of items 0 to i, `prev_item` that of 0 to i - 1 (for an exclusive scan),
  /// `last_item` that of all. E.g. "y[i] = item". With segments both begin at the segment's start, and `prev_item` is the neutral value
  /// there.
  std::string output;
  std::string segment_start{};  ///< expression, not zero if item i starts a segment; empty: no segments. Item 0 always starts one.
};

struct ScanOptions {
  std::string name = "scan";
  std::string preamble{};
  std::vector<ElementType> structures{};
  WorkStyle style = WorkStyle::of_device;
};

/// The kernel of a scan, for compilers without a device; `options.style` must be set. Throws std::invalid_argument.
[[nodiscard]] KernelSpec scan_spec(std::string_view arguments, const Scan& scan, const ScanOptions& options);

/// On GPUs one pass that reads and writes every item once (two that read if `last_item` is used), on CPUs two passes over long chunks.
/// The order of the operations depends on the count, the size of an item and the style (GPU or CPU) alone: floating-point scans give the
/// same bits in every run, and on every device of one style.
///
/// An output may replace its own item of an input (a scan in place). It may not change other items that `input` or `segment_start` read.
class ScanKernel {
 public:
  /// `arguments` as in C, e.g. "const double* x, double* y"; names that end in '_' and i, a, b, item, prev_item, last_item, item_count are
  /// taken. Builds the kernel. Throws std::invalid_argument for faults of the lists, CompileError for faults of the texts, called
  /// NAME.input, NAME.scan, NAME.neutral, NAME.output, NAME.segment_start in its message.
  ScanKernel(const Context& context, std::string_view arguments, const Scan& scan, ScanOptions options = {});

  /// Enqueues the scan of `item_count` items; of none: nothing happens.
  void enqueue(CustomArguments arguments, std::int64_t item_count) const;
  void operator()(std::initializer_list<CustomArgument> arguments, std::int64_t item_count) const {
    enqueue({arguments.begin(), arguments.size()}, item_count);
  }
  [[nodiscard]] const Context& context() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dgsolve::codegen
