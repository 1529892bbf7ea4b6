// The one place where exceptions become exit statuses.
#include "cli/exit_status.h"

#include <fmt/format.h>

#include <new>
#include <system_error>

#include "codegen/errors.h"
#include "io/checkpoint.h"
#include "io/config.h"
#include "io/output_error.h"
#include "mesh/mesh.h"
#include "solver/equations/system.h"
#include "solver/simulation.h"

namespace dgsolve::cli {

Failure describe_failure(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CommandLineError& fault) {
    return {exit_status::bad_input, fault.what()};
  } catch (const io::ConfigError& fault) {
    return {exit_status::bad_input, fault.what()};
  } catch (const io::CheckpointError& fault) {
    return {exit_status::bad_input, fault.what()};
  } catch (const solver::EquationError& fault) {
    return {exit_status::bad_input, fault.what()};
  } catch (const mesh::MeshError& fault) {
    return {exit_status::bad_input, fault.what()};
  } catch (const codegen::FormulaError& fault) {
    return {exit_status::bad_input, fault.what()};
  } catch (const solver::DivergedError& fault) {
    return {exit_status::diverged, fault.what()};
  } catch (const codegen::DeviceError& fault) {
    return {exit_status::trouble, fault.what()};
  } catch (const io::OutputError& fault) {
    return {exit_status::trouble, fault.what()};
  } catch (const std::system_error& fault) {
    return {exit_status::trouble, fault.what()};
  } catch (const std::bad_alloc&) {
    return {exit_status::trouble, "the host's memory is full: use fewer cells, a lower order, or a larger machine"};
  } catch (const std::exception& fault) {
    return {exit_status::internal_error, fmt::format("internal error: {}", fault.what())};
  } catch (...) {
    return {exit_status::internal_error, "internal error: an exception of unknown type"};
  }
}

}  // namespace dgsolve::cli
