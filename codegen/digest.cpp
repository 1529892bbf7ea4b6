// SHA-256 by OpenSSL.
#include "codegen/digest.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace dgsolve::codegen {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += digits[digest.at(i) >> 4];
    text += digits[digest.at(i) & 15];
  }
  return text;
}

}  // namespace dgsolve::codegen
