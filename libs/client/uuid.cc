#include "libs/client/uuid.h"

#include <cstdint>

#include "absl/random/random.h"
#include "absl/strings/str_format.h"

namespace posewire::client {

std::string MakeUuid() {
  absl::BitGen random;
  const uint64_t high = (absl::Uniform<uint64_t>(random) & ~0xF000ull) | 0x4000ull;
  const uint64_t low = (absl::Uniform<uint64_t>(random) & ~(3ull << 62)) | (2ull << 62);
  return absl::StrFormat("%08x-%04x-%04x-%04x-%012x", high >> 32, (high >> 16) & 0xFFFF,
                         high & 0xFFFF, low >> 48, low & 0xFFFFFFFFFFFFull);
}

}  // namespace posewire::client
