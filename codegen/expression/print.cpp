// Prints expression graphs as straight-line C of the kernel dialect (realv, REALV, SELECT, FMA).
#include "codegen/expression/print.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <limits>

namespace dgsolve::codegen::expression {

std::string print_literal(double value, Precision precision) {
  std::string text;
  if (precision == Precision::single_precision) {
    const double most = std::numeric_limits<float>::max();
    const double within = std::fmin(std::fmax(value, -most), most);
    text = fmt::format("{}", static_cast<float>(within));
  } else {
    text = fmt::format("{}", value);
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (precision == Precision::single_precision) text += 'f';
  return text;
}

namespace {

/// How tightly a text binds: a looser one needs parentheses inside a tighter place.
enum Binding { loosest, logical_or, logical_and, comparison, sum, product, sign, tightest };

constexpr std::size_t longest_inline = 90;

class Printer {
 public:
  Printer(const Graph& graph, std::span<const Assignment> assignments, const PrintOptions& options)
      : graph_(graph),
        assignments_(assignments),
        options_(options),
        texts_(graph.size()),
        uses_(graph.size(), 0),
        skipped_(graph.size(), false) {}

  PrintedCode run() {
    std::vector<NodeId> roots;
    for (const Assignment& each : assignments_) roots.push_back(each.value);
    const std::vector<NodeId> order = graph_.reachable(roots);
    count_uses(order);
    choose_skipped(order);
    for (const NodeId id : order) write(id);
    for (const Assignment& each : assignments_) {
      code_.text += fmt::format("{}{} = {};\n", options_.indent, each.target, argument(each.value));
    }
    return std::move(code_);
  }

 private:
  struct Text {
    std::string text;
    Binding binding = tightest;
  };

  const Node& node(NodeId id) const { return graph_.node(id); }
  Text& text_of(NodeId id) { return texts_[static_cast<std::size_t>(id)]; }
  int uses(NodeId id) const { return uses_[static_cast<std::size_t>(id)]; }
  bool is(NodeId id, Operation operation) const { return node(id).operation == operation; }
  bool is_leaf(NodeId id) const { return argument_count(node(id).operation) == 0; }
  /// Written inside its only user: a product in an FMA, a reciprocal in a division.
  bool skipped(NodeId id) const { return skipped_[static_cast<std::size_t>(id)]; }

  /// A condition is written out at each of its uses, so its operands count that often.
  void count_uses(const std::vector<NodeId>& order) {
    for (const Assignment& each : assignments_) ++uses_[static_cast<std::size_t>(each.value)];
    for (std::size_t k = order.size(); k-- > 0;) {
      const Node& it = node(order[k]);
      const bool twice_written = it.operation == Operation::minimum || it.operation == Operation::maximum;
      const int times = is_logical(it.operation) ? uses(order[k]) : (twice_written ? 2 : 1);
      for (const NodeId used : it.arguments) {
        if (used >= 0) uses_[static_cast<std::size_t>(used)] += times;
      }
    }
  }

  bool can_fuse(NodeId id) const { return is(id, Operation::multiply) && uses(id) == 1 && !is_division(id); }

  /// The product of a sum that goes into its FMA: the right one of two; -1: none.
  int fused_argument(NodeId id) const {
    const Node& it = node(id);
    if (it.operation != Operation::add && it.operation != Operation::subtract) return -1;
    if (can_fuse(it.arguments[1])) return 1;
    return can_fuse(it.arguments[0]) ? 0 : -1;
  }

  void choose_skipped(const std::vector<NodeId>& order) {
    for (const NodeId id : order) {
      for (const int place : {fused_argument(id), divisor(id)}) {
        if (place >= 0) skipped_[static_cast<std::size_t>(node(id).arguments[static_cast<std::size_t>(place)])] = true;
      }
    }
  }

  /// x * (1/y) whose reciprocal nobody else uses: the argument that is the reciprocal, else -1.
  int divisor(NodeId id) const {
    const Node& it = node(id);
    if (it.operation != Operation::multiply) return -1;
    for (const std::size_t k : {std::size_t{1}, std::size_t{0}}) {
      if (is(it.arguments[k], Operation::reciprocal) && uses(it.arguments[k]) == 1) return static_cast<int>(k);
    }
    return -1;
  }
  bool is_division(NodeId id) const { return divisor(id) >= 0; }

  std::string literal(double value) const { return print_literal(value, options_.precision); }
  std::string broadcast(double value) const { return fmt::format("REALV({})", literal(value)); }

  /// Text for a place of this binding.
  std::string at(NodeId id, Binding binding) {
    const Text& it = text_of(id);
    return it.binding < binding ? "(" + it.text + ")" : it.text;
  }

  /// Text for an argument of a function or the right side of an assignment, of type realv.
  std::string argument(NodeId id) { return graph_.is_constant(id) ? broadcast(node(id).value) : text_of(id).text; }
  std::string negative_argument(NodeId id) { return graph_.is_constant(id) ? broadcast(-node(id).value) : "-" + at(id, tightest); }

  void write(NodeId id) {
    const Node& it = node(id);
    const bool counted = !is_leaf(id) && !is_logical(it.operation) && it.operation != Operation::select &&
                         it.operation != Operation::minimum && it.operation != Operation::maximum && it.operation != Operation::negate;
    if (counted && !(skipped(id) && it.operation == Operation::reciprocal)) ++code_.operations;
    if (skipped(id)) return;
    Text text = compose(id);
    const bool keep = !is_leaf(id) && !is_logical(it.operation) && (uses(id) > 1 || text.text.size() > longest_inline);
    if (keep) {
      const std::string name = fmt::format("{}{}", options_.temporary, ++temporaries_);
      code_.text += fmt::format("{}const realv {} = {};\n", options_.indent, name, text.text);
      text = {name, tightest};
    }
    text_of(id) = std::move(text);
  }

  Text compose(NodeId id);
  Text compose_sum(NodeId id);
  Text compose_product(NodeId id);
  Text compose_call(NodeId id);

  Text infix(NodeId id, std::string_view symbol, Binding binding) {
    const auto& used = node(id).arguments;
    const auto next = static_cast<Binding>(binding + 1);
    return {fmt::format("{} {} {}", at(used[0], binding == comparison ? next : binding), symbol, at(used[1], next)), binding};
  }

  const Graph& graph_;
  std::span<const Assignment> assignments_;
  const PrintOptions& options_;
  std::vector<Text> texts_;
  std::vector<int> uses_;
  std::vector<bool> skipped_;
  int temporaries_ = 0;
  PrintedCode code_;
};

std::string_view function_name(Operation operation) {
  switch (operation) {
    case Operation::power:
      return "pow";
    case Operation::square_root:
      return "sqrt";
    case Operation::exponential:
      return "exp";
    case Operation::logarithm:
      return "log";
    case Operation::logarithm10:
      return "log10";
    case Operation::sine:
      return "sin";
    case Operation::cosine:
      return "cos";
    case Operation::tangent:
      return "tan";
    case Operation::arc_sine:
      return "asin";
    case Operation::arc_cosine:
      return "acos";
    case Operation::arc_tangent:
      return "atan";
    case Operation::arc_tangent2:
      return "atan2";
    case Operation::hyperbolic_sine:
      return "sinh";
    case Operation::hyperbolic_cosine:
      return "cosh";
    case Operation::hyperbolic_tangent:
      return "tanh";
    case Operation::absolute:
      return "fabs";
    case Operation::floor:
      return "floor";
    default:
      assert(false);
      return "";
  }
}

Printer::Text Printer::compose(NodeId id) {
  const Node& it = node(id);
  const auto& used = it.arguments;
  switch (it.operation) {
    case Operation::constant:
      return {literal(it.value), std::signbit(it.value) ? sign : tightest};
    case Operation::symbol: {
      const std::string& name = graph_.symbol_text(it.symbol);
      return {graph_.symbol_is_scalar(it.symbol) ? fmt::format("REALV({})", name) : name, tightest};
    }
    case Operation::add:
    case Operation::subtract:
      return compose_sum(id);
    case Operation::multiply:
      return compose_product(id);
    case Operation::negate: {
      const Node& inside = node(used[0]);
      const bool scaled = inside.operation == Operation::multiply && graph_.is_constant(inside.arguments[0]) && !is_division(used[0]);
      if (scaled && text_of(used[0]).binding == product) {
        return {fmt::format("{} * {}", literal(-node(inside.arguments[0]).value), at(inside.arguments[1], sign)), product};
      }
      return {"-" + at(used[0], tightest), sign};
    }
    case Operation::reciprocal:
      return {fmt::format("{} / {}", literal(1), at(used[0], sign)), product};
    case Operation::less:
      return infix(id, "<", comparison);
    case Operation::less_equal:
      return infix(id, "<=", comparison);
    case Operation::equal:
      return infix(id, "==", comparison);
    case Operation::not_equal:
      return infix(id, "!=", comparison);
    case Operation::logical_and:
      return infix(id, "&&", logical_and);
    case Operation::logical_or:
      return infix(id, "||", logical_or);
    case Operation::logical_not:
      return {"!" + at(used[0], tightest), sign};
    default:
      return compose_call(id);
  }
}

Printer::Text Printer::compose_sum(NodeId id) {
  const Node& it = node(id);
  const bool minus = it.operation == Operation::subtract;
  const int place = fused_argument(id);
  if (place < 0) return infix(id, minus ? "-" : "+", sum);
  const auto& factors = node(it.arguments[static_cast<std::size_t>(place)]).arguments;
  const NodeId other = it.arguments[static_cast<std::size_t>(1 - place)];
  const std::string first = minus && place == 1 ? negative_argument(factors[0]) : argument(factors[0]);
  const std::string last = minus && place == 0 ? negative_argument(other) : argument(other);
  return {fmt::format("FMA({}, {}, {})", first, argument(factors[1]), last), tightest};
}

Printer::Text Printer::compose_product(NodeId id) {
  const int place = divisor(id);
  if (place < 0) return infix(id, "*", product);
  const auto& used = node(id).arguments;
  const NodeId denominator = node(used[static_cast<std::size_t>(place)]).arguments[0];
  return {fmt::format("{} / {}", at(used[static_cast<std::size_t>(1 - place)], product), at(denominator, sign)), product};
}

Printer::Text Printer::compose_call(NodeId id) {
  const Node& it = node(id);
  const auto& used = it.arguments;
  if (it.operation == Operation::select) {
    return {fmt::format("SELECT({}, {}, {})", text_of(used[0]).text, argument(used[1]), argument(used[2])), tightest};
  }
  if (it.operation == Operation::minimum || it.operation == Operation::maximum) {
    const char symbol = it.operation == Operation::minimum ? '<' : '>';
    return {fmt::format("SELECT({} {} {}, {}, {})", at(used[0], sum), symbol, at(used[1], sum), argument(used[0]), argument(used[1])),
            tightest};
  }
  std::string arguments = argument(used[0]);
  if (used[1] >= 0) arguments += ", " + argument(used[1]);
  return {fmt::format("{}({})", function_name(it.operation), arguments), tightest};
}

}  // namespace

PrintedCode print_statements(const Graph& graph, std::span<const Assignment> assignments, const PrintOptions& options) {
  return Printer(graph, assignments, options).run();
}

}  // namespace dgsolve::codegen::expression
