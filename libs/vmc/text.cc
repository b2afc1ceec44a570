#include "libs/vmc/text.h"

#include <cstdint>

namespace posewire::vmc {
namespace {

// Returns how many bytes follow the first byte of a character, and the least code point that needs
// them; -1 for a byte that cannot begin a character.
int Following(uint8_t first, uint32_t& least, uint32_t& bits) {
  if (first < 0x80) return least = 0, bits = first, 0;
  if ((first & 0xE0) == 0xC0) return least = 0x80, bits = first & 0x1Fu, 1;
  if ((first & 0xF0) == 0xE0) return least = 0x800, bits = first & 0x0Fu, 2;
  if ((first & 0xF8) == 0xF0) return least = 0x10000, bits = first & 0x07u, 3;
  return -1;
}

}  // namespace

bool IsUtf8(absl::string_view text) {
  for (size_t i = 0; i < text.size();) {
    uint32_t least = 0, code = 0;
    const int following = Following(static_cast<uint8_t>(text[i++]), least, code);
    if (following < 0) return false;
    for (int k = 0; k < following; ++k, ++i) {
      if (i >= text.size()) return false;
      const auto byte = static_cast<uint8_t>(text[i]);
      if ((byte & 0xC0) != 0x80) return false;
      code = code << 6 | (byte & 0x3Fu);
    }
    if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  }
  return true;
}

}  // namespace posewire::vmc
