#include "libs/timecode/key_spacing.h"

#include <algorithm>
#include <cmath>

namespace posewire::timecode {
namespace {

// In frames, from the first key to the last: 29.97 differs by this much from 30 within 4 s.
constexpr double kMostDrift = 0.1;

}  // namespace

void KeySpacing::Add(double time_code_s) {
  if (keys == 0) {
    first_s = time_code_s;
  } else {
    const double gap = time_code_s - last_s;
    shortest_s = keys == 1 ? gap : std::min(shortest_s, gap);
    longest_s = keys == 1 ? gap : std::max(longest_s, gap);
  }
  last_s = time_code_s;
  ++keys;
}

bool KeySpacing::IsEven() const {
  return keys > 1 && longest_s - shortest_s <= std::max(1e-4, 0.02 * MeanGap());
}

std::optional<FrameRate> KeySpacing::Rate() const {
  if (!IsEven()) return std::nullopt;
  const auto frames = static_cast<double>(keys - 1);
  const auto drift = [&](const FrameRate& rate) {
    return std::fabs((last_s - first_s) * rate.hz() - frames);
  };
  const int64_t whole = std::llround(1 / MeanGap());
  if (whole < 1) return std::nullopt;
  const FrameRate rate{whole, 1}, ntsc{1000 * whole, 1001};
  const FrameRate& nearest = drift(rate) <= drift(ntsc) ? rate : ntsc;
  return drift(nearest) <= kMostDrift ? std::optional(nearest) : std::nullopt;
}

}  // namespace posewire::timecode
