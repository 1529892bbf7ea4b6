// The schema's rows as a JSON Schema (draft 2020-12), for editors.
#include <fmt/format.h>

#include <cmath>

#include "io/explain.h"
#include "io/json.h"
#include "io/schema.h"

namespace dgsolve::io {
namespace {

Json type(const char* name) { return Json::object().set("type", name); }

Json with_range(Json json, const SchemaRow& row) {
  if (std::isfinite(row.low)) json.set(row.above_low ? "exclusiveMinimum" : "minimum", row.low);
  if (std::isfinite(row.high)) json.set("maximum", row.high);
  return json;
}

Json text_schema(const SchemaRow& row) {
  Json json = type("string");
  if (row.allowed.empty()) return json;
  Json names = Json::array();
  for (const auto name : row.allowed) names.push(name);
  return json.set("enum", std::move(names));
}

Json any_of(std::vector<Json> choices) {
  if (choices.size() == 1) return choices.front();
  Json list = Json::array();
  for (Json& choice : choices) list.push(std::move(choice));
  return Json::object().set("anyOf", std::move(list));
}

Json list_of(Json item) { return type("array").set("items", std::move(item)); }

Json formula() { return Json::object().set("type", Json::array().push("number").push("string")); }

Json components() { return any_of({formula(), list_of(formula())}); }

Json field_map() { return type("object").set("additionalProperties", components()); }

Json map_schema(std::string_view pattern);

Json form_schema(const SchemaRow& row, ValueForm form) {
  switch (form) {
    case ValueForm::map:
      return row.one_key ? map_schema(row.path).set("minProperties", 1).set("maxProperties", 1) : map_schema(row.path);
    case ValueForm::text:
      return text_schema(row);
    case ValueForm::integer:
      return with_range(type("integer"), row);
    case ValueForm::number:
      return with_range(type("number"), row);
    case ValueForm::formula:
      return formula();
    case ValueForm::components:
      return components();
    case ValueForm::integers:
      return any_of({with_range(type("integer"), row), list_of(with_range(type("integer"), row))});
    case ValueForm::numbers:
      return any_of({with_range(type("number"), row), list_of(with_range(type("number"), row))});
    case ValueForm::texts:
      return any_of({text_schema(row), list_of(text_schema(row))});
    case ValueForm::component_list:
      return any_of({type("string"), list_of(type("string"))});
    case ValueForm::fields:
      return any_of({type("string"), list_of(any_of({type("string"), field_map()})), field_map()});
    case ValueForm::pairs:
      return list_of(list_of(type("string")).set("minItems", 2).set("maxItems", 2));
  }
  return Json::object();
}

Json row_schema(const SchemaRow& row) {
  std::vector<Json> choices;
  for (const ValueForm form : row.forms) choices.push_back(form_schema(row, form));
  return any_of(std::move(choices)).set("description", row.documentation);
}

Json map_schema(std::string_view pattern) {
  Json properties = Json::object();
  Json required = Json::array();
  Json others = false;
  bool any_required = false;
  for (const SchemaRow* row : child_rows(pattern)) {
    if (row_key(*row) == "*") {
      others = row_schema(*row);
      continue;
    }
    properties.set(std::string(row_key(*row)), row_schema(*row));
    if (row->required) {
      required.push(row_key(*row));
      any_required = true;
    }
  }
  Json json = type("object").set("properties", std::move(properties)).set("additionalProperties", std::move(others));
  if (any_required) json.set("required", std::move(required));
  return json;
}

}  // namespace

std::string json_schema() {
  return Json::object()
      .set("$schema", "https://json-schema.org/draft/2020-12/schema")
      .set("title", "dgsolve configuration")
      .set("description", "Generated from the program's own schema (dgsolve explain --json-schema).")
      .merge(map_schema(""))
      .text();
}

}  // namespace dgsolve::io
