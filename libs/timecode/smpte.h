// Converts frame counts from and to SMPTE time code text (SMPTE ST 12-1), and parses times as users
// write them.
#ifndef POSEWIRE_LIBS_TIMECODE_SMPTE_H_
#define POSEWIRE_LIBS_TIMECODE_SMPTE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::timecode {

// Drop-frame labels keep up with the clock at 29.97 and 59.94: the first 2 (4) labels of each
// minute, except every tenth, are skipped. No frame is dropped.
constexpr bool HasDropFrame(const FrameRate& rate) {
  return rate.den == 1001 && (rate.num == 30000 || rate.num == 60000);
}

// Returns "01:02:03:04", or "01:02:03;04" for drop-frame. Labels count whole frames, 24 per second
// at 23.976. Hours continue past 24. A negative frame gets a sign. `drop_frame` is ignored at rates
// without drop-frame.
std::string ToSmpte(int64_t frame, const FrameRate& rate, bool drop_frame);

// Returns the frame for such a label; a semicolon before the frames means drop-frame.
// INVALID_ARGUMENT, showing the form, for a field out of range or a label that drop-frame skips.
absl::StatusOr<int64_t> ParseSmpte(absl::string_view text, const FrameRate& rate);

// Parses a time as a user writes it, in seconds: "1.25", or SMPTE text at `rate`. INVALID_ARGUMENT
// for anything else, and for SMPTE text if no rate is known.
absl::StatusOr<double> ParseTime(absl::string_view text, const std::optional<FrameRate>& rate);

}  // namespace posewire::timecode

#endif  // POSEWIRE_LIBS_TIMECODE_SMPTE_H_
