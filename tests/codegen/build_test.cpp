// Building of kernels: cache counters, healing, compile errors, launch checks, on every device.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

#include "codegen/backends/opencl/opencl_device.h"
#include "codegen/backends/opencl/pocl_files.h"
#include "codegen/build_log.h"
#include "codegen/cache.h"
#include "codegen/errors.h"
#include "codegen/kernel.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/failure.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BuildOnDevice : public EveryDevice {
 protected:
  /// out[i] = number, from a source that no other test has: `salt` makes it unlike those of earlier runs.
  KernelSpec number_spec(std::int64_t number, const std::string& name = "number") {
    KernelSpec spec;
    spec.name = name;
    spec.source_name = "number.kernel.h";
    spec.source = "// ${salt}\n${signature} {\n  if (LOCAL_ID(0) < count) out[LOCAL_ID(0)] = ${number};\n}\n";
    spec.constants = {{"number", number}, {"salt", folder_.path().string()}};
    spec.arguments = {{"out", ArgumentType::int32_buffer, Intent::out, "[count]"}, {"count", ArgumentType::int32, Intent::in, ""}};
    spec.precision = Precision::single_precision;
    spec.group_size = {16, 1, 1};
    return spec;
  }

  int run(const Kernel& kernel) {
    const Buffer out = device_.allocate(16 * sizeof(int), "out");
    kernel.launch(queue_, 1, {&out, 16});
    return values_of<int>(out).back();
  }

  /// PoCL's programs can only be found again where it has a folder (none without HOME, or if others can write to it).
  [[nodiscard]] bool keeps_programs() {
    const auto* device = dynamic_cast<backends::OpenClDevice*>(&device_.backend());
    return device == nullptr || !device->is_pocl() || !device->pocl_folder().empty();
  }

  Kernel build(const KernelSpec& spec, Cache* cache) { return build_kernels(device_, std::span(&spec, 1), cache).front(); }

  TemporaryFolder folder_;
};

TEST_P(BuildOnDevice, a_second_process_finds_what_the_first_compiled) {
  if (!keeps_programs()) GTEST_SKIP() << "PoCL has no folder for its files";
  const KernelSpec spec = number_spec(42);
  {
    Cache cache(folder_.path());
    EXPECT_EQ(run(build(spec, &cache)), 42);
    EXPECT_EQ(cache.counters().misses, 1);
    EXPECT_EQ(cache.counters().compiles, 1);
    EXPECT_EQ(cache.counters().hits, 0);
    EXPECT_GT(cache.counters().compile_milliseconds, 0);
    EXPECT_EQ(run(build(spec, &cache)), 42);
    EXPECT_EQ(cache.counters().hits, 1);
  }
  Cache cache(folder_.path());
  EXPECT_EQ(run(build(spec, &cache)), 42);
  EXPECT_EQ(cache.counters().hits, 1);
  EXPECT_EQ(cache.counters().misses, 0);
  EXPECT_EQ(cache.counters().compiles, 0);
  EXPECT_EQ(cache.counters().corrupt, 0);
}

TEST_P(BuildOnDevice, whatever_changes_the_kernel_misses) {
  Cache cache(folder_.path());
  std::vector<KernelSpec> specs(5, number_spec(1));
  specs[1].constants["number"] = std::int64_t{2};
  specs[2].group_size = {32, 1, 1};
  specs[3].vector_width = 4;
  specs[4].name = "other";
  (void)build_kernels(device_, specs, &cache);
  EXPECT_EQ(cache.counters().misses, 5);
  EXPECT_EQ(cache.counters().compiles, 5);
}

TEST_P(BuildOnDevice, kernels_come_in_the_order_of_their_specs_and_twins_are_built_once) {
  Cache cache(folder_.path());
  std::vector<KernelSpec> specs;
  for (int i = 0; i < 6; ++i) specs.push_back(number_spec(i % 3));
  const std::vector<Kernel> kernels = build_kernels(device_, specs, &cache);
  ASSERT_EQ(kernels.size(), 6u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(run(kernels[static_cast<std::size_t>(i)]), i % 3);
  EXPECT_EQ(cache.counters().compiles, 3);
}

TEST_P(BuildOnDevice, a_corrupt_entry_is_built_again_and_healed) {
  if (!keeps_programs()) GTEST_SKIP() << "PoCL has no folder for its files";
  const KernelSpec spec = number_spec(7);
  {
    Cache cache(folder_.path());
    (void)build(spec, &cache);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) {
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() - 1);
  }
  {
    Cache cache(folder_.path());
    EXPECT_EQ(run(build(spec, &cache)), 7);
    EXPECT_EQ(cache.counters().corrupt, 1);
    EXPECT_EQ(cache.counters().compiles, 1);
  }
  Cache cache(folder_.path());
  EXPECT_EQ(run(build(spec, &cache)), 7);
  EXPECT_EQ(cache.counters().hits, 1);
}

TEST_P(BuildOnDevice, a_whole_entry_that_the_driver_refuses_is_built_again) {
  if (!keeps_programs()) GTEST_SKIP() << "PoCL has no folder for its files";
  const KernelSpec spec = number_spec(8);
  std::string key;
  {
    Cache cache(folder_.path());
    (void)build(spec, &cache);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".kernel") key = entry.path().stem();
    }
    ASSERT_EQ(key.size(), 64u);
    cache.store(key, "neither a binary nor a manifest");
  }
  Cache cache(folder_.path());
  EXPECT_EQ(run(build(spec, &cache)), 8);
  EXPECT_EQ(cache.counters().corrupt, 1);
  EXPECT_EQ(cache.counters().misses, 1);
  EXPECT_EQ(cache.counters().compiles, 1);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// PoCL's machine code of a kernel that only this test has.
fs::path pocl_code(const fs::path& folder, const std::string& kernel) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == kernel + ".so") return entry.path();
  }
  return {};
}

TEST_P(BuildOnDevice, damaged_files_of_pocl_are_noticed_and_built_again) {
  auto* device = dynamic_cast<backends::OpenClDevice*>(&device_.backend());
  if (device == nullptr || !device->is_pocl()) GTEST_SKIP() << "not PoCL";
  if (device->pocl_folder().empty()) GTEST_SKIP() << "PoCL keeps no files";
  std::string name = "pocl_" + folder_.path().filename().string();
  std::replace(name.begin(), name.end(), '-', '_');
  const KernelSpec spec = number_spec(9, name);
  {
    Cache cache(folder_.path());
    EXPECT_EQ(run(build(spec, &cache)), 9);  // the machine code is made now
    EXPECT_EQ(run(build(spec, &cache)), 9);  // and joins the manifest here
  }
  const fs::path code = pocl_code(device->pocl_folder(), name);
  std::string bytes = read_file(code);
  ASSERT_TRUE(backends::is_whole_elf(bytes));
  EXPECT_FALSE(backends::is_whole_elf(bytes.substr(0, bytes.size() / 2)));
  EXPECT_FALSE(backends::is_whole_elf(""));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(code.string() + ".new", std::ios::binary) << bytes;
  fs::rename(code.string() + ".new", code);
  Cache cache(folder_.path());
  EXPECT_EQ(run(build(spec, &cache)), 9);
  EXPECT_EQ(cache.counters().corrupt, 1);
  EXPECT_EQ(cache.counters().compiles, 1);
  fs::remove_all(code.parent_path().parent_path().parent_path());
}

TEST_P(BuildOnDevice, a_compile_error_tells_kernel_place_log_and_source_and_publishes_nothing) {
  KernelSpec spec = number_spec(1);
  spec.source = "// ${salt} ${number}\n${signature} {\n  out[0] = count;\n  out[1] = undeclared_name;\n}\n";
  Cache cache(folder_.path());
  std::string failure;
  try {
    (void)build(spec, &cache);
  } catch (const CompileError& error) {
    failure = error.what();
  }
  EXPECT_THAT(failure, HasSubstr("kernel 'number' does not compile for "));
  EXPECT_THAT(failure, HasSubstr("  number.kernel.h:4: error: "));
  EXPECT_THAT(failure, HasSubstr("undeclared_name"));
  EXPECT_THAT(failure, HasSubstr("compiler's log:"));
  const std::size_t at = failure.find("source: ") + 8;
  EXPECT_THAT(read_file(failure.substr(at, failure.find('\n', at) - at)), HasSubstr("undeclared_name"));
  EXPECT_EQ(cache.counters().compiles, 0);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) EXPECT_NE(entry.path().extension(), ".kernel");
}

TEST_P(BuildOnDevice, the_first_failing_spec_in_order_is_reported) {
  std::vector<KernelSpec> specs{number_spec(1), number_spec(2, "second"), number_spec(3, "third")};
  for (std::size_t i : {1u, 2u}) specs[i].source += "syntax error\n";
  EXPECT_THAT(failure_of([&] { (void)build_kernels(device_, specs, nullptr); }), HasSubstr("kernel 'second'"));
}

TEST_P(BuildOnDevice, what_the_device_cannot_hold_is_refused_before_compiling) {
  KernelSpec spec = number_spec(1);
  spec.group_size = {device_.facts().max_group_size, 2, 1};
  EXPECT_THAT(failure_of([&] { (void)build(spec, nullptr); }), HasSubstr("allows " + std::to_string(device_.facts().max_group_size)));
  spec = number_spec(1);
  spec.shared_bytes = device_.facts().shared_bytes + 1;
  EXPECT_THAT(failure_of([&] { (void)build(spec, nullptr); }), HasSubstr("bytes of shared memory; " + device_.facts().selector + " has"));
}

TEST_P(BuildOnDevice, a_launch_is_checked_against_the_declaration) {
  const Kernel kernel = build(number_spec(5), nullptr);
  const Buffer out = device_.allocate(64, "out");
  EXPECT_EQ(failure_of([&] { kernel.launch(queue_, 1, {&out}); }), "kernel 'number' has 2 arguments, 1 were given");
  EXPECT_EQ(failure_of([&] { kernel.launch(queue_, 1, {&out, 2.0}); }), "kernel 'number', argument 'count' (int32): a double was given");
  EXPECT_EQ(failure_of([&] {
              kernel.launch(queue_, 1, {&out, std::int64_t{2}});
            }),
            "kernel 'number', argument 'count' (int32): a int64 was given");
  EXPECT_EQ(failure_of([&] {
              kernel.launch(queue_, 1, {3, 3});
            }),
            "kernel 'number', argument 'out' (buffer of int32 [count]): a int32 was given");
  const Buffer none;
  EXPECT_THAT(failure_of([&] { kernel.launch(queue_, 1, {&none, 3}); }), HasSubstr("an empty buffer was given"));
  Queue other = discover_devices().devices.at(GetParam()).make_queue();
  EXPECT_THAT(failure_of([&] { kernel.launch(other, 1, {&out, 3}); }), HasSubstr("kernel 'number' was built for another device"));
  EXPECT_THAT(failure_of([&] { Kernel().launch(queue_, 1, {}); }), HasSubstr("never built"));
}

TEST_P(BuildOnDevice, a_buffer_that_is_written_cannot_be_given_twice) {
  KernelSpec spec = number_spec(1);
  spec.source = "// ${salt}\n${signature} { out[0] = in[0] + ${number}; }\n";
  spec.arguments = {{"in", ArgumentType::int32_buffer, Intent::in, ""}, {"out", ArgumentType::int32_buffer, Intent::out, ""}};
  const Buffer one = buffer_with(std::vector<int>{1}, "one");
  EXPECT_THAT(failure_of([&] {
                build(spec, nullptr).launch(queue_, 1, {&one, &one});
              }),
              HasSubstr("buffer 'one', which the kernel writes, is also given as 'in'"));
}

TEST_P(BuildOnDevice, no_groups_do_nothing) {
  const Kernel kernel = build(number_spec(5), nullptr);
  const Buffer out = buffer_with(std::vector<int>(16, -1));
  kernel.launch(queue_, 0, {&out, 16});
  EXPECT_EQ(values_of<int>(out), std::vector<int>(16, -1));
}

TEST_P(BuildOnDevice, shared_memory_up_to_the_device_limit_works) {
  const std::size_t bytes = std::min<std::size_t>(device_.facts().shared_bytes, 160 << 10) / 64 * 64;
  KernelSpec spec = number_spec(1);
  spec.source = R"(// ${salt}
${signature} {
  SHARED_MEMORY(int, staged, ${items});
  for (int i = LOCAL_ID(0); i < ${items}; i += 16) staged[i] = i;
  BARRIER();
  if (LOCAL_ID(0) == 0) out[count] = staged[${items} - 1] + ${number};
}
)";
  spec.constants["items"] = static_cast<std::int64_t>(bytes / sizeof(int));
  spec.shared_bytes = bytes;
  const Kernel kernel = build(spec, nullptr);
  const Buffer out = device_.allocate(64, "out");
  kernel.launch(queue_, 1, {&out, 2});
  EXPECT_EQ(values_of<int>(out).at(2), static_cast<int>(bytes / sizeof(int)));
  const Kernel::Resources resources = kernel.resources();
  if (resources.shared_bytes >= 0) {
    EXPECT_GE(resources.shared_bytes, static_cast<int>(bytes));
  }
}

TEST_P(BuildOnDevice, one_kernel_is_launched_from_several_threads_with_their_own_arguments) {
  KernelSpec spec = number_spec(0);
  spec.source = "// ${salt}\n${signature} { out[LOCAL_ID(0)] = count + ${number}; }\n";
  const Kernel kernel = build(spec, nullptr);
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        Queue queue = device_.make_queue();
        const Buffer out = device_.allocate(16 * sizeof(int), "out");
        std::vector<int> found(16);
        for (int round = 0; round < 50; ++round) {
          kernel.launch(queue, 1, {&out, 1000 * t + round});
          queue.download<int>(out, found);
          if (found != std::vector<int>(16, 1000 * t + round)) ++wrong[static_cast<std::size_t>(t)];
        }
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(BuildLog, lines_counted_over_the_whole_text_are_traced_to_the_file_a_person_edits) {
  // NVIDIA's OpenCL ignores #line directives: the place it names is a line of the rendered text.
  KernelSpec spec;
  spec.name = "number";
  spec.source_name = "number.kernel.h";
  spec.source = "// a comment\n${signature} {\n  out[0] = 1;\n  out[1] = undeclared_name;\n}\n";
  spec.arguments = {{"out", ArgumentType::int32_buffer, Intent::out, "[2]"}};
  const RenderedKernel rendered = render(spec, "opencl");
  const std::string_view above = std::string_view(rendered.text).substr(0, rendered.text.find("undeclared_name"));
  const auto line = std::count(above.begin(), above.end(), '\n') + 1;
  const std::string log = "<kernel>:" + std::to_string(line) + ":12: error: use of undeclared identifier 'undeclared_name'\n";
  EXPECT_THAT(compile_error(rendered, "a device", "failed", log, nullptr).what(),
              HasSubstr("  number.kernel.h:4: error: use of undeclared identifier 'undeclared_name'\n"));
}

TEST(BuildLog, diagnostics_of_every_compiler_are_understood) {
  const std::vector<Diagnostic> found = parse_diagnostics(
      "stage.h(12): error: identifier \"a\" is undefined\n    x = a;\n\n<kernel>:3:7: error: use of undeclared identifier 'b'\n"
      "error: flux.h:40:2: expected ';'\nstage.h:5:1: warning: unused\nerror: no place");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].file + "|" + std::to_string(found[0].line) + "|" + found[0].text, "stage.h|12|error: identifier \"a\" is undefined");
  EXPECT_EQ(found[1].file + "|" + std::to_string(found[1].line) + "|" + found[1].text,
            "<kernel>|3|error: use of undeclared identifier 'b'");
  EXPECT_EQ(found[2].file + "|" + std::to_string(found[2].line) + "|" + found[2].text, "flux.h|40|error: expected ';'");
  EXPECT_EQ(found[3].file + "|" + std::to_string(found[3].line) + "|" + found[3].text, "|0|error: no place");
}

INSTANTIATE_TEST_SUITE_P(Devices, BuildOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
