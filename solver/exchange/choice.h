// The choice of what carries values between ranks.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/exchange/transport.h"
#include "solver/problem.h"

namespace dgsolve::solver {

/// As a configuration writes them, in the order of ExchangeChoice.
inline constexpr std::array<std::string_view, 4> exchange_names{"auto", "staged", "device", "ipc"};
[[nodiscard]] constexpr std::string_view exchange_name(ExchangeChoice choice) {
  return exchange_names.at(static_cast<std::size_t>(choice));
}
/// The choice that has this name; none: no choice has it.
[[nodiscard]] std::optional<ExchangeChoice> exchange_of(std::string_view name);

/// A way for values between ranks, as one rank sees it.
struct ExchangeWay {
  std::string name;                      ///< as a configuration pins it
  std::string why_not;                   ///< empty: possible on this rank
  std::function<bool(int rank)> serves;  ///< none: every peer; those it does not serve are served by the last way of the list
  std::function<std::unique_ptr<ExchangeTransport>(const ExchangeSetup&)> make;
};

/// Those of this program, best first: "ipc" between ranks of one node, "device", "staged", which is always possible.
[[nodiscard]] std::vector<ExchangeWay> exchange_ways(const mesh::Communicator& ranks, const codegen::Device& device);

/// What was chosen: the same on all ranks.
struct ChosenExchange {
  std::string name;                                            ///< "staged", "ipc", "ipc within nodes, staged between them", ...
  std::vector<std::string> warnings;                           ///< about ways that seemed possible and failed their test
  std::vector<std::unique_ptr<ExchangeTransport>> transports;  ///< connected, each of some of the peers
};

/// Pack and unpack.
using ExchangeKernels = std::span<const codegen::Kernel, 2>;

/// The first way that all ranks have and that passes test_exchange(); the last one is not tested. By all ranks together. Throws DeviceError
/// on all of them if the way that `choice` pins is not possible or fails.
[[nodiscard]] ChosenExchange choose_exchange(const ExchangeSetup& setup, std::span<const ExchangeWay> ways, ExchangeChoice choice,
                                             codegen::Queue& queue, ExchangeKernels kernels);

/// Sends numbers that the receivers know to all peers of `setup`, in messages of several sizes, some exchanges at a stretch, and compares
/// what came. By all ranks together. Empty: all is right everywhere; else the first fault of the first rank that has one.
[[nodiscard]] std::string test_exchange(const ExchangeSetup& setup, const ExchangeWay& way, codegen::Queue& queue, ExchangeKernels kernels);

}  // namespace dgsolve::solver
