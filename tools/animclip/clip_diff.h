// Compares two clips: everything that `a` names, at all instants of `a`.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_DIFF_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_DIFF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/wire/chunk.h"
#include "tools/animclip/console.h"
#include "tools/animclip/forward_clip.h"

namespace posewire::animclip {

// The largest error of one joint or shape, in the units of TrackDiff.
struct ElementDiff {
  std::string name;
  double error = 0, degrees = 0, time_s = 0;
};

// Consecutive keys of a at whose times b has none, although it has keys before and after.
struct Gap {
  double first_s = 0, last_s = 0;
  int64_t keys = 0;
};

struct TrackDiff {
  bool present = false;  // a has keys
  bool missing = false;  // a has keys and b has none
  int64_t instants = 0;  // compared
  int elements = 0;      // joints or shapes compared; 1 for a camera track
  // Largest error: weights and scales as they are, translations in metres, rotations as the
  // distance of the quaternions up to their sign (the angle in radians is about twice that).
  double error = 0;
  double degrees = 0;  // of a rotation
  std::string where;   // joint or shape
  double time_s = 0;
  // Duration of a's span that b does not cover, at its ends.
  double uncovered_s = 0;
  // Frames missing in b. A key of b within half a frame of a's counts as present.
  std::vector<Gap> gaps;
  double error_outside_gaps = 0;  // as `error`, at all other instants
  std::vector<ElementDiff> by_element;

  int64_t missed() const;  // keys in gaps
};

struct AudioDiff {
  bool present = false, missing = false;
  int rate_a_hz = 0, rate_b_hz = 0;  // if they differ, nothing is compared
  int64_t samples = 0, different = 0;
  int largest = 0;               // of 32768
  int64_t first_different = -1;  // counted from a's time code 0
  // Samples of a that b does not reach.
  int64_t uncovered = 0;
};

struct ClipDiff {
  double shift_s = 0;  // added to b's time codes
  TrackDiff tracks[kTracks];
  AudioDiff audio;
  std::optional<wire::StatusChunk> last_status_a, last_status_b;
  std::vector<std::string> only_in_a, only_in_b;  // by their shortest names
};

struct ClipDiffOptions {
  double shift_s = 0;
  bool align = false;  // shift b so that the first keys of common tracks agree
};

absl::StatusOr<ClipDiff> DiffClips(const std::string& a, const std::string& b,
                                   const ClipDiffOptions& options, const Console& console);

// Returns true if b has everything that a has, and no error is over `tolerance`; audio must be
// equal. Statuses do not count, because they are not part of the motion.
bool Within(const ClipDiff& diff, double tolerance);
// Returns true if that would hold without b's missing frames.
bool WithinOutsideGaps(const ClipDiff& diff, double tolerance);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_DIFF_H_
