// Register updates as code. For every term c * r: 0 in all stages served: absent; 1 in all: no product; else a scalar argument.
#include "solver/kernels/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace dgsolve::solver {
namespace {

using Getter = double (*)(const RegisterUpdate&, std::size_t);

double coefficient(const RegisterUpdate& update, std::size_t n) { return n < update.coefficients.size() ? update.coefficients[n] : 0.0; }
double rate(const RegisterUpdate& update, std::size_t) { return update.rate; }

enum class Term { absent, one, scalar };

/// What a coefficient is over all stages of a kernel.
Term classify(const Integrator& method, const std::vector<int>& stages, std::size_t m, std::size_t n, Getter get) {
  bool zero = true;
  bool one = true;
  for (const int s : stages) {
    const double c = get(method.stages[static_cast<std::size_t>(s)].updates[m], n);
    zero = zero && c == 0.0;
    one = one && c == 1.0;
  }
  return zero ? Term::absent : one ? Term::one : Term::scalar;
}

/// Stages with equal keys share a kernel.
std::string key(const Stage& stage, UpdateSharing sharing) {
  std::string text;
  for (const RegisterUpdate& update : stage.updates) {
    text += update.active ? 'a' : '-';
    if (sharing == UpdateSharing::merge || !update.active) continue;
    for (const double c : update.coefficients) text += c == 0.0 ? '0' : c == 1.0 ? '1' : 'c';
    text += update.rate == 0.0 ? '0' : update.rate == 1.0 ? '1' : 'c';
  }
  return text;
}

std::string prefetch(const std::string& prefetches) { return fmt::format("#define STAGE_PREFETCH(at) do {{ {}}} while (0)\n", prefetches); }

/// The part of UpdateCode::split_text that reads.
std::string old_values(int count, const std::string& reads, const std::string& prefetches) {
  return fmt::format("#define STAGE_OLD_COUNT {}\n#define STAGE_OLD(old, at) do {{ {}}} while (0)\n", std::max(count, 1), reads) +
         prefetch(prefetches);
}

/// A kernel may define before how the new state is stored.
constexpr const char* store_next = "#ifndef STORE_NEXT\n#define STORE_NEXT(v, p) VSTORE(v, p)\n#endif\n";

/// Builds one UpdateCode for a set of stages.
class Writer {
 public:
  Writer(const Integrator& method, std::vector<int> stages) : method_(method), registers_(static_cast<std::size_t>(method.registers)) {
    code_.stages = std::move(stages);
    code_.values.resize(code_.stages.size());
  }

  UpdateCode write() {
    const auto& updates = method_.stages[static_cast<std::size_t>(code_.stages.front())].updates;
    for (std::size_t m = 1; m < registers_; ++m) {
      if (updates[m].active) sum(m, fmt::format("new{}", m));
    }
    if (updates[0].active) {
      sum(0, "next");
    } else {
      body_ += "  const realv next = u;\n";
      values_ += "  const realv next = u;\n";
    }
    finish();
    return std::move(code_);
  }

 private:
  /// The present value of register n as an expression: u, a register already updated in this stage, or a loaded old one.
  std::string value(std::size_t n) {
    if (n == 0) return "u";
    use(n);
    if (updated_[n]) return fmt::format("new{}", n);
    if (std::find(loaded_.begin(), loaded_.end(), n) == loaded_.end()) loaded_.push_back(n);
    return fmt::format("old{}", n);
  }

  void use(std::size_t n) {
    const int i = static_cast<int>(n);
    if (std::find(code_.registers.begin(), code_.registers.end(), i) == code_.registers.end()) code_.registers.push_back(i);
  }

  std::string scalar(std::string name, std::size_t m, std::size_t n, Getter get) {
    code_.scalars.push_back(name);
    for (std::size_t i = 0; i < code_.stages.size(); ++i) {
      code_.values[i].push_back(get(method_.stages[static_cast<std::size_t>(code_.stages[i])].updates[m], n));
    }
    return name;
  }

  /// Plain summands first, so that every product is one FMA onto them.
  void sum(std::size_t m, const std::string& target) {
    std::string total;
    std::vector<std::array<std::string, 2>> products;
    const auto add = [&](Term term, const std::string& name, std::size_t n, Getter get, const std::string& operand) {
      if (term == Term::one) total = total.empty() ? operand : fmt::format("{} + {}", total, operand);
      if (term == Term::scalar) products.push_back({scalar(name, m, n, get), operand});
    };
    add(classify(method_, code_.stages, m, 0, rate), fmt::format("d{}", m), 0, rate, "step_rate");
    for (std::size_t n = 0; n < registers_; ++n) {
      const Term term = classify(method_, code_.stages, m, n, coefficient);
      if (term != Term::absent) add(term, fmt::format("c{}_{}", m, n), n, coefficient, value(n));
    }
    for (const auto& [factor, operand] : products) {
      total =
          total.empty() ? fmt::format("REALV({}) * {}", factor, operand) : fmt::format("FMA(REALV({}), {}, {})", factor, operand, total);
    }
    if (total.empty()) total = "REALV(0)";
    body_ += fmt::format("  const realv {} = {};\n", target, total);
    values_ += fmt::format("  const realv {} = {};\n", target, total);
    if (m == 0) return;
    use(m);
    updated_[m] = true;
    body_ += fmt::format("  VSTORE(new{0}, r{0} + at);\n", m);
    stored_.push_back(m);
  }

  void finish() {
    std::sort(code_.registers.begin(), code_.registers.end());
    std::string parameters = "const long at, const real dt, GLOBAL real *next_state";
    std::string arguments = "next_state";
    for (const int r : code_.registers) {
      parameters += fmt::format(", GLOBAL real *r{}", r);
      arguments += fmt::format(", r{}", r);
    }
    for (const std::string& name : code_.scalars) {
      parameters += fmt::format(", const real {}", name);
      arguments += ", " + name;
    }
    const std::string given = "const realv u, const realv rate, " + parameters;
    code_.text = store_next + function("stage_update", given, 0);
    code_.text += fmt::format("#define STAGE_UPDATE(u, rate, at) stage_update(u, rate, at, dt, {})\n", arguments);
    if (!loaded_.empty()) {
      code_.text += function("stage_update_early", given + fmt::format(", const realv old{}", loaded_.front()), 1);
      code_.text += fmt::format("#define STAGE_EARLY_REGISTER r{}\n", loaded_.front());
      code_.text += fmt::format("#define STAGE_UPDATE_EARLY(u, rate, at, old) stage_update_early(u, rate, at, dt, {}, old)\n", arguments);
    }
    if (loaded_.size() <= 1 && stored_.size() <= 1) write_values();
    write_split(parameters, arguments);
  }

  /// For kernels that read the registers' old values before they compute.
  void write_split(const std::string& parameters, const std::string& arguments) {
    std::string given, reads, prefetches;
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      given += fmt::format("  const realv old{} = old[{}];\n", loaded_[i], i);
      reads += fmt::format("(old)[{}] = VLOAD(r{} + (at)); ", i, loaded_[i]);
      prefetches += fmt::format("PREFETCH(r{} + (at)); ", loaded_[i]);
    }
    code_.split_text = fmt::format(
        "INLINE void stage_update_from(const realv u, const realv rate, const realv *old, {}) {{\n"
        "  const realv step_rate = REALV(dt) * rate;\n{}{}  VSTORE(next, next_state + at);\n}}\n"
        "#define STAGE_UPDATE_FROM(u, rate, old, at) stage_update_from(u, rate, old, at, dt, {})\n",
        parameters, given, body_, arguments);
    code_.split_text += old_values(static_cast<int>(loaded_.size()), reads, prefetches);
    code_.text += prefetch(prefetches);
  }

  /// Reads the registers from the number `first` of those that are read on, computes, writes.
  [[nodiscard]] std::string function(const std::string& name, const std::string& parameters, std::size_t first) const {
    std::string loads;
    for (std::size_t i = first; i < loaded_.size(); ++i) loads += fmt::format("  const realv old{0} = VLOAD(r{0} + at);\n", loaded_[i]);
    return fmt::format(
        "INLINE realv {}({}) {{\n  const realv step_rate = REALV(dt) * rate;\n{}{}  STORE_NEXT(next, next_state + at);\n  return "
        "next;\n}}\n",
        name, parameters, loads, body_);
  }

  /// The arithmetic from values to values, and the writing, for kernels that read and write in an order of their own.
  void write_values() {
    std::string scalars, parameters;
    for (const std::string& name : code_.scalars) {
      parameters += fmt::format(", const real {}", name);
      scalars += ", " + name;
    }
    const std::string old = loaded_.empty() ? "unused" : fmt::format("old{}", loaded_.front());
    const std::string kept = stored_.empty() ? "REALV(0)" : fmt::format("new{}", stored_.front());
    code_.text += fmt::format(
        "INLINE void stage_values(const realv u, const realv rate, const realv {}, const real dt, realv *next_value, realv *kept_value{}) "
        "{{\n"
        "  const realv step_rate = REALV(dt) * rate;\n{}  *next_value = next;\n  *kept_value = {};\n}}\n",
        old, parameters, values_, kept);
    code_.text += fmt::format("#define STAGE_VALUES(u, rate, old, next, kept) stage_values(u, rate, old, dt, next, kept{})\n", scalars);
    code_.text += fmt::format("#define STAGE_STORE(next, kept, at) do {{ VSTORE(next, next_state + (at)); {}}} while (0)\n",
                              stored_.empty() ? "" : fmt::format("VSTORE(kept, r{} + (at)); ", stored_.front()));
  }

  const Integrator& method_;
  std::size_t registers_;
  std::vector<std::size_t> loaded_;  ///< registers whose old values are read, in the order of their use
  std::vector<std::size_t> stored_;  ///< registers that are written
  std::vector<bool> updated_ = std::vector<bool>(registers_, false);
  std::string body_;
  std::string values_;  ///< the body without its writing
  UpdateCode code_;
};

}  // namespace

std::vector<codegen::ArgumentSpec> UpdateCode::arguments() const {
  using codegen::ArgumentType;
  using codegen::Intent;
  std::vector<codegen::ArgumentSpec> list{{"next_state", ArgumentType::real_buffer, Intent::out, "[block][variable][node][W]"}};
  for (const int r : registers)
    list.push_back({fmt::format("r{}", r), ArgumentType::real_buffer, Intent::in_out, "[block][variable][node][W]"});
  for (const std::string& name : scalars) list.push_back({name, ArgumentType::real, Intent::in, "Runge-Kutta coefficient"});
  return list;
}

std::vector<UpdateCode> plan_updates(const Integrator& method, UpdateSharing sharing) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<int>> groups;
  for (std::size_t s = 0; s < method.stages.size(); ++s) {
    const std::string k = key(method.stages[s], sharing);
    if (!groups.contains(k)) order.push_back(k);
    groups[k].push_back(static_cast<int>(s));
  }
  std::vector<UpdateCode> codes;
  codes.reserve(order.size());
  for (const std::string& k : order) codes.push_back(Writer(method, groups.at(k)).write());
  return codes;
}

UpdateCode rate_only_update() {
  UpdateCode code;
  code.text = store_next +
              std::string(
                  "INLINE realv stage_update(const realv rate, const long at, GLOBAL real *next_state) {\n  STORE_NEXT(rate, next_state + "
                  "at);\n  return "
                  "rate;\n}\n"
                  "#define STAGE_UPDATE(u, rate, at) ((void)dt, stage_update(rate, at, next_state))\n") +
              prefetch("");
  code.split_text =
      "INLINE void stage_update_from(const realv rate, const long at, GLOBAL real *next_state) {\n  VSTORE(rate, next_state + at);\n}\n"
      "#define STAGE_UPDATE_FROM(u, rate, old, at) ((void)dt, stage_update_from(rate, at, next_state))\n" +
      old_values(0, "", "");
  code.stages = {0};
  code.values = {{}};
  return code;
}

}  // namespace dgsolve::solver
