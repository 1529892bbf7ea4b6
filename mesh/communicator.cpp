// The only file that sees MPI.
#include "mesh/communicator.h"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

#include "mesh/mpi_library.h"
#include "mesh/repeated_exchange.h"

namespace dgsolve::mesh {
namespace {

/// MPI counts in int; larger messages go in parts.
constexpr std::size_t largest_part = std::size_t{1} << 30;

/// Of messages; those of gather() have none.
constexpr int exchange_tag = 1, first_channel_tag = 2;

/// Of one who rests.
constexpr std::chrono::milliseconds time_between_looks{2};

template <class Part>
void in_parts(std::size_t bytes, Part part) {
  for (std::size_t at = 0; at < bytes; at += largest_part) part(at, static_cast<int>(std::min(largest_part, bytes - at)));
}

void finalise() {
  int done = 0;
  MPI_Finalized(&done);
  if (done == 0) MPI_Finalize();
}

std::string bytes_of(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

}  // namespace

Communicator Communicator::world() {
  int provided = 0, started = 0;
  MPI_Initialized(&started);
  if (started == 0) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    std::atexit(finalise);
  }
  Communicator all;
  MPI_Comm_rank(MPI_COMM_WORLD, &all.rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &all.size_);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, all.rank_, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &all.node_rank_);
  MPI_Comm_size(node, &all.node_size_);
  int first = all.rank_;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  all.nodes_.resize(static_cast<std::size_t>(all.size_));
  MPI_Allgather(&first, 1, MPI_INT, all.nodes_.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return all;
}

void Communicator::max(std::span<double> values) const {
  if (!alone()) MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

double Communicator::max(double value) const {
  max(std::span(&value, 1));
  return value;
}

void Communicator::sum(std::span<std::int64_t> values) const {
  if (!alone()) MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

void Communicator::broadcast(std::string& bytes, int root) const {
  if (alone()) return;
  std::uint64_t count = bytes.size();
  MPI_Bcast(&count, 1, MPI_UINT64_T, root, MPI_COMM_WORLD);
  bytes.resize(count);
  in_parts(count, [&](std::size_t at, int part) { MPI_Bcast(bytes.data() + at, part, MPI_BYTE, root, MPI_COMM_WORLD); });
}

void Communicator::barrier() const {
  if (!alone()) MPI_Barrier(MPI_COMM_WORLD);
}

void Communicator::rest() const {
  if (alone()) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(time_between_looks);
  }
}

std::vector<std::string> Communicator::all_gather(const std::string& bytes) const {
  if (alone()) return {bytes};
  const auto ranks = static_cast<std::size_t>(size_);
  const std::uint64_t own = bytes.size();
  std::vector<std::uint64_t> sizes(ranks);
  MPI_Allgather(&own, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  std::vector<std::string> all(ranks);
  const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (total > largest_part) {
    all[static_cast<std::size_t>(rank_)] = bytes;
    for (int root = 0; root < size_; ++root) broadcast(all[static_cast<std::size_t>(root)], root);
    return all;
  }
  std::vector<int> counts(ranks), places(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    counts[rank] = static_cast<int>(sizes[rank]);
    places[rank] = rank == 0 ? 0 : places[rank - 1] + counts[rank - 1];
  }
  std::string together(total, '\0');
  MPI_Allgatherv(bytes.data(), static_cast<int>(own), MPI_BYTE, together.data(), counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
  for (std::size_t rank = 0; rank < ranks; ++rank) all[rank] = together.substr(static_cast<std::size_t>(places[rank]), sizes[rank]);
  return all;
}

std::optional<Communicator::Fault> Communicator::first_fault(const std::string& own) const {
  const std::vector<std::string> all = all_gather(own);
  const auto first = std::find_if(all.begin(), all.end(), [](const std::string& text) { return !text.empty(); });
  if (first == all.end()) return std::nullopt;
  return Fault{static_cast<int>(first - all.begin()), *first};
}

std::vector<double> Communicator::all_gather(std::vector<double> values) const {
  if (alone()) return values;
  const std::vector<std::string> all = all_gather(bytes_of(values));
  values.clear();
  for (const std::string& part : all) {
    const std::size_t before = values.size();
    values.resize(before + part.size() / sizeof(double));
    if (!part.empty()) std::memcpy(values.data() + before, part.data(), part.size());
  }
  return values;
}

std::vector<double> Communicator::gather(std::vector<double> values) const {
  if (alone()) return values;
  const std::uint64_t own = values.size();
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(size_));
  MPI_Gather(&own, 1, MPI_UINT64_T, counts.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (!is_root()) {
    const auto* source = reinterpret_cast<const std::byte*>(values.data());
    in_parts(own * sizeof(double), [&](std::size_t at, int part) {
      MPI_Send(source + at, part, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      traffic_->messages += 1;
      traffic_->bytes += part;
    });
    return {};
  }
  for (int rank = 1; rank < size_; ++rank) {
    const std::size_t before = values.size(), count = counts[static_cast<std::size_t>(rank)];
    values.resize(before + count);
    auto* target = reinterpret_cast<std::byte*>(values.data() + before);
    in_parts(count * sizeof(double),
             [&](std::size_t at, int part) { MPI_Recv(target + at, part, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
  }
  return values;
}

std::vector<std::int64_t> Communicator::all_to_all(const std::vector<std::int64_t>& values) const {
  if (alone()) return values;
  std::vector<std::int64_t> received(values.size());
  MPI_Alltoall(values.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  return received;
}

void Communicator::exchange(std::span<const Message> sends, std::span<const Message> receives) const {
  if (sends.empty() && receives.empty()) return;
  std::vector<MPI_Request> requests;
  const auto request = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
  for (const Message& message : receives) {
    in_parts(message.bytes.size(), [&](std::size_t at, int part) {
      MPI_Irecv(message.bytes.data() + at, part, MPI_BYTE, message.rank, exchange_tag, MPI_COMM_WORLD, request());
    });
  }
  for (const Message& message : sends) {
    in_parts(message.bytes.size(), [&](std::size_t at, int part) {
      MPI_Isend(message.bytes.data() + at, part, MPI_BYTE, message.rank, exchange_tag, MPI_COMM_WORLD, request());
      traffic_->messages += 1;
      traffic_->bytes += part;
    });
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

std::string Communicator::why_not_cuda_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1 ? std::string() : "the MPI library says that it does not take CUDA memory";
#else
  return "the MPI library does not tell whether it takes CUDA memory (it has no MPIX_Query_cuda_support)";
#endif
}

void Communicator::abort(int status) const {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

std::string mpi_library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string name(text.data(), static_cast<std::size_t>(length));
  name.resize(std::min(name.find_first_of(",\n"), name.size()));
  std::replace(name.begin(), name.end(), '\t', ' ');
  return name;
}

struct RepeatedExchange::Requests {
  std::vector<MPI_Request> receives, sends;
  std::shared_ptr<Communicator::Traffic> traffic;
  std::int64_t bytes_sent = 0;  ///< in one exchange

  ~Requests() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended != 0) return;
    for (MPI_Request& receive : receives) {
      int done = 0;
      MPI_Request_get_status(receive, &done, MPI_STATUS_IGNORE);
      if (done == 0) {  // its memory goes
        MPI_Cancel(&receive);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
      }
      MPI_Request_free(&receive);
    }
    for (MPI_Request& send : sends) MPI_Request_free(&send);
  }
};

RepeatedExchange::RepeatedExchange() = default;
RepeatedExchange::~RepeatedExchange() = default;
RepeatedExchange::RepeatedExchange(RepeatedExchange&&) noexcept = default;
RepeatedExchange& RepeatedExchange::operator=(RepeatedExchange&&) noexcept = default;

RepeatedExchange::RepeatedExchange(const Communicator& ranks, std::span<const Communicator::Message> sends,
                                   std::span<const Communicator::Message> receives, int channel) {
  if (ranks.alone()) return;
  requests_ = std::make_unique<Requests>();
  requests_->traffic = ranks.traffic_;
  const int tag = first_channel_tag + channel;
  for (const auto& message : receives) {
    in_parts(message.bytes.size(), [&](std::size_t at, int part) {
      MPI_Recv_init(message.bytes.data() + at, part, MPI_BYTE, message.rank, tag, MPI_COMM_WORLD,
                    &requests_->receives.emplace_back(MPI_REQUEST_NULL));
    });
  }
  for (const auto& message : sends) {
    in_parts(message.bytes.size(), [&](std::size_t at, int part) {
      MPI_Send_init(message.bytes.data() + at, part, MPI_BYTE, message.rank, tag, MPI_COMM_WORLD,
                    &requests_->sends.emplace_back(MPI_REQUEST_NULL));
      requests_->bytes_sent += part;
    });
  }
}

void RepeatedExchange::start_receives() {
  if (!requests_ || requests_->receives.empty()) return;
  MPI_Startall(static_cast<int>(requests_->receives.size()), requests_->receives.data());
}

void RepeatedExchange::start_sends() {
  if (!requests_ || requests_->sends.empty()) return;
  MPI_Startall(static_cast<int>(requests_->sends.size()), requests_->sends.data());
  requests_->traffic->messages += static_cast<std::int64_t>(requests_->sends.size());
  requests_->traffic->bytes += requests_->bytes_sent;
}

void RepeatedExchange::finish() {
  if (!requests_) return;
  for (std::vector<MPI_Request>* list : {&requests_->receives, &requests_->sends})
    MPI_Waitall(static_cast<int>(list->size()), list->data(), MPI_STATUSES_IGNORE);
}

}  // namespace dgsolve::mesh
