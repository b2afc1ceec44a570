// The animated values of a clip, from which compression makes PackedPoses.
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
  // All frames of the first component, then all frames of the next. kTurn: w x y z, with the sign
  // for which the component in `fourth` is not negative; kMove and kScale: x y z; kWeight: one.
  std::vector<float> values;
  std::vector<uint8_t> fourth;  // kTurn: for each segment, which of w x y z is not stored
  float least_fourth = 1;       // kTurn: the smallest fourth component
  float step = 0;               // quantisation step of its values

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

// Finds the tracks of `poses`, of which there must be at least one. All must have the same size,
// and values present for the same joints and shapes, as the first. Returns false if a value is not
// finite, a rotation does not have unit length, or when stopped.
bool FindTracks(absl::Span<const skel::Pose> poses, Tracks& out, StopCheck stopped);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_TRACKS_H_
