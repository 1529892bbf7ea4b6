// Expansion of text templates in one pass: a loop reads its body once for every round.
#include "codegen/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "codegen/expression/print.h"
#include "codegen/nearest.h"
#include "codegen/template_reader.h"

namespace dgsolve::codegen {
namespace {

constexpr int most_nested_includes = 16;
constexpr std::string_view blanks = " \t\r";

template <class T>
const T* get(const TemplateValue& value) {
  return std::get_if<T>(&value.value);
}

class Template : TemplateReader {
 public:
  Template(const TemplateValues& values, const std::map<std::string, std::string>& includes) : includes_(includes) {
    for (const auto& [name, value] : values) names_.push_back({name, value, {}, false});
  }

  std::string run(std::string_view name, std::string_view text) {
    const std::size_t given = names_.size();
    expand_text(name, text);
    for (std::size_t i = 0; i < given; ++i) {
      if (!names_[i].is_used) throw std::invalid_argument(fmt::format("{}:1:1: value '{}' is not used", name, names_[i].name));
    }
    for (const auto& [known, content] : includes_) {
      if (!included_.contains(known)) throw std::invalid_argument(fmt::format("{}:1:1: include '{}' is not used", name, known));
    }
    return std::move(out_);
  }

 private:
  /// Puts a mark wherever the compiler would count on from another line than the template's.
  void write(std::string_view text, std::size_t place, bool is_source) {
    if (dry_ > 0) return;
    int line = line_of(place);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      const bool continues = !out_.empty() && (out_.back() != '\n' || out_.ends_with("\\\n"));
      if (!continues && (out_file_ != source_.name || out_line_ != line)) {
        out_ += fmt::format("#line {} \"{}\"\n", line, source_.name);
        out_file_ = source_.name;
        out_line_ = line;
      }
      out_ += text.substr(0, end);
      if (text[end - 1] == '\n') {
        ++out_line_;
        line += is_source ? 1 : 0;
      }
      text.remove_prefix(end);
    }
  }
  void write_source(std::size_t begin, std::size_t end) { write(source_.text.substr(begin, end - begin), begin, true); }

  std::string print(const Value& value, std::size_t place) const {
    if (const auto* text = get<std::string>(value)) return *text;
    if (const auto* truth = get<bool>(value)) return *truth ? "1" : "0";
    if (const auto* integer = get<std::int64_t>(value)) {
      if (*integer == INT64_MIN) return "(-9223372036854775807 - 1)";
      return *integer < 0 ? fmt::format("({})", *integer) : fmt::format("{}", *integer);
    }
    if (get<List>(value) != nullptr) fail(place, "a list cannot be printed, only its items");
    const double real = std::get<double>(value.value);
    if (!std::isfinite(real)) fail(place, fmt::format("the value is {}", real));
    const std::string printed = expression::print_literal(real, Precision::double_precision);
    return printed.front() == '-' ? "(" + printed + ")" : printed;
  }

  void close_tag() {
    expect("%}");
    if (tag_is_alone_) at_ = std::min(source_.text.find('\n', at_), source_.text.size() - 1) + 1;
  }

  /// Up to a tag that ends a block: its word, the cursor behind it; empty at the end of the text.
  std::string_view block() {
    const std::size_t outer_names = names_.size();
    const std::string_view text = source_.text;
    std::string_view end;
    nest();
    while (end.empty()) {
      const std::size_t tag = std::min(text.find("{{", at_), text.find("{%", at_));
      if (tag == std::string_view::npos) {
        write_source(at_, text.size());
        at_ = text.size();
        break;
      }
      if (text[tag + 1] == '{') {
        write_source(at_, tag);
        at_ = tag + 2;
        const Value value = expression();
        expect("}}");
        if (dry_ == 0) write(print(value, tag), tag, false);
      } else {
        end = statement(tag);
      }
    }
    --nesting_;
    for (std::size_t i = outer_names; i < names_.size(); ++i) {
      if (names_[i].let_at && !names_[i].is_used) fail(*names_[i].let_at, fmt::format("'{}' is not used", names_[i].name));
    }
    names_.resize(outer_names, Name{{}, false, {}, false});
    return end;
  }

  /// The word of a tag that ends a block, else empty.
  std::string_view statement(std::size_t tag) {
    const std::string_view text = source_.text;
    const std::size_t start = line_start(tag), close = text.find("%}", tag);
    if (close == std::string_view::npos) fail(tag, "{% without %}");
    const std::size_t after = text.find_first_not_of(blanks, close + 2);
    tag_is_alone_ = text.substr(start, tag - start).find_first_not_of(blanks) == std::string_view::npos &&
                    (after == std::string_view::npos || text[after] == '\n');
    write_source(at_, tag_is_alone_ ? std::max(at_, start) : tag);
    at_ = tag + 2;
    const std::string_view word = word_ahead();
    const std::size_t place = at_;
    at_ += word.size();
    if (word == "for") {
      loop(tag);
    } else if (word == "if") {
      condition(tag);
    } else if (word == "let") {
      peek();
      const std::size_t name_place = at_;
      std::string name = new_name();
      expect("=");
      names_.push_back({std::move(name), expression(), name_place, false});
      close_tag();
    } else if (word == "include") {
      include();
    } else if (word == "elif" || word == "else" || word == "endif" || word == "endfor") {
      return word;
    } else {
      const std::vector<std::string> words{"for", "endfor", "if", "elif", "else", "endif", "let", "include"};
      fail(place, fmt::format("'{}' begins no statement{}", word, did_you_mean(word, words)));
    }
    return {};
  }

  void loop(std::size_t tag) {
    const std::string name = new_name();
    if (!accept_word("in")) fail(at_, "'in' is expected here");
    peek();
    const std::size_t place = at_;
    const Value given = expression();
    if (dry_ == 0 && get<List>(given) == nullptr) fail(place, fmt::format("a loop needs a list, this is {}", kind_of(given)));
    close_tag();
    List items = dry_ == 0 ? std::get<List>(given.value) : List{};
    const int dry = items.empty() ? 1 : 0;  // without rounds the body is read once, for its names
    if (items.empty()) items.push_back(0);
    const std::size_t body = at_;
    for (const Value& item : items) {
      at_ = body;
      names_.push_back({name, item, {}, false});
      dry_ += dry;
      const std::string_view end = block();
      dry_ -= dry;
      names_.pop_back();
      if (end != "endfor") fail(tag, "'for' without 'endfor'");
    }
    close_tag();
  }

  void condition(std::size_t tag) {
    bool is_done = false;
    for (std::string_view word = "if"; word != "endif";) {
      bool is_taken = !is_done;
      if (word != "else") {
        dry_ += is_done ? 1 : 0;
        is_taken = truth_of(expression()) && is_taken;
        dry_ -= is_done ? 1 : 0;
      }
      close_tag();
      dry_ += is_taken ? 0 : 1;
      const std::string_view next = block();
      dry_ -= is_taken ? 0 : 1;
      is_done = is_done || is_taken;
      if (next != "endif" && (word == "else" || (next != "elif" && next != "else"))) fail(tag, "'if' without 'endif'");
      word = next;
    }
    close_tag();
  }

  void include() {
    peek();
    const std::size_t place = at_;
    const std::string name = quoted();
    const auto found = includes_.find(name);
    if (found == includes_.end()) {
      std::vector<std::string> known;
      for (const auto& [other, text] : includes_) known.push_back(other);
      fail(place, fmt::format("unknown include '{}'{}", name, did_you_mean(name, known)));
    }
    included_.insert(name);
    if (++depth_ > most_nested_includes) fail(place, fmt::format("includes nest too deeply at '{}'", name));
    const bool is_alone = tag_is_alone_;
    close_tag();
    const Source outer = source_;
    const std::size_t behind = at_;
    expand_text(found->first, found->second);
    source_ = outer;
    at_ = behind;
    --depth_;
    if (is_alone && !out_.empty() && out_.back() != '\n') write("\n", place, false);
  }

  void expand_text(std::string_view name, std::string_view text) {
    source_ = {name, text};
    at_ = 0;
    const std::string_view end = block();
    if (!end.empty()) fail(at_ - end.size(), fmt::format("'{}' ends nothing", end));
  }

  const std::map<std::string, std::string>& includes_;
  bool tag_is_alone_ = false;  ///< the tag that is being read has a line of its own
  int depth_ = 0;              ///< of includes
  std::set<std::string> included_;
  std::string out_;
  std::string_view out_file_;  ///< what the compiler takes the next line of the output for
  int out_line_ = 0;
};

}  // namespace

std::string expand_template(std::string_view name, std::string_view text, const TemplateValues& values,
                            const std::map<std::string, std::string>& includes) {
  return Template(values, includes).run(name, text);
}

}  // namespace dgsolve::codegen
