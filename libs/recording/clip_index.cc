#include "libs/recording/clip_index.h"

#include <limits>

namespace posewire::recording {
namespace {

// Readers treat time codes that differ by less than a microsecond as equal.
constexpr double kMargin_s = 1e-5;
constexpr uint32_t kTimed = 0x1ff;  // the parts that have time codes

}  // namespace

bool CoversAll(const ClipIndex& index, int64_t bytes) {
  const int n = index.bytes_size();
  if (index.messages_size() != n || index.parts_size() != n || index.begin_s_size() != n ||
      index.all_begun_s_size() != n || index.end_s_size() != n) {
    return false;
  }
  auto left = static_cast<uint64_t>(bytes);
  for (const uint64_t chunk : index.bytes()) {
    if (chunk > left) return false;
    left -= chunk;
  }
  return left == 0;
}

std::vector<SkippedBytes> NotNeeded(const ClipIndex& index, double from_s, double to_s) {
  const int n = index.bytes_size();
  std::vector<bool> needed(static_cast<size_t>(n), true);
  uint32_t again = 0;  // parts that have a key before the span in a later chunk
  for (int i = n; i-- > 0;) {
    const bool before = index.end_s(i) < from_s - kMargin_s;
    if (before && (index.parts(i) & ~again) == 0) needed[static_cast<size_t>(i)] = false;
    if (index.all_begun_s(i) < from_s - kMargin_s) again |= index.parts(i) & kTimed;
  }
  uint32_t ended = 0;  // parts that have a key after the span in an earlier chunk
  for (int i = 0; i < n; ++i) {
    if (!(index.begin_s(i) > to_s + kMargin_s)) continue;
    if ((index.parts(i) & ~ended) == 0) needed[static_cast<size_t>(i)] = false;
    ended |= index.parts(i) & kTimed;
  }
  std::vector<SkippedBytes> skips;
  int64_t at = 0;
  for (int i = 0; i < n; ++i) {
    const int64_t end = at + static_cast<int64_t>(index.bytes(i));
    if (!needed[static_cast<size_t>(i)]) {
      if (skips.empty() || skips.back().to != at) skips.push_back({at, at, 0});
      skips.back().to = end;
      skips.back().messages += static_cast<int64_t>(index.messages(i));
    }
    at = end;
  }
  return skips;
}

}  // namespace posewire::recording
