// Results cannot be written.
#pragma once

#include <stdexcept>

namespace dgsolve::io {

/// A file or folder of results cannot be written: disk full, no permission, vanished folder (exit status 5). One complete message.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dgsolve::io
