// How far one clip is from another: everything that `a` names, at all instants of `a`.
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

// Keys of a, one after the other, at whose time b has none, though it has keys before and behind.
struct Gap {
  double first_s = 0, last_s = 0;
  int64_t keys = 0;
};

struct TrackDiff {
  bool present = false;  // a has keys
  bool missing = false;  // a has keys and b has none
  int64_t instants = 0;  // compared
  int elements = 0;      // joints or shapes compared; 1 for a camera track
  // Largest error: weights and scales plain, translations in metres, rotations as the distance of
  // the quaternions up to their sign (the angle in radians is about twice that).
  double error = 0;
  double degrees = 0;  // of a rotation
  std::string where;   // joint or shape
  double time_s = 0;
  // How much of a's span b does not cover, at its ends.
  double uncovered_s = 0;
  // Frames that b misses. A key of b that is within half a frame of a's counts as there.
  std::vector<Gap> gaps;
  double error_beside_gaps = 0;  // as `error`, at all instants but those
  std::vector<ElementDiff> by_element;

  int64_t missed() const;  // keys in gaps
};

struct AudioDiff {
  bool present = false, missing = false;
  int rate_a_hz = 0, rate_b_hz = 0;  // nothing is compared when they differ
  int64_t samples = 0, different = 0;
  int largest = 0;               // of 32768
  int64_t first_different = -1;  // counted from a's code 0
  // Samples of a that b does not reach.
  int64_t uncovered = 0;
};

struct ClipDiff {
  double shift_s = 0;  // that was added to b's codes
  TrackDiff tracks[kTracks];
  AudioDiff audio;
  std::optional<wire::StatusChunk> last_status_a, last_status_b;
  std::vector<std::string> only_in_a, only_in_b;  // by their shortest names
};

struct ClipDiffOptions {
  double shift_s = 0;
  bool align = false;  // shift b so that the first keys of what both have agree
};

absl::StatusOr<ClipDiff> DiffClips(const std::string& a, const std::string& b,
                                   const ClipDiffOptions& options, const Console& console);

// True when b has all that a has, and no error is over `tolerance`; audio must be equal. Statuses
// do not count: what a stream was told on its way is no part of its motion.
bool Within(const ClipDiff& diff, double tolerance);
// Whether that would be true if b's missing frames were left aside.
bool WithinBesideGaps(const ClipDiff& diff, double tolerance);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_DIFF_H_
