#include "libs/program/terminal_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace posewire::program {

Utf8Char FirstUtf8Char(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {1, first, true};
  const size_t length = first >= 0xC2 && first < 0xE0   ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || text.size() < length) return {};
  char32_t code = first & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return {};
  return {length, code, true};
}

bool IsUnsafeOnTerminal(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

void AppendEscaped(char32_t code, std::string* out) {
  switch (code) {
    case '\n':
      out->append("\\n");
      return;
    case '\t':
      out->append("\\t");
      return;
    case '\r':
      out->append("\\r");
      return;
    default:
      absl::StrAppend(out, "\\u", absl::Hex(static_cast<uint32_t>(code), absl::kZeroPad4));
  }
}

std::string TerminalText(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Char next = FirstUtf8Char(text);
    if (!next.valid) {
      absl::StrAppend(&out, "\\x", absl::Hex(static_cast<uint8_t>(text[0]), absl::kZeroPad2));
    } else if (IsUnsafeOnTerminal(next.code)) {
      AppendEscaped(next.code, &out);
    } else {
      out.append(text.data(), next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::string TerminalLines(absl::string_view text) {
  return absl::StrJoin(
      absl::StrSplit(text, '\n'), "\n  ",
      [](std::string* out, absl::string_view line) { *out += TerminalText(line); });
}

}  // namespace posewire::program
