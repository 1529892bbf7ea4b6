// Launches of the kernel that writes random numbers.
#include "codegen/arrays/random.h"

#include <fmt/format.h>

#include "codegen/arrays/custom_code.h"

namespace dgsolve::codegen {
namespace {

constexpr int gpu_group = 256;
constexpr std::int64_t cpu_chunk = 4096;  // blocks

struct RandomKind {
  std::string_view name;
  std::string_view value;  ///< of lane k, from the words of the block `made`
  std::int64_t per_block;
};

KernelSpec random_spec(const ElementType& type, const RandomKind& kind, WorkStyle style) {
  KernelSpec spec;
  spec.name = fmt::format("random_{}_{}", kind.name, type.name);
  spec.source_name = "random_fill.kernel.h";
  spec.source = array_kernel_text(spec.source_name);
  spec.includes = {{"random.kernel.h", array_kernel_text("random.kernel.h")}};
  const bool groups = style == WorkStyle::groups;
  spec.constants = {{"type", type.name},
                    {"per_block", kind.per_block},
                    {"value", std::string(kind.value)},
                    {"group", std::int64_t{groups ? gpu_group : 1}},
                    {"chunk", groups ? std::int64_t{1} : cpu_chunk}};
  spec.arguments = {array_argument("target", type, Intent::out),     {"target_first", ArgumentType::int64, Intent::in, ""},
                    {"n", ArgumentType::int64, Intent::in, ""},      {"blocks", ArgumentType::int64, Intent::in, ""},
                    {"start", ArgumentType::uint64, Intent::in, ""}, {"seed", ArgumentType::uint64, Intent::in, ""},
                    {"stream", ArgumentType::uint64, Intent::in, ""}};
  spec.precision = type.name == "double" ? Precision::double_precision : Precision::single_precision;
  spec.group_size = {groups ? gpu_group : 1, 1, 1};
  return spec;
}

template <class T>
void fill(const Array<T>& target, const RandomSequence& sequence, const RandomKind& kind) {
  if (target.size() == 0) return;
  if (!target.is_contiguous()) {
    const Array<T> dense(target.context(), target.shape(), "random numbers");
    fill(dense, sequence, kind);
    Array<T> view = target;
    view = dense;
    return;
  }
  const Context& context = target.context();
  const WorkStyle style = work_style(WorkStyle::of_device, context.device().facts());
  const ElementType type = element_type<T>();
  const Kernel& kernel = context.kernel(fmt::format("random:{}:{}", kind.name, type.name), [&] { return random_spec(type, kind, style); });
  const auto per_block = static_cast<std::uint64_t>(kind.per_block);
  const std::uint64_t skipped = sequence.offset % per_block;
  const auto blocks = static_cast<std::int64_t>((skipped + static_cast<std::uint64_t>(target.size()) + per_block - 1) / per_block);
  const std::int64_t group_blocks = style == WorkStyle::groups ? gpu_group : cpu_chunk;
  kernel.launch(context.queue(), static_cast<std::uint32_t>((blocks + group_blocks - 1) / group_blocks),
                {&target.buffer(), target.offset(), target.size(), blocks, sequence.offset, sequence.seed, sequence.stream});
}

/// Float: one word for a number; double: two.
template <class T>
RandomKind real_kind(std::string_view name, std::string_view one_word, std::string_view two_words) {
  return sizeof(T) == 4 ? RandomKind{name, one_word, 4} : RandomKind{name, two_words, 2};
}

}  // namespace

void fill_random_bits(const Array<std::uint32_t>& target, const RandomSequence& sequence) {
  fill(target, sequence, {"bits", "made.word[k]", 4});
}

template <std::floating_point T>
void fill_random_uniform(const Array<T>& target, const RandomSequence& sequence) {
  fill(target, sequence, real_kind<T>("uniform", "to_uniform(made.word[k])", "to_uniform(made.word[2 * k], made.word[2 * k + 1])"));
}

template <std::floating_point T>
void fill_random_normal(const Array<T>& target, const RandomSequence& sequence) {
  fill(target, sequence, real_kind<T>("normal", "to_normal(made.word[k])", "to_normal(made.word[2 * k], made.word[2 * k + 1])"));
}

template void fill_random_uniform(const Array<float>&, const RandomSequence&);
template void fill_random_uniform(const Array<double>&, const RandomSequence&);
template void fill_random_normal(const Array<float>&, const RandomSequence&);
template void fill_random_normal(const Array<double>&, const RandomSequence&);

}  // namespace dgsolve::codegen
