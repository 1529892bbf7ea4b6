// How fast results and checkpoints are written, beside a plain collective write of as many bytes by a parallel build of HDF5.
//
//     mpirun -np N output_benchmark FOLDER CELLS_PER_SIDE [ROUNDS]
//
// A box of hexahedra of order 3 with five variables in double precision: 2560 bytes a cell. The ways take turns; printed is the median.
#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/checkpoint.h"
#include "io/vtkhdf.h"
#include "mesh/box.h"

namespace {

using namespace dgsolve;
namespace fs = std::filesystem;

constexpr int order = 3, variables = 5;

struct Problem {
  mesh::Communicator ranks;
  mesh::MeshPart part;
  solver::ReferenceElement element;
  io::CheckpointState state;
};

Problem make_problem(const mesh::Communicator& ranks, std::int64_t side) {
  mesh::BoxOptions box;
  box.dimension = 3;
  box.shape = mesh::Shape::hexahedron;
  box.cells = {side, side, side};
  Problem problem;
  problem.ranks = ranks;
  problem.part = mesh::mesh_box_part(box, ranks.rank(), ranks.size());
  problem.element = solver::make_reference_element(mesh::Shape::hexahedron, order, solver::NodeFamily::lobatto);
  problem.state.columns = static_cast<std::size_t>(variables * problem.element.node_count);
  const auto numbers = std::span(problem.part.mesh.global_number).first(problem.part.owned);
  problem.state.numbers.assign(numbers.begin(), numbers.end());
  problem.state.values.resize(problem.part.owned * problem.state.columns);
  for (std::size_t i = 0; i < problem.state.values.size(); ++i) problem.state.values[i] = std::sin(static_cast<double>(i));
  return problem;
}

void check(bool fine, const char* what) {
  if (!fine) throw std::runtime_error(fmt::format("{} failed", what));
}

/// One data set [cells][columns], each rank its part of the rows, without any exchange before.
void write_collectively(const fs::path& file, const Problem& problem) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
  check(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0, "H5Pset_fapl_mpio");
  check(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0, "H5Pset_dxpl_mpio");
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  check(id >= 0, "H5Fcreate");
  const hsize_t all[2]{static_cast<hsize_t>(problem.part.cells), problem.state.columns};
  const hsize_t own[2]{problem.part.owned, problem.state.columns};
  const hsize_t start[2]{static_cast<hsize_t>(problem.part.first), 0};
  const hid_t space = H5Screate_simple(2, all, nullptr), memory = H5Screate_simple(2, own, nullptr);
  const hid_t set = H5Dcreate2(id, "/state", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  check(set >= 0, "H5Dcreate2");
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, own, nullptr) >= 0, "H5Sselect_hyperslab");
  check(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, problem.state.values.data()) >= 0, "H5Dwrite");
  H5Dclose(set);
  H5Sclose(space);
  H5Sclose(memory);
  check(H5Fclose(id) >= 0, "H5Fclose");
  H5Pclose(access);
  H5Pclose(transfer);
}

void flush(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  check(descriptor >= 0 && ::fsync(descriptor) == 0, "fsync");
  ::close(descriptor);
}

/// Of the slowest rank, which begins when nothing older is on its way to the disk.
double seconds_of(const mesh::Communicator& ranks, const std::function<void()>& act) {
  if (ranks.is_root()) ::sync();
  ranks.barrier();
  const auto start = std::chrono::steady_clock::now();
  act();
  return ranks.max(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

struct Way {
  std::string name;
  std::function<void()> act;
  std::vector<double> seconds = {};
};

io::VtkhdfSeries make_series(const fs::path& folder, const Problem& problem) {
  std::vector<io::OutputField> fields;
  for (int v = 0; v < variables; ++v) fields.push_back({fmt::format("u{}", v), 1, {v}});
  return {folder, "results",    io::make_output_grid(problem.part, problem.element, problem.ranks), fields, io::ValueStorage::float64,
          {},     problem.ranks};
}

void measure(const fs::path& folder, const Problem& problem, int rounds) {
  const mesh::Communicator& ranks = problem.ranks;
  io::CheckpointHeader header;
  header.cells = problem.part.cells;
  header.precision = "double";
  io::VtkhdfSeries series = make_series(folder, problem);
  const fs::path plain = folder / "plain.h5";
  std::vector<Way> ways{
      {"collective HDF5, not flushed", [&] { write_collectively(plain, problem); }},
      {"collective HDF5, flushed",
       [&] {
         write_collectively(plain, problem);
         flush(plain);
       }},
      {"results", [&] { series.write(0, 0, problem.state.values); }},
      {"checkpoint", [&] { io::write_checkpoint(folder / "checkpoint.h5", header, problem.state, ranks); }},
  };
  for (int round = -1; round < rounds; ++round) {  // the first one only warms up
    for (Way& way : ways) {
      const double seconds = seconds_of(ranks, way.act);
      if (round >= 0) way.seconds.push_back(seconds);
      if (!ranks.is_root()) continue;
      for (const fs::path& file : {plain, folder / "checkpoint.h5", folder / fmt::format("results.d/{:06}.h5", round + 1)})
        fs::remove(file);
    }
  }
  if (!ranks.is_root()) return;
  const double megabytes = static_cast<double>(header.cells) * static_cast<double>(problem.state.columns) * 8e-6;
  fmt::print("{:.0f} MB on {} rank(s), {} rounds\n", megabytes, ranks.size(), rounds);
  for (Way& way : ways) {
    std::sort(way.seconds.begin(), way.seconds.end());
    fmt::print("{:30} median {:6.3f} s  {:6.0f} MB/s  (from {:.3f} to {:.3f} s)\n", way.name, way.seconds[way.seconds.size() / 2],
               megabytes / way.seconds[way.seconds.size() / 2], way.seconds.front(), way.seconds.back());
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "output_benchmark FOLDER CELLS_PER_SIDE [ROUNDS]\n");
    return EXIT_FAILURE;
  }
  const auto ranks = mesh::Communicator::world();
  try {
    const fs::path folder = arguments[1];
    if (ranks.is_root()) fs::create_directories(folder);
    ranks.barrier();
    measure(folder, make_problem(ranks, std::atoll(arguments[2])), count > 3 ? std::atoi(arguments[3]) : 5);
  } catch (const std::exception& error) {
    fmt::print(stderr, "output_benchmark: {}\n", error.what());
    ranks.abort(EXIT_FAILURE);
  }
  return EXIT_SUCCESS;
}
