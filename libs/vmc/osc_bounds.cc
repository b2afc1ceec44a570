#include "libs/vmc/osc_bounds.h"

#include <cstddef>
#include <cstdint>

namespace posewire::vmc {
namespace {

constexpr size_t kBundleHeaderBytes = 16;

uint32_t BigEndian(absl::string_view bytes) {
  uint32_t out = 0;
  for (size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<uint8_t>(bytes[i]);
  return out;
}

size_t RoundUp4(size_t n) { return (n + 3) & ~size_t{3}; }

// Takes text from the front. Returns false if it does not end, or is padded with anything but NULs.
bool TakeText(absl::string_view& rest, absl::string_view& text) {
  const size_t end = rest.find('\0');
  if (end == absl::string_view::npos || RoundUp4(end + 1) > rest.size()) return false;
  for (size_t i = end; i < RoundUp4(end + 1); ++i) {
    if (rest[i] != '\0') return false;
  }
  text = rest.substr(0, end);
  rest.remove_prefix(RoundUp4(end + 1));
  return true;
}

// Takes the argument of one type from the front. Returns false if it does not fit. Unknown types
// have no bytes: oscpack rejects them.
bool TakeArgument(char type, absl::string_view& rest) {
  size_t bytes = 0;
  absl::string_view text;
  switch (type) {
    case 's':
    case 'S':
      return TakeText(rest, text);
    case 'b':
      if (rest.size() < 4) return false;
      bytes = 4 + RoundUp4(size_t{BigEndian(rest)});
      break;
    case 'h':
    case 't':
    case 'd':
      bytes = 8;
      break;
    case 'i':
    case 'f':
    case 'c':
    case 'r':
    case 'm':
      bytes = 4;
      break;
    default:
      break;
  }
  if (bytes > rest.size()) return false;
  rest.remove_prefix(bytes);
  return true;
}

}  // namespace

bool ElementsFit(absl::string_view bundle) {
  if (bundle.size() < kBundleHeaderBytes) return false;
  absl::string_view rest = bundle.substr(kBundleHeaderBytes);
  while (!rest.empty()) {
    if (rest.size() < 4) return false;
    const size_t size = BigEndian(rest);
    if (size == 0 || size % 4 != 0 || size > rest.size() - 4) return false;
    rest.remove_prefix(4 + size);
  }
  return true;
}

bool ArgumentsFit(absl::string_view message) {
  absl::string_view rest = message, address, types;
  if (!TakeText(rest, address)) return false;
  if (rest.empty() || rest[0] != ',') return true;
  if (!TakeText(rest, types)) return false;
  for (const char type : types.substr(1)) {
    if (!TakeArgument(type, rest)) return false;
  }
  return true;
}

}  // namespace posewire::vmc
