// Kernels: what is declared (KernelSpec), what is rendered from it, what is built, and its launch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "codegen/device.h"

namespace dgsolve::codegen {

class Cache;
namespace backends {
class KernelBackend;
}

/// `real` of the dialect.
enum class Precision { single_precision, double_precision };

/// Types of kernel arguments. `real_buffer` and friends are pointers to global memory; `typed_buffer` and `typed_value` are of the
/// dialect's type that ArgumentSpec::element names.
enum class ArgumentType {
  real_buffer,
  int32_buffer,
  int64_buffer,
  uint32_buffer,
  uint64_buffer,
  byte_buffer,
  typed_buffer,
  real,
  int32,
  int64,
  uint32,
  uint64,
  typed_value
};
enum class Intent { in, out, in_out };

/// One argument, declared once: the signature is printed from it and every launch is checked against it.
struct ArgumentSpec {
  std::string name;
  ArgumentType type;
  Intent intent = Intent::in;     ///< `in` buffers become const
  std::string shape;              ///< documentation, e.g. "[block][variable][node][W]"
  std::string element{};          ///< typed_buffer, typed_value: the type's name in the source, e.g. "float", "particle"
  std::size_t element_bytes = 0;  ///< typed_value: its size, at most 16
};

/// True for the pointers among the types.
[[nodiscard]] constexpr bool is_buffer(ArgumentType type) { return type <= ArgumentType::typed_buffer; }

/// A named constant of a kernel source: `${name}` in the text. A string is pasted as code and must come from a printer, never from a user.
using Constant = std::variant<std::int64_t, double, std::string>;

/// All that determines a kernel. Rendering the same spec gives the same bytes.
struct KernelSpec {
  std::string name;         ///< entry point, a C identifier
  std::string source_name;  ///< logical file name for messages, e.g. "stage_tensor.kernel.h"
  std::string source;       ///< dialect text; holds ${signature} once, and every constant at least once
  std::map<std::string, Constant> constants;
  std::map<std::string, std::string> includes;  ///< closed set of texts for #include "name"
  std::vector<ArgumentSpec> arguments;
  Precision precision = Precision::double_precision;
  int vector_width = 1;  ///< W: `realv` is W reals (1: the same as `real`)
  std::array<int, 3> group_size{1, 1, 1};
  int min_groups_per_unit = 0;   ///< CUDA launch bounds; 0: the compiler's choice
  std::size_t shared_bytes = 0;  ///< size of the one SHARED_MEMORY array, 0: none
  /// Division and square root in single precision may be off by 2 and 3 units in the last place, as OpenCL's always may, for fewer
  /// instructions and registers (CUDA; no effect in double precision).
  bool rough_division = false;
};

/// The complete source text handed to the run-time compiler (dialect, `#line` markers, body), with the spec as a comment on top.
/// Throws std::invalid_argument for an undefined or unused ${name}, or a missing ${signature}.
struct RenderedKernel {
  KernelSpec spec;
  std::string backend;  ///< "cuda" or "opencl"
  std::string text;
};
[[nodiscard]] RenderedKernel render(const KernelSpec& spec, std::string_view backend);

/// The bytes of a `typed_value`; they are copied by the launch.
struct ValueBytes {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// A launch argument; its type is checked against the spec.
using KernelArgument = std::variant<const Buffer*, double, float, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, ValueBytes>;

/// What a launch must move and compute at least, for the profile; 0: not declared.
struct KernelCost {
  double bytes = 0, flops = 0;
};

/// A built kernel: a shared handle. `real` scalars may be given as double whatever the precision.
class Kernel {
 public:
  Kernel() = default;
  Kernel(std::shared_ptr<backends::KernelBackend> backend, std::shared_ptr<const RenderedKernel> rendered);
  /// Enqueues `groups` groups (1 to 3 dimensions). Zero groups: nothing happens. Throws DeviceError naming kernel and launch shape.
  void launch(Queue& queue, std::array<std::uint32_t, 3> groups, std::span<const KernelArgument> arguments, KernelCost cost = {}) const;
  void launch(Queue& queue, std::uint32_t groups, std::initializer_list<KernelArgument> arguments, KernelCost cost = {}) const {
    launch(queue, {groups, 1, 1}, std::span<const KernelArgument>(arguments.begin(), arguments.size()), cost);
  }
  [[nodiscard]] const KernelSpec& spec() const;
  [[nodiscard]] const std::string& text() const;  ///< rendered source
  /// What the compiler and the driver report, where they can be asked; -1 if unknown.
  struct Resources {
    int registers = -1;        ///< per work-item
    int spilled_bytes = -1;    ///< per work-item
    int shared_bytes = -1;     ///< per group
    int groups_per_unit = -1;  ///< groups that run at once on one compute unit (occupancy)
  };
  [[nodiscard]] Resources resources() const;

 private:
  std::shared_ptr<backends::KernelBackend> backend_;
  std::shared_ptr<const RenderedKernel> rendered_;
};

/// Builds every spec for the device, in parallel threads, through the cache (may be null). Order of results = order of specs.
/// Throws CompileError for the first (in order) that fails.
[[nodiscard]] std::vector<Kernel> build_kernels(const Device& device, std::span<const KernelSpec> specs, Cache* cache);

/// Compiles a rendered kernel for a CUDA architecture ("sm_90") without any GPU; returns the cubin. Throws CompileError; DeviceError if
/// there is no NVRTC.
[[nodiscard]] std::string compile_cuda_offline(const RenderedKernel& kernel, std::string_view architecture);

}  // namespace dgsolve::codegen
