// JSON values to build and write; objects keep the order in which their keys were set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dgsolve::io {

class Json {
 public:
  Json() = default;  ///< null
  Json(bool value) : value_(value) {}
  Json(int value) : value_(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}  ///< a value that is not finite is written as null
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}

  [[nodiscard]] static Json object();
  [[nodiscard]] static Json array();

  /// Sets or replaces a key of an object; returns the object.
  Json& set(const std::string& key, Json value);
  /// Sets all keys of another object.
  Json& merge(const Json& other);
  /// Appends to an array; returns the array.
  Json& push(Json value);

  /// Indented by two, with a line break at the end.
  [[nodiscard]] std::string text() const;

 private:
  friend struct JsonWriter;
  using Members = std::vector<std::pair<std::string, Json>>;
  using Items = std::vector<Json>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Members, Items> value_;
};

}  // namespace dgsolve::io
