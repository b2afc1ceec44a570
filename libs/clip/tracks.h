// The moving values of a clip: the input of its compression.
#ifndef POSEWIRE_LIBS_CLIP_TRACKS_H_
#define POSEWIRE_LIBS_CLIP_TRACKS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/clip/stop_check.h"
#include "libs/skel/pose.h"

namespace posewire::clip {

enum class TrackKind : uint8_t { kTurn, kMove, kScale, kWeight };

// One component of one joint, or one weight, that differs between frames.
struct Track {
  TrackKind kind = TrackKind::kTurn;
  int index = 0;  // of the joint or shape
  int frames = 0;
  // Component by component, each by frame. kTurn: w x y z, with the sign that makes the fourth
  // component positive; kMove and kScale: x y z; kWeight: one.
  std::vector<float> values;
  std::vector<uint8_t> fourth;  // kTurn: for each segment, which of w x y z is not stored
  float least_fourth = 1;       // kTurn: the smallest fourth component
  float step = 0;               // of its values

  // Number of values in a frame.
  int width() const { return kind == TrackKind::kWeight ? 1 : 3; }
  absl::Span<const float> row(size_t component) const {
    const auto n = static_cast<size_t>(frames);
    return absl::MakeConstSpan(values).subspan(component * n, n);
  }
};

struct Tracks {
  int frames = 0;
  int segment_frames = 1;
  std::vector<Track> tracks;

  int segments() const { return (frames + segment_frames - 1) / segment_frames; }
};

// Finds the tracks of at least one pose. All must have the same size and the presence of the first.
// Returns false if a value is not finite, a rotation has no length, or when stopped.
bool FindTracks(absl::Span<const skel::Pose> poses, Tracks& out, StopCheck stopped);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_TRACKS_H_
