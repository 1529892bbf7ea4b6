// Files of checkpoints. The digest is that of the header and of the digests of blocks of the state, as numbers of double precision.
#include "io/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "codegen/digest.h"
#include "io/blocks_beside.h"
#include "io/output_error.h"
#include "io/shared_file.h"
#include "mesh/distribution.h"
#include "mesh/global_rows.h"

namespace dgsolve::io {
namespace {

constexpr std::string_view format_name = "dgsolve checkpoint 1";
constexpr const char* state_path = "/state";
constexpr const char* format_attribute = "format";
constexpr const char* digest_attribute = "sha256";

/// Cells of a block: about 8 MiB.
std::uint64_t rows_of_block(std::uint64_t columns) {
  return std::max<std::uint64_t>(1, (std::uint64_t{1} << 20U) / std::max<std::uint64_t>(columns, 1));
}

std::string digest_of(std::span<const double> values) {
  return codegen::sha256({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

std::string whole_digest(const std::string& header, const std::string& blocks) { return codegen::sha256(header + blocks); }

/// The digests that every rank has of its blocks, one behind the other: blocks and ranks have the same order. By all ranks together.
std::string of_all_blocks(const mesh::Communicator& ranks, const std::string& digests) {
  return fmt::format("{}", fmt::join(ranks.all_gather(digests), ""));
}

void write_header(Hdf5Writer& writer, const std::string& text) {
  writer.text_attribute("/", format_attribute, format_name);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t name_end = text.find('\0', at), value_end = text.find('\0', name_end + 1);
    writer.text_attribute("/", text.substr(at, name_end - at), std::string_view(text).substr(name_end + 1, value_end - name_end - 1));
    at = value_end + 1;
  }
}

}  // namespace

CheckpointState own_state(solver::DgOperator& op) {
  const std::span<const std::int64_t> numbers = op.owned_numbers();
  return {{numbers.begin(), numbers.end()},
          op.own_state(),
          static_cast<std::size_t>(op.system().variable_count()) * static_cast<std::size_t>(op.element().node_count)};
}

void write_checkpoint(const std::filesystem::path& file, const CheckpointHeader& header, const CheckpointState& state,
                      const mesh::Communicator& ranks) {
  const std::size_t columns = state.columns;
  const auto block = static_cast<std::int64_t>(rows_of_block(columns));
  const mesh::GlobalRows all_rows(ranks, state.numbers, header.cells, {.block = block, .bytes_of_pass = 0});  // a block in every pass
  const bool single = header.precision == "single";
  SharedHdf5File target(file, ranks, [&](SharedHdf5File::Layout& layout) {
    write_header(layout.writer(), header.text());
    layout.dataset(state_path, single ? Hdf5Type::float32 : Hdf5Type::float64, static_cast<std::uint64_t>(header.cells), columns);
  });
  std::deque<std::string> own_digests;  // stay where they are
  BlocksBeside<double> digesting(2);
  all_rows.collect(std::span<const double>(state.values), columns, [&](std::int64_t number, std::vector<double>& values) {
    const std::uint64_t first = static_cast<std::uint64_t>(number) * columns;
    if (single) {
      target.write(state_path, first, std::span<const float>(std::vector<float>(values.begin(), values.end())));
    } else {
      target.write(state_path, first, std::span<const double>(values));
    }
    digesting.add(values, [&digest = own_digests.emplace_back()](const std::vector<double>& rows) { digest = digest_of(rows); });
  });
  digesting.finish();
  const std::string digests = of_all_blocks(ranks, fmt::format("{}", fmt::join(own_digests, "")));
  target.close([&](Hdf5Writer& writer) { writer.text_attribute("/", digest_attribute, whole_digest(header.text(), digests)); });
}

CheckpointFile::CheckpointFile(const std::filesystem::path& file, const mesh::Communicator& ranks) : file_(file), ranks_(ranks) {
  const auto together = [&](const auto& act) {
    std::string fault;
    try {
      act();
    } catch (const OutputError& error) {  // it names the file
      fault = fmt::format("{}; as a checkpoint it is of no use", error.what());
    } catch (const CheckpointError& error) {
      fault = fmt::format("{}: {}", file.string(), error.what());
    }
    if (const auto first = ranks.first_fault(fault)) throw CheckpointError(first->text);
  };
  std::string digest, digests;
  together([&] { digest = open(); });
  together([&] {
    for (std::size_t i = 0; i < block_count(); ++i) {
      if (reader_of(i) == ranks.rank()) digests += digest_of(read(i));
    }
  });
  digests = of_all_blocks(ranks, digests);
  together([&] {
    if (digest != whole_digest(header_.text(), digests)) throw CheckpointError("damaged: its SHA-256 digest is not that of its content");
  });
}

/// Reads the header. Returns the digest that the file claims to have.
std::string CheckpointFile::open() {
  reader_ = std::make_unique<Hdf5Reader>(file_);
  const auto attributes = reader_->text_attributes();
  const auto value = [&](const char* name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::string() : found->second;
  };
  if (!attributes.contains(format_attribute)) throw CheckpointError("this is no checkpoint");
  if (value(format_attribute) != format_name)
    throw CheckpointError(fmt::format("found '{}', readable is '{}'", value(format_attribute), format_name));
  std::string text;
  for (const auto& [name, content] : attributes) text += name + std::string(1, '\0') + content + '\0';
  header_ = CheckpointHeader::from_text(text);
  const auto shape = reader_->shape(state_path);
  if (!shape || (*shape)[0] != static_cast<std::uint64_t>(header_.cells)) throw CheckpointError("its state is not complete");
  rows_ = (*shape)[0];
  columns_ = (*shape)[1];
  return value(digest_attribute);
}

std::size_t CheckpointFile::block_count() const {
  const std::uint64_t rows = rows_of_block(columns_);
  return static_cast<std::size_t>((rows_ + rows - 1) / rows);
}

std::int64_t CheckpointFile::first_cell(std::size_t block) const { return static_cast<std::int64_t>(block * rows_of_block(columns_)); }

int CheckpointFile::reader_of(std::size_t block) const {
  return mesh::owner_of(static_cast<std::int64_t>(block_count()), static_cast<std::int64_t>(block), ranks_.size());
}

std::vector<double> CheckpointFile::read(std::size_t block) const {
  const auto first = static_cast<std::uint64_t>(first_cell(block));
  return reader_->rows(state_path, first, std::min(rows_of_block(columns_), rows_ - first));
}

std::vector<double> CheckpointFile::block(std::size_t index) const {
  const int reader = reader_of(index);
  std::vector<double> values;
  if (reader == ranks_.rank()) values = read(index);
  if (ranks_.alone()) return values;
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  ranks_.broadcast(bytes, reader);
  values.resize(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace dgsolve::io
