// What building kernels alone and building them together share.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "codegen/backends/backend.h"

namespace dgsolve::codegen {

/// The rendered kernels of a list of specs; the same text twice is built once.
struct BuildPlan {
  std::vector<std::shared_ptr<const RenderedKernel>> unique;    ///< in the order of their first spec
  std::vector<std::shared_ptr<const RenderedKernel>> rendered;  ///< [spec]
  std::vector<std::size_t> builder;                             ///< [spec] its place in `unique`

  [[nodiscard]] std::vector<Kernel> kernels(const std::vector<std::shared_ptr<backends::KernelBackend>>& built) const;
};

/// Throws DeviceError for what the device cannot hold, std::invalid_argument for a faulty template.
[[nodiscard]] BuildPlan plan_build(const Device& device, std::span<const KernelSpec> specs);

/// Does all tasks in parallel threads; what each threw (null: nothing), [task].
[[nodiscard]] std::vector<std::exception_ptr> do_in_threads(std::size_t tasks, const std::function<void(std::size_t)>& task);

}  // namespace dgsolve::codegen
