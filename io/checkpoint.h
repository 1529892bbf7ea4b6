// Checkpoints: everything from which a run goes on with the same bits, in one HDF5 file with a digest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "io/config.h"
#include "io/hdf5.h"
#include "io/results_position.h"
#include "mesh/mesh.h"
#include "solver/dg_operator.h"

namespace dgsolve::io {

/// A checkpoint that cannot be used: missing, damaged, of another version, or of another problem (exit status 2). One complete message.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The attributes of the file, in its order. What the same bits depend on, and what tells whether a state fits.
struct CheckpointHeader {
  std::int64_t step = 0;
  double time = 0, dt = 0;  ///< dt: of the last step
  std::string equations;    ///< name, and mode if it is not the first
  std::string formulas;     ///< digest of state, definitions, flux and source of the equation file
  std::string parameters;   ///< "gamma = 1.4; ..."
  std::string components;   ///< "rho m_x E"
  std::string shape;        ///< of the cells
  std::int64_t order = 0, overintegration = 0;
  std::string nodes;      ///< lobatto or gauss
  std::string precision;  ///< double or single
  std::int64_t cells = 0;
  std::string mesh;                             ///< from what it was made: "box ..." or "file PATH"
  std::string mesh_digest;                      ///< of the cells' coordinates
  std::string device;                           ///< backend, name, architecture
  std::map<std::string, std::int64_t> variant;  ///< choices in the stage kernels
  ResultsPosition results;
  std::string program;        ///< version
  std::string configuration;  ///< its text, for people

  /// One text of names and values: what the digest covers, and what ranks send one another.
  [[nodiscard]] std::string text() const;
  /// Throws CheckpointError.
  [[nodiscard]] static CheckpointHeader from_text(const std::string& text);
};

/// What the problem of a configuration contributes: equations, elements, mesh source. The rest stays empty.
[[nodiscard]] CheckpointHeader describe_problem(const Config& config);
/// And what is known with the operator: components, shape, mesh digest, device, choices. Called by all ranks.
void describe_operator(CheckpointHeader& header, solver::DgOperator& op);

/// "opencl NAME ARCHITECTURE": devices that give the same bits.
[[nodiscard]] std::string describe_device_kind(const codegen::DeviceFacts& facts);

/// The mesh that `CheckpointHeader::mesh` names, made anew. Throws mesh::MeshError.
[[nodiscard]] mesh::Mesh rebuild_mesh(const std::string& source);

/// What a rank has of a state.
struct CheckpointState {
  std::vector<std::int64_t> numbers;  ///< [owned cells] global
  std::vector<double> values;         ///< [owned cells][columns]
  std::size_t columns = 0;            ///< variables times nodes, the same on all ranks
};

[[nodiscard]] CheckpointState own_state(solver::DgOperator& op);

/// Writes a whole file or nothing. Every rank computes the digests of some consecutive blocks and writes them; the bytes of the file do not
/// depend on the number of ranks. A rank needs room for three blocks and their messages beside its state. `header`: cells and precision
/// are needed on all ranks, the rest on rank 0. By all ranks together. Throws OutputError, on all of them.
void write_checkpoint(const std::filesystem::path& file, const CheckpointHeader& header, const CheckpointState& state,
                      const mesh::Communicator& ranks = {});

/// An intact checkpoint, opened by all ranks: each reads some blocks of it.
class CheckpointFile {
 public:
  /// Reads all of it once and compares its digest. By all ranks together. Throws CheckpointError, the same on all of them.
  explicit CheckpointFile(const std::filesystem::path& file, const mesh::Communicator& ranks = {});

  [[nodiscard]] const CheckpointHeader& header() const { return header_; }
  /// The state comes in blocks of cells, in the order of their numbers: `first_cell(i)` is the first of block i.
  [[nodiscard]] std::size_t block_count() const;
  [[nodiscard]] std::int64_t first_cell(std::size_t block) const;
  /// On every rank; one reads it. By all ranks together. Throws OutputError.
  [[nodiscard]] std::vector<double> block(std::size_t index) const;

 private:
  [[nodiscard]] std::string open();
  [[nodiscard]] int reader_of(std::size_t block) const;
  [[nodiscard]] std::vector<double> read(std::size_t block) const;

  std::filesystem::path file_;
  mesh::Communicator ranks_;
  std::unique_ptr<Hdf5Reader> reader_;
  CheckpointHeader header_;
  std::uint64_t rows_ = 0, columns_ = 0;
};

}  // namespace dgsolve::io
