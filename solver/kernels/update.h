// The register updates of a Runge-Kutta stage as generated code: which kernels a method needs, and their scalar arguments stage by stage.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "solver/time/integrator.h"

namespace dgsolve::solver {

/// One kernel's update. Stages that share it differ only in the values of the scalars.
struct UpdateCode {
  /// Defines STAGE_UPDATE(u, rate, at), which stores all registers and returns the new u; if a register is read also STAGE_EARLY_REGISTER,
  /// the first of those, and STAGE_UPDATE_EARLY(u, rate, at, old), which is given its value; if at most one register is read and one is
  /// written, STAGE_VALUES(u, rate, old, &next, &kept) and STAGE_STORE(next, kept, at). STAGE_PREFETCH(at) announces the reading of the
  /// registers. The functions store the new u by STORE_NEXT(value, p), which is VSTORE unless the kernel defines it before.
  std::string text;
  /// The same in two parts for kernels that read before they write: STAGE_OLD(old, at) reads the registers' old values into
  /// old[STAGE_OLD_COUNT], STAGE_UPDATE_FROM(u, rate, old, at) stores; STAGE_PREFETCH(at) as above.
  std::string split_text;
  std::vector<int> registers;               ///< registers >= 1 that it reads or writes, ascending: arguments r1, r2, ...
  std::vector<std::string> scalars;         ///< names of its scalar arguments
  std::vector<int> stages;                  ///< stages it serves
  std::vector<std::vector<double>> values;  ///< [stages][scalars]

  /// Arguments to append to a stage kernel: next_state, registers, scalars.
  [[nodiscard]] std::vector<codegen::ArgumentSpec> arguments() const;
};

/// Zero coefficients are neither read nor written, ones are not multiplied. `merge`: stages that update the same registers share a
/// kernel even if some coefficients vanish in one of them (fewer kernels to compile).
enum class UpdateSharing { merge, separate };
[[nodiscard]] std::vector<UpdateCode> plan_updates(const Integrator& method, UpdateSharing sharing);

/// STAGE_UPDATE that stores dq/dt instead of a new state.
[[nodiscard]] UpdateCode rate_only_update();

}  // namespace dgsolve::solver
