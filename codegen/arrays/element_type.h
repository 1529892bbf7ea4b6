// What the toolkit knows of the types that arrays hold: name in the dialect, size, kind.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dgsolve::codegen {

enum class ElementKind { integer, unsigned_integer, real, complex, structure };

/// A member of a structure: items of one plain type.
struct StructureMember {
  std::string name;
  std::string type;        ///< "float", ..., as kernels call it
  std::size_t items = 1;   ///< of an array member; 1: no array
  std::size_t offset = 0;  ///< bytes from the structure's begin, on the host
};

/// A type of items in device memory. `name` is what kernel sources call it; structures bring their definition along.
struct ElementType {
  std::string name;       ///< "float", "double", "int", "int64", "uint32", "uint64", "byte", "complex64", "complex128" or a structure's
  std::size_t bytes = 0;  ///< size of one item
  ElementKind kind = ElementKind::real;
  std::string definition{};                ///< source text that defines a structure; empty for the others
  std::vector<StructureMember> members{};  ///< of a structure that describe_structure described

  bool operator==(const ElementType& other) const { return name == other.name && bytes == other.bytes && definition == other.definition; }
};

/// A host type that arrays can hold specialises this: `static ElementType get();`. Structures do it through `describe_structure`.
template <class T>
struct ElementTypeOf;

template <class T>
[[nodiscard]] ElementType element_type() {
  return ElementTypeOf<T>::get();
}

/// A plain type by the name that kernel sources use. Throws std::invalid_argument naming the nearest one.
[[nodiscard]] ElementType element_type_named(std::string_view name);

#define DGSOLVE_ELEMENT_TYPE(type, name)                          \
  template <>                                                     \
  struct ElementTypeOf<type> {                                    \
    static ElementType get() { return element_type_named(name); } \
  }
DGSOLVE_ELEMENT_TYPE(float, "float");
DGSOLVE_ELEMENT_TYPE(double, "double");
DGSOLVE_ELEMENT_TYPE(std::int32_t, "int");
DGSOLVE_ELEMENT_TYPE(std::int64_t, "int64");
DGSOLVE_ELEMENT_TYPE(std::uint32_t, "uint32");
DGSOLVE_ELEMENT_TYPE(std::uint64_t, "uint64");
DGSOLVE_ELEMENT_TYPE(std::uint8_t, "byte");
DGSOLVE_ELEMENT_TYPE(std::complex<float>, "complex64");
DGSOLVE_ELEMENT_TYPE(std::complex<double>, "complex128");
#undef DGSOLVE_ELEMENT_TYPE

}  // namespace dgsolve::codegen
