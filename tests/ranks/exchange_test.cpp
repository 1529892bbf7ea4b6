// What carries values between ranks: the choice by all ranks together, its test of a way before it is used, and the values that arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "codegen/cache.h"
#include "codegen/collective_build.h"
#include "codegen/errors.h"
#include "mesh/box.h"
#include "mesh/repeated_exchange.h"
#include "solver/halo.h"
#include "solver/kernel_ranks.h"
#include "tests/ranks/shared_host_device.h"
#include "tests/ranks/world.h"

namespace dgsolve::solver {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// The device of all tests here: ranks share it.
const codegen::Device& device() {
  static const codegen::Device chosen = codegen::select_device("auto");
  return chosen;
}

const std::vector<codegen::Kernel>& movers(codegen::Precision precision = codegen::Precision::double_precision) {
  static std::map<codegen::Precision, std::vector<codegen::Kernel>> built;
  std::vector<codegen::Kernel>& kernels = built[precision];
  if (!kernels.empty()) return kernels;
  codegen::Cache cache(codegen::Cache::default_options());
  KernelRanks ranks(world());
  return kernels =
             codegen::build_kernels_collectively(device(), Halo::specs(precision, lane_count(device().facts(), precision)), &cache, ranks);
}

/// Tests that need a device on every rank and others to exchange values with.
class ExchangeOnDevices : public testing::Test {
 protected:
  void SetUp() override {
    if (world().alone()) GTEST_SKIP() << "one rank exchanges nothing";
    if (world().size() > 16) GTEST_SKIP() << "too many ranks for a device each";
  }
};

/// A way that is like another but damages one value of what arrives on some rank.
class Damaging : public ExchangeTransport {
 public:
  Damaging(std::unique_ptr<ExchangeTransport> inner, int rank, std::size_t value_bytes)
      : inner_(std::move(inner)), rank_(rank), value_bytes_(value_bytes) {}
  void connect() override { inner_->connect(); }
  void disconnect() noexcept override { inner_->disconnect(); }
  std::span<const ExchangePiece> begin() override { return inner_->begin(); }
  void send(codegen::Queue& queue) override { inner_->send(queue); }
  std::span<const ExchangePiece> finish(codegen::Queue& queue) override {
    const auto pieces = inner_->finish(queue);
    ++exchanges_;
    if (world().rank() != rank_ || pieces.empty() || exchanges_ != 3) return pieces;
    const ExchangePiece& piece = pieces.back();
    const auto place = static_cast<std::size_t>(piece.offset + piece.count - 1) * value_bytes_;
    std::byte byte{};
    queue.read(*piece.buffer, place, std::span(&byte, 1));
    byte ^= std::byte{1};
    queue.write(*piece.buffer, place, std::span<const std::byte>(&byte, 1));
    return pieces;
  }

 private:
  std::unique_ptr<ExchangeTransport> inner_;
  int rank_;
  std::size_t value_bytes_;
  int exchanges_ = 0;
};

/// A way whose connection fails on one rank.
class Unconnected : public ExchangeTransport {
 public:
  void connect() override {
    if (world().rank() == world().size() - 1) throw codegen::DeviceError("no such peer");
  }
  void disconnect() noexcept override { disconnected = true; }
  std::span<const ExchangePiece> begin() override { return {}; }
  void send(codegen::Queue&) override {}
  std::span<const ExchangePiece> finish(codegen::Queue&) override { return {}; }
  static inline bool disconnected = false;
};

ExchangeWay staged() { return {"staged", {}, {}, make_staged_transport}; }
ExchangeWay good(const std::string& name) { return {name, {}, {}, make_staged_transport}; }
/// The way itself, with the damage.
ExchangeWay damaged(ExchangeWay way, int rank) {
  way.make = [make = way.make, rank](const ExchangeSetup& setup) -> std::unique_ptr<ExchangeTransport> {
    return std::make_unique<Damaging>(make(setup), rank, setup.value_bytes);
  };
  return way;
}
ExchangeWay damaging(const std::string& name, int rank) { return damaged(good(name), rank); }
ExchangeWay impossible(const std::string& name, int rank) {
  return {name, world().rank() == rank ? "no such hardware" : "", {}, make_staged_transport};
}

/// Two by two cells a rank and more, periodic, so that every rank has peers.
mesh::MeshPart small_part() {
  mesh::BoxOptions box;
  box.dimension = 2;
  box.shape = mesh::Shape::quadrilateral;
  box.cells = {16, 16, 1};
  box.periodic = {true, true, false};
  return mesh::mesh_box_part(box, world().rank(), world().size());
}

ExchangeSetup setup_of(const mesh::MeshPart& part) {
  ExchangeSetup setup{world(), device(), sizeof(double), {}};
  std::int64_t first = 0;
  for (const mesh::HaloPeer& peer : part.peers) {
    const auto count = static_cast<std::int64_t>(peer.send.size());
    setup.peers.push_back({peer.rank, first, count, first, count});
    first += count;
  }
  return setup;
}

ChosenExchange choose(const std::vector<ExchangeWay>& ways, ExchangeChoice choice = ExchangeChoice::automatic,
                      const codegen::Device& on = device(), const std::vector<codegen::Kernel>& kernels = movers()) {
  codegen::Queue queue = on.make_queue();
  const ExchangeSetup setup = setup_of(small_part());
  return choose_exchange({setup.ranks, on, setup.value_bytes, setup.peers}, ways, choice, queue, ExchangeKernels(kernels));
}

/// All ranks leave a way that damages a value on `rank`, and say so.
void expect_left(const ChosenExchange& chosen, const std::string& way, int rank) {
  EXPECT_EQ(chosen.name, "staged");
  EXPECT_THAT(chosen.warnings,
              ElementsAre(AllOf(StartsWith("the exchange between ranks goes another way than '" + way + "', which failed its test: "),
                                HasSubstr("rank " + std::to_string(rank) + ": value "), HasSubstr("is wrong: "))));
  const std::string warning = chosen.warnings.empty() ? std::string() : chosen.warnings.front();
  EXPECT_EQ(world().all_gather(warning), std::vector(static_cast<std::size_t>(world().size()), warning));
}

std::string fault_of(const std::vector<ExchangeWay>& ways, ExchangeChoice choice) {
  try {
    (void)choose(ways, choice);
    return "no fault";
  } catch (const codegen::DeviceError& error) {
    return error.what();
  }
}

TEST(Exchange, repeated_messages_arrive_in_order_and_anew_each_time) {
  const int rank = world().rank(), size = world().size(), next = (rank + 1) % size, before = (rank + size - 1) % size;
  std::vector<std::int64_t> sent(3), received(3);
  const auto message = [](int to, std::vector<std::int64_t>& values, std::size_t first, std::size_t count) {
    return mesh::Communicator::Message{to, std::as_writable_bytes(std::span(values).subspan(first, count))};
  };
  mesh::RepeatedExchange exchange(world(), std::vector{message(next, sent, 0, 1), message(next, sent, 1, 2)},
                                  std::vector{message(before, received, 0, 1), message(before, received, 1, 2)});
  const auto traffic = world().traffic();
  for (std::int64_t round = 0; round < 5; ++round) {
    exchange.start_receives();
    for (std::int64_t i = 0; i < 3; ++i) sent[static_cast<std::size_t>(i)] = 100 * rank + 10 * round + i;
    exchange.start_sends();
    exchange.finish();
    if (world().alone()) continue;
    EXPECT_THAT(received, ElementsAre(100 * before + 10 * round, 100 * before + 10 * round + 1, 100 * before + 10 * round + 2));
  }
  EXPECT_EQ(world().traffic().messages - traffic.messages, world().alone() ? 0 : 10);
  EXPECT_EQ(world().traffic().bytes - traffic.bytes, world().alone() ? 0 : 5 * 24);
}

TEST(Exchange, what_is_not_finished_when_it_goes_is_called_off) {
  if (world().alone()) GTEST_SKIP() << "one rank";
  const int rank = world().rank(), size = world().size();
  std::vector<std::byte> received(8), sent(8);
  const std::vector<mesh::Communicator::Message> from{{(rank + size - 1) % size, received}}, to{{(rank + 1) % size, sent}};
  {
    mesh::RepeatedExchange abandoned(world(), to, from);
    abandoned.start_receives();
  }
  world().barrier();  // none of the next messages comes before
  sent.assign(8, std::byte{7});
  mesh::RepeatedExchange exchange(world(), to, from);
  exchange.start_receives();
  exchange.start_sends();
  exchange.finish();
  EXPECT_EQ(received, std::vector<std::byte>(8, std::byte{7}));
}

TEST_F(ExchangeOnDevices, the_first_way_that_is_possible_on_all_ranks_is_taken) {
  EXPECT_EQ(choose({good("ipc"), good("device"), staged()}).name, "ipc");
  const ChosenExchange second = choose({impossible("ipc", world().size() - 1), good("device"), staged()});
  EXPECT_EQ(second.name, "device");
  EXPECT_THAT(second.warnings, IsEmpty());
  EXPECT_EQ(choose({impossible("ipc", 0), impossible("device", world().size() / 2), staged()}).name, "staged");
}

TEST_F(ExchangeOnDevices, damage_on_any_one_rank_makes_all_ranks_fall_back_and_say_so) {
  for (const int rank : {0, world().size() - 1}) {
    expect_left(choose({damaging("ipc", rank), impossible("device", 0), staged()}), "ipc", rank);
  }
  EXPECT_EQ(choose({damaging("ipc", 0), good("device"), staged()}).name, "device");
}

TEST_F(ExchangeOnDevices, a_connection_that_fails_on_one_rank_is_let_go_on_all) {
  Unconnected::disconnected = false;
  const ExchangeWay way{
      "ipc", {}, {}, [](const ExchangeSetup&) -> std::unique_ptr<ExchangeTransport> { return std::make_unique<Unconnected>(); }};
  const ChosenExchange chosen = choose({way, staged()});
  EXPECT_EQ(chosen.name, "staged");
  EXPECT_TRUE(Unconnected::disconnected);
  EXPECT_THAT(chosen.warnings, ElementsAre(HasSubstr("rank " + std::to_string(world().size() - 1) + ": no such peer")));
}

TEST_F(ExchangeOnDevices, a_way_that_cannot_be_made_on_one_rank_is_left_by_all) {
  const ExchangeWay way{"device", {}, {}, [](const ExchangeSetup& setup) {
                          if (world().rank() == 1) throw codegen::DeviceError("no memory");
                          return make_staged_transport(setup);
                        }};
  const ChosenExchange chosen = choose({way, staged()});
  EXPECT_EQ(chosen.name, "staged");
  EXPECT_THAT(chosen.warnings, ElementsAre(HasSubstr("rank 1: no memory")));
}

TEST_F(ExchangeOnDevices, a_pinned_way_is_taken_or_its_absence_is_a_fault_of_all_that_names_the_reason) {
  EXPECT_EQ(choose({good("ipc"), good("device"), staged()}, ExchangeChoice::device).name, "device");
  EXPECT_EQ(choose({good("ipc"), good("device"), staged()}, ExchangeChoice::staged).name, "staged");
  EXPECT_EQ(fault_of({impossible("ipc", world().size() - 1), good("device"), staged()}, ExchangeChoice::ipc),
            "exchange: found 'ipc', which is not possible here (rank " + std::to_string(world().size() - 1) +
                ": no such hardware); allowed here: auto, device, staged");
  EXPECT_THAT(
      fault_of({damaging("ipc", 0), staged()}, ExchangeChoice::ipc),
      AllOf(StartsWith("exchange: found 'ipc', which is not possible here (rank 0: value "), HasSubstr("allowed here: auto, staged")));
}

TEST_F(ExchangeOnDevices, peers_on_other_nodes_go_by_the_last_way) {
  if (world().size() < 3) GTEST_SKIP() << "too few ranks";
  ExchangeWay near = good("ipc");
  near.serves = [](int rank) { return rank / 2 == world().rank() / 2; };  // nodes of two
  const ChosenExchange mixed = choose({near, staged()});
  EXPECT_EQ(mixed.name, "ipc within nodes, staged between them");
  EXPECT_EQ(mixed.transports.size(), 2U);
  near.serves = [](int) { return false; };
  EXPECT_EQ(choose({near, staged()}).name, "staged");
  EXPECT_THAT(fault_of({near, staged()}, ExchangeChoice::ipc), HasSubstr("no ranks that exchange values are on one node"));
}

TEST_F(ExchangeOnDevices, the_first_way_that_works_is_chosen_by_itself) {
  ExchangeWay way = staged();
  way.name = "ipc";
  EXPECT_EQ(choose({way, staged()}).name, "ipc");
  EXPECT_EQ(choose({way, staged()}, ExchangeChoice::staged).name, "staged");
}

TEST_F(ExchangeOnDevices, processors_of_the_host_share_memory_and_other_devices_without_cuda_go_staged) {
  if (device().facts().backend == "cuda") GTEST_SKIP() << "there is a CUDA device";
  const auto ways = exchange_ways(world(), device());
  const bool shares = device().facts().is_cpu && world().size() > 1;
  EXPECT_EQ(choose(ways).name, shares ? "ipc" : "staged");
  EXPECT_EQ(choose(ways, ExchangeChoice::staged).name, "staged");
  if (!device().facts().is_cpu) {
    EXPECT_THAT(fault_of(ways, ExchangeChoice::ipc), HasSubstr("shares nothing with other processes (CUDA devices and"));
  }
  EXPECT_THAT(fault_of(ways, ExchangeChoice::device), HasSubstr("is not a CUDA device"));
}

/// The test of every real way of this machine, whichever auto takes.
TEST_F(ExchangeOnDevices, every_way_that_is_possible_here_passes_its_test) {
  for (const codegen::Precision precision : {codegen::Precision::double_precision, codegen::Precision::single_precision}) {
    ExchangeSetup setup = setup_of(small_part());
    setup.value_bytes = precision == codegen::Precision::double_precision ? 8 : 4;
    codegen::Queue queue = device().make_queue();
    const std::vector<codegen::Kernel>& kernels = movers(precision);
    for (const ExchangeWay& way : exchange_ways(world(), device())) {
      if (world().first_fault(way.why_not)) continue;
      EXPECT_EQ(test_exchange(setup, way, queue, ExchangeKernels(kernels)), "") << way.name;
    }
  }
}

/// The same with damage in each of them, as a driver or an MPI library would do it: `ipc` on CUDA devices and the host's processors and,
/// where MPI is CUDA-aware, `device`.
TEST_F(ExchangeOnDevices, every_way_that_is_possible_here_is_left_when_it_damages_a_value) {
  int tried = 0;
  for (const ExchangeWay& way : exchange_ways(world(), device())) {
    if (way.name == "staged" || world().first_fault(way.why_not)) continue;
    for (const int rank : {0, world().size() - 1}) expect_left(choose({damaged(way, rank), staged()}), way.name, rank);
    ++tried;
  }
  if (tried == 0) GTEST_SKIP() << "only 'staged', which is not tested, is possible here";
}

/// Ghosts get the face values of their owners, exchange after exchange, whatever carries them; `name`: what must be chosen, empty:
/// anything.
void check_ghosts(const std::vector<ExchangeWay>& ways, NodeFamily nodes, const std::string& name, const codegen::Device& on = device(),
                  const std::vector<codegen::Kernel>& kernels = movers()) {
  const mesh::MeshPart part = small_part();
  const ReferenceElement element = make_reference_element(mesh::Shape::quadrilateral, 2, nodes);
  const auto precision = codegen::Precision::double_precision;
  const int width = lane_count(on.facts(), precision), variables = 3;
  const bool gauss = nodes == NodeFamily::gauss;
  const std::vector<bool> affine(part.mesh.cell_count(), true);
  const Layout layout = make_layout(part.mesh, affine, variables, element.node_count, width, part.owned, width == 1);
  codegen::Queue queue = on.make_queue();
  Halo halo(world(), part, layout, element, on, queue, precision, ExchangeKernels(kernels), ExchangeChoice::automatic, ways);
  if (!name.empty()) {
    EXPECT_EQ(halo.exchange(), name);
  }
  const int points = gauss ? element.face_count * element.face_node_count : element.node_count;
  std::vector<double> values(layout.state_size() / static_cast<std::size_t>(element.node_count) * static_cast<std::size_t>(points));
  codegen::Buffer buffer = on.allocate(values.size() * sizeof(double), "values");
  const auto place = [&](std::int32_t cell, int v, int point) {
    const std::int64_t slot = layout.slot_of_cell[static_cast<std::size_t>(cell)];
    return static_cast<std::size_t>(((slot / width * variables + v) * points + point) * width + slot % width);
  };
  const auto known = [&](std::int32_t cell, int v, int point, int round) {
    return static_cast<double>(((part.mesh.global_number[static_cast<std::size_t>(cell)] * 8 + v) * 128 + point) * 8 + round);
  };
  for (int round = 0; round < 4; ++round) {
    std::fill(values.begin(), values.end(), -1.0);
    for (std::int32_t cell = 0; cell < static_cast<std::int32_t>(part.owned); ++cell) {
      for (int v = 0; v < variables; ++v) {
        for (int point = 0; point < points; ++point) values[place(cell, v, point)] = known(cell, v, point, round);
      }
    }
    queue.upload(buffer, std::span<const double>(values));
    halo.begin(queue, buffer);
    halo.finish(queue, buffer);
    queue.download(buffer, std::span<double>(values));
    int wrong = 0;  // ranks stay in step whatever is found
    for (const mesh::HaloPeer& peer : part.peers) {
      for (const mesh::HaloFace& face : peer.receive) {
        for (int m = 0; m < element.face_node_count; ++m) {
          const int on_face = face.face * element.face_node_count + m;
          const int point = gauss ? on_face : element.face_nodes[static_cast<std::size_t>(on_face)];
          for (int v = 0; v < variables; ++v) wrong += values[place(face.cell, v, point)] == known(face.cell, v, point, round) ? 0 : 1;
        }
      }
    }
    EXPECT_EQ(wrong, 0) << "in exchange " << round;
  }
}

TEST_F(ExchangeOnDevices, ghosts_have_the_values_of_their_owners) {
  for (const NodeFamily nodes : {NodeFamily::lobatto, NodeFamily::gauss}) {
    check_ghosts(exchange_ways(world(), device()), nodes, "");
    check_ghosts({staged()}, nodes, "staged");
    check_ghosts({damaging("ipc", world().size() / 2), staged()}, nodes, "staged");
    if (world().size() < 3) continue;
    ExchangeWay near = good("ipc");
    near.serves = [](int rank) { return rank / 2 == world().rank() / 2; };
    check_ghosts({near, staged()}, nodes, "ipc within nodes, staged between them");
  }
}

/// The ways for CUDA devices, on threads that share memory: a proof of their order, not of a driver.
class ExchangeOnThreads : public ExchangeOnDevices {
 protected:
  static const codegen::Device& threads() {
    static const codegen::Device chosen(std::make_shared<SharedHostDevice>(static_cast<unsigned int>(world().rank())));
    return chosen;
  }
  static std::vector<codegen::Kernel> thread_movers() {
    const auto specs = Halo::specs(codegen::Precision::double_precision, 1);
    return codegen::build_kernels(threads(), specs, nullptr);
  }
  static ExchangeWay ipc() { return {"ipc", {}, {}, make_ipc_transport}; }
  /// `device`: MPI takes the memory of these threads as it takes that of a CUDA device.
  static ExchangeWay in_messages() { return {"device", {}, {}, make_device_transport}; }
  static void test_repeatedly(const ExchangeWay& way) {
    const std::vector<codegen::Kernel> kernels = thread_movers();
    const ExchangeSetup setup = setup_of(small_part());
    const ExchangeSetup on_threads{setup.ranks, threads(), setup.value_bytes, setup.peers};
    codegen::Queue queue = threads().make_queue();
    for (int repeat = 0; repeat < 5; ++repeat) EXPECT_EQ(test_exchange(on_threads, way, queue, ExchangeKernels(kernels)), "");
  }
};

TEST_F(ExchangeOnThreads, no_value_is_read_early_or_overwritten_however_late_the_queues_are) { test_repeatedly(ipc()); }

TEST_F(ExchangeOnThreads, ghosts_have_the_values_of_their_owners) {
  for (const NodeFamily nodes : {NodeFamily::lobatto, NodeFamily::gauss}) {
    check_ghosts({ipc(), staged()}, nodes, "ipc", threads(), thread_movers());
    if (world().size() < 3) continue;
    ExchangeWay near = ipc();
    near.serves = [](int rank) { return rank / 2 == world().rank() / 2; };
    check_ghosts({near, staged()}, nodes, "ipc within nodes, staged between them", threads(), thread_movers());
  }
}

TEST_F(ExchangeOnThreads, messages_from_the_memory_of_devices_arrive_however_late_the_queues_are) {
  test_repeatedly(in_messages());
  for (const NodeFamily nodes : {NodeFamily::lobatto, NodeFamily::gauss})
    check_ghosts({in_messages(), staged()}, nodes, "device", threads(), thread_movers());
}

TEST_F(ExchangeOnThreads, ways_that_damage_a_value_are_left_by_all_ranks) {
  for (const ExchangeWay& way : {ipc(), in_messages()}) {
    for (const int rank : {0, world().size() - 1}) {
      expect_left(choose({damaged(way, rank), staged()}, ExchangeChoice::automatic, threads(), thread_movers()), way.name, rank);
      check_ghosts({damaged(way, rank), staged()}, NodeFamily::lobatto, "staged", threads(), thread_movers());
    }
    EXPECT_EQ(choose({way, staged()}, ExchangeChoice::automatic, threads(), thread_movers()).name, way.name);
  }
}

TEST_F(ExchangeOnThreads, staged_values_arrive_however_late_the_queues_are) { test_repeatedly(staged()); }

}  // namespace
}  // namespace dgsolve::solver
