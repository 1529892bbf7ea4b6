// Reading numbers and sections of Gmsh files from memory.
#include "mesh/gmsh_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "mesh/mesh.h"

namespace dgsolve::mesh {
namespace {

constexpr std::string_view supported = "supported are 2.2 and 4.1";

bool blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c < 127 ? c : '?';
  return result;
}

}  // namespace

std::string load_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw MeshError(fmt::format("{}: no such mesh file", name));
  if (std::filesystem::is_directory(file, error)) throw MeshError(fmt::format("{}: a directory, not a mesh file", name));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw MeshError(fmt::format("{}: the mesh file can not be opened", name));
  std::string bytes;
  const auto size = std::filesystem::file_size(file, error);
  if (!error) bytes.reserve(size);
  std::array<char, 1 << 16> chunk{};
  while (stream.read(chunk.data(), chunk.size()) || stream.gcount() > 0)
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) throw MeshError(fmt::format("{}: the mesh file can not be read", name));
  return bytes;
}

void GmshInput::fault(std::string_view message) const {
  const std::string section = section_.empty() ? "" : fmt::format(", in ${}", section_);
  if (text()) {
    const auto line =
        1 + std::count(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(position_, bytes_.size())), '\n');
    throw MeshError(fmt::format("{}: line {}{}: {}", name_, line, section, message));
  }
  throw MeshError(fmt::format("{}: byte {}{}: {}", name_, position_, section, message));
}

void GmshInput::skip_blanks() {
  while (position_ < bytes_.size() && blank(bytes_[position_])) ++position_;
}

char GmshInput::peek() {
  skip_blanks();
  return position_ < bytes_.size() ? bytes_[position_] : '\0';
}

std::string_view GmshInput::word() {
  skip_blanks();
  const std::size_t begin = position_;
  std::size_t end = begin;
  while (end < bytes_.size() && !blank(bytes_[end])) ++end;
  if (begin == end) fault("the file ends here, it is truncated");
  position_ = end;
  return std::string_view(bytes_).substr(begin, end - begin);
}

std::string_view GmshInput::rest_of_line() {
  const std::size_t begin = position_;
  const std::size_t end = std::min(bytes_.find('\n', begin), bytes_.size());
  position_ = std::min(end + 1, bytes_.size());
  std::string_view line = std::string_view(bytes_).substr(begin, end - begin);
  while (!line.empty() && blank(line.back())) line.remove_suffix(1);
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  return line;
}

template <typename T>
T GmshInput::raw() {
  if (bytes_.size() - position_ < sizeof(T)) fault("the file ends here, it is truncated");
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), bytes_.data() + position_, sizeof(T));
  position_ += sizeof(T);
  if (swapped_) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

namespace {

template <typename T>
std::optional<T> parse(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::int64_t GmshInput::integer() {
  if (!text()) return raw<std::int32_t>();
  const std::string_view found = word();
  const auto value = parse<std::int64_t>(found);
  if (!value) fault(fmt::format("expected an integer, found '{}'", printable(found)));
  return *value;
}

std::int64_t GmshInput::size() {
  std::int64_t value = 0;
  if (text()) {
    value = integer();
  } else if (size_bytes_ == 4) {
    value = raw<std::uint32_t>();
  } else {
    value = raw<std::int64_t>();
  }
  if (value < 0) fault(fmt::format("expected a count or tag, found {}", value));
  return value;
}

double GmshInput::real() {
  double value = 0;
  if (text()) {
    const std::string_view found = word();
    const auto parsed = parse<double>(found);
    if (!parsed) fault(fmt::format("expected a number, found '{}'", printable(found)));
    value = *parsed;
  } else {
    value = raw<double>();
  }
  if (!std::isfinite(value)) fault(fmt::format("expected a finite number, found {}", value));
  return value;
}

void GmshInput::skip_reals(int count) {
  for (int i = 0; i < count; ++i) {
    if (text()) {
      static_cast<void>(word());
    } else {
      static_cast<void>(raw<double>());
    }
  }
}

std::int64_t GmshInput::text_count() {
  const std::string_view found = word();
  const auto value = parse<std::int64_t>(found);
  if (!value || *value < 0) fault(fmt::format("expected a count, found '{}'", printable(found)));
  if (!rest_of_line().empty()) fault("expected the end of the line after the count");
  return *value;
}

void GmshInput::require(std::int64_t count, std::size_t binary_bytes, std::size_t text_bytes, std::string_view what) {
  const std::size_t left = bytes_.size() - position_;
  const std::size_t each = text() ? text_bytes : binary_bytes;
  if (static_cast<std::uint64_t>(count) > left / each) {
    fault(fmt::format("{} {} announced, but the rest of the file ({} bytes) can not hold them: it is truncated or damaged", count, what,
                      left));
  }
}

int GmshInput::read_format() {
  if (bytes_.empty()) throw MeshError(fmt::format("{}: the mesh file is empty", name_));
  if (peek() != '$' || word() != "$MeshFormat") {
    throw MeshError(fmt::format("{}: not a Gmsh mesh file: it does not begin with $MeshFormat ({})", name_, supported));
  }
  section_ = "MeshFormat";
  const std::string version(word());
  const auto number = parse<double>(version);
  const int rounded = number && *number > 0 && *number < 100 ? static_cast<int>(std::lround(*number * 10)) : 0;
  if ((rounded != 22 && rounded != 41) || std::abs(*number * 10 - rounded) > 1e-9) {
    fault(fmt::format("version {} of the format is not supported; {} (Mesh.MshFileVersion)", printable(version), supported));
  }
  const std::int64_t type = integer();
  if (type != 0 && type != 1) fault(fmt::format("the file type must be 0 (text) or 1 (binary), found {}", type));
  const std::int64_t data_size = integer();
  if (data_size != 8 && (rounded == 22 || data_size != 4)) fault(fmt::format("data size {} is not supported, only 8", data_size));
  size_bytes_ = static_cast<int>(data_size);
  if (!rest_of_line().empty()) fault("expected the end of the line after the data size");
  if (type == 1) {
    binary_ = true;
    const auto one = raw<std::uint32_t>();
    if (one != 1 && one != 0x01000000U)
      fault(fmt::format("the number that shows the byte order must be 1 in either order, found {:#010x}", one));
    swapped_ = one != 1;
  }
  end_section();
  return rounded;
}

std::string GmshInput::next_section() {
  section_.clear();
  text_section_ = true;
  if (peek() == '\0') return {};
  const std::string_view line = rest_of_line();
  if (line.size() < 2 || line.front() != '$' || line.substr(1, 3) == "End")
    fault(fmt::format("expected a section, found '{}'", printable(line)));
  section_ = line.substr(1);
  text_section_ = false;
  return section_;
}

void GmshInput::end_section() {
  text_section_ = true;
  const std::string expected = "$End" + section_;
  if (peek() == '\0') fault(fmt::format("{} is missing: the file is truncated", expected));
  const std::string_view found = word();
  if (found != expected) {
    fault(expected.starts_with(found) && peek() == '\0' ? fmt::format("{} is incomplete: the file is truncated", expected)
                                                        : fmt::format("expected {}, found '{}'", expected, printable(found)));
  }
  section_.clear();
}

void GmshInput::skip_section() {
  const std::size_t end = bytes_.find("\n$End" + section_, position_ == 0 ? 0 : position_ - 1);
  if (end == std::string::npos) {
    position_ = bytes_.size();
    fault(fmt::format("$End{} is missing: the file is truncated", section_));
  }
  position_ = end;
  end_section();
}

}  // namespace dgsolve::mesh
