#include "libs/wire/text_check.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::wire {
namespace {

constexpr size_t kQuotedBytes = 60;

// Length of the UTF-8 sequence at the start of `s`; 0 if there is none.
size_t SequenceLength(absl::string_view s) {
  const auto byte = [s](size_t i) -> uint32_t {
    return i < s.size() ? static_cast<uint8_t>(s[i]) : 0u;
  };
  const auto tail = [&byte](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint32_t b0 = byte(0), b1 = byte(1);
  if (b0 < 0x80) return 1;
  if (b0 < 0xc2) return 0;
  if (b0 < 0xe0) return tail(1) ? 2 : 0;
  if (b0 < 0xf0) {
    if (!tail(1) || !tail(2)) return 0;
    if (b0 == 0xe0 && b1 < 0xa0) return 0;  // longer than needed
    if (b0 == 0xed && b1 > 0x9f) return 0;  // surrogate
    return 3;
  }
  if (b0 < 0xf5) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if (b0 == 0xf0 && b1 < 0x90) return 0;
    if (b0 == 0xf4 && b1 > 0x8f) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

}  // namespace

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const size_t n = SequenceLength(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

bool HasControlCharacter(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto b = static_cast<uint8_t>(text[i]);
    if (b < 0x20 || b == 0x7f) return true;
    // C1 is U+0080..U+009F: C2 80..C2 9F.
    if (b == 0xc2 && i + 1 < text.size() && static_cast<uint8_t>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

std::string Quoted(absl::string_view text) {
  if (text.size() <= kQuotedBytes) return absl::StrCat("\"", absl::CHexEscape(text), "\"");
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kQuotedBytes)), "...\" (", text.size(),
                      " bytes)");
}

std::string Number(double value) { return absl::StrFormat("%.12g", value); }

}  // namespace posewire::wire
