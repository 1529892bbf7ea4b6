// What ranks tell each other when they act together: bytes, or the error that came instead.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/communicator.h"

namespace dgsolve::codegen {

/// One word of a message: what kind it is and its bytes. Errors travel as their kind and message.
struct Word {
  enum class Kind : char { bytes = 'b', compile_error = 'c', device_error = 'd', invalid = 'v', other_error = 'o' };
  Kind kind = Kind::bytes;
  std::string bytes;
};

void append(std::string& message, const Word& word);
[[nodiscard]] std::vector<Word> split(std::string_view message);
[[nodiscard]] Word error_word(const std::exception_ptr& error);
/// CompileError, DeviceError, std::invalid_argument or std::runtime_error.
[[noreturn]] void throw_error(const Word& word);

/// Every rank does its part and all hear what each has to tell, [size]. If it throws on some ranks, all throw the lowest one's error, as
/// throw_error does.
[[nodiscard]] std::vector<std::string> do_together(Communicator& communicator, const std::function<std::string()>& part);

}  // namespace dgsolve::codegen
