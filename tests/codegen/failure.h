// What a device error says.
#pragma once

#include <string>

#include "codegen/errors.h"

namespace dgsolve::codegen {

/// The message of the DeviceError that `action` throws, or "no failure".
template <class Action>
std::string failure_of(Action action) {
  try {
    action();
    return "no failure";
  } catch (const DeviceError& error) {
    return error.what();
  }
}

}  // namespace dgsolve::codegen
