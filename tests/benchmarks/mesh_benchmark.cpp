// How fast and in how much memory a rank's part of a mesh is made, without MPI.
//   mesh_benchmark box SHAPE NX NY NZ [RANKS [RANK]]     a box, made in place
//   mesh_benchmark gmsh FILE [RANKS]                     a file, read and cut: the largest of the parts
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "mesh/box.h"
#include "mesh/distribution.h"
#include "mesh/gmsh.h"

namespace {

using dgsolve::mesh::MeshPart;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A line of /proc/self/status in bytes.
double memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::strtod(line.c_str() + name.size() + 1, nullptr) * 1024;
  }
  return 0;
}

double bytes_of(const MeshPart& part) {
  const auto size = [](const auto& values) { return static_cast<double>(values.capacity() * sizeof(values[0])); };
  const auto& mesh = part.mesh;
  double bytes = size(mesh.shapes) + size(mesh.global_number) + size(mesh.point_offset) + size(mesh.points) + size(mesh.face_offset) +
                 size(mesh.links);
  for (const auto& peer : part.peers) bytes += size(peer.send) + size(peer.receive);
  return bytes;
}

std::size_t faces_sent(const MeshPart& part) {
  std::size_t faces = 0;
  for (const auto& peer : part.peers) faces += peer.send.size();
  return faces;
}

void print(const char* what, const MeshPart& part, double seconds, double peak) {
  const auto owned = static_cast<double>(std::max<std::size_t>(part.owned, 1));
  fmt::print("{}: {} of {} cells, {} ghosts, {} peers, {} faces sent\n", what, part.owned, part.cells, part.mesh.cell_count() - part.owned,
             part.peers.size(), faces_sent(part));
  fmt::print("{:.3f} s, {:.3f} us a cell; {:.0f} bytes a cell kept, {:.0f} at most\n", seconds, seconds / owned * 1e6,
             bytes_of(part) / owned, peak / owned);
}

void box(const std::vector<std::string>& words) {
  dgsolve::mesh::BoxOptions options;
  options.shape = dgsolve::mesh::shape_from_name(words.at(1)).value();
  options.dimension = dgsolve::mesh::shape_facts(options.shape).dimension;
  for (std::size_t k = 0; k < 3; ++k) options.cells[k] = std::stoll(words.at(2 + k));
  options.periodic = {true, true, true};
  const int ranks = words.size() > 5 ? std::stoi(words[5]) : 1, rank = words.size() > 6 ? std::stoi(words[6]) : ranks / 2;
  const double before = memory("VmRSS");
  const auto start = Clock::now();
  const MeshPart part = dgsolve::mesh::mesh_box_part(options, rank, ranks);
  print("box", part, seconds_since(start), memory("VmHWM") - before);
}

void gmsh(const std::vector<std::string>& words) {
  const int ranks = words.size() > 2 ? std::stoi(words[2]) : 1;
  const double before = memory("VmRSS");
  auto start = Clock::now();
  const MeshPart whole = dgsolve::mesh::whole_part(dgsolve::mesh::read_gmsh(words.at(1)));
  print("gmsh", whole, seconds_since(start), memory("VmHWM") - before);
  start = Clock::now();
  MeshPart largest;
  std::size_t most_faces = 0, most_peers = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    MeshPart part = dgsolve::mesh::mesh_part(whole.mesh, rank, ranks);
    most_faces = std::max(most_faces, faces_sent(part));
    most_peers = std::max(most_peers, part.peers.size());
    if (part.mesh.cell_count() > largest.mesh.cell_count()) largest = std::move(part);
  }
  print("largest part", largest, seconds_since(start), bytes_of(largest));
  fmt::print("of all parts: at most {} faces sent, {} peers\n", most_faces, most_peers);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    if (!words.empty() && words[0] == "box") return box(words), EXIT_SUCCESS;
    if (!words.empty() && words[0] == "gmsh") return gmsh(words), EXIT_SUCCESS;
    fmt::print(stderr, "usage: mesh_benchmark box SHAPE NX NY NZ [RANKS [RANK]] | mesh_benchmark gmsh FILE [RANKS]\n");
  } catch (const std::exception& fault) {
    fmt::print(stderr, "mesh_benchmark: {}\n", fault.what());
  }
  return EXIT_FAILURE;
}
