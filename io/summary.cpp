// Summary to JSON.
#include "io/summary.h"

#include "io/atomic_file.h"

namespace dgsolve::io {

std::string_view to_text(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::diverged:
      return "diverged";
    case RunStatus::failed:
      return "failed";
    case RunStatus::stopped:
      return "stopped";
  }
  return "failed";
}

namespace {

Json to_json(const codegen::CacheCounters& counters) {
  return Json::object()
      .set("hits", counters.hits)
      .set("memory_hits", counters.memory_hits)
      .set("user_hits", counters.user_hits)
      .set("shared_hits", counters.shared_hits)
      .set("misses", counters.misses)
      .set("corrupt", counters.corrupt)
      .set("compiles", counters.compiles)
      .set("compile_ms", counters.compile_milliseconds)
      .set("write_failures", counters.write_failures)
      .set("evictions", counters.evictions);
}

}  // namespace

Json to_json(const Summary& summary) {
  Json errors = Json::object();
  for (const auto& error : summary.errors) {
    errors.set(error.component, Json::object().set("L1", error.l1).set("L2", error.l2).set("Linf", error.linf));
  }
  return Json::object()
      .set("status", to_text(summary.status))
      .set("steps", summary.steps)
      .set("time", summary.time)
      .set("dofs", summary.dofs)
      .set("elements", summary.elements)
      .set("errors", std::move(errors))
      .set("wall_s", summary.wall_s)
      .set("setup_s", summary.setup_s)
      .set("compile_s", summary.compile_s)
      .set("gdofs_per_s", summary.gdofs_per_s)
      .set("device", summary.device)
      .set("exchange", summary.exchange)
      .set("cache", to_json(summary.cache))
      .set("checksum", summary.checksum);
}

void write_summary(const std::filesystem::path& file, const Summary& summary) { write_file_atomically(file, to_json(summary).text()); }

}  // namespace dgsolve::io
