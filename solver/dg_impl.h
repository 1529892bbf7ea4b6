// Private state of DgOperator, shared by its source files.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/graph.h"
#include "codegen/memory_pool.h"
#include "mesh/communicator.h"
#include "mesh/distribution.h"
#include "solver/class_data.h"
#include "solver/dg_operator.h"
#include "solver/halo.h"
#include "solver/kernel_plan.h"
#include "solver/kernels/pointwise.h"
#include "solver/kernels/stage.h"
#include "solver/kernels/update.h"

namespace dgsolve::solver {

/// A kernel argument with the name it has in the spec.
using NamedArgument = std::pair<std::string_view, codegen::KernelArgument>;

struct DgOperator::Impl {
  static constexpr double unknown_clock = -1e308;
  Impl(const mesh::MeshPart* part_in, mesh::MeshPart whole_in, const Problem& problem_in, const codegen::Device& device_in,
       codegen::Cache* cache_in, codegen::TuningRecords* records, const mesh::Communicator& ranks_in);

  const mesh::Communicator ranks;
  const mesh::MeshPart whole;  ///< a mesh of this process alone; else empty
  const mesh::MeshPart& part;
  const mesh::Mesh& mesh;  ///< this rank's cells and their ghosts
  Problem problem;
  codegen::Device device;
  codegen::Cache* cache;
  codegen::Queue queue;
  codegen::MemoryPool pool;    ///< of what is evaluated now and then: fields, norms, sums
  codegen::PinnedPool pinned;  ///< of the clock's values under way
  EquationSystem system;
  ReferenceElement element;
  const Integrator& method;
  int width = 1;
  Layout layout;
  PhysicsText physics, gradient_physics;
  std::vector<UpdateCode> updates;
  std::vector<std::pair<std::size_t, std::size_t>> update_of_stage;  ///< [stages] (update, index of the stage in it)

  struct StageKernel {
    codegen::Kernel kernel;
    StageLaunch launch;
  };
  std::vector<std::vector<StageKernel>> stage_kernels;  ///< [update][class]
  codegen::TuningPoint pins, choices;
  std::string choice_origin = "rule", tuning_key;
  int class_leader = 0;   ///< the lowest rank whose device is of this one's class; it looks up and measures for all of them
  bool exchanges = true;  ///< false while one rank measures: its ghosts stay as they are
  std::optional<std::vector<StageKernel>> rate_only_kernels;                ///< [class], built when asked for
  std::vector<codegen::Kernel> initial_kernels, rate_kernels;               ///< [class]
  std::optional<std::vector<codegen::Kernel>> fault_kernels, norm_kernels;  ///< [class], built when asked for
  codegen::Kernel traces_kernel, advance_kernel;
  std::map<std::string, std::vector<codegen::Kernel>> other_kernels;  ///< fields and sums, by description

  std::vector<StageKernel> gradient_kernels;   ///< [class]; none without second-order terms
  codegen::Buffer gradients, gradient_traces;  ///< [block][gradient][node or face point][W]
  std::optional<Halo> halo;                    ///< if there are other ranks
  std::optional<Halo> gradient_halo;
  ElementTables tables;
  std::vector<ClassData> classes;
  codegen::Buffer state[2];
  int current = 0;
  codegen::Buffer traces[2];
  int current_traces = 0;
  std::vector<codegen::Buffer> registers;  ///< [1..]: index 0 unused
  codegen::Buffer clock, rates;
  std::uint32_t rate_groups = 1;
  double clock_t = unknown_clock, clock_dt = 0;
  std::array<codegen::Graph, 2> step_graphs, rate_graphs, batch_graphs;  ///< by `current`, which current_traces follows; made at first use
  codegen::Buffer batch_plan, batch_progress, batch_rate_clock, batch_start;  ///< made at the first batch
  double stable_constant = 0;

  [[nodiscard]] bool gauss() const { return element.tensor && !element.nodes_on_faces; }
  [[nodiscard]] codegen::Precision precision() const { return problem.precision; }
  [[nodiscard]] std::size_t real_bytes() const { return precision() == codegen::Precision::double_precision ? 8 : 4; }
  [[nodiscard]] PointwiseTraits pointwise(const ElementClass& group) const {
    return {&element, system.variable_count(), width, precision(), group.affine};
  }
  /// Groups of a launch with one work-item a block.
  [[nodiscard]] std::uint32_t block_groups(const ElementClass& group) const { return block_groups(group.block_count); }
  [[nodiscard]] std::uint32_t block_groups(std::int32_t blocks) const {
    const int size = width > 1 ? 1 : 64;
    return static_cast<std::uint32_t>((blocks + size - 1) / size);
  }

  /// Launches with the arguments the spec asks for, found by name.
  void launch(const codegen::Kernel& kernel, std::uint32_t groups, std::initializer_list<NamedArgument> named,
              std::span<const NamedArgument> more = {}, codegen::KernelCost cost = {});
  /// What one stage of a class must move: so many values of each degree of freedom, metric terms and connectivity once.
  [[nodiscard]] codegen::KernelCost stage_cost(std::size_t group, int values_of_dof) const;
  /// What a stage of a class reads of its geometry.
  [[nodiscard]] std::size_t geometry_bytes(std::size_t group) const;
  void set_clock(double t, double dt);
  [[nodiscard]] PlanInput plan_input() const { return plan_input(problem, layout); }
  /// The same for another problem (other pins) or layout (all ranks' classes); both must outlive the result.
  [[nodiscard]] PlanInput plan_input(const Problem& of_problem, const Layout& of_layout) const {
    return {of_problem, system, element, method, of_layout, physics, gradient_physics, device.facts(), dof_count()};
  }
  [[nodiscard]] std::int64_t dof_count() const { return part.cells * element.node_count * system.variable_count(); }
  /// Takes kernels [update][class] as the stages to run.
  void use_stages(std::span<const codegen::Kernel> kernels, const std::vector<StageLaunch>& launches);
  /// One stage of the classes that `of_class` takes.
  void launch_stage(const std::vector<StageKernel>& kernels, const UpdateCode& update, std::span<const double> scalars, double stage_time,
                    int values_of_dof, const std::function<bool(const ElementClass&)>& of_class = {});
  /// The gradients of the current state, ghosts included; nothing without second-order terms.
  void refresh_gradients(double stage_time);
  /// Arguments of a stage kernel of a class besides those of its update.
  void launch_over_class(const StageKernel& kernel, std::size_t group, double stage_time, codegen::Buffer& next,
                         codegen::Buffer& new_traces, std::span<const NamedArgument> more, codegen::KernelCost cost);
  /// Cells of this rank, before its ghosts.
  [[nodiscard]] std::size_t owned() const { return part.owned; }
  /// Through the cache, by all ranks together.
  [[nodiscard]] std::vector<codegen::Kernel> build(std::span<const codegen::KernelSpec> specs) const;
  void exchange_halo();
  [[nodiscard]] bool leads_class() const { return ranks.rank() == class_leader; }
  /// The classes that some rank has, without cells: all that a plan wants to know. By all ranks.
  [[nodiscard]] Layout layout_of_whole() const;
  /// Every rank takes what the leader of its device class has for `choice`. By all ranks.
  [[nodiscard]] codegen::TuningPoint of_class_leader(const codegen::TuningPoint& choice) const;
  void forget_graphs();
  /// After the state was set: traces of Gauss elements, then what neighbours on other ranks have.
  void refresh_traces();
  void clear_registers();
  void run_stages();  ///< of a step, from the clock as it is
  void step(double t, double dt);
  void launch_rates(const codegen::Buffer& at);
  void launch_batch();
  [[nodiscard]] double stable_from_rates(double* request = nullptr);
  /// Uploads without a wait.
  template <class Real>
  void send(codegen::Buffer& target, std::span<const double> values);
  /// Calls act(coordinates of their nodes, first block, number of blocks) for the blocks of a class: all at once where the coordinates are
  /// resident, else some at a time, so that what is uploaded for it stays small. Waits for the last.
  void with_node_points(std::size_t group, const std::function<void(const codegen::Buffer&, std::int32_t, std::int32_t)>& act);
  /// Coordinates of a class's nodes: the resident buffer, or one uploaded into `temporary`.
  const codegen::Buffer& node_points(std::size_t group, codegen::Buffer& temporary);
  /// [owned cells][component][node]
  std::vector<double> to_mesh_order(const codegen::Buffer& buffer, int components);
  const std::vector<codegen::Kernel>& other(const std::string& description, std::vector<codegen::KernelSpec> specs);
  /// Kernels that evaluate fields, one a class.
  const std::vector<codegen::Kernel>& fields_kernels(const std::vector<FieldSpec>& fields, int& components);
  /// Evaluates fields into a new buffer [block][component][node][W].
  codegen::Buffer evaluate_fields(const std::vector<FieldSpec>& fields, double t, int& components);
  void set_own_state(std::span<const double> values);  ///< [owned cells][variable][node]
  std::vector<double> own_state() { return to_mesh_order(state[current], system.variable_count()); }
  /// [owned cells][component][integral, min, max]
  std::vector<double> element_sums(const std::vector<FieldSpec>& fields, double t, int& components);
  /// By all ranks; `cell` (of the part) on the one that has the fault.
  StateFault describe_fault(std::optional<std::size_t> cell, int node, double t);
  [[nodiscard]] std::array<double, 3> node_position(std::size_t cell, int node) const;

 private:
  void check_boundaries(std::vector<int>& condition_of_boundary) const;
  void build_kernels();
  void look_up(codegen::TuningRecords* records, const Layout& of_whole);
  void find_class_leader();
  friend class DgOperator;
  [[nodiscard]] Tuned measure_stages(DgOperator& op, const Layout& of_whole, double t, double dt, double bytes_per_dof,
                                     const codegen::TuningOptions& options);
  void take_choice(const codegen::TuningPoint& choice);
  void allocate();
};

}  // namespace dgsolve::solver
