// Times as a user writes and reads them: seconds, or SMPTE time code at the clip's rate.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_TIME_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_TIME_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/timecode/frame_rate.h"
#include "tools/animclip/clip_facts.h"

namespace posewire::animclip {

// The one rate at which the clip's longest track has its keys; none where they lie unevenly.
std::optional<timecode::FrameRate> RateOf(const ClipFacts& facts);

// A time code in seconds. INVALID_ARGUMENT for what is no time, for SMPTE in a clip without one
// rate, and for a label that does not exist.
absl::StatusOr<double> TimeOf(absl::string_view text, const ClipFacts& facts);

// "00:00:01:06 to 00:00:01:27 at 30 fps"; empty in a clip without one rate. Drop-frame, with ";",
// where the rate has it. Times between frames show as the nearest one.
std::string SmpteSpan(double from_s, double to_s, const ClipFacts& facts);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_TIME_H_
