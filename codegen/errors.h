// The faults a user of the toolkit can meet. Each carries one complete message.
#pragma once

#include <stdexcept>
#include <string>

namespace dgsolve::codegen {

/// A device, driver, memory or cache fault (exit status 5 of the program).
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A device has no memory left for what was asked.
class OutOfMemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The run-time compiler refused a generated kernel: what() holds kernel name, parsed diagnostics, the compiler's log and the kept source's
/// path.
class CompileError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// A formula is wrong. what() holds the formula, a caret line under the column, what was found, what is allowed, the nearest name.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(const std::string& message, int column) : std::runtime_error(message), column_(column) {}
  [[nodiscard]] int column() const { return column_; }  ///< 1-based column within the formula

 private:
  int column_;
};

}  // namespace dgsolve::codegen
