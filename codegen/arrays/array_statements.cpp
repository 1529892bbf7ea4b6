// Prints the operations of array expressions: equal sub-expressions once, one statement an operation, nothing reassociated.
#include "codegen/arrays/array_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

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
std::string print_plain(ArrayOperation operation, ElementCode type, std::string_view name, const std::string& a, const std::string& b,
                        const std::string& c) {
  using enum ArrayOperation;
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
      return fmt::format("SELECT({1} < {0}, {1}, {0})", a, b);
    case maximum:
      return fmt::format("SELECT({0} < {1}, {1}, {0})", a, b);
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
  ItemPrinter(const ArrayPlan& plan, int lanes) : plan_(plan), lanes_(lanes) {
    std::size_t next_leaf = 0;
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      const ArrayOutput& output = plan_.outputs[k];
      add_program(*output.values, next_leaf, fmt::format("r{}", k));
      if (output.places != nullptr) add_program(*output.places, next_leaf, fmt::format("p{}", k));
    }
  }
  [[nodiscard]] ArrayStatements take() { return {std::move(statements_), uses_double_}; }

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
      text = print_plain(token.operation, token.type, lanes_ > 1 ? "realv" : element_name(token.type), texts[0], texts[1], texts[2]);
    }
    stack.resize(stack.size() - count);
    stack.push_back({name_of(fmt::format("const {}", lanes_ > 1 ? "realv" : type.name()), text), type});
  }

  Value gather(std::size_t table, const std::string& place) {
    const PlannedType type = plan_.memories[plan_.tables[table].memory].type;
    const std::string zero = fmt::format("{} zero_{} = {{0}};", type.name(), table);
    if (known_.emplace(zero, "").second) statements_ += fmt::format("  const {}\n", zero);
    const std::string text = fmt::format("(uint64){0} < (uint64)t_count{1} ? b{2}[t_offset{1} + (Index){0} * t_stride{1}] : zero_{1}",
                                         place, table, plan_.tables[table].memory);
    return {name_of(fmt::format("const {}", type.name()), text), type};
  }

  /// The value with this text: made once.
  std::string name_of(const std::string& type, const std::string& text) {
    const auto [found, is_new] = known_.emplace(type + " " + text, fmt::format("v{}", known_.size()));
    if (is_new) statements_ += fmt::format("  {} {} = {};\n", type, found->second, text);
    return found->second;
  }

  const ArrayPlan& plan_;
  int lanes_;
  std::string statements_;
  std::map<std::string, std::string> known_;
  bool uses_double_ = false;
};

}  // namespace

ArrayStatements array_statements(const ArrayPlan& plan, int lanes) { return ItemPrinter(plan, lanes).take(); }

int vector_lanes(const ArrayPlan& plan, WorkStyle style) {
  using enum ArrayOperation;
  if (style != WorkStyle::items || plan.tables.size() != 0) return 1;
  const ElementCode type = plan.memories[0].type.code;
  if (!is_real(type)) return 1;
  for (const ArrayPlan::Memory& memory : plan.memories) {
    if (memory.type.code != type) return 1;
  }
  bool has_function = false;
  for (const ArrayOutput& output : plan.outputs) {
    for (const ArrayToken token : output.values->tokens) {
      constexpr std::array plain{array, scalar, add, subtract, multiply, divide, negate, absolute, minimum, maximum, fma};
      const bool is_function = token.operation >= sqrt;
      if (token.type != type || !(is_function || std::find(plain.begin(), plain.end(), token.operation) != plain.end())) return 1;
      has_function |= is_function;
    }
  }
  return has_function ? static_cast<int>(64 / element_bytes(type)) : 1;
}

}  // namespace dgsolve::codegen
