// Tuning records: what is kept, what a damaged file costs, what a key depends on.
#include "codegen/tuning/records.h"

#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/codegen/temporary_folder.h"

namespace dgsolve::codegen {
namespace {

TuningRecord record_of(const std::string& key, std::int64_t value) {
  return {"cuda NVIDIA H200", key, "stage", "euler hexahedron p=3", {{"elements", value}, {"min_groups", 14}}, 2e-3, 1.0 / 3.0};
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TuningRecords, come_back_in_another_process_and_the_last_counts) {
  const TemporaryFolder folder;
  TuningRecords first(folder.path());
  EXPECT_TRUE(first.add(record_of("a", 1)));
  EXPECT_TRUE(first.add(record_of("b", 2)));
  EXPECT_TRUE(first.add(record_of("a", 3)));
  TuningRecords second(folder.path());
  const auto found = second.find("cuda NVIDIA H200", "a");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->point.at("elements"), 3);
  EXPECT_EQ(found->tuned_seconds, 1.0 / 3.0);
  EXPECT_EQ(found->problem, "euler hexahedron p=3");
  EXPECT_EQ(second.find("cuda NVIDIA H200", "b")->point.at("elements"), 2);
  EXPECT_FALSE(second.find("cuda NVIDIA H200", "c").has_value());
  EXPECT_FALSE(second.find("cuda NVIDIA H100", "a").has_value());
  EXPECT_EQ(second.skipped_lines(), 0);
}

TEST(TuningRecords, damaged_lines_are_skipped_and_do_not_hurt_others) {
  const TemporaryFolder folder;
  TuningRecords writer(folder.path());
  writer.add(record_of("a", 1));
  writer.add(record_of("b", 2));
  const std::filesystem::path file = writer.file_of("cuda NVIDIA H200");
  std::string text = content(file);
  text.replace(text.find("\"elements\":1"), 12, "\"elements\":4");  // a changed value
  text += R"({"check":"0000","record":{"schema":1}})";
  text += "\nnot json\n";
  text += TuningRecords::to_line(record_of("c", 3)).substr(0, 40);  // a writer died
  std::ofstream(file, std::ios::binary) << text;
  TuningRecords next(folder.path());
  EXPECT_FALSE(next.find("cuda NVIDIA H200", "a").has_value());
  EXPECT_TRUE(next.find("cuda NVIDIA H200", "b").has_value());
  EXPECT_EQ(next.skipped_lines(), 4);
  EXPECT_TRUE(next.add(record_of("d", 4)));  // begins a line of its own
  TuningRecords last(folder.path());
  EXPECT_TRUE(last.find("cuda NVIDIA H200", "d").has_value());
  EXPECT_EQ(last.skipped_lines(), 4);
}

TEST(TuningRecords, shipped_ones_count_less_than_own_ones) {
  const TemporaryFolder folder;
  const std::string text = TuningRecords::to_line(record_of("a", 7)) + "\n" + TuningRecords::to_line(record_of("b", 8)) + "\n";
  const std::array<EmbeddedFile, 1> shipped{{{"h200.jsonl", text}}};
  TuningRecords records(folder.path(), shipped);
  EXPECT_EQ(records.find("cuda NVIDIA H200", "a")->point.at("elements"), 7);
  records.add(record_of("a", 9));
  TuningRecords again(folder.path(), shipped);
  EXPECT_EQ(again.find("cuda NVIDIA H200", "a")->point.at("elements"), 9);
  EXPECT_EQ(again.find("cuda NVIDIA H200", "b")->point.at("elements"), 8);
}

TEST(TuningRecords, a_folder_that_cannot_be_made_leaves_them_in_memory) {
  TuningRecords records("/dev/null/nowhere");
  EXPECT_FALSE(records.add(record_of("a", 1)));
  EXPECT_TRUE(records.find("cuda NVIDIA H200", "a").has_value());
}

TEST(TuningRecords, many_writers_do_not_mix_their_lines) {
  const TemporaryFolder folder;
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < 8; ++w) {
      writers.emplace_back([&folder, w] {
        TuningRecords own(folder.path());
        for (int i = 0; i < 20; ++i) own.add(record_of("key " + std::to_string(20 * w + i), i));
      });
    }
  }
  TuningRecords all(folder.path());
  for (int i = 0; i < 160; ++i) EXPECT_TRUE(all.find("cuda NVIDIA H200", "key " + std::to_string(i)).has_value()) << i;
  EXPECT_EQ(all.skipped_lines(), 0);
}

TEST(TuningKey, depends_on_the_kernels_the_task_and_the_size_bucket) {
  KernelSpec spec;
  spec.name = "k";
  spec.source_name = "k.kernel.h";
  spec.source = "${signature} { x[0] = ${value}; }";
  spec.constants["value"] = 1.5;
  spec.arguments = {{"x", ArgumentType::real_buffer, Intent::out, ""}};
  KernelSpec other = spec;
  other.constants["value"] = 2.5;
  const auto key = [](const KernelSpec& kernel, std::string_view task, double size) {
    return tuning_key(task, std::span(&kernel, 1), size);
  };
  EXPECT_EQ(key(spec, "stage", 1e6), key(spec, "stage", 1.0e6 + 1));
  EXPECT_NE(key(spec, "stage", 1e6), key(other, "stage", 1e6));
  EXPECT_NE(key(spec, "stage", 1e6), key(spec, "rate", 1e6));
  EXPECT_NE(key(spec, "stage", 1e6), key(spec, "stage", 4.1e6));
}

TEST(TuningKey, is_that_of_the_code_whatever_its_comments_say) {
  const auto key = [](const std::string& source, const std::string& include = {}) {
    KernelSpec spec;
    spec.source = source;
    if (!include.empty()) spec.includes["line"] = include;
    return tuning_key("stage", std::span(&spec, 1), 1e6);
  };
  const std::string plain = key("#define A 1\n${signature} { x[0] = a / b; }\n");
  for (const char* same :
       {"#define A 1  // one\n${signature} { x[0] = a / b; }\n", "/* what\n it is */\n#define A 1\n\n\n${signature} { x[0] = a / b; }\n",
        "#define A 1\n\t${signature} {  x[0] = a /* over */ / b; } // end\n"}) {
    EXPECT_EQ(key(same), plain) << same;
  }
  for (const char* other : {"#define A 1 ${signature} { x[0] = a / b; }\n", "#define A 1\n${signature} { x[0] = a // b; }\n",
                            "#define A 1\n${signature} { x[0] = ab; }\n", "#define A \"// 1\"\n${signature} { x[0] = a / b; }\n"}) {
    EXPECT_NE(key(other), plain) << other;
  }
  EXPECT_EQ(key("x", "int i; // counts"), key("x", "int i; "));
  EXPECT_NE(key("x", "print(\"a // b\");"), key("x", "print(\"a // c\");"));
  EXPECT_NE(key("x", "'\"' // a"), key("x", "'\"' b"));
}

}  // namespace
}  // namespace dgsolve::codegen
