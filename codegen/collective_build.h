// Building of kernels by many processes together: each kernel is looked up or compiled once and sent to all.
#pragma once

#include <span>
#include <vector>

#include "codegen/communicator.h"
#include "codegen/kernel.h"

namespace dgsolve::codegen {

/// As build_kernels, called by all ranks. The first rank of each node looks up or compiles its share (the kernels are dealt over the
/// nodes), stores what it compiled, and broadcasts images or errors; the other ranks load the images and touch no file of the cache.
/// What is sent does not depend on hits and misses. Where images are of use on their own node only (PoCL), each node's first rank builds
/// all, and the others load from the folder that it filled.
/// Ranks whose kernels or devices differ form groups that build apart. Every rank gets its kernels, or all ranks throw the same error:
/// the first kernel's (in order) that failed on the lowest rank.
[[nodiscard]] std::vector<Kernel> build_kernels_collectively(const Device& device, std::span<const KernelSpec> specs, Cache* cache,
                                                             Communicator& communicator);

}  // namespace dgsolve::codegen
