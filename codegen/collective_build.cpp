// The protocol of building together: agree on who builds what, build, broadcast, load, agree on the outcome.
#include "codegen/collective_build.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "codegen/build_plan.h"
#include "codegen/cache.h"
#include "codegen/errors.h"

namespace dgsolve::codegen {
namespace {

/// One word of a message: what kind it is and its bytes. Errors travel as their kind and message.
enum class Kind : char { image = 'i', compile_error = 'c', device_error = 'd', invalid = 'v', other_error = 'o' };
struct Word {
  Kind kind = Kind::image;
  std::string bytes;
};

void append(std::string& message, const Word& word) {
  message += static_cast<char>(word.kind);
  for (int byte = 0; byte < 8; ++byte) message += static_cast<char>((std::uint64_t{word.bytes.size()} >> (8 * byte)) & 0xff);
  message += word.bytes;
}

std::vector<Word> split(std::string_view message) {
  std::vector<Word> words;
  while (message.size() >= 9) {
    std::uint64_t bytes = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) bytes |= std::uint64_t{static_cast<unsigned char>(message[1 + byte])} << (8 * byte);
    words.push_back({static_cast<Kind>(message[0]), std::string(message.substr(9, bytes))});
    message.remove_prefix(std::min<std::size_t>(message.size(), 9 + bytes));
  }
  return words;
}

Word error_word(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CompileError& fault) {
    return {Kind::compile_error, fault.what()};
  } catch (const DeviceError& fault) {
    return {Kind::device_error, fault.what()};
  } catch (const std::invalid_argument& fault) {
    return {Kind::invalid, fault.what()};
  } catch (const std::exception& fault) {
    return {Kind::other_error, fault.what()};
  }
}

[[noreturn]] void throw_error(const Word& word) {
  switch (word.kind) {
    case Kind::compile_error:
      throw CompileError(word.bytes);
    case Kind::device_error:
      throw DeviceError(word.bytes);
    case Kind::invalid:
      throw std::invalid_argument(word.bytes);
    default:
      throw std::runtime_error(word.bytes);
  }
}

/// Every rank tells a word and hears all; the lowest rank's error, if there is one, is thrown by all.
std::vector<std::string> agree(Communicator& communicator, const Word& mine) {
  std::string message;
  append(message, mine);
  std::vector<std::string> all;
  for (const std::string& text : communicator.all_gather(message)) {
    std::vector<Word> words = split(text);
    if (words.size() != 1) throw std::logic_error("building together: a rank sent no word");
    if (words.front().kind != Kind::image) throw_error(words.front());
    all.push_back(std::move(words.front().bytes));
  }
  return all;
}

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
      if (words[i].kind != Kind::image) errors_[share[i]] = words[i];
    }
    if (leader == rank_) return;
    const auto failures = do_in_threads(share.size(), [&](std::size_t i) {
      if (words[i].kind == Kind::image) built_[share[i]] = load(plan_.unique[share[i]], words[i].bytes);
    });
    for (std::size_t i = 0; i < share.size(); ++i) {
      if (failures[i]) errors_[share[i]] = error_word(failures[i]);
    }
  }

  /// The first error in the order of kernels.
  [[nodiscard]] Word outcome() const {
    const auto first = std::find_if(errors_.begin(), errors_.end(), [](const auto& error) { return error.has_value(); });
    return first == errors_.end() ? Word{} : **first;
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
  Word mine;
  try {
    plan = plan_build(device, specs);
    mine.bytes = group_name(device, plan, nodes.at(static_cast<std::size_t>(rank)));
  } catch (...) {
    mine = error_word(std::current_exception());
  }
  const std::vector<std::string> groups = agree(communicator, mine);
  const auto leaders = find_leaders(groups, nodes);
  const std::vector<int>& group_leaders = leaders.at(mine.bytes);
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
  (void)agree(communicator, member.outcome());
  return member.kernels();
}

}  // namespace dgsolve::codegen
