// Reading and appending of tuning records; the one file of the toolkit that knows JSON.
#include "codegen/tuning/records.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "codegen/cache.h"
#include "codegen/digest.h"

namespace dgsolve::codegen {
namespace {

constexpr int schema_version = 1;

std::string check_sum(const std::string& content) { return sha256(content).substr(0, 16); }

nlohmann::json content_of(const TuningRecord& record) {
  return {{"schema", schema_version},
          {"device", record.device},
          {"key", record.key},
          {"task", record.task},
          {"problem", record.problem},
          {"point", record.point},
          {"default_seconds", record.default_seconds},
          {"tuned_seconds", record.tuned_seconds}};
}

/// The text without comments and without more than one blank or end of line in a row: what makes a difference to a compiler.
std::string code_of(std::string_view text) {
  std::string code;
  const auto put = [&code](char letter) {
    const bool blank = letter == ' ' || letter == '\n';
    if (blank && (code.empty() || code.back() == '\n')) return;
    if (blank && code.back() == ' ') code.pop_back();
    code += letter;
  };
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (quote != 0) {
      code += text[i];
      if (text[i] == '\\' && i + 1 < text.size())
        code += text[++i];
      else if (text[i] == quote)
        quote = 0;
    } else if (two == "//" || two == "/*") {
      const std::size_t end = two == "//" ? text.find('\n', i) : text.find("*/", i + 2);
      if (end == std::string_view::npos) break;
      i = two == "//" ? end - 1 : end + 1;
      put(' ');
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
      code += quote;
    } else {
      put(text[i] == '\t' || text[i] == '\r' ? ' ' : text[i]);
    }
  }
  return code;
}

}  // namespace

std::string device_class(const DeviceFacts& facts) {
  if (!facts.is_cpu) return fmt::format("{} {}", facts.backend, facts.name);
  return fmt::format("{} CPU {} {}", facts.backend, facts.architecture, facts.processors);
}

std::string tuning_key(std::string_view task, std::span<const KernelSpec> default_specs, double size) {
  const int bucket = size > 1 ? static_cast<int>(std::floor(std::log2(size) / 2)) : 0;
  KeyParts parts{{"schema", std::to_string(schema_version)}, {"task", std::string(task)}, {"size", std::to_string(bucket)}};
  for (const KernelSpec& spec : default_specs) {
    parts.emplace_back("source", code_of(spec.source));
    for (const auto& [name, text] : spec.includes) parts.emplace_back("include " + name, code_of(text));
    for (const auto& [name, value] : spec.constants) {
      parts.emplace_back("constant " + name, std::visit([](const auto& v) { return fmt::format("{}", v); }, value));
    }
    parts.emplace_back("precision", spec.precision == Precision::double_precision ? "double" : "single");
    parts.emplace_back("width", std::to_string(spec.vector_width));
  }
  return Cache::key(parts).substr(0, 32);
}

TuningRecords::TuningRecords(std::filesystem::path folder, std::span<const EmbeddedFile> shipped) : folder_(std::move(folder)) {
  for (const EmbeddedFile& file : shipped) read_lines(file.content);
}

std::filesystem::path TuningRecords::file_of(std::string_view device) const {
  std::string name;
  for (const char letter : device) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
    name += plain ? letter : '-';
  }
  if (name.size() > 100) name = name.substr(0, 80) + "-" + check_sum(std::string(device));
  return folder_ / (name + ".jsonl");
}

std::optional<TuningRecord> TuningRecords::find(std::string_view device, std::string_view key) {
  read_file(device);
  const auto found = records_.find({std::string(device), std::string(key)});
  if (found == records_.end()) return std::nullopt;
  return found->second;
}

bool TuningRecords::add(const TuningRecord& record) {
  read_file(record.device);
  records_[{record.device, record.key}] = record;
  if (folder_.empty()) return false;
  std::error_code fault;
  std::filesystem::create_directories(folder_, fault);
  const int file = ::open(file_of(record.device).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return false;
  std::string line = to_line(record) + "\n";
  char last = '\n';
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size > 0 && ::pread(file, &last, 1, size - 1) == 1 && last != '\n') line.insert(0, "\n");  // a broken last line ends here
  const bool written = ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  return ::close(file) == 0 && written;
}

std::string TuningRecords::to_line(const TuningRecord& record) {
  const nlohmann::json content = content_of(record);
  return nlohmann::json{{"check", check_sum(content.dump())}, {"record", content}}.dump();
}

std::optional<TuningRecord> TuningRecords::from_line(std::string_view line) {
  const nlohmann::json read = nlohmann::json::parse(line, nullptr, false);
  if (!read.is_object() || !read.contains("record") || !read.contains("check")) return std::nullopt;
  const nlohmann::json& content = read["record"];
  if (read["check"] != check_sum(content.dump()) || content.value("schema", 0) != schema_version) return std::nullopt;
  try {
    TuningRecord record;
    content.at("device").get_to(record.device);
    content.at("key").get_to(record.key);
    content.at("task").get_to(record.task);
    content.at("problem").get_to(record.problem);
    content.at("point").get_to(record.point);
    content.at("default_seconds").get_to(record.default_seconds);
    content.at("tuned_seconds").get_to(record.tuned_seconds);
    return record;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void TuningRecords::read_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (auto record = from_line(line)) {
      records_[{record->device, record->key}] = *record;
    } else {
      ++skipped_;
    }
  }
}

void TuningRecords::read_file(std::string_view device) {
  if (folder_.empty() || std::find(read_.begin(), read_.end(), device) != read_.end()) return;
  read_.emplace_back(device);
  std::ifstream file(file_of(device), std::ios::binary);
  read_lines(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace dgsolve::codegen
