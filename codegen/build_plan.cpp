// Building of kernels in parallel threads.
#include "codegen/build_plan.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string_view>
#include <thread>

namespace dgsolve::codegen {

BuildPlan plan_build(const Device& device, std::span<const KernelSpec> specs) {
  BuildPlan plan;
  std::map<std::string_view, std::size_t> place_of_text;
  for (const KernelSpec& spec : specs) {
    backends::check_fits(device.facts(), spec);
    auto rendered = std::make_shared<const RenderedKernel>(render(spec, device.facts().backend));
    const auto [place, is_new] = place_of_text.emplace(rendered->text, plan.unique.size());
    if (is_new) plan.unique.push_back(rendered);
    plan.builder.push_back(place->second);
    plan.rendered.push_back(std::move(rendered));
  }
  return plan;
}

std::vector<Kernel> BuildPlan::kernels(const std::vector<std::shared_ptr<backends::KernelBackend>>& built) const {
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < rendered.size(); ++i) kernels.emplace_back(built[builder[i]], rendered[i]);
  return kernels;
}

std::vector<std::exception_ptr> do_in_threads(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  std::vector<std::exception_ptr> failures(tasks);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks; i = next++) {
      try {
        task(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  const std::size_t threads = std::min<std::size_t>(tasks, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();  // joins
  return failures;
}

std::vector<Kernel> build_kernels(const Device& device, std::span<const KernelSpec> specs, Cache* cache) {
  const BuildPlan plan = plan_build(device, specs);
  std::vector<std::shared_ptr<backends::KernelBackend>> built(plan.unique.size());
  const auto failures =
      do_in_threads(plan.unique.size(), [&](std::size_t i) { built[i] = device.backend().build(plan.unique[i], cache).kernel; });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return plan.kernels(built);
}

}  // namespace dgsolve::codegen
