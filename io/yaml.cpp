// The only file that sees yaml-cpp: builds the tree from the parser's events.
#include "io/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "io/config.h"
#include "io/faults.h"

namespace dgsolve::io {
namespace {

constexpr std::size_t largest_text = std::size_t{16} << 20U;
constexpr std::size_t most_values = 200000;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Builds nodes from events; every open collection is a frame.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, std::string file) : lines_(split_lines(text)), file_(std::move(file)) {}

  [[nodiscard]] Node take() { return std::move(root_); }
  [[nodiscard]] const Faults& faults() const { return faults_; }

  void OnDocumentStart(const YAML::Mark& mark) override { (void)mark; }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.where = place(mark);
    finish(std::move(node), anchor, 1);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw ConfigError(fmt::format("{}: an alias that stands inside what it names", to_text(place(mark))));
    }
    finish(found->second.node, 0, found->second.values);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = value;
    node.quoted = tag == "!";
    node.where = text_place(mark, node.quoted);
    finish(std::move(node), anchor, 1);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style) override {
    (void)tag;
    open(Node::Kind::sequence, mark, anchor, style == YAML::EmitterStyle::Flow);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style) override {
    (void)tag;
    open(Node::Kind::map, mark, anchor, style == YAML::EmitterStyle::Flow);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    YAML::anchor_t anchor = 0;
    std::size_t values = 1;
    bool flow = false;
    bool has_key = false;
    Entry pending;
    std::map<std::string, int> key_lines;
  };
  struct Anchored {
    Node node;
    std::size_t values = 0;
  };

  [[nodiscard]] solver::Location place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

  /// Where the characters of a scalar begin: past an anchor or tag, past the quote, on the line after a block indicator.
  [[nodiscard]] solver::Location text_place(const YAML::Mark& mark, bool quoted) const {
    if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= lines_.size()) return place(mark);
    std::size_t line = static_cast<std::size_t>(mark.line);
    std::size_t column = static_cast<std::size_t>(std::max(mark.column, 0));
    while (column < lines_[line].size() && (lines_[line][column] == '&' || lines_[line][column] == '!')) {
      column = std::min(lines_[line].find_first_of(" \t", column), lines_[line].size());
      column = std::min(lines_[line].find_first_not_of(" \t", column), lines_[line].size());
    }
    if (quoted && column < lines_[line].size()) {
      const char first = lines_[line][column];
      if (first == '"' || first == '\'') ++column;
      if (first == '|' || first == '>') {
        std::size_t next = line + 1;
        while (next < lines_.size() && lines_[next].find_first_not_of(" \t\r") == std::string_view::npos) ++next;
        if (next < lines_.size()) {
          line = next;
          column = lines_[line].find_first_not_of(" \t");
        }
      }
    }
    return {file_, static_cast<int>(line) + 1, static_cast<int>(column) + 1};
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, bool flow) {
    Frame frame;
    frame.node.kind = kind;
    frame.node.where = place(mark);
    frame.anchor = anchor;
    frame.flow = flow || (!frames_.empty() && frames_.back().flow);
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    finish(std::move(frame.node), frame.anchor, frame.values);
  }

  /// Puts a complete node where it belongs.
  void finish(Node node, YAML::anchor_t anchor, std::size_t values) {
    node.in_flow = !frames_.empty() && frames_.back().flow;
    if (anchor != 0) anchors_[anchor] = {node, values};
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    frame.values += values;
    if (frame.values > most_values) {
      throw ConfigError(fmt::format("{}: more than {} values (aliases counted)", to_text(frame.node.where), most_values));
    }
    if (frame.node.is_sequence()) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.has_key) {
      take_key(frame, node);
    } else {
      frame.pending.value = std::move(node);
      frame.has_key = false;
      add_entry(frame);
    }
  }

  void take_key(Frame& frame, const Node& key) {
    if (!key.is_scalar()) faults_.add(key.where, "", fmt::format("a key must be a text, found {}", key.describe()));
    frame.pending = {.key = key.text, .where = key.where, .value = {}};
    frame.has_key = true;
  }

  void add_entry(Frame& frame) {
    const auto [known, is_new] = frame.key_lines.emplace(frame.pending.key, frame.pending.where.line);
    if (is_new) {
      frame.node.entries.push_back(std::move(frame.pending));
    } else {
      faults_.add(frame.pending.where, frame.pending.key, fmt::format("the key stands twice in one map (first at line {})", known->second));
    }
  }

  std::vector<std::string_view> lines_;
  std::string file_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Node root_;
  Faults faults_;
};

/// Whether `line` (0-based) reads like a formula torn apart by YAML's brackets: an index right after a name, a call, within {} or [].
bool looks_like_broken_formula(const std::vector<std::string_view>& lines, int line) {
  for (int candidate = std::max(line - 1, 0); candidate <= line && candidate < static_cast<int>(lines.size()); ++candidate) {
    const std::string_view text = lines[static_cast<std::size_t>(candidate)];
    const std::size_t flow = text.find_first_of("{[");
    for (std::size_t i = flow; i != std::string_view::npos && i < text.size(); ++i) {
      const bool index = text[i] == '[' && i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_');
      if (index || text[i] == '(') return true;
    }
  }
  return false;
}

}  // namespace

Node parse_yaml(std::string_view text, const std::string& file_name) {
  if (text.size() > largest_text) throw ConfigError(fmt::format("{}: larger than {} MiB", file_name, largest_text >> 20U));
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  TreeBuilder builder(text, file_name);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      Node empty;
      empty.where = {file_name, 1, 1};
      return empty;
    }
    TreeBuilder rest(text, file_name);
    if (parser.HandleNextDocument(rest)) {
      throw ConfigError(fmt::format("{}: a second YAML document; a file holds one", to_text(rest.take().where)));
    }
  } catch (const YAML::Exception& error) {
    std::string message = fmt::format("{}:{}:{}: not YAML: {}", file_name, error.mark.line + 1, error.mark.column + 1, error.msg);
    if (looks_like_broken_formula(split_lines(text), error.mark.line)) {
      message += " (inside {} and [] a bracket or a comma ends a YAML text: put the formula in quotes, e.g. {\"m[i]\": \"m[i]\"})";
    }
    throw ConfigError(message);
  }
  builder.faults().throw_if_any();
  return builder.take();
}

std::string read_text_file(const std::filesystem::path& file) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status)) throw ConfigError(fmt::format("{}: a folder, not a file", file.string()));
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ConfigError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16U);
  while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())) || stream.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest_text) throw ConfigError(fmt::format("{}: larger than {} MiB", file.string(), largest_text >> 20U));
  }
  return text;
}

}  // namespace dgsolve::io
