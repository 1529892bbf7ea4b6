// The checks of a launch.
#include "codegen/kernel.h"

#include <fmt/format.h>

#include <cstring>

#include "codegen/backends/hooks.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

std::string_view type_text(ArgumentType type) {
  switch (type) {
    case ArgumentType::real_buffer:
      return "buffer of real";
    case ArgumentType::int32_buffer:
      return "buffer of int32";
    case ArgumentType::int64_buffer:
      return "buffer of int64";
    case ArgumentType::uint32_buffer:
      return "buffer of uint32";
    case ArgumentType::uint64_buffer:
      return "buffer of uint64";
    case ArgumentType::byte_buffer:
      return "buffer of bytes";
    case ArgumentType::real:
      return "real";
    case ArgumentType::int32:
      return "int32";
    case ArgumentType::int64:
      return "int64";
    case ArgumentType::uint32:
      return "uint32";
    case ArgumentType::uint64:
      return "uint64";
    case ArgumentType::typed_buffer:
      return "buffer of a named type";
    case ArgumentType::typed_value:
      return "value of a named type";
  }
  return "";
}

std::string_view given_text(const KernelArgument& argument) {
  constexpr std::array<std::string_view, 8> names{"buffer", "double", "float",  "int32",
                                                  "int64",  "uint32", "uint64", "value of another size"};
  return names.at(argument.index());
}

[[noreturn]] void refuse(const KernelSpec& spec, const ArgumentSpec& argument, std::string_view reason) {
  throw DeviceError(fmt::format("kernel '{}', argument '{}' ({}{}{}): {}", spec.name, argument.name, type_text(argument.type),
                                argument.shape.empty() ? "" : " ", argument.shape, reason));
}

template <class T>
bool put_exactly(backends::LaunchArgument& target, const KernelArgument& given) {
  const T* value = std::get_if<T>(&given);
  if (value != nullptr) target.set(value, sizeof *value);
  return value != nullptr;
}

bool put_real(backends::LaunchArgument& target, const KernelArgument& given, Precision precision) {
  const auto* wide = std::get_if<double>(&given);
  const auto* narrow = std::get_if<float>(&given);
  if (wide == nullptr && narrow == nullptr) return false;
  const double value = wide != nullptr ? *wide : static_cast<double>(*narrow);
  const float rounded = static_cast<float>(value);
  if (precision == Precision::double_precision) {
    target.set(&value, sizeof value);
  } else {
    target.set(&rounded, sizeof rounded);
  }
  return true;
}

/// Bytes of the declared size, or a number of the type that the declaration names.
bool put_typed(backends::LaunchArgument& target, const ArgumentSpec& argument, const KernelArgument& given) {
  if (const auto* value = std::get_if<ValueBytes>(&given)) {
    if (value->bytes != argument.element_bytes || value->bytes > target.value.size()) return false;
    target.set(value->data, value->bytes);
    return true;
  }
  if (argument.element == "float") return put_real(target, given, Precision::single_precision);
  if (argument.element == "double") return put_real(target, given, Precision::double_precision);
  if (argument.element == "int") return put_exactly<std::int32_t>(target, given);
  if (argument.element == "int64") return put_exactly<std::int64_t>(target, given);
  if (argument.element == "uint32") return put_exactly<std::uint32_t>(target, given);
  return argument.element == "uint64" && put_exactly<std::uint64_t>(target, given);
}

void put_scalar(backends::LaunchArgument& result, const KernelSpec& spec, const ArgumentSpec& argument, const KernelArgument& given) {
  bool fits = false;
  switch (argument.type) {
    case ArgumentType::real:
      fits = put_real(result, given, spec.precision);
      break;
    case ArgumentType::int32:
      fits = put_exactly<std::int32_t>(result, given);
      break;
    case ArgumentType::int64:
      fits = put_exactly<std::int64_t>(result, given);
      break;
    case ArgumentType::uint32:
      fits = put_exactly<std::uint32_t>(result, given);
      break;
    case ArgumentType::uint64:
      fits = put_exactly<std::uint64_t>(result, given);
      break;
    case ArgumentType::typed_value:
      fits = put_typed(result, argument, given);
      break;
    default:
      break;
  }
  if (!fits) refuse(spec, argument, fmt::format("a {} was given", given_text(given)));
}

const backends::BufferBackend& checked_buffer(const KernelSpec& spec, const ArgumentSpec& argument, const KernelArgument& given,
                                              const backends::DeviceBackend& device) {
  const auto* pointer = std::get_if<const Buffer*>(&given);
  if (pointer == nullptr) refuse(spec, argument, fmt::format("a {} was given", given_text(given)));
  const backends::BufferBackend* buffer = *pointer == nullptr ? nullptr : (*pointer)->backend();
  if (buffer == nullptr) refuse(spec, argument, "an empty buffer was given (moved from or never allocated)");
  if (&buffer->device() != &device) {
    refuse(spec, argument, fmt::format("buffer '{}' belongs to another device ({})", buffer->label(), buffer->device().facts().selector));
  }
  return *buffer;
}

/// The buffers of a launch so far. One given twice breaks RESTRICT if the kernel writes to it.
class GivenBuffers {
 public:
  explicit GivenBuffers(const KernelSpec& spec) : spec_(spec) {}
  void add(const backends::BufferBackend& buffer, std::size_t place) {
    const bool written = spec_.arguments[place].intent != Intent::in;
    for (std::size_t i = 0; i < count_; ++i) {
      if (buffers_[i] == &buffer && (written || spec_.arguments[places_[i]].intent != Intent::in))
        refuse_twice(buffer.label(), place, places_[i], written);
    }
    buffers_[count_] = &buffer;
    places_[count_++] = place;
  }

 private:
  [[noreturn]] void refuse_twice(const std::string& label, std::size_t place, std::size_t earlier, bool written) const {
    refuse(
        spec_, spec_.arguments[written ? place : earlier],
        fmt::format("buffer '{}', which the kernel writes, is also given as '{}'", label, spec_.arguments[written ? earlier : place].name));
  }
  const KernelSpec& spec_;
  std::size_t count_ = 0;
  std::array<const backends::BufferBackend*, backends::most_arguments> buffers_;
  std::array<std::size_t, backends::most_arguments> places_;
};

}  // namespace

void backends::check_fits(const DeviceFacts& facts, const KernelSpec& spec) {
  if (spec.arguments.size() > most_arguments)
    throw DeviceError(
        fmt::format("kernel '{}' has {} arguments; at most {} are possible", spec.name, spec.arguments.size(), most_arguments));
  const std::int64_t items = std::int64_t{1} * spec.group_size[0] * spec.group_size[1] * spec.group_size[2];
  if (items > facts.max_group_size) {
    throw DeviceError(
        fmt::format("kernel '{}': a group of {} work-items; {} allows {}", spec.name, items, facts.selector, facts.max_group_size));
  }
  if (spec.shared_bytes > facts.shared_bytes) {
    throw DeviceError(
        fmt::format("kernel '{}': {} bytes of shared memory; {} has {}", spec.name, spec.shared_bytes, facts.selector, facts.shared_bytes));
  }
  if (spec.precision == Precision::double_precision && !facts.has_double) {
    throw DeviceError(fmt::format("kernel '{}': {} ({}) has no double precision; use single", spec.name, facts.selector, facts.name));
  }
}

std::string backends::launch_text(const KernelSpec& spec, std::array<std::uint32_t, 3> groups) {
  return fmt::format("kernel '{}' with {}x{}x{} groups of {}x{}x{} work-items, {} bytes of shared memory", spec.name, groups[0], groups[1],
                     groups[2], spec.group_size[0], spec.group_size[1], spec.group_size[2], spec.shared_bytes);
}

void backends::enqueue(QueueBackend& queue, const Launch& launch) {
  const LaunchHooks& hooks = queue.hooks;
  if (!hooks.any()) return launch.kernel->launch(queue, launch.groups, launch.arguments, nullptr);
  if (hooks.recording) return hooks.recording->add(launch);
  LaunchTiming timing;
  LaunchTiming* const wanted = hooks.profile ? &timing : nullptr;
  if (hooks.capture && hooks.capture->wants(launch)) {
    hooks.capture->run(queue, launch, wanted);
  } else {
    launch.kernel->launch(queue, launch.groups, launch.arguments, wanted);
  }
  if (hooks.profile) hooks.profile->add(launch, std::move(timing));
}

Kernel::Kernel(std::shared_ptr<backends::KernelBackend> backend, std::shared_ptr<const RenderedKernel> rendered)
    : backend_(std::move(backend)), rendered_(std::move(rendered)) {}

void Kernel::launch(Queue& queue, std::array<std::uint32_t, 3> groups, std::span<const KernelArgument> arguments, KernelCost cost) const {
  if (!backend_) throw DeviceError("launch of a kernel that was never built");
  const KernelSpec& declared = rendered_->spec;
  if (arguments.size() != declared.arguments.size()) {
    throw DeviceError(
        fmt::format("kernel '{}' has {} arguments, {} were given", declared.name, declared.arguments.size(), arguments.size()));
  }
  if (&queue.backend().device() != &backend_->device()) {
    throw DeviceError(fmt::format("kernel '{}' was built for another device ({}) than the queue's ({})", declared.name,
                                  backend_->device().facts().selector, queue.backend().device().facts().selector));
  }
  std::array<backends::LaunchArgument, backends::most_arguments> checked;
  GivenBuffers buffers(declared);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentSpec& argument = declared.arguments[i];
    if (is_buffer(argument.type)) {
      checked[i].set(checked_buffer(declared, argument, arguments[i], backend_->device()));
      buffers.add(*checked[i].buffer, i);
    } else {
      put_scalar(checked[i], declared, argument, arguments[i]);
    }
  }
  const std::span<const backends::LaunchArgument> given(checked.data(), arguments.size());
  if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
  backends::enqueue(queue.backend(), {backend_, groups, given, cost});
}

const KernelSpec& Kernel::spec() const { return rendered_->spec; }
const std::string& Kernel::text() const { return rendered_->text; }
Kernel::Resources Kernel::resources() const { return backend_->resources(); }

}  // namespace dgsolve::codegen
