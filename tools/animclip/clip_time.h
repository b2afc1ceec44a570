// Times in the forms that users write and read: seconds, or SMPTE time code at the clip's rate.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_TIME_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_TIME_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/timecode/frame_rate.h"
#include "tools/animclip/clip_facts.h"

namespace posewire::animclip {

// Returns the rate of the keys of the clip's longest track; none if they are unevenly spaced.
std::optional<timecode::FrameRate> RateOf(const ClipFacts& facts);

// Parses a time and returns seconds. INVALID_ARGUMENT for text that is not a time, for SMPTE in a
// clip without a constant rate, and for a label that does not exist.
absl::StatusOr<double> TimeOf(absl::string_view text, const ClipFacts& facts);

// Returns "00:00:01:06 to 00:00:01:27 at 30 fps"; empty for a clip without a constant rate.
// Drop-frame, with ";", if the rate has it. Times between frames are shown as the nearest one.
std::string SmpteSpan(double from_s, double to_s, const ClipFacts& facts);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_TIME_H_
