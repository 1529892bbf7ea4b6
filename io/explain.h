// The schema in words: `dgsolve explain`, docs/configuration.md and the JSON Schema for editors.
#pragma once

#include <string>
#include <string_view>

namespace dgsolve::io {

/// What `dgsolve explain KEY` prints. Throws ConfigError with the nearest key if there is none of that name.
[[nodiscard]] std::string explain_key(std::string_view key);
/// What `dgsolve explain` prints: all keys, one a line with the first sentence of its documentation.
[[nodiscard]] std::string explain_all();
/// The text of docs/configuration.md.
[[nodiscard]] std::string configuration_page();
/// The text of docs/dgsolve.schema.json (JSON Schema, draft 2020-12).
[[nodiscard]] std::string json_schema();

}  // namespace dgsolve::io
