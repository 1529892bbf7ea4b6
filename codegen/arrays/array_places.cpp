// The check of computed places.
#include "codegen/arrays/array_places.h"

#include <fmt/format.h>

#include <stdexcept>

namespace dgsolve::codegen {

void check_places(const ArrayProgram& places, std::int64_t count) {
  const Context* context = context_of(places);
  if (context == nullptr) throw std::invalid_argument("places without an array");
  const Expression<std::int64_t> given{places};
  // Whoever finds a wrong place writes the same 1.
  const Array<std::uint8_t> found = zeros<std::uint8_t>(*context, 1);
  put(found, where(given < 0 || given >= count, std::int64_t{0}, std::int64_t{-1}), 1);
  if (found.to_host().front() == 0) return;
  const std::vector<std::int64_t> all = Array<std::int64_t>(given).to_host();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] < 0 || all[i] >= count) {
      throw std::out_of_range(fmt::format("place {}, the {}. of {}, is not in an array of {} items", all[i], i + 1, all.size(), count));
    }
  }
}

}  // namespace dgsolve::codegen
