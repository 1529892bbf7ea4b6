// Reads the first processor's features from /proc/cpuinfo (x86: "flags", Arm: "Features").
#include "codegen/cpu_features.h"

#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace dgsolve::codegen {

std::string cpu_features() {
  constexpr std::array<std::string_view, 12> families{"sse", "ssse",  "avx", "fma", "f16c", "bmi",
                                                      "amx", "asimd", "sve", "sme", "fp",   "popcnt"};
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> names;
  for (std::string line; names.empty() && std::getline(file, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) {
      for (const std::string_view family : families) {
        if (word.starts_with(family)) names.insert(word);
      }
    }
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace dgsolve::codegen
