// The functions of the formula language.
#include <algorithm>
#include <array>

#include "codegen/expression/check.h"

namespace dgsolve::codegen::expression {
namespace {

constexpr std::optional<Operation> composed = std::nullopt;
constexpr std::array<FunctionRow, 27> function_rows{{{"sqrt", 1, 1, Operation::square_root},
                                                     {"exp", 1, 1, Operation::exponential},
                                                     {"log", 1, 1, Operation::logarithm},
                                                     {"log10", 1, 1, Operation::logarithm10},
                                                     {"pow", 2, 2, Operation::power},
                                                     {"sin", 1, 1, Operation::sine},
                                                     {"cos", 1, 1, Operation::cosine},
                                                     {"tan", 1, 1, Operation::tangent},
                                                     {"asin", 1, 1, Operation::arc_sine},
                                                     {"acos", 1, 1, Operation::arc_cosine},
                                                     {"atan", 1, 1, Operation::arc_tangent},
                                                     {"atan2", 2, 2, Operation::arc_tangent2},
                                                     {"sinh", 1, 1, Operation::hyperbolic_sine},
                                                     {"cosh", 1, 1, Operation::hyperbolic_cosine},
                                                     {"tanh", 1, 1, Operation::hyperbolic_tangent},
                                                     {"abs", 1, 1, Operation::absolute},
                                                     {"floor", 1, 1, Operation::floor},
                                                     {"min", 2, 16, Operation::minimum},
                                                     {"max", 2, 16, Operation::maximum},
                                                     {"sign", 1, 1, composed},
                                                     {"mod", 2, 2, composed},
                                                     {"if", 3, 3, composed},
                                                     {"inner", 1, 1, composed},
                                                     {"outer", 1, 1, composed},
                                                     {"mean", 1, 1, composed},
                                                     {"jump", 1, 1, composed},
                                                     {"logmean", 1, 1, composed}}};

}  // namespace

std::span<const FunctionRow> functions() { return function_rows; }

const FunctionRow* find_function(std::string_view name) {
  const auto row = std::find_if(function_rows.begin(), function_rows.end(), [name](const FunctionRow& each) { return each.name == name; });
  return row == function_rows.end() ? nullptr : &*row;
}

bool is_two_state_operator(std::string_view name) {
  return name == "inner" || name == "outer" || name == "mean" || name == "jump" || name == "logmean";
}

bool is_kronecker(std::string_view name, std::size_t rank) { return name == "delta" && rank == 2; }
bool is_permutation(std::string_view name, std::size_t rank) { return name == "epsilon" && rank == 3; }

}  // namespace dgsolve::codegen::expression
