#include "libs/recording/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace posewire::recording {
namespace {

static_assert(std::endian::native == std::endian::little);

using CrcTable = std::array<std::array<uint32_t, 256>, 8>;

// kTable[k][b] is the checksum of byte b followed by k zeros.
constexpr CrcTable MakeTable() {
  CrcTable table = {};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t c = b;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0x82f63b78u : 0);
    table[0][b] = c;
  }
  for (size_t k = 1; k < table.size(); ++k) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t c = table[k - 1][b];
      table[k][b] = (c >> 8) ^ table[0][c & 0xff];
    }
  }
  return table;
}

constexpr CrcTable kTable = MakeTable();

}  // namespace

// Processes eight bytes per step, "slicing by 8" (Kounavis and Berry, 2005).
uint32_t Crc32c(absl::string_view bytes, uint32_t before) {
  uint32_t c = ~before;
  const char* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t v = 0;
    std::memcpy(&v, p, 8);
    v ^= c;
    c = 0;
    for (size_t k = 0; k < 8; ++k) c ^= kTable[7 - k][(v >> (8 * k)) & 0xff];
  }
  for (; left > 0; ++p, --left) c = (c >> 8) ^ kTable[0][(c ^ static_cast<uint8_t>(*p)) & 0xff];
  return ~c;
}

}  // namespace posewire::recording
