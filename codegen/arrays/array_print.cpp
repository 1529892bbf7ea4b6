// Prints the kernel of an array expression: equal sub-expressions once, one statement an operation, nothing reassociated.
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <vector>

#include "codegen/arrays/array_plan.h"
#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {
namespace {

bool is_complex(ElementCode type) { return type == ElementCode::complex64 || type == ElementCode::complex128; }
bool is_real(ElementCode type) { return type == ElementCode::float32 || type == ElementCode::float64; }
bool is_signed(ElementCode type) { return type == ElementCode::int32 || type == ElementCode::int64; }

std::string_view unsigned_name(ElementCode type) { return type == ElementCode::int32 ? "uint32" : "uint64"; }

std::string_view infix(ArrayOperation operation) {
  using enum ArrayOperation;
  switch (operation) {
    case add:
      return "+";
    case subtract:
      return "-";
    case multiply:
      return "*";
    case divide:
      return "/";
    case bit_and:
      return "&";
    case bit_or:
      return "|";
    case bit_xor:
      return "^";
    case shift_left:
      return "<<";
    case shift_right:
      return ">>";
    case less:
      return "<";
    case less_equal:
      return "<=";
    case greater:
      return ">";
    case greater_equal:
      return ">=";
    case equal:
      return "==";
    case not_equal:
      return "!=";
    case logical_and:
      return "&&";
    case logical_or:
      return "||";
    default:
      return "";
  }
}

/// An operation on complex numbers is a call; a, b: names of values.
std::string print_complex(ArrayOperation operation, std::string_view type, const std::string& a, const std::string& b) {
  using enum ArrayOperation;
  switch (operation) {
    case add:
      return fmt::format("{}_add({}, {})", type, a, b);
    case subtract:
      return fmt::format("{}_subtract({}, {})", type, a, b);
    case multiply:
      return fmt::format("{}_multiply({}, {})", type, a, b);
    case divide:
      return fmt::format("{}_divide({}, {})", type, a, b);
    case negate:
      return fmt::format("{}_negate({})", type, a);
    case absolute:
      return fmt::format("{}_absolute({})", type, a);
    case argument:
      return fmt::format("{}_argument({})", type, a);
    case conjugate:
      return fmt::format("{}_conjugate({})", type, a);
    case real_part:
      return a + ".re";
    case imaginary_part:
      return a + ".im";
    case equal:
      return fmt::format("(byte){}_equal({}, {})", type, a, b);
    case not_equal:
      return fmt::format("(byte)!{}_equal({}, {})", type, a, b);
    case logical_not:
      return fmt::format("(byte)({0}.re == 0 && {0}.im == 0)", a);
    default:
      return fmt::format("{}_{}({})", type, function_name(operation), a);
  }
}

std::string print_cast(ElementCode from, ElementCode to, const std::string& a) {
  const std::string_view name = element_name(to);
  if (!is_complex(to)) return fmt::format("({}){}", name, a);
  const std::string_view part = to == ElementCode::complex64 ? "float" : "double";
  if (is_complex(from)) return fmt::format("{0}_make(({1}){2}.re, ({1}){2}.im)", name, part, a);
  return fmt::format("{}_make(({}){}, 0)", name, part, a);
}

/// An operation on operands of one type that is not complex; integers wrap.
std::string print_plain(ArrayOperation operation, ElementCode type, const std::string& a, const std::string& b, const std::string& c) {
  using enum ArrayOperation;
  const std::string_view name = element_name(type);
  if (!function_name(operation).empty()) {
    return b.empty() ? fmt::format("{}({})", function_name(operation), a) : fmt::format("{}({}, {})", function_name(operation), a, b);
  }
  switch (operation) {
    case add:
    case subtract:
    case multiply:
      if (is_signed(type)) return fmt::format("({0})(({1}){2} {3} ({1}){4})", name, unsigned_name(type), a, infix(operation), b);
      return fmt::format("({})({} {} {})", name, a, infix(operation), b);
    case divide:
      return is_real(type) ? fmt::format("{} / {}", a, b) : fmt::format("divide_{}({}, {})", name, a, b);
    case remainder:
      return fmt::format("remainder_{}({}, {})", name, a, b);
    case bit_and:
    case bit_or:
    case bit_xor:
      return fmt::format("({})({} {} {})", name, a, infix(operation), b);
    case shift_left:
    case shift_right: {
      const bool wraps = operation == shift_left && is_signed(type);
      return fmt::format("({})({}{} {} (int)({} & {}))", name, wraps ? fmt::format("({})", unsigned_name(type)) : "", a, infix(operation),
                         b, 8 * element_bytes(type) - 1);
    }
    case bit_not:
      return fmt::format("({})~{}", name, a);
    case negate:
      return is_signed(type) ? fmt::format("({0})(({1})0 - ({1}){2})", name, unsigned_name(type), a) : fmt::format("({})(-{})", name, a);
    case absolute:
      return is_real(type) ? fmt::format("fabs({})", a) : fmt::format("absolute_{}({})", name, a);
    case minimum:
      return fmt::format("{1} < {0} ? {1} : {0}", a, b);
    case maximum:
      return fmt::format("{0} < {1} ? {1} : {0}", a, b);
    case fma:
      return fmt::format("FMA({}, {}, {})", a, b, c);
    case logical_and:
    case logical_or:
      return fmt::format("(byte)({} != 0 {} {} != 0)", a, infix(operation), b);
    case logical_not:
      return fmt::format("(byte)({} == 0)", a);
    case is_nan:
      return fmt::format("(byte)({0} != {0})", a);
    case is_finite:
      return fmt::format("(byte)({0} - {0} == 0)", a);
    case make_complex:
      return fmt::format("{}_make({}, {})", element_name(result_type(operation, type)), a, b);
    default:  // comparisons
      return fmt::format("(byte)({} {} {})", a, infix(operation), b);
  }
}

/// Prints the function `item` of all outputs' programs.
class ItemPrinter {
 public:
  explicit ItemPrinter(const ArrayPlan& plan) : plan_(plan) {
    std::size_t next_leaf = 0;
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      const ArrayOutput& output = plan_.outputs[k];
      add_program(*output.values, next_leaf, fmt::format("r{}", k));
      if (output.places != nullptr) add_program(*output.places, next_leaf, fmt::format("p{}", k));
    }
  }
  [[nodiscard]] const std::string& statements() const { return statements_; }
  [[nodiscard]] bool uses_double() const { return uses_double_; }

 private:
  struct Value {
    std::string text;  ///< a name
    PlannedType type;
  };

  void add_program(const ArrayProgram& program, std::size_t& next_leaf, const std::string& result) {
    std::vector<Value> stack;
    for (const ArrayToken token : program.tokens) {
      uses_double_ |= token.type == ElementCode::float64 || token.type == ElementCode::complex128;
      switch (token.operation) {
        case ArrayOperation::array: {
          const std::size_t k = plan_.leaves[next_leaf++];
          stack.push_back({fmt::format("a{}", k), plan_.memories[plan_.operands[k].memory].type});
          break;
        }
        case ArrayOperation::scalar:
          stack.push_back({fmt::format("s{}", plan_.leaves[next_leaf++]), {token.type, nullptr}});
          break;
        case ArrayOperation::item_index:
          stack.push_back({"(int64)i", {ElementCode::int64, nullptr}});
          break;
        case ArrayOperation::gather:
          stack.back() = gather(plan_.leaves[next_leaf++], stack.back().text);
          break;
        default:
          operate(token, stack);
      }
    }
    statements_ += fmt::format("  *{} = {};\n", result, stack.back().text);
  }

  void operate(ArrayToken token, std::vector<Value>& stack) {
    const auto count = static_cast<std::size_t>(operand_count(token.operation));
    std::array<std::string, 3> texts;
    const ElementCode first_type = stack[stack.size() - count].type.code;
    for (std::size_t k = 0; k < count; ++k) texts.at(k) = stack[stack.size() - count + k].text;
    PlannedType type{result_type(token.operation, token.type), nullptr};
    std::string text;
    if (token.operation == ArrayOperation::cast) {
      text = print_cast(first_type, token.type, texts[0]);
    } else if (token.operation == ArrayOperation::select) {
      type = stack.back().type;
      text = fmt::format("{} != 0 ? {} : {}", texts[0], texts[1], texts[2]);
    } else if (is_complex(token.type)) {
      text = print_complex(token.operation, element_name(token.type), texts[0], texts[1]);
    } else {
      text = print_plain(token.operation, token.type, texts[0], texts[1], texts[2]);
    }
    stack.resize(stack.size() - count);
    stack.push_back({name_of(fmt::format("const {}", type.name()), text, ""), type});
  }

  Value gather(std::size_t table, const std::string& place) {
    const PlannedType type = plan_.memories[plan_.tables[table].memory].type;
    const std::string zero = fmt::format("{} zero_{} = {{0}};", type.name(), table);
    if (known_.emplace(zero, "").second) statements_ += fmt::format("  const {}\n", zero);
    const std::string text = fmt::format("(uint64){0} < (uint64)t_count{1} ? b{2}[t_offset{1} + (Index){0} * t_stride{1}] : zero_{1}",
                                         place, table, plan_.tables[table].memory);
    return {name_of(fmt::format("const {}", type.name()), text, ""), type};
  }

  /// The value with this text: made once.
  std::string name_of(const std::string& type, const std::string& text, std::string_view) {
    const auto [found, is_new] = known_.emplace(type + " " + text, fmt::format("v{}", known_.size()));
    if (is_new) statements_ += fmt::format("  {} {} = {};\n", type, found->second, text);
    return found->second;
  }

  const ArrayPlan& plan_;
  std::string statements_;
  std::map<std::string, std::string> known_;
  bool uses_double_ = false;
};

/// Prints everything that depends on the plan.
class KernelPrinter {
 public:
  explicit KernelPrinter(const ArrayPlan& plan) : plan_(plan), item_(plan) {}

  KernelSpec run() {
    const bool on_cpu = plan_.context().device().facts().is_cpu;
    const ArrayLaunch launch = array_launch(plan_, on_cpu);
    KernelSpec spec;
    spec.name = "array_expression";
    spec.source_name = plan_.flat ? "array_flat.kernel.h" : "array_strided.kernel.h";
    spec.source = array_kernel_text(spec.source_name);
    for (const char* name : {"array_functions.kernel.h", "complex.kernel.h"}) spec.includes[name] = array_kernel_text(name);
    spec.group_size = {launch.group, 1, 1};
    add_arguments(spec);
    spec.constants["index"] = std::string(plan_.wide ? "int64" : "int");
    spec.constants["group"] = std::int64_t{launch.group};
    spec.constants["chunk"] = launch.chunk;
    spec.constants["item"] = item_function();
    if (plan_.flat) {
      spec.constants["on_cpu"] = std::int64_t{on_cpu};
      spec.constants["use_packs"] = std::int64_t{1};
      spec.constants["advance"] = std::string();
      spec.constants["runs"] = std::int64_t{launch.runs};
      spec.constants["pack"] = pack();
      spec.constants["item_at_i"] = item_call("i_", "    ");
      add_packs(spec);
    } else {
      spec.constants["item_at_k"] = item_call("k_", "      ");
      spec.constants["decode"] = decode();
    }
    spec.constants["definitions"] = definitions();
    spec.precision = item_.uses_double() || double_memory_ ? Precision::double_precision : Precision::single_precision;
    return spec;
  }

 private:
  [[nodiscard]] std::int64_t pack() const { return plan_.aligned ? plan_.pack() : 1; }
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
      if (plan_.operands[k].read) text += fmt::format(", {} a{}", memory(plan_.operands[k]).type.name(), k);
    }
    for (std::size_t s = 0; s < plan_.scalars.size(); ++s) text += fmt::format(", {} s{}", element_name(plan_.scalars[s]->type), s);
    std::vector<bool> passed(plan_.memories.size());
    for (std::size_t t = 0; t < plan_.tables.size(); ++t) {
      const ArrayPlan::Table& table = plan_.tables[t];
      if (table.written) continue;
      if (!passed[table.memory]) text += fmt::format(", GLOBAL const {}* b{}", plan_.memories[table.memory].type.name(), table.memory);
      passed[table.memory] = true;
      text += fmt::format(", Index t_offset{0}, Index t_stride{0}, Index t_count{0}", t);
    }
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      text += fmt::format(", {}* r{}", output_type(k), k);
      if (plan_.outputs[k].places != nullptr) text += fmt::format(", int64* p{}", k);
    }
    return fmt::format("{}) {{\n{}}}", text, item_.statements());
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
    for (std::size_t s = 0; s < plan_.scalars.size(); ++s) text += fmt::format(", s{}", s);
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
    if (!plan_.flat) text += fmt::format("m{} + ", operand.layout);
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
    text += fmt::format("item_({}{});", plan_.flat ? place : "i_ + k_",
                        arguments([&](std::size_t k) { return address(k, place); }, [](std::size_t k) { return fmt::format("r{}", k); }));
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) text += line + store(k, place);
    return text;
  }

  void add_packs(KernelSpec& spec) const {
    std::string variables, loads, results, stores;
    for (std::size_t k = 0; k < plan_.operands.size(); ++k) {
      const ArrayPlan::Operand& operand = plan_.operands[k];
      if (!operand.read || plan_.inner_stride(operand.layout) == 0) continue;
      variables += fmt::format("pack_{} q{}[{}]; ", memory(operand).type.name(), k, spec.constants.contains("runs") ? runs() : 1);
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
    items += fmt::format("item_(at_ * {} + k_{});", pack(), arguments(operand, result));
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      if (plan_.outputs[k].places != nullptr) items += " " + store(k, "");
    }
    spec.constants["pack_variables"] = variables;
    spec.constants["load_packs"] = loads;
    spec.constants["result_packs"] = results;
    spec.constants["store_packs"] = stores;
    spec.constants["item_of_packs"] = items;
  }

  [[nodiscard]] int runs() const { return array_launch(plan_, false).runs; }

  [[nodiscard]] std::string pack_address(std::size_t k, bool constant) const {
    const ArrayPlan::Operand& operand = plan_.operands[k];
    return fmt::format("((GLOBAL {}pack_{}*)(b{}{}))[at_]", constant ? "const " : "", memory(operand).type.name(), operand.memory,
                       operand.offset != 0 ? fmt::format(" + o{}", k) : "");
  }

  /// Structures, and the packs of every item type.
  [[nodiscard]] std::string definitions() const {
    std::string text = "/* types */\n";
    for (const auto& [name, definition] : structures_) text += definition + "\n";
    if (!plan_.flat) return text;
    std::map<std::string, std::size_t> packs;
    for (const ArrayPlan::Memory& one : plan_.memories) {
      if (one.type.code == ElementCode::structure)
        packs[one.type.name()] = 0;
      else
        packs[one.type.name()] = static_cast<std::size_t>(pack()) * element_bytes(one.type.code);
    }
    for (const auto& [name, bytes] : packs) {
      const std::string alignment = bytes == 0 || !plan_.aligned ? "" : fmt::format("__attribute__((aligned({}))) ", bytes);
      text += fmt::format("typedef struct {}{{ {} lane[{}]; }} pack_{};\n", alignment, name, pack(), name);
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
  ItemPrinter item_;
  std::map<std::string, std::string> structures_;
  bool double_memory_ = false;
};

}  // namespace

KernelSpec array_kernel_spec(const ArrayPlan& plan) { return KernelPrinter(plan).run(); }

}  // namespace dgsolve::codegen
