// Prints the kernel of an array expression around the statements of one item.
#include <fmt/format.h>

#include <map>
#include <vector>

#include "codegen/arrays/array_plan.h"
#include "codegen/arrays/array_statements.h"

namespace dgsolve::codegen {
namespace {

/// Prints everything that depends on the plan.
class KernelPrinter {
 public:
  KernelPrinter(const ArrayPlan& plan, WorkStyle style)
      : plan_(plan),
        lanes_(vector_lanes(plan, style)),
        flat_(plan.flat && lanes_ == 1),
        item_(array_statements(plan, lanes_)),
        on_cpu_(style == WorkStyle::items),
        launch_(launch_of(plan, style)) {}

  KernelSpec run() {
    KernelSpec spec;
    spec.name = "array_expression";
    spec.source_name = flat_ ? "array_flat.kernel.h" : lanes_ > 1 ? "array_vector.kernel.h" : "array_strided.kernel.h";
    spec.source = array_kernel_text(spec.source_name);
    for (const char* name : {"array_functions.kernel.h", "complex.kernel.h"}) spec.includes[name] = array_kernel_text(name);
    spec.group_size = {launch_.group, 1, 1};
    add_arguments(spec);
    spec.constants["index"] = std::string(plan_.wide ? "int64" : "int");
    spec.vector_width = lanes_;
    spec.constants["chunk"] = launch_.chunk;
    spec.constants["item"] = item_function();
    if (lanes_ == 1) spec.constants["group"] = std::int64_t{launch_.group};
    if (flat_ || lanes_ > 1) spec.constants["advance"] = std::string();
    if (flat_) {
      spec.constants["on_cpu"] = std::int64_t{on_cpu_};
      spec.constants["use_packs"] = std::int64_t{1};
      spec.constants["runs"] = std::int64_t{launch_.runs};
      spec.constants["pack"] = launch_.pack;
      spec.constants["item_at_i"] = item_call("i_", "    ");
      add_packs(spec);
    } else {
      if (lanes_ > 1)
        add_vectors(spec);
      else
        spec.constants["item_at_k"] = item_call("k_", "      ");
      spec.constants["decode"] = decode();
    }
    spec.constants["definitions"] = definitions();
    spec.precision = item_.uses_double || double_memory_ ? Precision::double_precision : Precision::single_precision;
    return spec;
  }

 private:
  [[nodiscard]] const ArrayPlan::Memory& memory(const ArrayPlan::Operand& operand) const { return plan_.memories[operand.memory]; }

  void add_arguments(KernelSpec& spec) {
    for (std::size_t m = 0; m < plan_.memories.size(); ++m) {
      const PlannedType& type = plan_.memories[m].type;
      const ElementType element = type.code == ElementCode::structure ? type.element() : element_type_named(type.name());
      double_memory_ |= type.code == ElementCode::float64 || type.code == ElementCode::complex128 ||
                        element.definition.find("double") != std::string::npos ||
                        element.definition.find("complex128") != std::string::npos;
      if (!element.definition.empty()) structures_[element.name] = element.definition;
      spec.arguments.push_back(array_argument(fmt::format("b{}", m), element, plan_.memories[m].written ? Intent::in_out : Intent::in));
    }
    for (std::size_t s = 0; s < plan_.scalars.size(); ++s) {
      spec.arguments.push_back(value_argument(fmt::format("s{}", s), element_type_named(element_name(plan_.scalars[s]->type))));
    }
    const ElementType index = element_type_named(plan_.wide ? "int64" : "int");
    visit_indices(plan_, [&](std::string_view kind, std::size_t k, std::size_t d, std::int64_t) {
      const std::string name = kind == "n" ? "n_" : kind == "stride" ? fmt::format("stride{}_{}", k, d) : fmt::format("{}{}", kind, k);
      spec.arguments.push_back(value_argument(name, index));
    });
  }

  /// The function of one item: operands and scalars in, results and places out.
  [[nodiscard]] std::string item_function() const {
    std::string text = "INLINE void item_(Index i";
    for (std::size_t k = 0; k < plan_.operands.size(); ++k) {
      if (plan_.operands[k].read) text += fmt::format(", {} a{}", lanes_ > 1 ? "realv" : memory(plan_.operands[k]).type.name(), k);
    }
    for (std::size_t s = 0; s < plan_.scalars.size(); ++s) {
      text += fmt::format(", {} s{}", lanes_ > 1 ? "realv" : element_name(plan_.scalars[s]->type), s);
    }
    std::vector<bool> passed(plan_.memories.size());
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      const ArrayPlan::Table& table = plan_.tables[t];
      if (table.written) continue;
      if (!passed[table.memory]) text += fmt::format(", GLOBAL const {}* b{}", plan_.memories[table.memory].type.name(), table.memory);
      passed[table.memory] = true;
      text += fmt::format(", Index t_offset{0}, Index t_stride{0}, Index t_count{0}", t);
    }
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      text += fmt::format(", {}* r{}", lanes_ > 1 ? "realv" : output_type(k), k);
      if (plan_.outputs[k].places != nullptr) text += fmt::format(", int64* p{}", k);
    }
    return fmt::format("{}) {{\n{}}}", text, item_.text);
  }

  [[nodiscard]] std::string output_type(std::size_t k) const {
    const std::size_t target = plan_.targets[k];
    const bool scattered = plan_.outputs[k].places != nullptr;
    return plan_.memories[scattered ? plan_.tables[target].memory : plan_.operands[target].memory].type.name();
  }

  /// The arguments of a call of `item` after the place: operands by `operand(k)`.
  template <class Operand, class Result>
  [[nodiscard]] std::string arguments(const Operand& operand, const Result& result) const {
    std::string text;
    for (std::size_t k = 0; k < plan_.operands.size(); ++k) {
      if (plan_.operands[k].read) text += ", " + operand(k);
    }
    for (std::size_t s = 0; s < plan_.scalars.size(); ++s) text += lanes_ > 1 ? fmt::format(", REALV(s{})", s) : fmt::format(", s{}", s);
    std::vector<bool> passed(plan_.memories.size());
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      const ArrayPlan::Table& table = plan_.tables[t];
      if (table.written) continue;
      if (!passed[table.memory]) text += fmt::format(", b{}", table.memory);
      passed[table.memory] = true;
      text += fmt::format(", t_offset{0}, t_stride{0}, t_count{0}", t);
    }
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      text += ", &" + result(k);
      if (plan_.outputs[k].places != nullptr) text += fmt::format(", &p{}", k);
    }
    return text;
  }

  /// Where an operand's item is, for place i of a flat kernel or step k of a row.
  [[nodiscard]] std::string address(std::size_t k, std::string_view place) const {
    const ArrayPlan::Operand& operand = plan_.operands[k];
    std::string text = operand.offset != 0 ? fmt::format("o{} + ", k) : "";
    const std::int64_t stride = plan_.inner_stride(operand.layout);
    if (!flat_) text += fmt::format("m{} + ", operand.layout);
    if (stride == 1)
      text += place;
    else if (stride == 0)
      text += "0";
    else
      text += fmt::format("{} * stride{}_{}", place, operand.layout, plan_.extents.size() - 1);
    return fmt::format("b{}[{}]", operand.memory, text);
  }

  [[nodiscard]] std::string store(std::size_t k, std::string_view place) const {
    const std::size_t target = plan_.targets[k];
    if (plan_.outputs[k].places == nullptr) return fmt::format("{} = r{};", address(target, place), k);
    return fmt::format("if ((uint64)p{0} < (uint64)t_count{1}) b{2}[t_offset{1} + (Index)p{0} * t_stride{1}] = r{0};", k, target,
                       plan_.tables[target].memory);
  }

  /// Statements that compute and store one item of every output.
  [[nodiscard]] std::string item_call(std::string_view place, std::string_view indent) const {
    std::string text, line = fmt::format("\n{}", indent);
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      text += fmt::format("{} r{};{}", output_type(k), k, line);
      if (plan_.outputs[k].places != nullptr) text += fmt::format("int64 p{};{}", k, line);
    }
    text += fmt::format("item_({}{});", flat_ ? place : "i_ + k_",
                        arguments([&](std::size_t k) { return address(k, place); }, [](std::size_t k) { return fmt::format("r{}", k); }));
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) text += line + store(k, place);
    return text;
  }

  /// Loads, call and stores of a vector of places; `at_` is the place of lane j_ in the row.
  void add_vectors(KernelSpec& spec) const {
    std::string variables, lanes, vectors, stores, vector_stores;
    for (std::size_t k = 0; k < plan_.operands.size(); ++k) {
      const ArrayPlan::Operand& operand = plan_.operands[k];
      if (!operand.read) continue;
      const bool whole = plan_.inner_stride(operand.layout) == 1;
      variables += fmt::format("realv q{}; ", k);
      lanes += fmt::format("LANE(q{}, j_) = {}; ", k, address(k, "at_"));
      if (whole)
        vectors += fmt::format("q{} = LOAD_ANYWHERE(&{}); ", k, address(k, "k_"));
      else
        vectors += fmt::format("UNROLL for (int j_ = 0; j_ < VECTOR_WIDTH; ++j_) LANE(q{}, j_) = {}; ", k, address(k, "(k_ + j_)"));
    }
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      const std::size_t target = plan_.targets[k];
      variables += fmt::format("realv r{}; ", k);
      stores += fmt::format("{} = LANE(r{}, j_); ", address(target, "(k_ + j_)"), k);
      if (plan_.inner_stride(plan_.operands[target].layout) == 1) {
        vector_stores += fmt::format("STORE_ANYWHERE(r{}, &{}); ", k, address(target, "k_"));
      } else {
        vector_stores +=
            fmt::format("UNROLL for (int j_ = 0; j_ < VECTOR_WIDTH; ++j_) {} = LANE(r{}, j_); ", address(target, "(k_ + j_)"), k);
      }
    }
    spec.constants["variables"] = variables;
    spec.constants["load_lanes"] = lanes;
    spec.constants["load_vectors"] = vectors;
    spec.constants["store_lanes"] = stores;
    spec.constants["store_vectors"] = vector_stores;
    spec.constants["compute"] = fmt::format("item_(i_ + k_{});", arguments([](std::size_t k) { return fmt::format("q{}", k); },
                                                                           [](std::size_t k) { return fmt::format("r{}", k); }));
  }

  void add_packs(KernelSpec& spec) const {
    std::string variables, loads, results, stores;
    for (std::size_t k = 0; k < plan_.operands.size(); ++k) {
      const ArrayPlan::Operand& operand = plan_.operands[k];
      if (!operand.read || plan_.inner_stride(operand.layout) == 0) continue;
      variables += fmt::format("pack_{} q{}[{}]; ", memory(operand).type.name(), k, launch_.runs);
      loads += fmt::format("q{}[run_] = {}; ", k, pack_address(k, true));
    }
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      if (plan_.outputs[k].places != nullptr) continue;
      results += fmt::format("pack_{} w{}; ", output_type(k), k);
      stores += fmt::format("{} = w{}; ", pack_address(plan_.targets[k], false), k);
    }
    const auto operand = [&](std::size_t k) {
      return plan_.inner_stride(plan_.operands[k].layout) == 0 ? address(k, "") : fmt::format("q{}[run_].lane[k_]", k);
    };
    const auto result = [&](std::size_t k) {
      return plan_.outputs[k].places == nullptr ? fmt::format("w{}.lane[k_]", k) : fmt::format("r{}", k);
    };
    std::string items;
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      if (plan_.outputs[k].places != nullptr) items += fmt::format("{} r{}; int64 p{}; ", output_type(k), k, k);
    }
    items += fmt::format("item_(at_ * {} + k_{});", launch_.pack, arguments(operand, result));
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      if (plan_.outputs[k].places != nullptr) items += " " + store(k, "");
    }
    spec.constants["pack_variables"] = variables;
    spec.constants["load_packs"] = loads;
    spec.constants["result_packs"] = results;
    spec.constants["store_packs"] = stores;
    spec.constants["item_of_packs"] = items;
  }

  [[nodiscard]] std::string pack_address(std::size_t k, bool constant) const {
    const ArrayPlan::Operand& operand = plan_.operands[k];
    return fmt::format("((GLOBAL {}pack_{}*)(b{}{}))[at_]", constant ? "const " : "", memory(operand).type.name(), operand.memory,
                       operand.offset != 0 ? fmt::format(" + o{}", k) : "");
  }

  /// Structures, and the packs of every item type.
  [[nodiscard]] std::string definitions() const {
    std::string text = "/* types */\n";
    for (const auto& [name, definition] : structures_) text += definition + "\n";
    if (!flat_) return text;
    std::map<std::string, std::size_t> packs;
    for (const ArrayPlan::Memory& one : plan_.memories) {
      if (one.type.code == ElementCode::structure)
        packs[one.type.name()] = 0;
      else
        packs[one.type.name()] = static_cast<std::size_t>(launch_.pack) * element_bytes(one.type.code);
    }
    for (const auto& [name, bytes] : packs) {
      const std::string alignment = bytes == 0 || !plan_.aligned ? "" : fmt::format("__attribute__((aligned({}))) ", bytes);
      text += fmt::format("typedef struct {}{{ {} lane[{}]; }} pack_{};\n", alignment, name, launch_.pack, name);
    }
    return text;
  }

  /// The row of place i, what is left of it, and where it begins for every layout.
  [[nodiscard]] std::string decode() const {
    const std::size_t inner = plan_.extents.size() - 1;
    std::string text;
    if (inner == 0) {
      text = "const Index j0 = i_, row_left_ = n_ - i_;\n";
    } else {
      text = "Index rest = i_;\n";
      for (std::size_t d = inner; d > 0; --d) text += fmt::format("    const Index j{0} = rest % extent{0};\n    rest /= extent{0};\n", d);
      text += fmt::format("    const Index j0 = rest, row_left_ = extent{0} - j{0};\n", inner);
    }
    for (std::size_t l = 0; l < plan_.layouts.size(); ++l) {
      text += fmt::format("    const Index m{} = ", l);
      for (std::size_t d = 0; d < inner; ++d) text += fmt::format("j{0} * stride{1}_{0} + ", d, l);
      const std::int64_t stride = plan_.inner_stride(l);
      text += stride == 0 ? "0;\n" : stride == 1 ? fmt::format("j{};\n", inner) : fmt::format("j{0} * stride{1}_{0};\n", inner, l);
    }
    text.pop_back();
    return text;
  }

  const ArrayPlan& plan_;
  int lanes_;
  bool flat_;  ///< no rows
  ArrayStatements item_;
  bool on_cpu_;
  ItemLaunch launch_;
  std::map<std::string, std::string> structures_;
  bool double_memory_ = false;
};

}  // namespace

KernelSpec array_kernel_spec(const ArrayPlan& plan, WorkStyle style) { return KernelPrinter(plan, style).run(); }

}  // namespace dgsolve::codegen
