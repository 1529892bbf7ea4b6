// Words as bytes, errors as words, and the agreement of ranks.
#include "codegen/collective_word.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "codegen/errors.h"

namespace dgsolve::codegen {

void append(std::string& message, const Word& word) {
  message += static_cast<char>(word.kind);
  for (int byte = 0; byte < 8; ++byte) message += static_cast<char>((std::uint64_t{word.bytes.size()} >> (8 * byte)) & 0xff);
  message += word.bytes;
}

std::vector<Word> split(std::string_view message) {
  std::vector<Word> words;
  while (message.size() >= 9) {
    std::uint64_t bytes = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) bytes |= std::uint64_t{static_cast<unsigned char>(message[1 + byte])} << (8 * byte);
    words.push_back({static_cast<Word::Kind>(message[0]), std::string(message.substr(9, bytes))});
    message.remove_prefix(std::min<std::size_t>(message.size(), 9 + bytes));
  }
  return words;
}

Word error_word(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CompileError& fault) {
    return {Word::Kind::compile_error, fault.what()};
  } catch (const DeviceError& fault) {
    return {Word::Kind::device_error, fault.what()};
  } catch (const std::invalid_argument& fault) {
    return {Word::Kind::invalid, fault.what()};
  } catch (const std::exception& fault) {
    return {Word::Kind::other_error, fault.what()};
  }
}

[[noreturn]] void throw_error(const Word& word) {
  switch (word.kind) {
    case Word::Kind::compile_error:
      throw CompileError(word.bytes);
    case Word::Kind::device_error:
      throw DeviceError(word.bytes);
    case Word::Kind::invalid:
      throw std::invalid_argument(word.bytes);
    default:
      throw std::runtime_error(word.bytes);
  }
}

std::vector<std::string> do_together(Communicator& communicator, const std::function<std::string()>& part) {
  Word mine;
  try {
    mine.bytes = part();
  } catch (...) {
    mine = error_word(std::current_exception());
  }
  std::string message;
  append(message, mine);
  std::vector<std::string> all;
  for (const std::string& text : communicator.all_gather(message)) {
    std::vector<Word> words = split(text);
    if (words.size() != 1) throw std::logic_error("acting together: a rank sent no word");
    if (words.front().kind != Word::Kind::bytes) throw_error(words.front());
    all.push_back(std::move(words.front().bytes));
  }
  return all;
}

}  // namespace dgsolve::codegen
