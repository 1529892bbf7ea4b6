// Exit statuses of the program, and which exception ends it with which.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace dgsolve::cli {

namespace exit_status {
inline constexpr int done = 0;
inline constexpr int internal_error = 1;
inline constexpr int bad_input = 2;  ///< configuration, mesh or command line
inline constexpr int diverged = 3;
inline constexpr int trouble = 5;   ///< device, compiler, memory or file system
inline constexpr int stopped = 75;  ///< early, with a checkpoint: the same command with --resume goes on
}  // namespace exit_status

/// A command line that means nothing (exit status 2).
class CommandLineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Failure {
  int status = exit_status::internal_error;
  std::string message;
};

/// What the program says and returns for an exception that reached main.
[[nodiscard]] Failure describe_failure(const std::exception_ptr& error);

}  // namespace dgsolve::cli
