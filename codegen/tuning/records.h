// What tuning found, kept between runs: JSON lines, one file per kind of device, append-only.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/device.h"
#include "codegen/embedded.h"
#include "codegen/tuning/tuner.h"

namespace dgsolve::codegen {

/// The devices that share records: backend, name and, for CPUs, instruction set and number of processors of the machine, however many of
/// them a process may use: all ranks of a node are one class, and that of one rank on it.
[[nodiscard]] std::string device_class(const DeviceFacts& facts);

/// Key of a tuned problem: digest of the specs of the default choice (so that any change of code, formulas, order, precision makes old
/// records unused; one of comments, dialect or compiler does not), the task's name and the size bucket (powers of four of `size`).
[[nodiscard]] std::string tuning_key(std::string_view task, std::span<const KernelSpec> default_specs, double size);

struct TuningRecord {
  std::string device;  ///< device_class
  std::string key;
  std::string task;
  std::string problem;  ///< for people, e.g. "euler hexahedron p=3 double"
  TuningPoint point;
  double default_seconds = 0, tuned_seconds = 0;
};

/// Records in memory, read from shipped texts and from a folder. Lines that are damaged or of another version are skipped and counted. The
/// last record of a key counts; the folder's count more than the shipped ones.
class TuningRecords {
 public:
  /// `folder` may be empty: memory only. The file of a device is read at its first use.
  explicit TuningRecords(std::filesystem::path folder = {}, std::span<const EmbeddedFile> shipped = {});

  [[nodiscard]] std::optional<TuningRecord> find(std::string_view device, std::string_view key);
  /// Appends one line to the device's file in a single write; false if the folder cannot be written (the record stays in memory).
  bool add(const TuningRecord& record);
  [[nodiscard]] int skipped_lines() const { return skipped_; }
  [[nodiscard]] std::filesystem::path file_of(std::string_view device) const;

  /// One line without its end, with a check sum of its content.
  [[nodiscard]] static std::string to_line(const TuningRecord& record);
  /// Nothing if the line is damaged.
  [[nodiscard]] static std::optional<TuningRecord> from_line(std::string_view line);

 private:
  void read_lines(std::string_view text);
  void read_file(std::string_view device);

  std::filesystem::path folder_;
  std::map<std::pair<std::string, std::string>, TuningRecord> records_;  ///< by device and key
  std::vector<std::string> read_;                                        ///< devices whose file was read
  int skipped_ = 0;
};

}  // namespace dgsolve::codegen
