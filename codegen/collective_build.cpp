// The protocol of building together: agree on who builds what, build, broadcast, load, agree on the outcome.
#include "codegen/collective_build.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "codegen/build_plan.h"
#include "codegen/cache.h"
#include "codegen/collective_word.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

/// What a rank builds and on what: equal for ranks that can use one another's images.
std::string group_name(const Device& device, const BuildPlan& plan, int node) {
  KeyParts parts;
  if (!device.backend().images_travel()) parts.emplace_back("node", std::to_string(node));
  for (const auto& rendered : plan.unique) parts.emplace_back("kernel", device.backend().cache_key(*rendered));
  return Cache::key(parts);
}

/// The first rank of each node, by group, in the order of ranks.
std::map<std::string, std::vector<int>> find_leaders(const std::vector<std::string>& groups, const std::vector<int>& nodes) {
  std::map<std::string, std::vector<int>> leaders;
  for (std::size_t rank = 0; rank < groups.size(); ++rank) {
    std::vector<int>& list = leaders[groups[rank]];
    const bool known =
        std::any_of(list.begin(), list.end(), [&](int other) { return nodes[static_cast<std::size_t>(other)] == nodes[rank]; });
    if (!known) list.push_back(static_cast<int>(rank));
  }
  return leaders;
}

/// The work of one rank: its group's kernels, of which it builds a share if it leads a node.
class Member {
 public:
  Member(const Device& device, const BuildPlan& plan, std::vector<int> leaders, int rank)
      : device_(device), plan_(plan), leaders_(std::move(leaders)), rank_(rank), built_(plan.unique.size()), errors_(plan.unique.size()) {}

  /// Builds the own share; the message has a word for each of its kernels, in order.
  [[nodiscard]] std::string build_share(Cache* cache) {
    const std::vector<std::size_t> share = share_of(rank_);
    std::vector<Word> words(share.size());
    const auto failures = do_in_threads(share.size(), [&](std::size_t i) {
      backends::BuiltKernel built = device_.backend().build(plan_.unique[share[i]], cache);
      built_[share[i]] = std::move(built.kernel);
      words[i].bytes = std::move(built.image);
    });
    std::string message;
    for (std::size_t i = 0; i < share.size(); ++i) {
      if (failures[i]) words[i] = error_word(failures[i]);
      append(message, words[i]);
    }
    return message;
  }

  void receive(int leader, std::string_view message) {
    if (std::find(leaders_.begin(), leaders_.end(), leader) == leaders_.end()) return;
    const std::vector<std::size_t> share = share_of(leader);
    std::vector<Word> words = split(message);
    if (words.size() != share.size()) throw std::logic_error("building together: ranks disagree on the shares");
    for (std::size_t i = 0; i < share.size(); ++i) {
      if (words[i].kind != Word::Kind::bytes) errors_[share[i]] = words[i];
    }
    if (leader == rank_) return;
    const auto failures = do_in_threads(share.size(), [&](std::size_t i) {
      if (words[i].kind == Word::Kind::bytes) built_[share[i]] = load(plan_.unique[share[i]], words[i].bytes);
    });
    for (std::size_t i = 0; i < share.size(); ++i) {
      if (failures[i]) errors_[share[i]] = error_word(failures[i]);
    }
  }

  /// The first error in the order of kernels.
  [[nodiscard]] std::optional<Word> first_error() const {
    const auto first = std::find_if(errors_.begin(), errors_.end(), [](const auto& error) { return error.has_value(); });
    return first == errors_.end() ? std::nullopt : *first;
  }

  [[nodiscard]] std::vector<Kernel> kernels() const { return plan_.kernels(built_); }

 private:
  [[nodiscard]] std::vector<std::size_t> share_of(int leader) const {
    std::vector<std::size_t> share;
    for (std::size_t i = 0; i < plan_.unique.size(); ++i) {
      if (leaders_[i % leaders_.size()] == leader) share.push_back(i);
    }
    return share;
  }

  [[nodiscard]] std::shared_ptr<backends::KernelBackend> load(const std::shared_ptr<const RenderedKernel>& rendered,
                                                              const std::string& image) const {
    try {
      return device_.backend().load(rendered, image);
    } catch (const DeviceError&) {  // this rank's driver refuses what another's took
      return device_.backend().build(rendered, nullptr).kernel;
    }
  }

  const Device& device_;
  const BuildPlan& plan_;
  std::vector<int> leaders_;
  int rank_;
  std::vector<std::shared_ptr<backends::KernelBackend>> built_;
  std::vector<std::optional<Word>> errors_;
};

}  // namespace

std::vector<Kernel> build_kernels_collectively(const Device& device, std::span<const KernelSpec> specs, Cache* cache,
                                               Communicator& communicator) {
  const std::vector<int> nodes = communicator.nodes();
  const int rank = communicator.rank();
  BuildPlan plan;
  const std::vector<std::string> groups = do_together(communicator, [&] {
    plan = plan_build(device, specs);
    return group_name(device, plan, nodes.at(static_cast<std::size_t>(rank)));
  });
  const auto leaders = find_leaders(groups, nodes);
  const std::vector<int>& group_leaders = leaders.at(groups.at(static_cast<std::size_t>(rank)));
  Member member(device, plan, group_leaders, rank);
  const bool leads = std::find(group_leaders.begin(), group_leaders.end(), rank) != group_leaders.end();
  const std::string share = leads ? member.build_share(cache) : std::string();
  for (const auto& [group, list] : leaders) {
    for (const int leader : list) {
      std::string message = leader == rank ? share : std::string();
      communicator.broadcast(message, leader);
      member.receive(leader, message);
    }
  }
  (void)do_together(communicator, [&] {
    if (const auto error = member.first_error()) throw_error(*error);
    return std::string();
  });
  return member.kernels();
}

}  // namespace dgsolve::codegen
