// Expressions of arrays: programs in postfix order that are evaluated by one generated kernel when they are assigned.
#pragma once

#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "codegen/arrays/array_operation.h"
#include "codegen/arrays/array_view.h"

namespace dgsolve::codegen {

template <class T>
class Array;

/// One step of a program. `type` is that of the operands; for leaves and casts that of the result.
struct ArrayToken {
  ArrayOperation operation;
  ElementCode type;
};

/// What a leaf (or the table of a gather) stands for: items of an array, or a value.
struct ArrayLeaf {
  ArrayView view;  ///< no storage: a value
  ElementCode type = ElementCode::float64;
  ElementType (*element)() = nullptr;  ///< of structures
  std::array<std::byte, 16> value{};
};

/// The type-erased program: leaves in the order of the tokens that need one.
struct ArrayProgram {
  std::vector<ArrayToken> tokens;
  std::vector<ArrayLeaf> leaves;

  void push(ArrayOperation operation, ElementCode type) { tokens.push_back({operation, type}); }
  void append(const ArrayProgram& other) {
    tokens.insert(tokens.end(), other.tokens.begin(), other.tokens.end());
    leaves.insert(leaves.end(), other.leaves.begin(), other.leaves.end());
  }
};

/// A value of type T for every item of an array: built by operators and functions, evaluated by assignment to an Array.
/// It shares the items of the arrays in it, which are read at the assignment.
template <class T>
class Expression {
 public:
  using Item = T;
  explicit Expression(ArrayProgram program) : program_(std::move(program)) {}
  [[nodiscard]] const ArrayProgram& program() const& { return program_; }
  [[nodiscard]] ArrayProgram&& program() && { return std::move(program_); }
  /// The values converted as C does; real to integer drops the fraction.
  template <class U>
  [[nodiscard]] Expression<U> as() const {
    static_assert(NumericItem<T> && NumericItem<U> && (is_complex_v<U> || !is_complex_v<T>),
                  "complex to real: use real(), imag() or abs()");
    ArrayProgram program = program_;
    if constexpr (!std::is_same_v<T, U>) program.push(ArrayOperation::cast, element_code<U>());
    return Expression<U>(std::move(program));
  }

 private:
  ArrayProgram program_;
};

template <class X>
constexpr bool is_array_operand_v = false;
template <class T>
constexpr bool is_array_operand_v<Array<T>> = true;
template <class T>
constexpr bool is_array_operand_v<Expression<T>> = true;

/// An Array or an Expression.
template <class X>
concept ArrayOperand = is_array_operand_v<std::remove_cvref_t<X>>;
/// A number of the host.
template <class X>
concept HostScalar = std::is_arithmetic_v<std::remove_cvref_t<X>> || is_complex_v<std::remove_cvref_t<X>>;
template <class X>
concept ArrayOrScalar = ArrayOperand<X> || HostScalar<X>;

/// The item type of an operand, the type of a scalar.
template <class X>
struct ItemOf {
  using Type = X;
};
template <ArrayOperand X>
struct ItemOf<X> {
  using Type = typename X::Item;
};
template <class X>
using item_of = typename ItemOf<std::remove_cvref_t<X>>::Type;

/// The common type of two operands of which one at least is no scalar.
template <class A, class B>
[[nodiscard]] constexpr auto promote() {
  if constexpr (HostScalar<A>)
    return promote_scalar<item_of<B>, item_of<A>>();
  else if constexpr (HostScalar<B>)
    return promote_scalar<item_of<A>, item_of<B>>();
  else
    return promote_items<item_of<A>, item_of<B>>();
}
template <class A, class B>
using promoted = decltype(promote<A, B>());

/// Refuses to compile assignments that would lose the imaginary part or the fraction.
template <class T, class Given>
constexpr void check_assignable() {
  static_assert(std::is_same_v<T, Given> || (NumericItem<T> && NumericItem<Given> && (is_complex_v<T> || !is_complex_v<Given>)),
                "these items cannot be converted");
  static_assert(!std::is_integral_v<T> || !std::is_floating_point_v<Given>, "real values for integers: convert them with as<T>()");
}

/// A host scalar as an item of type T. Throws std::invalid_argument for integers beyond T's range.
template <class T, class S>
[[nodiscard]] T convert_scalar(S value) {
  if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    if constexpr (is_complex_v<S>)
      return T(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    else
      return T(static_cast<Part>(value));
  } else {
    static_assert(!is_complex_v<S>, "a complex scalar in an operation on real items");
    if constexpr (std::is_integral_v<T> && std::is_integral_v<S> && !std::is_same_v<S, bool>) {
      if (!std::in_range<T>(value)) {
        throw std::invalid_argument("the scalar " + std::to_string(value) + " does not fit items of " +
                                    std::string(element_name(element_code<T>())));
      }
    }
    return static_cast<T>(value);
  }
}

template <class T>
void push_scalar(ArrayProgram& program, T value) {
  ArrayLeaf leaf;
  leaf.type = element_code<T>();
  std::memcpy(leaf.value.data(), &value, sizeof value);
  program.leaves.push_back(std::move(leaf));
  program.push(ArrayOperation::scalar, element_code<T>());
}

/// Appends an operand, its values as items of type T.
template <class T, ArrayOrScalar X>
void push_operand(ArrayProgram& program, const X& operand) {
  using Item = item_of<X>;
  if constexpr (HostScalar<X>) {
    push_scalar<T>(program, convert_scalar<T>(operand));
  } else {
    if constexpr (requires { operand.program(); }) {
      program.append(operand.program());
    } else {
      if (!operand.has_memory()) throw std::invalid_argument("an array without memory (default made) is used");
      program.leaves.push_back({operand.view(), element_code<Item>(), element_type<Item>, {}});
      program.push(ArrayOperation::array, element_code<Item>());
    }
    static_assert(is_complex_v<T> || !is_complex_v<Item>, "complex items in an operation on real ones: use real(), imag() or abs()");
    if constexpr (!std::is_same_v<T, Item>) program.push(ArrayOperation::cast, element_code<T>());
  }
}

/// A program that begins with an operand; an expression that goes away gives its own.
template <class T, class X>
[[nodiscard]] ArrayProgram begin_program(X&& operand) {
  ArrayProgram program;
  if constexpr (!std::is_lvalue_reference_v<X> && requires { operand.program(); }) {
    program = std::move(operand).program();
    if constexpr (!std::is_same_v<T, item_of<X>>) program.push(ArrayOperation::cast, element_code<T>());
  } else {
    program.tokens.reserve(16);
    program.leaves.reserve(6);
    push_operand<T>(program, operand);
  }
  return program;
}

/// `operation` on operands brought to type T; the result has items of type R.
template <class R, class T, class A>
[[nodiscard]] Expression<R> make_expression(ArrayOperation operation, A&& a) {
  ArrayProgram program = begin_program<T>(std::forward<A>(a));
  program.push(operation, element_code<T>());
  return Expression<R>(std::move(program));
}
template <class R, class T, class A, class B>
[[nodiscard]] Expression<R> make_expression(ArrayOperation operation, A&& a, const B& b) {
  ArrayProgram program = begin_program<T>(std::forward<A>(a));
  push_operand<T>(program, b);
  program.push(operation, element_code<T>());
  return Expression<R>(std::move(program));
}

/// An array that a kernel writes, and the values for it.
struct ArrayOutput {
  ArrayView target;
  ElementCode type = ElementCode::float64;
  ElementType (*element)() = nullptr;
  const ArrayProgram* values = nullptr;
  const ArrayProgram* places = nullptr;  ///< null: every item in its place; else the target's item for each value
};

/// The shape of a program's values: those of its arrays broadcast by NumPy's rules. Throws std::invalid_argument naming both shapes.
[[nodiscard]] Shape shape_of(const ArrayProgram& program);
/// The context of a program's arrays; null if it has none. Throws std::invalid_argument if there are two.
[[nodiscard]] const Context* context_of(const ArrayProgram& program);
/// Evaluates all outputs in one kernel, as if every value were known before the first one is written. Throws std::invalid_argument for
/// shapes that do not fit, naming both.
void evaluate_outputs(std::span<const ArrayOutput> outputs);

}  // namespace dgsolve::codegen
