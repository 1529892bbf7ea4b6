// Bundles of one launch: magic, length-prefixed fields, SHA-256 of all before it.
#include "codegen/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <iterator>
#include <string_view>

#include "codegen/backends/hooks.h"
#include "codegen/digest.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

constexpr std::string_view magic = "dgsolve launch 2\n";
constexpr std::size_t digest_length = 64;

/// One buffer of the launch; `after` only if the kernel writes it.
struct CapturedBuffer {
  std::string label, before, after;
  bool written = false;
};

/// A buffer by its place in the table, or the bytes of a scalar.
struct CapturedArgument {
  std::uint64_t buffer = 0;
  bool is_buffer = false;
  std::string value;
};

struct Bundle {
  std::string captured_on;
  RenderedKernel rendered;
  std::array<std::uint32_t, 3> groups{};
  std::vector<CapturedArgument> arguments;
  std::vector<CapturedBuffer> buffers;
};

class Packer {
 public:
  Packer& operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    bytes += text;
    return *this;
  }
  Packer& operator()(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i));
    return *this;
  }
  template <class Integer>
  requires std::is_integral_v<Integer> || std::is_enum_v<Integer> Packer& operator()(Integer number) {
    return (*this)(static_cast<std::uint64_t>(number));
  }
  std::string bytes;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  Unpacker& operator()(std::string& text) {
    std::uint64_t length = 0;
    (*this)(length);
    text = take(length);
    return *this;
  }
  Unpacker& operator()(std::uint64_t& number) {
    number = 0;
    const std::string_view digits = take(8);
    for (std::size_t i = 0; i < 8; ++i) number |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
    return *this;
  }
  template <class Integer>
  requires std::is_integral_v<Integer> || std::is_enum_v<Integer> Unpacker& operator()(Integer& number) {
    std::uint64_t wide = 0;
    (*this)(wide);
    number = static_cast<Integer>(wide);
    return *this;
  }

 private:
  std::string_view take(std::uint64_t length) {
    if (length > rest_.size()) throw DeviceError("its fields do not fit its length");
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  std::string_view rest_;
};

/// The same walk over the fields for packing and unpacking: a list is its length and its items.
template <class Archive, class List, class Item>
void walk(Archive& archive, List& list, const Item& item) {
  std::uint64_t count = list.size();
  archive(count);
  if constexpr (std::is_same_v<Archive, Unpacker>) {
    for (std::uint64_t i = 0; i < count; ++i) item(list.emplace_back());
  } else {
    for (auto& element : list) item(element);
  }
}

template <class Archive, class Map, class Value>
void walk_map(Archive& archive, Map& map, const Value& value) {
  std::vector<std::pair<std::string, typename Map::mapped_type>> rows(map.begin(), map.end());
  walk(archive, rows, [&](auto& row) {
    archive(row.first);
    value(row.second);
  });
  map = Map(rows.begin(), rows.end());
}

template <class Archive>
void walk_constant(Archive& archive, Constant& constant) {
  std::uint64_t kind = constant.index();
  archive(kind);
  if (kind == 2) {
    if (constant.index() != 2) constant = std::string();
    archive(std::get<std::string>(constant));
    return;
  }
  std::uint64_t bits = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&constant)) bits = std::bit_cast<std::uint64_t>(*integer);
  if (const auto* real = std::get_if<double>(&constant)) bits = std::bit_cast<std::uint64_t>(*real);
  archive(bits);
  constant = kind == 0 ? Constant(std::bit_cast<std::int64_t>(bits)) : Constant(std::bit_cast<double>(bits));
}

template <class Archive>
void walk_spec(Archive& archive, KernelSpec& spec) {
  archive(spec.name)(spec.source_name)(spec.source);
  walk_map(archive, spec.constants, [&](Constant& constant) { walk_constant(archive, constant); });
  walk_map(archive, spec.includes, [&](std::string& text) { archive(text); });
  walk(archive, spec.arguments, [&](ArgumentSpec& argument) {
    archive(argument.name)(argument.type)(argument.intent)(argument.shape)(argument.element)(argument.element_bytes);
  });
  archive(spec.precision)(spec.vector_width)(spec.min_groups_per_unit)(spec.shared_bytes)(spec.rough_division);
  for (int& size : spec.group_size) archive(size);
}

template <class Archive>
void walk_bundle(Archive& archive, Bundle& bundle) {
  archive(bundle.captured_on)(bundle.rendered.backend)(bundle.rendered.text);
  walk_spec(archive, bundle.rendered.spec);
  for (std::uint32_t& count : bundle.groups) archive(count);
  walk(archive, bundle.arguments, [&](CapturedArgument& argument) { archive(argument.is_buffer)(argument.buffer)(argument.value); });
  walk(archive, bundle.buffers, [&](CapturedBuffer& buffer) { archive(buffer.label)(buffer.before)(buffer.written)(buffer.after); });
}

Bundle read_bundle(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream.is_open() || stream.bad()) throw DeviceError(fmt::format("cannot read the captured launch {}", file.string()));
  if (!bytes.starts_with(magic)) throw DeviceError(fmt::format("{} is not a captured launch", file.string()));
  const std::string_view body = std::string_view(bytes).substr(0, bytes.size() - std::min(bytes.size(), digest_length));
  if (body.size() < magic.size() || sha256(body) != bytes.substr(body.size()))
    throw DeviceError(fmt::format("the captured launch {} is truncated or damaged: its check sum is wrong", file.string()));
  Bundle bundle;
  try {
    Unpacker unpacker(body.substr(magic.size()));
    walk_bundle(unpacker, bundle);
  } catch (const DeviceError& error) {
    throw DeviceError(fmt::format("the captured launch {} is damaged: {}", file.string(), error.what()));
  }
  return bundle;
}

void write_bundle(Bundle& bundle, const std::filesystem::path& file) {
  Packer packer;
  packer.bytes = magic;
  walk_bundle(packer, bundle);
  packer.bytes += sha256(packer.bytes);
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << packer.bytes << std::flush;
  if (!stream)
    throw DeviceError(fmt::format("cannot write the captured launch of kernel '{}' to {}", bundle.rendered.spec.name, file.string()));
}

std::string content(backends::QueueBackend& queue, const backends::BufferBackend& buffer) {
  std::string bytes(buffer.bytes(), '\0');
  if (!bytes.empty()) queue.read(buffer, 0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

/// The arguments and the table of distinct buffers, as they are now. `found` gets the buffers.
Bundle capture_before(backends::QueueBackend& queue, const backends::Launch& launch, std::vector<const backends::BufferBackend*>& found) {
  const DeviceFacts& facts = queue.device().facts();
  Bundle bundle{fmt::format("{} ({})", facts.selector, facts.name), launch.kernel->rendered(), launch.groups, {}, {}};
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const backends::LaunchArgument& given = launch.arguments[i];
    CapturedArgument& argument = bundle.arguments.emplace_back();
    argument.is_buffer = given.buffer != nullptr;
    if (!argument.is_buffer) {
      argument.value.assign(reinterpret_cast<const char*>(given.value.data()), given.bytes);
      continue;
    }
    const auto place = std::find(found.begin(), found.end(), given.buffer);
    argument.buffer = static_cast<std::uint64_t>(place - found.begin());
    if (place == found.end()) {
      found.push_back(given.buffer);
      bundle.buffers.push_back({given.buffer->label(), content(queue, *given.buffer), {}, false});
    }
    bundle.buffers[argument.buffer].written |= launch.kernel->spec().arguments[i].intent != Intent::in;
  }
  return bundle;
}

ReplayedBuffer compare(const std::string& argument, const std::string& captured, const std::string& replayed) {
  ReplayedBuffer result{argument, captured.size(), 0, 0};
  for (std::size_t i = captured.size(); i-- > 0;) {
    if (captured[i] == replayed[i]) continue;
    ++result.different_bytes;
    result.first_difference = i;
  }
  return result;
}

}  // namespace

bool backends::LaunchCapture::wants(const Launch& launch) {
  if (launch.kernel->spec().name != options_.kernel) return false;
  const std::scoped_lock lock(mutex_);
  return seen_++ == options_.skip;
}

void backends::LaunchCapture::run(QueueBackend& queue, const Launch& launch, LaunchTiming* timing) {
  std::vector<const BufferBackend*> buffers;
  Bundle bundle = capture_before(queue, launch, buffers);
  launch.kernel->launch(queue, launch.groups, launch.arguments, timing);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (bundle.buffers[i].written) bundle.buffers[i].after = content(queue, *buffers[i]);
  }
  write_bundle(bundle, options_.file);
}

void capture_launch(Queue& queue, CaptureOptions options) {
  queue.backend().hooks.capture = std::make_shared<backends::LaunchCapture>(std::move(options));
}

bool Replay::same() const {
  return std::all_of(outputs.begin(), outputs.end(), [](const ReplayedBuffer& buffer) { return buffer.different_bytes == 0; });
}

Replay replay(const std::filesystem::path& file, const Device& device, Cache* cache) {
  const Bundle bundle = read_bundle(file);
  const KernelSpec& spec = bundle.rendered.spec;
  backends::check_fits(device.facts(), spec);
  const bool as_captured = bundle.rendered.backend == device.facts().backend;
  const auto rendered = std::make_shared<const RenderedKernel>(as_captured ? bundle.rendered : render(spec, device.facts().backend));
  const std::shared_ptr<backends::KernelBackend> kernel = device.backend().build(rendered, cache).kernel;

  Queue queue = device.make_queue();
  std::vector<Buffer> buffers;
  for (const CapturedBuffer& captured : bundle.buffers) {
    buffers.push_back(device.allocate(captured.before.size(), captured.label));
    queue.write(buffers.back(), 0, std::as_bytes(std::span(captured.before)));
  }
  std::vector<backends::LaunchArgument> arguments(bundle.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const CapturedArgument& captured = bundle.arguments[i];
    if (captured.is_buffer) {
      arguments[i].set(*buffers.at(captured.buffer).backend());
    } else {
      arguments[i].set(captured.value.data(), std::min(captured.value.size(), arguments[i].value.size()));
    }
  }
  backends::enqueue(queue.backend(), {kernel, bundle.groups, arguments, {}});

  Replay result{spec.name, bundle.captured_on, {}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!bundle.arguments[i].is_buffer || spec.arguments.at(i).intent == Intent::in) continue;
    const CapturedBuffer& captured = bundle.buffers[bundle.arguments[i].buffer];
    result.outputs.push_back(compare(spec.arguments[i].name, captured.after, content(queue.backend(), *arguments[i].buffer)));
  }
  return result;
}

}  // namespace dgsolve::codegen
