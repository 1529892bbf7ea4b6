// Parsing of compiler logs and the text of CompileError.
#include "codegen/build_log.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "codegen/cache.h"

namespace dgsolve::codegen {
namespace {

constexpr std::size_t most_diagnostics = 10;

std::optional<int> leading_number(std::string_view text, std::size_t& length) {
  int value = 0;
  length = 0;
  while (length < text.size() && length < 9 && text[length] >= '0' && text[length] <= '9') value = 10 * value + (text[length++] - '0');
  if (length == 0) return std::nullopt;
  return value;
}

/// `file:line...` or `file(line)...`
std::optional<Diagnostic> parse_place(std::string_view place) {
  for (std::size_t at = place.find_first_of(":("); at != std::string_view::npos; at = place.find_first_of(":(", at + 1)) {
    std::size_t length = 0;
    if (const auto number = leading_number(place.substr(at + 1), length)) {
      std::string_view file = place.substr(0, at);
      file.remove_prefix(std::min(file.find_first_not_of(" \t\""), file.size()));
      return Diagnostic{std::string(file), *number, {}};
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> parse_line(std::string_view line) {
  std::size_t error = line.find("error: ");
  if (error == std::string_view::npos) error = line.find("error : ");
  if (error == std::string_view::npos) return std::nullopt;
  // Clang and NVRTC put the place before the word, PoCL behind it: "error: file:line:column: text".
  if (error == 0) {
    const std::string_view rest = line.substr(line.find(':') + 2);
    auto found = parse_place(rest.substr(0, rest.find(": ")));
    if (!found) return Diagnostic{{}, 0, std::string(line)};
    found->text = fmt::format("error: {}", rest.substr(std::min(rest.find(": "), rest.size() - 2) + 2));
    return found;
  }
  auto found = parse_place(line.substr(0, error));
  if (!found) found.emplace();
  found->text = line.substr(error);
  return found;
}

/// NVIDIA's OpenCL counts lines of the whole text, whatever the #line directives say: this follows them instead.
void follow_line_directives(std::string_view text, Diagnostic& diagnostic) {
  constexpr std::string_view directive = "#line ";
  std::string file;
  int line = 1;
  for (int absolute = 1; absolute < diagnostic.line && !text.empty(); ++absolute) {
    const std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(row.size() + 1, text.size()));
    std::size_t length = 0;
    const auto number = row.starts_with(directive) ? leading_number(row.substr(directive.size()), length) : std::nullopt;
    const std::size_t open = row.find('"');
    if (number && open != std::string_view::npos) {
      file = row.substr(open + 1, row.rfind('"') - open - 1);
      line = *number;
    } else {
      ++line;
    }
  }
  if (file.empty()) return;
  diagnostic.file = file;
  diagnostic.line = line;
}

/// The path of the kept source, or why there is none.
std::string keep_source(const RenderedKernel& rendered, const Cache* cache) {
  std::error_code failure;
  std::filesystem::path folder =
      cache != nullptr && !cache->folder().empty() ? cache->folder() : std::filesystem::temp_directory_path(failure);
  if (folder.empty()) folder = ".";
  folder /= "dgsolve-failed-kernels";
  std::filesystem::create_directories(folder, failure);
  const std::string key = Cache::key({{"source", rendered.text}});
  const std::filesystem::path path =
      folder / fmt::format("{}-{}.{}", rendered.spec.name, key.substr(0, 12), rendered.backend == "cuda" ? "cu" : "cl");
  std::ofstream file(path, std::ios::binary);
  file << rendered.text;
  file.close();
  return file ? path.string() : fmt::format("not kept, {} cannot be written", path.string());
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view log) {
  std::vector<Diagnostic> diagnostics;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    if (auto diagnostic = parse_line(log.substr(begin, end - begin))) diagnostics.push_back(std::move(*diagnostic));
    begin = end + 1;
  }
  return diagnostics;
}

CompileError compile_error(const RenderedKernel& rendered, const std::string& target, const std::string& failure, const std::string& log,
                           const Cache* cache) {
  std::string message = fmt::format("kernel '{}' does not compile for {} ({})\n", rendered.spec.name, target, failure);
  std::vector<Diagnostic> diagnostics = parse_diagnostics(log);
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.file == "<kernel>") follow_line_directives(rendered.text, diagnostic);
  }
  for (std::size_t i = 0; i < std::min(diagnostics.size(), most_diagnostics); ++i) {
    const Diagnostic& diagnostic = diagnostics[i];
    message += diagnostic.file.empty() ? fmt::format("  {}\n", diagnostic.text)
                                       : fmt::format("  {}:{}: {}\n", diagnostic.file, diagnostic.line, diagnostic.text);
  }
  if (diagnostics.size() > most_diagnostics) message += fmt::format("  and {} more\n", diagnostics.size() - most_diagnostics);
  message += fmt::format("source: {}\n", keep_source(rendered, cache));
  message += log.empty() ? "the compiler gave no log" : fmt::format("compiler's log:\n{}", log);
  return CompileError(message);
}

}  // namespace dgsolve::codegen
