// Rendering: one KernelSpec to one complete source text, strictly and deterministically.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>

#include "codegen/backends/backend.h"
#include "codegen/kernel.h"
#include "codegen/nearest.h"

namespace dgsolve::codegen {
namespace {

constexpr int most_nested_includes = 16;

std::string_view type_name(const ArgumentSpec& argument) {
  switch (argument.type) {
    case ArgumentType::real_buffer:
    case ArgumentType::real:
      return "real";
    case ArgumentType::int32_buffer:
    case ArgumentType::int32:
      return "int";
    case ArgumentType::int64_buffer:
    case ArgumentType::int64:
      return "int64";
    case ArgumentType::uint32_buffer:
    case ArgumentType::uint32:
      return "uint32";
    case ArgumentType::uint64_buffer:
    case ArgumentType::uint64:
      return "uint64";
    case ArgumentType::byte_buffer:
      return "byte";
    case ArgumentType::typed_buffer:
    case ArgumentType::typed_value:
      return argument.element;
  }
  return "";
}

std::string print_constant(const KernelSpec& spec, const std::string& name, const Constant& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string printed;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    if (*integer == INT64_MIN) return "(-9223372036854775807L - 1)";
    printed = fmt::format("{}", *integer);
  } else {
    const double number = std::get<double>(value);
    if (!std::isfinite(number)) throw std::invalid_argument(fmt::format("kernel '{}': constant '{}' is {}", spec.name, name, number));
    printed = fmt::format("{:.17g}", number);
    if (printed.find_first_of(".e") == std::string::npos) printed += ".0";
    if (spec.precision == Precision::single_precision) printed += "f";
  }
  return printed.front() == '-' ? "(" + printed + ")" : printed;
}

std::string print_signature(const KernelSpec& spec, std::string_view backend) {
  const auto [x, y, z] = spec.group_size;
  std::string text;
  if (backend == "cuda") {
    const std::string groups = spec.min_groups_per_unit > 0 ? fmt::format(", {}", spec.min_groups_per_unit) : std::string();
    text = fmt::format("KERNEL void __launch_bounds__({}{}) {}(", x * y * z, groups, spec.name);
  } else {
    text = fmt::format("KERNEL __attribute__((reqd_work_group_size({}, {}, {}))) void {}(", x, y, z, spec.name);
  }
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const ArgumentSpec& argument = spec.arguments[i];
    if (i != 0) text += ", ";
    if (is_buffer(argument.type)) {
      text += fmt::format("GLOBAL {}{}* RESTRICT {}", argument.intent == Intent::in ? "const " : "", type_name(argument), argument.name);
    } else {
      text += fmt::format("{} {}", type_name(argument), argument.name);
    }
  }
  return text + ")";
}

/// The spec as comment lines; nothing a compiler reads.
std::string describe(const KernelSpec& spec, std::string_view backend) {
  const auto one_line = [](std::string text) {
    for (char& letter : text) {
      if (letter == '\n' || letter == '\r' || letter == '\\') letter = ' ';
    }
    return text;
  };
  std::string text =
      fmt::format("// kernel {} from {} for {}: {} precision, vector width {}, group {}x{}x{}, {} bytes of shared memory\n", spec.name,
                  one_line(spec.source_name), backend, spec.precision == Precision::single_precision ? "single" : "double",
                  spec.vector_width, spec.group_size[0], spec.group_size[1], spec.group_size[2], spec.shared_bytes);
  for (const ArgumentSpec& argument : spec.arguments) {
    const std::string_view intent = argument.intent == Intent::in ? "in" : argument.intent == Intent::out ? "out" : "in out";
    text += fmt::format("// argument {}: {}{} {} {}\n", argument.name, type_name(argument), is_buffer(argument.type) ? "*" : "", intent,
                        one_line(argument.shape));
  }
  for (const auto& [name, value] : spec.constants) {
    const auto* code = std::get_if<std::string>(&value);
    const bool shown = code == nullptr || (code->size() <= 80 && code->find('\n') == std::string::npos);
    text += fmt::format("// constant {} = {}\n", name,
                        shown ? one_line(print_constant(spec, name, value)) : fmt::format("code of {} bytes", code->size()));
  }
  return text;
}

/// Expands placeholders and includes of one spec, line by line, keeping the compiler's idea of file and line.
class Expander {
 public:
  Expander(const KernelSpec& spec, std::string_view backend) : spec_(spec), signature_(print_signature(spec, backend)) {}

  std::string run() {
    expand_text(spec_.source_name, spec_.source, 0);
    if (signatures_ == 0) throw std::invalid_argument(fmt::format("kernel '{}': {} has no ${{signature}}", spec_.name, spec_.source_name));
    for (const auto& [name, value] : spec_.constants) {
      if (!used_.contains(name))
        throw std::invalid_argument(fmt::format("kernel '{}': constant '{}' is not used in {}", spec_.name, name, spec_.source_name));
    }
    for (const auto& [name, text] : spec_.includes) {
      if (!included_.contains(name))
        throw std::invalid_argument(fmt::format("kernel '{}': include '{}' is not used in {}", spec_.name, name, spec_.source_name));
    }
    return std::move(out_);
  }

 private:
  void expand_text(std::string file, std::string_view text, int depth) {
    if (depth > most_nested_includes)
      throw std::invalid_argument(fmt::format("kernel '{}': includes nest too deeply at '{}'", spec_.name, file));
    out_ += fmt::format("#line 1 \"{}\"\n", file);
    int line_number = 1;
    for (std::size_t begin = 0; begin < text.size(); ++line_number) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      if (follow_mark(line, file, line_number)) {
        out_ += fmt::format("{}\n", line);
      } else if (const auto name = include_name(line, file, line_number)) {
        expand_include(*name, file, line_number, depth);
      } else if (expand_line(line, file, line_number)) {
        out_ += fmt::format("#line {} \"{}\"\n", line_number + 1, file);
      }
      begin = end + 1;
    }
  }

  /// True for `#line N "file"`, which an expanded template has: the next line is line N of that file.
  static bool follow_mark(std::string_view line, std::string& file, int& line_number) {
    constexpr std::string_view mark = "#line ";
    if (!line.starts_with(mark)) return false;
    int next = 0;
    const auto [end, failure] = std::from_chars(line.data() + mark.size(), line.data() + line.size(), next);
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (failure != std::errc() || open == close) return false;
    file = line.substr(open + 1, close - open - 1);
    line_number = next - 1;
    return true;
  }

  std::optional<std::string> include_name(std::string_view line, const std::string& file, int line_number) const {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string_view::npos || line[at] != '#') return std::nullopt;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string_view::npos || !line.substr(at).starts_with("include")) return std::nullopt;
    const std::size_t open = line.find('"', at);
    const std::size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
    if (close == std::string_view::npos) {
      throw std::invalid_argument(fmt::format("kernel '{}': {}:{}: only #include \"name\" is possible", spec_.name, file, line_number));
    }
    return std::string(line.substr(open + 1, close - open - 1));
  }

  void expand_include(const std::string& name, const std::string& file, int line_number, int depth) {
    const auto found = spec_.includes.find(name);
    if (found == spec_.includes.end()) {
      std::vector<std::string> names;
      for (const auto& [known, text] : spec_.includes) names.push_back(known);
      throw std::invalid_argument(
          fmt::format("kernel '{}': {}:{}: unknown include '{}'{}", spec_.name, file, line_number, name, did_you_mean(name, names)));
    }
    included_.insert(name);
    expand_text(name, found->second, depth + 1);
    out_ += fmt::format("#line {} \"{}\"\n", line_number + 1, file);
  }

  /// True if the expansion has more lines than the source.
  bool expand_line(std::string_view line, const std::string& file, int line_number) {
    bool longer = false;
    while (true) {
      const std::size_t open = line.find("${");
      out_ += line.substr(0, open);
      if (open == std::string_view::npos) break;
      const std::size_t close = line.find('}', open);
      if (close == std::string_view::npos)
        throw std::invalid_argument(fmt::format("kernel '{}': {}:{}: ${{ without }}", spec_.name, file, line_number));
      longer |= paste(std::string(line.substr(open + 2, close - open - 2)), file, line_number);
      line.remove_prefix(close + 1);
    }
    out_ += '\n';
    return longer;
  }

  bool paste(const std::string& name, const std::string& file, int line_number) {
    if (name == "signature") {
      ++signatures_;
      if (signatures_ > 1)
        throw std::invalid_argument(fmt::format("kernel '{}': {}:{}: a second ${{signature}}", spec_.name, file, line_number));
      out_ += signature_;
      return false;
    }
    const auto found = spec_.constants.find(name);
    if (found == spec_.constants.end()) {
      std::vector<std::string> names{"signature"};
      for (const auto& [known, value] : spec_.constants) names.push_back(known);
      throw std::invalid_argument(fmt::format("kernel '{}': {}:{}: undefined constant '${{{}}}'{}", spec_.name, file, line_number, name,
                                              did_you_mean(name, names)));
    }
    used_.insert(name);
    const std::string text = print_constant(spec_, name, found->second);
    if (text.find('\n') == std::string::npos) {
      out_ += text;
      return false;
    }
    // Generated code of several lines on a line of its own gets its own file name in the compiler's messages.
    const std::size_t line_start = out_.rfind('\n') + 1;
    if (out_.find_first_not_of(" \t", line_start) == std::string::npos) out_ += fmt::format("\n#line 1 \"{}\"\n", name);
    out_ += text;
    return true;
  }

  const KernelSpec& spec_;
  std::string signature_;
  std::string out_;
  std::set<std::string> used_, included_;
  int signatures_ = 0;
};

std::string_view dialect_text(std::string_view name) {
  for (const EmbeddedFile& file : dialect_files()) {
    if (file.name == name) return file.content;
  }
  throw std::invalid_argument(fmt::format("no dialect '{}': a backend is 'cuda' or 'opencl'", name));
}

void check_spec(const KernelSpec& spec) {
  const auto is_identifier = [](std::string_view name) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    return !name.empty() && std::all_of(name.begin(), name.end(), fits) && !(name[0] >= '0' && name[0] <= '9');
  };
  if (!is_identifier(spec.name)) throw std::invalid_argument(fmt::format("kernel name '{}' is not an identifier", spec.name));
  std::set<std::string_view> names;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (!is_identifier(argument.name))
      throw std::invalid_argument(fmt::format("kernel '{}': argument name '{}' is not an identifier", spec.name, argument.name));
    if (!names.insert(argument.name).second)
      throw std::invalid_argument(fmt::format("kernel '{}': two arguments '{}'", spec.name, argument.name));
    const bool typed = argument.type == ArgumentType::typed_buffer || argument.type == ArgumentType::typed_value;
    if (typed != is_identifier(argument.element)) {
      throw std::invalid_argument(
          fmt::format("kernel '{}', argument '{}': element type '{}' is not an identifier", spec.name, argument.name, argument.element));
    }
    if (!is_buffer(argument.type) && argument.intent != Intent::in) {
      throw std::invalid_argument(fmt::format("kernel '{}': scalar argument '{}' can only be in", spec.name, argument.name));
    }
  }
  const int width = spec.vector_width;
  if (width != 1 && width != 2 && width != 4 && width != 8 && width != 16) {
    throw std::invalid_argument(fmt::format("kernel '{}': vector width {} is not 1, 2, 4, 8 or 16", spec.name, width));
  }
  for (const int size : spec.group_size) {
    if (size < 1)
      throw std::invalid_argument(
          fmt::format("kernel '{}': group size {}x{}x{}", spec.name, spec.group_size[0], spec.group_size[1], spec.group_size[2]));
  }
}

}  // namespace

RenderedKernel render(const KernelSpec& spec, std::string_view backend) {
  check_spec(spec);
  const std::string dialect = fmt::format("{}.dialect.h", backend);
  std::string text = describe(spec, backend);
  text += fmt::format("#define REAL_BITS {}\n#define VECTOR_WIDTH {}\n#define SHARED_BYTES {}\n",
                      spec.precision == Precision::single_precision ? 32 : 64, spec.vector_width, spec.shared_bytes);
  text += fmt::format("#line 1 \"{}\"\n{}", dialect, dialect_text(dialect));
  text += Expander(spec, backend).run();
  return RenderedKernel{spec, std::string(backend), std::move(text)};
}

}  // namespace dgsolve::codegen
