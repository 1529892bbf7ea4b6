// The discontinuous Galerkin discretisation of a problem on a device: state, stages, step limit, norms, fields.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/cache.h"
#include "codegen/device.h"
#include "codegen/kernel.h"
#include "codegen/tuning/records.h"
#include "codegen/tuning/tuner.h"
#include "mesh/communicator.h"
#include "mesh/distribution.h"
#include "solver/elements/reference_element.h"
#include "solver/equations/system.h"
#include "solver/problem.h"
#include "solver/time/integrator.h"

namespace dgsolve::solver {

/// The solution left the set of states that mean something: non-finite, or a quantity that must stay positive is not (exit status 3).
struct StateFault {
  std::string what;      ///< "non-finite" or "not positive"
  std::string quantity;  ///< component ("rho", "m_x") or admissible name ("pressure")
  double value = 0;
  std::int64_t element = 0;  ///< global number
  std::array<double, 3> position{0, 0, 0};
  int rank = 0;  ///< that has the element
};

/// Error norms of one state component; definitions in docs/numerics.md.
struct ErrorNorms {
  std::string component;
  double l1 = 0, l2 = 0, linf = 0;
};

/// How the memory of the discretisation divides, in bytes.
struct MemoryUse {
  std::size_t state = 0, geometry = 0, connectivity = 0, other = 0;
};

class DgOperator {
 public:
  /// Builds elements, geometry and all kernels; `part` must outlive this. A record of this problem (see tune()) in `records`, which may be
  /// null, decides what the problem does not pin; else rules decide. Throws EquationError, mesh::MeshError (a boundary group without
  /// condition or the reverse, shapes not supported), codegen::DeviceError. With several `ranks` each gives its part of one mesh, and all
  /// the same problem. Then every function that is not const is called by all ranks together, and results have the same bits for any number
  /// of them.
  DgOperator(const mesh::MeshPart& part, const Problem& problem, const codegen::Device& device, codegen::Cache* cache,
             codegen::TuningRecords* records = nullptr, const mesh::Communicator& ranks = {});
  /// Of this process alone, on a whole mesh.
  DgOperator(mesh::Mesh mesh, const Problem& problem, const codegen::Device& device, codegen::Cache* cache,
             codegen::TuningRecords* records = nullptr);
  ~DgOperator();
  DgOperator(const DgOperator&) = delete;
  DgOperator& operator=(const DgOperator&) = delete;

  [[nodiscard]] const EquationSystem& system() const;
  [[nodiscard]] const ReferenceElement& element() const;
  [[nodiscard]] const mesh::Mesh& mesh() const;      ///< this rank's cells, then its ghosts; alone: the whole
  [[nodiscard]] const mesh::MeshPart& part() const;  ///< which has that mesh
  [[nodiscard]] std::int64_t cell_count() const;     ///< of the whole mesh
  /// [owned cells in mesh order] global numbers of this rank's cells.
  [[nodiscard]] std::span<const std::int64_t> owned_numbers() const;
  [[nodiscard]] const mesh::Communicator& ranks() const;
  /// What carries values between ranks ("staged", "device", "ipc", ...; "none" on one rank), and what was said while it was chosen.
  [[nodiscard]] std::string exchange() const;
  [[nodiscard]] std::vector<std::string> exchange_warnings() const;
  /// What one exchange of a stage costs this rank.
  struct ExchangeCost {
    std::int64_t bytes_sent = 0;
    int neighbours = 0;
    double alone_s = 0;    ///< device time of an exchange with nothing beside it
    double exposed_s = 0;  ///< in a stage: device time from the end of what is computed beside it to the unpacked values
  };
  /// Times some exchanges of the present state, then those of `steps` steps from t. By all ranks; on one rank all is zero. Throws
  /// DeviceError.
  [[nodiscard]] ExchangeCost measure_exchange(double t, double dt, std::int64_t steps);
  /// [owned cells][node][dimension] coordinates of this rank's nodes.
  [[nodiscard]] std::vector<double> owned_node_points() const;
  [[nodiscard]] const Integrator& method() const;
  [[nodiscard]] const codegen::Device& device() const;
  [[nodiscard]] codegen::Queue& queue();
  [[nodiscard]] codegen::Precision precision() const;
  [[nodiscard]] std::int64_t dof_count() const;      ///< cells * nodes * variables, without padding
  [[nodiscard]] std::int64_t own_dof_count() const;  ///< of this rank's cells
  [[nodiscard]] MemoryUse memory() const;
  /// Every kernel built so far, in a fixed order.
  [[nodiscard]] std::vector<codegen::Kernel> kernels() const;

  /// The choices in the stage kernels that are open to tuning, and where they come from: "rule", "record" or "checkpoint", and " and
  /// pins" if there are any.
  [[nodiscard]] const codegen::TuningPoint& choices() const;
  [[nodiscard]] const std::string& choice_origin() const;
  /// Measures variants of the stage kernels on this problem and device, starting from the present state, which is kept, and goes on with
  /// the fastest. A variant is right if one step of it from the present state equals a step of the default choice within rounding. What the
  /// problem pins is not varied. `bytes_per_dof` of a stage is for the table. By all ranks: the lowest rank of each class of devices
  /// measures on its part, without exchange, while the others wait, and all of the class take its choice. Returns what was measured, on the
  /// ranks that did. A fault (DeviceError) of one is thrown by all.
  enum class TuneWhich { all, unrecorded };  ///< classes of devices, or those of them that have no record
  struct Tuned {
    codegen::TuningTask task;
    codegen::TuningResult result;
    codegen::TuningRecord record;
  };
  std::optional<Tuned> tune(double t, double dt, double bytes_per_dof, const codegen::TuningOptions& options = {},
                            TuneWhich which = TuneWhich::all);

  /// Sets the state from the problem's initial data at `time`.
  void set_initial(double time);
  /// [cells in mesh order][variable][node], conserved variables; state(): of the whole mesh on rank 0, empty elsewhere.
  void set_state(std::span<const double> values);
  [[nodiscard]] std::vector<double> state();
  /// Of this rank alone: [owned cells in mesh order][variable][node].
  void set_own_state(std::span<const double> values);
  [[nodiscard]] std::vector<double> own_state();

  /// Enqueues one Runge-Kutta step from t to t + dt; does not wait for it.
  void step(double t, double dt);
  /// The largest stable step at cfl = 1 for the present state: C / max rate. Infinity if no wave moves. A fault in the state is recorded
  /// (see fault()). `request`, a number of this rank's, becomes the largest of all ranks' with the same message.
  [[nodiscard]] double stable_step(double t, double* request = nullptr);
  /// Steps that the device can take by itself before the host looks again: 0 where that does not pay (large problems) or is not possible.
  [[nodiscard]] int batch_steps() const;
  /// Up to batch_steps() steps from t without the host, each as long as run_simulation would make it, with the same bits. stable_step(t)
  /// must have been called for the present state, or it must come from a batch that went well. Ends early where a step would not be
  /// ordinary: longer than half the way to `limit`, or `smallest` or less. After a fault in the state the batch is undone: ok is false,
  /// steps 0.
  struct StepPlan {
    double limit = 0, cfl = 0;
    std::optional<double> step;  ///< fixed, instead of cfl
    double smallest = 0;
  };
  struct Batch {
    double time = 0, dt = 0;  ///< reached; of the last step
    std::int64_t steps = 0;
    double stable = 0;  ///< as of stable_step(time)
    bool ok = false;
  };
  [[nodiscard]] Batch run_batch(double t, const StepPlan& plan);
  /// Looks at every node; nothing if all is well. Names the first fault in global element order.
  [[nodiscard]] std::optional<StateFault> fault(double t);

  /// dq/dt of the present state, same shape as state(): for tests.
  [[nodiscard]] std::vector<double> time_derivative(double t);
  /// Against the exact solution at time t. Empty if the problem has none.
  [[nodiscard]] std::vector<ErrorNorms> error_norms(double t);
  /// Integral over the domain of every component of the fields by the scheme's own quadrature; the sum over elements is rounded once.
  [[nodiscard]] std::vector<double> integrals(const std::vector<FieldSpec>& fields, double t);
  /// Smallest and largest nodal value of every component; NaN if there is one.
  [[nodiscard]] std::vector<std::array<double, 2>> extrema(const std::vector<FieldSpec>& fields, double t);
  /// Nodal values of the fields: [cells in mesh order][component][node], on rank 0; empty elsewhere.
  [[nodiscard]] std::vector<double> evaluate(const std::vector<FieldSpec>& fields, double t);
  /// Those of this rank: [owned cells in mesh order][component][node].
  [[nodiscard]] std::vector<double> evaluate_owned(const std::vector<FieldSpec>& fields, double t);
  /// Element (mesh order) and interpolation row for a point; nothing if it lies outside.
  struct PointLocation {
    std::int64_t cell = 0;        ///< mesh order of the whole mesh; on a face the lowest global number
    std::vector<double> weights;  ///< [nodes]
  };
  [[nodiscard]] std::optional<PointLocation> locate(std::array<double, 3> point);
  /// The fields at a point, [component]: evaluated at the nodes of its element's block alone, then interpolated.
  [[nodiscard]] std::vector<double> evaluate_at(const PointLocation& point, const std::vector<FieldSpec>& fields, double t);
  /// See docs/configuration: sum modulo 2^256 of SHA-256 over elements, 64 hexadecimal digits.
  [[nodiscard]] std::string checksum();
  /// In the same way over the cells' shapes and coordinates: equal for meshes of the same cells.
  [[nodiscard]] std::string mesh_digest() const;

 private:
  struct Impl;
  class StageTuning;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dgsolve::solver
