// The kernels that pack and unpack.
#include <array>

#include "solver/exchange/transport.h"
#include "solver/kernels/stage.h"

namespace dgsolve::solver {
namespace {

constexpr std::int64_t chunk = 1024;

}  // namespace

codegen::KernelSpec mover_spec(bool pack, codegen::Precision precision, int width) {
  using codegen::ArgumentType;
  using codegen::Intent;
  codegen::KernelSpec spec;
  const int group = width > 1 ? 1 : 128;
  spec.name = pack ? "halo_pack" : "halo_unpack";
  spec.source_name = "halo.kernel.h";
  spec.source = kernel_file(spec.source_name);
  spec.precision = precision;
  spec.group_size = {group, 1, 1};
  spec.constants = {{"PACK", std::int64_t{pack}}, {"CHUNK", chunk}, {"GROUP_SIZE", std::int64_t{group}}};
  spec.arguments = {{"values", ArgumentType::real_buffer, pack ? Intent::in : Intent::in_out, "state or traces"},
                    {"places", ArgumentType::int64_buffer, Intent::in, "[list] of the values"},
                    {"packed", ArgumentType::real_buffer, pack ? Intent::in_out : Intent::in, "some values of the list"},
                    {"first", ArgumentType::int64, Intent::in, "of the list"},
                    {"offset", ArgumentType::int64, Intent::in, "of that value in packed"},
                    {"count", ArgumentType::int64, Intent::in, ""}};
  return spec;
}

ValueMover make_mover(const codegen::Device& device, codegen::Queue& queue, const codegen::Kernel& kernel,
                      std::span<const std::int64_t> places, std::string_view label) {
  ValueMover mover{kernel, device.allocate(places.size_bytes(), label)};
  queue.upload(mover.places, places);
  return mover;
}

void ValueMover::move(codegen::Queue& queue, codegen::Buffer& values, std::span<const ExchangePiece> pieces) const {
  for (const ExchangePiece& piece : pieces) {
    if (piece.count == 0) continue;
    const std::array<codegen::KernelArgument, 6> arguments{&values, &places, piece.buffer, piece.first, piece.offset, piece.count};
    kernel.launch(queue, {static_cast<std::uint32_t>((piece.count + chunk - 1) / chunk), 1, 1}, arguments);
  }
}

}  // namespace dgsolve::solver
