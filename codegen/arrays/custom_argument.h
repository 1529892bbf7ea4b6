// Arguments of a call of a custom kernel: arrays and values, checked against the declaration.
#pragma once

#include <concepts>
#include <span>
#include <type_traits>
#include <vector>

#include "codegen/arrays/array.h"
#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {

/// An array without gaps (it may be a view that begins anywhere), or a value; made from either. It must not outlive them.
class CustomArgument {
 public:
  template <class T>
  CustomArgument(const Array<T>& array) : element_(element_type<T>().name), first_(array.offset()), is_array_(true) {
    if (array.has_memory()) given_ = &array.buffer();
    is_contiguous_ = array.is_contiguous();
  }
  template <class T>
  requires std::is_arithmetic_v<T> CustomArgument(T value) : element_(element_type<T>().name), given_(value) {}
  /// A structure.
  template <class T>
  requires(!std::is_arithmetic_v<T> && std::is_trivially_copyable_v<T> && requires { ElementTypeOf<T>::get(); })
      CustomArgument(const T& value)
      : element_(element_type<T>().name), given_(ValueBytes{&value, sizeof value}) {}

  /// An array that begins with item `first` of a buffer, or a value of up to 16 bytes, of the type that `element` names in kernels.
  CustomArgument(const Buffer& buffer, std::int64_t first, std::string_view element)
      : element_(element), given_(&buffer), first_(first), is_array_(true) {}
  CustomArgument(ValueBytes value, std::string_view element) : element_(element), given_(value) {}

  [[nodiscard]] const std::string& element() const { return element_; }
  [[nodiscard]] bool is_array() const { return is_array_; }
  [[nodiscard]] bool is_contiguous() const { return is_contiguous_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] const KernelArgument& given() const { return given_; }

 private:
  std::string element_;
  KernelArgument given_ = static_cast<const Buffer*>(nullptr);
  std::int64_t first_ = 0;
  bool is_array_ = false;
  bool is_contiguous_ = true;
};

using CustomArguments = std::span<const CustomArgument>;

/// What a kernel with `CustomCode::specs` is launched with. Throws std::invalid_argument naming kernel and argument for another number of
/// arguments, another item type, a value in an array's place, an array with gaps. Real values may be given in either precision.
[[nodiscard]] std::vector<KernelArgument> launch_arguments(const CustomCode& code, CustomArguments given);

}  // namespace dgsolve::codegen
