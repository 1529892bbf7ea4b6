// What reductions, scans and list builders make of a user's texts: argument lists, types, and functions that keep the user's lines in the
// compiler's messages.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/arrays/context.h"
#include "codegen/arrays/declaration.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// How the work is cut: `groups` of many work-items that share memory, for GPUs, or long runs of single `items`, for CPUs.
enum class WorkStyle { of_device, groups, items };

/// What `of_device` means there.
[[nodiscard]] WorkStyle work_style(WorkStyle style, const DeviceFacts& facts);

/// What a kernel made of texts may have besides them.
struct CustomCodeOptions {
  std::string name;                       ///< a C identifier; messages of the compiler call the texts NAME.map, NAME.reduce and so on
  std::string preamble{};                 ///< functions (INLINE) and macros that the texts call
  std::vector<ElementType> structures{};  ///< types of arguments and items besides the plain ones
};

/// The argument list and the surroundings of a user's texts. All throw std::invalid_argument.
class CustomCode {
 public:
  /// Argument names may not be one of `reserved` and may not end in an underscore.
  CustomCode(std::string_view arguments, CustomCodeOptions options, std::span<const std::string_view> reserved);

  [[nodiscard]] const std::string& name() const { return options_.name; }
  /// Definitions of all structures, then the preamble.
  [[nodiscard]] std::string definitions() const;
  /// The functions of complex numbers (complex.kernel.h), if an argument or one of `other_types` is complex.
  [[nodiscard]] std::string complex_functions(std::string_view other_types) const;
  /// ", GLOBAL const double* x, int64 n" and ", x, n": for functions in which the texts see the arguments.
  [[nodiscard]] std::string parameters() const;
  [[nodiscard]] std::string values() const;
  /// "x += x_first_;": what a kernel does first, so that arrays may begin anywhere in their buffers.
  [[nodiscard]] std::string advance() const;
  /// The arguments of the kernel: every array is followed by its first item's place, `x_first_`.
  [[nodiscard]] std::vector<ArgumentSpec> specs() const;
  /// `code` under its own name for the compiler, on lines of its own.
  [[nodiscard]] std::string part(std::string_view part_name, std::string_view code) const;
  /// INLINE TYPE NAME(PARAMETERS) { return (code); }
  [[nodiscard]] std::string function(std::string_view type, std::string_view function_name, std::string_view function_parameters,
                                     std::string_view part_name, std::string_view code) const;
  /// Double if any type or text needs it.
  [[nodiscard]] Precision precision(std::initializer_list<std::string_view> texts) const;
  /// A plain type, or one of the structures.
  [[nodiscard]] ElementType type_named(std::string_view type) const;
  [[nodiscard]] const std::vector<DeclaredArgument>& arguments() const { return arguments_; }

 private:
  CustomCodeOptions options_;
  std::vector<DeclaredArgument> arguments_;
};

/// The kernel of a spec, built once for a context.
[[nodiscard]] Kernel built_kernel(const Context& context, const KernelSpec& spec);

/// A text of the folder's *.kernel.h files.
[[nodiscard]] std::string array_kernel_text(std::string_view file);

/// `bytes` rounded up so that an item of any type may follow.
[[nodiscard]] constexpr std::size_t padded_bytes(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace dgsolve::codegen
