// Frame rates as rationals, and tick times computed from integer ticks.
#ifndef POSEWIRE_LIBS_TIMECODE_FRAME_RATE_H_
#define POSEWIRE_LIBS_TIMECODE_FRAME_RATE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::timecode {

// num / den frames per second; 29.97 is 30000 / 1001.
struct FrameRate {
  int64_t num = 30;
  int64_t den = 1;

  double hz() const { return static_cast<double>(num) / static_cast<double>(den); }
  double period_s() const { return static_cast<double>(den) / static_cast<double>(num); }
  // Time of tick k, computed from the integer, so errors do not accumulate.
  double SecondsAt(int64_t k) const {
    return static_cast<double>(k * den) / static_cast<double>(num);
  }
  // Return the newest tick at or before `t_s`, and the nearest one.
  int64_t TickAtOrBefore(double t_s) const;
  int64_t NearestTick(double t_s) const;
  friend bool operator==(const FrameRate&, const FrameRate&) = default;
};

// Parses a whole number, a decimal or "NUM/DEN", at least 1 frame per second; otherwise
// INVALID_ARGUMENT with examples. A decimal with at least two digits that equals 1000 / 1001 of a
// whole number after rounding is read as that fraction: "23.976", "23.98", "29.97", "59.94". Others
// are exact: "12.5" is 25/2.
absl::StatusOr<FrameRate> ParseFrameRate(absl::string_view text);
// Returns a text that ParseFrameRate reads as the same rate: "10", "29.97", "25/2".
std::string ToString(const FrameRate& rate);

// Returns the nearest n / fps if it is within 1 ms of `t_s`, and otherwise `t_s`.
double SnapToTick(double t_s, const FrameRate& rate);

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_FRAME_RATE_H_
