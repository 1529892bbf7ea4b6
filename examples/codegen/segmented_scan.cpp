// A segmented scan: the balance of every account after each of its payments, and what it was before.
#include <cstdio>

#include "codegen/arrays/array.h"
#include "codegen/arrays/scan.h"
#include "codegen/cache.h"

using namespace dgsolve::codegen;

int main(int argc, char** argv) {
  Cache cache(Cache::default_options());
  const Context context(select_device(argc > 1 ? argv[1] : "auto"), &cache);
  const std::int64_t count = 500'000;
  std::vector<std::int32_t> account, payment;  // payments in the order of accounts, some of which have a lot
  for (std::int32_t i = 0; i < count; ++i) {
    account.push_back(i < 200'000 ? 0 : i / 7);
    payment.push_back(i % 201 - 100);
  }

  const ScanKernel balances(context, "const int* account, const int* payment, int64* before, int64* after",
                            {.type = "int64",
                             .input = "payment[i]",
                             .scan = "a + b",
                             .neutral = "0",
                             .output = "before[i] = prev_item; after[i] = item",
                             .segment_start = "i == 0 || account[i] != account[i - 1]"},
                            {.name = "balances"});
  const Array<std::int64_t> before(context, count), after(context, count);
  balances({to_device(context, account), to_device(context, payment), before, after}, count);

  const std::vector<std::int64_t> found_before = before.to_host(), found_after = after.to_host();
  std::int64_t balance = 0;
  for (std::size_t i = 0; i < account.size(); ++i) {
    if (i > 0 && account[i] != account[i - 1]) balance = 0;
    const bool is_right = found_before[i] == balance && found_after[i] == balance + payment[i];
    balance += payment[i];
    if (!is_right) {
      std::printf("wrong: after payment %zu the balance is %lld\n", i, static_cast<long long>(found_after[i]));
      return 1;
    }
  }
  std::printf("segmented scan on %s: %zu balances, all right\n", context.device().facts().name.c_str(), found_after.size());
  return 0;
}
