// The only file of the library that sees nlohmann-json.
#include "io/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dgsolve::io {

/// Translates values of ours into the library's.
struct JsonWriter {
  using Value = nlohmann::ordered_json;
  Value operator()(std::monostate) const { return nullptr; }
  Value operator()(bool value) const { return value; }
  Value operator()(std::int64_t value) const { return value; }
  Value operator()(double value) const { return value; }
  Value operator()(const std::string& value) const { return value; }
  Value operator()(const Json::Members& members) const {
    Value object = Value::object();
    for (const auto& [key, value] : members) object[key] = std::visit(*this, value.value_);
    return object;
  }
  Value operator()(const Json::Items& items) const {
    Value array = Value::array();
    for (const Json& item : items) array.push_back(std::visit(*this, item.value_));
    return array;
  }
};

Json Json::object() {
  Json json;
  json.value_ = Members{};
  return json;
}

Json Json::array() {
  Json json;
  json.value_ = Items{};
  return json;
}

Json& Json::set(const std::string& key, Json value) {
  auto& members = std::get<Members>(value_);
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.first == key; });
  if (found == members.end()) {
    members.emplace_back(key, std::move(value));
  } else {
    found->second = std::move(value);
  }
  return *this;
}

Json& Json::merge(const Json& other) {
  for (const auto& [key, value] : std::get<Members>(other.value_)) set(key, value);
  return *this;
}

Json& Json::push(Json value) {
  std::get<Items>(value_).push_back(std::move(value));
  return *this;
}

std::string Json::text() const {
  return std::visit(JsonWriter{}, value_).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace dgsolve::io
