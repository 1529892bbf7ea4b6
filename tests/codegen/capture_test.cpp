// A captured launch replays bit for bit; a bundle that is not whole is refused.
#include "codegen/capture.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "codegen/digest.h"
#include "codegen/errors.h"
#include "tests/codegen/device_fixture.h"
#include "tests/codegen/scale_kernel.h"
#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

using testing::HasSubstr;

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

class CaptureOnDevice : public EveryDevice {
 protected:
  static constexpr int count = 1000;
  /// Launches the kernel three times, the second is captured.
  void run_captured() {
    const Kernel kernel = build_kernel(device_, scale_spec());
    const Buffer x = buffer_with(std::vector<float>(count, 0.1F), "x"), y = buffer_with(std::vector<float>(count, 5), "y");
    capture_launch(queue_, {"scale", bundle_, 1});
    for (const float b : {1.0F, 2.0F, 3.0F}) kernel.launch(queue_, groups_of_64(count - 10), {&x, &y, 0.3F, b, count - 10});
    EXPECT_EQ(values_of<float>(y)[0], std::fma(0.3F, 0.1F, 3.0F));
  }
  std::string refusal() {
    try {
      (void)replay(bundle_, device_, nullptr);
      return "no refusal";
    } catch (const DeviceError& error) {
      return error.what();
    }
  }

  TemporaryFolder folder_;
  std::filesystem::path bundle_ = folder_.path() / "scale.launch";
};

TEST_P(CaptureOnDevice, a_captured_launch_replays_to_the_same_bits) {
  run_captured();
  const Replay result = replay(bundle_, device_, nullptr);
  EXPECT_EQ(result.kernel, "scale");
  EXPECT_THAT(result.captured_on, HasSubstr(device_.facts().selector));
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs[0].argument, "y");
  EXPECT_EQ(result.outputs[0].bytes, count * sizeof(float));
  EXPECT_EQ(result.outputs[0].different_bytes, 0u);
  EXPECT_TRUE(result.same());
}

TEST_P(CaptureOnDevice, a_bundle_replays_on_every_other_device) {
  run_captured();
  for (const Device& device : all_devices()) EXPECT_TRUE(replay(bundle_, device, nullptr).same()) << device.facts().selector;
}

TEST_P(CaptureOnDevice, a_difference_of_one_bit_is_found_and_placed) {
  run_captured();
  std::string bytes = content_of(bundle_);
  bytes.resize(bytes.size() - 64);                     // the check sum
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of what y was after the launch
  write_file(bundle_, bytes + sha256(bytes));
  const Replay result = replay(bundle_, device_, nullptr);
  EXPECT_FALSE(result.same());
  EXPECT_EQ(result.outputs.at(0).different_bytes, 1u);
  EXPECT_EQ(result.outputs.at(0).first_difference, count * sizeof(float) - 1);
  bytes.resize(bytes.size() - 3);
  write_file(bundle_, bytes + sha256(bytes));
  EXPECT_THAT(refusal(), HasSubstr("scale.launch is damaged: its fields do not fit its length"));
}

TEST_P(CaptureOnDevice, a_bundle_that_is_not_whole_is_refused) {
  run_captured();
  const std::string whole = content_of(bundle_);
  ASSERT_GT(whole.size(), 8000u);
  for (const std::size_t length : {whole.size() - 1, whole.size() / 2, std::size_t{70}, std::size_t{17}}) {
    write_file(bundle_, whole.substr(0, length));
    EXPECT_THAT(refusal(), HasSubstr("scale.launch is truncated or damaged")) << length;
  }
  for (const std::size_t place : {std::size_t{20}, whole.size() / 2, whole.size() - 5}) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 4);
    write_file(bundle_, damaged);
    EXPECT_THAT(refusal(), HasSubstr("truncated or damaged")) << place;
  }
  write_file(bundle_, "something else");
  EXPECT_THAT(refusal(), HasSubstr("is not a captured launch"));
  std::filesystem::remove(bundle_);
  EXPECT_THAT(refusal(), HasSubstr("cannot read the captured launch"));
}

TEST_P(CaptureOnDevice, the_environment_asks_for_a_capture_and_a_file_that_cannot_be_written_is_a_fault) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  ::setenv("DGSOLVE_CAPTURE", "scale", 1);
  Queue queue = device_.make_queue();
  ::unsetenv("DGSOLVE_CAPTURE");
  const Kernel kernel = build_kernel(device_, scale_spec());
  const Buffer x = buffer_with(std::vector<float>(count, 1)), y = buffer_with(std::vector<float>(count, 0));
  kernel.launch(queue, groups_of_64(count), {&x, &y, 2.0F, 1.0F, count});
  std::filesystem::current_path(before);
  EXPECT_TRUE(replay(bundle_, device_, nullptr).same());
  capture_launch(queue_, {"scale", folder_.path() / "absent" / "scale.launch", 0});
  EXPECT_THROW(kernel.launch(queue_, groups_of_64(count), {&x, &y, 2.0F, 1.0F, count}), DeviceError);
}

INSTANTIATE_TEST_SUITE_P(Devices, CaptureOnDevice, testing::Range<std::size_t>(0, all_devices().size()), device_test_name);

}  // namespace
}  // namespace dgsolve::codegen
