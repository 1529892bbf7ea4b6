// Ways, and the first that is possible and right.
#include "solver/exchange/choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "codegen/errors.h"

namespace dgsolve::solver {
namespace {

/// "rank 3: " and the text of the first rank that has one; empty: none has. By all ranks together.
std::string first_fault(const mesh::Communicator& ranks, const std::string& own) {
  const auto found = ranks.first_fault(own);
  return found ? fmt::format("rank {}: {}", found->rank, found->text) : std::string();
}

/// The setup with the peers that the way serves, or with the others.
ExchangeSetup part_of(const ExchangeSetup& setup, const ExchangeWay& way, bool served) {
  ExchangeSetup part{setup.ranks, setup.device, setup.value_bytes, {}};
  std::copy_if(setup.peers.begin(), setup.peers.end(), std::back_inserter(part.peers),
               [&](const ExchangePeer& peer) { return (!way.serves || way.serves(peer.rank)) == served; });
  return part;
}

std::int64_t count_everywhere(const ExchangeSetup& setup) {
  auto count = static_cast<std::int64_t>(setup.peers.size());
  setup.ranks.sum(std::span(&count, 1));
  return count;
}

/// Makes and connects a transport, on all ranks or on none; null: not, for the reason that `fault` gets.
std::unique_ptr<ExchangeTransport> make_on_all(const ExchangeSetup& setup, const ExchangeWay& way, std::string& fault) {
  std::unique_ptr<ExchangeTransport> transport;
  std::string own;
  try {
    transport = way.make(setup);
  } catch (const codegen::DeviceError& error) {
    own = error.what();
  }
  fault = first_fault(setup.ranks, own);
  if (!fault.empty()) return nullptr;
  try {
    transport->connect();
  } catch (const codegen::DeviceError& error) {
    own = error.what();
  }
  fault = first_fault(setup.ranks, own);
  if (fault.empty()) return transport;
  transport->disconnect();
  return nullptr;
}

/// A number in [1, 2) that no other value of the test has, exact in single precision.
double known_number(int sender, int receiver, int round, std::int64_t i) {
  auto bits = static_cast<std::uint64_t>(sender) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(receiver) * 0xc2b2ae3d27d4eb4fU +
              static_cast<std::uint64_t>(round) * 0x165667b19e3779f9U + static_cast<std::uint64_t>(i);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;  // the mixing steps of SplitMix64 (Steele, Lea, Flood 2014)
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return 1.0 + static_cast<double>((bits ^ (bits >> 31)) >> 41) * 0x1p-23;
}

constexpr int test_rounds = 4;  ///< so that every buffer is used again
/// Values of a message: below and above the sizes at which MPI libraries go other ways.
constexpr std::array<std::int64_t, 3> test_sizes{1, 300, 20000};

template <class Real>
class SizeTest {
 public:
  SizeTest(const ExchangeSetup& setup, codegen::Queue& queue, ExchangeKernels kernels)
      : setup_(setup), queue_(queue), count_(setup.peers.empty() ? 0 : setup.peers.back().send_first + setup.peers.back().send_count) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(count_));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = count_ - 1 - static_cast<std::int64_t>(i);
    pack_ = make_mover(setup.device, queue, kernels[0], places, "exchange test: places");
    unpack_ = make_mover(setup.device, queue, kernels[1], places, "exchange test: places");
    for (int round = 0; round < test_rounds; ++round) {
      sent_.push_back(setup.device.allocate(places.size() * sizeof(Real), "exchange test: sent"));
      received_.push_back(setup.device.allocate(places.size() * sizeof(Real), "exchange test: received"));
      queue.fill_zero(received_.back());
      queue.upload(sent_.back(), std::span<const Real>(numbers(round, true)));
    }
  }

  /// Without looking between the exchanges, which would keep them in step.
  void run(ExchangeTransport& transport) {
    for (std::size_t round = 0; round < test_rounds; ++round) {
      pack_.move(queue_, sent_[round], transport.begin());
      transport.send(queue_);
      unpack_.move(queue_, received_[round], transport.finish(queue_));
    }
  }

  [[nodiscard]] std::string fault() {
    for (int round = 0; round < test_rounds; ++round) {
      const std::vector<Real> expected = numbers(round, false);
      std::vector<Real> found(expected.size());
      queue_.download(received_[static_cast<std::size_t>(round)], std::span<Real>(found));
      const auto [wrong, right] = std::mismatch(found.begin(), found.end(), expected.begin());
      if (wrong == found.end()) continue;
      const std::int64_t i = count_ - 1 - (wrong - found.begin());
      for (const ExchangePeer& peer : setup_.peers) {
        if (i < peer.receive_first || i >= peer.receive_first + peer.receive_count) continue;
        return fmt::format("value {} of {} from rank {} is wrong: {} instead of {}", i - peer.receive_first, peer.receive_count, peer.rank,
                           *wrong, *right);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] std::vector<Real> numbers(int round, bool sent) const {
    std::vector<Real> numbers(static_cast<std::size_t>(count_));
    const int own = setup_.ranks.rank();
    for (const ExchangePeer& peer : setup_.peers) {
      for (std::int64_t i = 0; i < peer.send_count; ++i) {
        const double number = known_number(sent ? own : peer.rank, sent ? peer.rank : own, round, i);
        numbers[static_cast<std::size_t>(count_ - 1 - peer.send_first - i)] = static_cast<Real>(number);
      }
    }
    return numbers;
  }

  const ExchangeSetup& setup_;
  codegen::Queue& queue_;
  std::int64_t count_;
  ValueMover pack_, unpack_;
  std::vector<codegen::Buffer> sent_, received_;  ///< by round
};

template <class Real>
std::string test_size(const ExchangeSetup& setup, const ExchangeWay& way, codegen::Queue& queue, ExchangeKernels kernels) {
  std::string fault;
  const auto transport = make_on_all(setup, way, fault);
  if (!transport) return fault;
  try {
    SizeTest<Real> test(setup, queue, kernels);
    test.run(*transport);
    fault = test.fault();
  } catch (const codegen::DeviceError& error) {
    // Others wait for this rank's messages: all must end.
    throw codegen::DeviceError(
        fmt::format("{} (in the test of the exchange '{}'; `exchange: staged` does without it)", error.what(), way.name));
  }
  fault = first_fault(setup.ranks, fault);
  transport->disconnect();
  return fault;
}

}  // namespace

std::optional<ExchangeChoice> exchange_of(std::string_view name) {
  const auto found = std::find(exchange_names.begin(), exchange_names.end(), name);
  if (found == exchange_names.end()) return std::nullopt;
  return static_cast<ExchangeChoice>(found - exchange_names.begin());
}

std::vector<ExchangeWay> exchange_ways(const mesh::Communicator& ranks, const codegen::Device& device) {
  const auto name = [](ExchangeChoice choice) { return std::string(exchange_name(choice)); };
  const bool cuda = device.facts().backend == "cuda";
  const std::string no_cuda = fmt::format("device {} is not a CUDA device", device.facts().selector);
  const auto on_this_node = [nodes = ranks.nodes(), own = static_cast<std::size_t>(ranks.rank())](int rank) {
    return nodes[static_cast<std::size_t>(rank)] == nodes[own];
  };
  return {{name(ExchangeChoice::ipc), device.why_not_shared(), on_this_node, make_ipc_transport},
          {name(ExchangeChoice::device), cuda ? mesh::Communicator::why_not_cuda_aware() : no_cuda, {}, make_device_transport},
          {name(ExchangeChoice::staged), {}, {}, make_staged_transport}};
}

std::string test_exchange(const ExchangeSetup& setup, const ExchangeWay& way, codegen::Queue& queue, ExchangeKernels kernels) {
  for (const std::int64_t size : test_sizes) {
    ExchangeSetup sized = setup;
    for (std::size_t p = 0; p < sized.peers.size(); ++p) {
      const std::int64_t first = static_cast<std::int64_t>(p) * size;
      sized.peers[p] = {setup.peers[p].rank, first, size, first, size};
    }
    std::string fault =
        setup.value_bytes == sizeof(double) ? test_size<double>(sized, way, queue, kernels) : test_size<float>(sized, way, queue, kernels);
    if (!fault.empty()) return fault;
  }
  return {};
}

ChosenExchange choose_exchange(const ExchangeSetup& setup, std::span<const ExchangeWay> ways, ExchangeChoice choice, codegen::Queue& queue,
                               ExchangeKernels kernels) {
  const ExchangeWay& last = ways.back();
  const std::string pinned(exchange_name(choice));
  ChosenExchange chosen;
  std::vector<std::string> possible{std::string(exchange_name(ExchangeChoice::automatic))};
  std::string reason;  // why the pinned way is none
  for (const ExchangeWay& way : ways) {
    const bool is_last = &way == &last;
    const ExchangeSetup served = part_of(setup, way, true), rest = part_of(setup, way, false);
    std::string why_not = first_fault(setup.ranks, way.why_not);
    const std::int64_t between = count_everywhere(rest);
    if (why_not.empty() && !is_last && count_everywhere(served) == 0) why_not = "no ranks that exchange values are on one node";
    if (!why_not.empty()) {
      if (way.name == pinned) reason = why_not;
      continue;
    }
    possible.push_back(way.name);
    if (choice != ExchangeChoice::automatic && way.name != pinned) continue;
    std::string fault = is_last ? std::string() : test_exchange(served, way, queue, kernels);
    std::unique_ptr<ExchangeTransport> transport;
    if (fault.empty()) transport = make_on_all(served, way, fault);
    if (!transport) {
      reason = fault;
      chosen.warnings.push_back(
          fmt::format("the exchange between ranks goes another way than '{}', which failed its test: {}", way.name, fault));
      continue;
    }
    chosen.name = between > 0 ? fmt::format("{} within nodes, {} between them", way.name, last.name) : way.name;
    chosen.transports.push_back(std::move(transport));
    if (between > 0) {
      chosen.transports.push_back(make_on_all(rest, last, fault));
      if (!fault.empty()) throw codegen::DeviceError(fault);
    }
    return chosen;
  }
  std::erase(possible, pinned);
  throw codegen::DeviceError(
      fmt::format("exchange: found '{}', which is not possible here ({}); allowed here: {}", pinned, reason, fmt::join(possible, ", ")));
}

}  // namespace dgsolve::solver
