// The search: prune, verify, measure in interleaved rounds, halve.
#include "codegen/tuning/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

constexpr std::size_t finalists = 4;
constexpr std::size_t most_repetitions = 1 << 16;

struct Contestant {
  std::size_t candidate = 0;  ///< index in the result
  std::vector<Kernel> kernels;
  std::size_t repetitions = 1;  ///< of a sample
  std::vector<double> samples;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int spilled(const std::vector<Kernel>& kernels) {
  int most = -1;
  for (const Kernel& kernel : kernels) most = std::max(most, kernel.resources().spilled_bytes);
  return most;
}

/// One tuning in progress.
class Search {
 public:
  Search(const Device& device, Queue& queue, const TuningTask& task, Cache* cache, const TuningOptions& options)
      : device_(device), queue_(queue), task_(task), cache_(cache), options_(options) {}

  TuningResult run() {
    result_.candidates.push_back({task_.reference, CandidateStatus::measured, "", 0});
    for (TuningPoint& point : task_.space.points()) {
      if (point != task_.reference) result_.candidates.push_back({std::move(point), CandidateStatus::pruned, "", 0});
    }
    say(fmt::format("{}: {} candidates", task_.name, result_.candidates.size()));
    build();
    verify();
    say(fmt::format("{}: measuring {}", task_.name, contestants_.size()));
    calibrate();
    while (contestants_.size() > finalists) {
      measure(options_.samples);
      halve();
    }
    measure(3 * options_.samples);
    choose();
    return std::move(result_);
  }

 private:
  void say(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }

  /// All kernels of all candidates in one parallel build; where that fails, candidate by candidate.
  void build() {
    std::vector<KernelSpec> all;
    std::vector<std::pair<std::size_t, std::size_t>> range;  // first spec and count; count 0: pruned
    for (std::size_t c = 0; c < result_.candidates.size(); ++c) {
      std::vector<KernelSpec> specs;
      try {
        specs = task_.specs(result_.candidates[c].point);
      } catch (const std::exception& fault) {
        if (c == 0) throw;
        result_.candidates[c].note = fault.what();
      }
      range.emplace_back(all.size(), specs.size());
      std::move(specs.begin(), specs.end(), std::back_inserter(all));
    }
    std::vector<Kernel> built;
    try {
      built = build_kernels(device_, all, cache_);
    } catch (const DeviceError&) {
      built.clear();  // some candidate cannot be built: find out which
    }
    for (std::size_t c = 0; c < range.size(); ++c) {
      const auto [first, count] = range[c];
      if (count == 0) continue;
      const std::span<const KernelSpec> own(all.data() + first, count);
      try {
        Contestant contestant{c,
                              built.empty() ? build_kernels(device_, own, cache_)
                                            : std::vector<Kernel>(built.begin() + static_cast<std::ptrdiff_t>(first),
                                                                  built.begin() + static_cast<std::ptrdiff_t>(first + count)),
                              1,
                              {}};
        const int bytes = spilled(contestant.kernels);
        if (c == 0) reference_spills_ = std::max(0, bytes);
        if (bytes > reference_spills_ + options_.spilled_bytes) {
          result_.candidates[c].note = fmt::format("{} bytes of registers spilled", bytes);
          continue;
        }
        contestants_.push_back(std::move(contestant));
      } catch (const DeviceError& fault) {
        if (c == 0) throw;
        result_.candidates[c].note = fault.what();
      }
    }
  }

  void verify() {
    std::vector<Contestant> right;
    for (Contestant& contestant : contestants_) {
      Candidate& candidate = result_.candidates[contestant.candidate];
      try {
        const double difference = task_.difference(queue_, candidate.point, contestant.kernels);
        const bool is_reference = contestant.candidate == 0;
        if (is_reference && !std::isfinite(difference)) {
          throw DeviceError(fmt::format("tuning of {}: the reference's own result is not finite", task_.name));
        }
        if (!is_reference && !(difference <= task_.tolerance)) {
          candidate.status = CandidateStatus::wrong;
          candidate.note = fmt::format("differs from the reference by {:.3g}", difference);
          continue;
        }
      } catch (const DeviceError& fault) {
        if (contestant.candidate == 0) throw;
        candidate.note = fault.what();  // e.g. too many registers for the launch
        continue;
      }
      candidate.status = CandidateStatus::measured;
      right.push_back(std::move(contestant));
    }
    contestants_ = std::move(right);
  }

  double sample(Contestant& contestant) {
    const TuningPoint& point = result_.candidates[contestant.candidate].point;
    const Event begin = queue_.record();
    for (std::size_t i = 0; i < contestant.repetitions; ++i) task_.run(queue_, point, contestant.kernels);
    return queue_.record().seconds_since(begin) / static_cast<double>(contestant.repetitions);
  }

  /// Warm-up, and the number of repetitions that fill a sample.
  void calibrate() {
    for (Contestant& contestant : contestants_) {
      sample(contestant);
      double seconds = sample(contestant);
      while (seconds * static_cast<double>(contestant.repetitions) < options_.sample_seconds && contestant.repetitions < most_repetitions) {
        contestant.repetitions *= 2;
        seconds = sample(contestant);
      }
    }
  }

  /// Interleaved: every candidate once, then every candidate again, so that a drift of the device meets all alike.
  void measure(int samples) {
    for (Contestant& contestant : contestants_) contestant.samples.clear();
    for (int s = 0; s < samples; ++s) {
      for (Contestant& contestant : contestants_) contestant.samples.push_back(sample(contestant));
    }
    for (const Contestant& contestant : contestants_) result_.candidates[contestant.candidate].seconds = median(contestant.samples);
  }

  [[nodiscard]] double seconds(const Contestant& contestant) const { return result_.candidates[contestant.candidate].seconds; }

  /// Keeps the faster half, the reference in any case.
  void halve() {
    std::vector<double> times;
    for (const Contestant& contestant : contestants_) times.push_back(seconds(contestant));
    std::sort(times.begin(), times.end());
    const double limit = times[std::max(finalists - 1, times.size() / 2 - 1)];
    std::vector<Contestant> kept;
    for (Contestant& contestant : contestants_) {
      const bool stays = contestant.candidate == 0 || (seconds(contestant) <= limit && kept.size() + 1 < contestants_.size());
      if (stays) {
        kept.push_back(std::move(contestant));
      } else {
        result_.candidates[contestant.candidate].status = CandidateStatus::eliminated;
      }
    }
    contestants_ = std::move(kept);
  }

  void choose() {
    double fastest = seconds(contestants_.front());
    for (const Contestant& contestant : contestants_) fastest = std::min(fastest, seconds(contestant));
    const auto taken = std::find_if(contestants_.begin(), contestants_.end(),
                                    [&](const Contestant& contestant) { return seconds(contestant) <= fastest * (1 + options_.tie); });
    result_.best = result_.candidates[taken->candidate].point;
    result_.best_seconds = seconds(*taken);
    result_.reference_seconds = result_.candidates.front().seconds;
  }

  const Device& device_;
  Queue& queue_;
  const TuningTask& task_;
  Cache* cache_;
  const TuningOptions& options_;
  TuningResult result_;
  std::vector<Contestant> contestants_;
  int reference_spills_ = 0;
};

std::string table_row(const std::string& label, double seconds, const TuningTask& task, double copy_bandwidth) {
  std::string row = fmt::format("{:<10} {:>10.2f} us", label, seconds * 1e6);
  if (task.bytes > 0) row += fmt::format(" {:>8.1f} GB/s", task.bytes / seconds * 1e-9);
  if (task.bytes > 0 && copy_bandwidth > 0) row += fmt::format(" ({:.1f}% of the copy)", 100 * task.bytes / seconds / copy_bandwidth);
  if (task.flops > 0) row += fmt::format(" {:>8.1f} GFLOP/s", task.flops / seconds * 1e-9);
  return row;
}

}  // namespace

std::vector<TuningPoint> TuningSpace::points() const {
  std::vector<TuningPoint> list{{}};
  for (const TuningParameter& parameter : parameters) {
    std::vector<TuningPoint> longer;
    for (const TuningPoint& point : list) {
      for (const std::int64_t value : parameter.values) {
        longer.push_back(point);
        longer.back()[parameter.name] = value;
      }
    }
    list = std::move(longer);
  }
  if (allowed) std::erase_if(list, [this](const TuningPoint& point) { return !allowed(point); });
  return list;
}

TuningResult tune(const Device& device, Queue& queue, const TuningTask& task, Cache* cache, const TuningOptions& options) {
  return Search(device, queue, task, cache, options).run();
}

std::string describe(const TuningPoint& point) {
  std::string text;
  for (const auto& [name, value] : point) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "(no parameters)" : text;
}

std::string tuning_table(const TuningTask& task, const TuningResult& result, double copy_bandwidth) {
  std::string text = fmt::format("{}\n", task.name);
  text += fmt::format("{}  {}\n", table_row("default", result.reference_seconds, task, copy_bandwidth), describe(task.reference));
  text += fmt::format("{}  {}\n", table_row("tuned", result.best_seconds, task, copy_bandwidth), describe(result.best));
  std::map<CandidateStatus, int> count;
  for (const Candidate& candidate : result.candidates) ++count[candidate.status];
  text += fmt::format("gain {:.3f}; {} candidates: {} pruned, {} wrong, {} eliminated, {} measured to the end\n", result.gain(),
                      result.candidates.size(), count[CandidateStatus::pruned], count[CandidateStatus::wrong],
                      count[CandidateStatus::eliminated], count[CandidateStatus::measured]);
  return text;
}

}  // namespace dgsolve::codegen
