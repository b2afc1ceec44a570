#include "libs/clip/tracks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace posewire::clip {
namespace {

// Longer segments have fewer headers, shorter ones narrower ranges.
constexpr int kSegmentFrames = 32;

using Row = const float* skel::PoseView::*;
using V = skel::PoseView;
constexpr std::array<Row, 4> kTurnRows = {&V::qw, &V::qx, &V::qy, &V::qz};
constexpr std::array<Row, 3> kMoveRows = {&V::tx, &V::ty, &V::tz};
constexpr std::array<Row, 3> kScaleRows = {&V::sx, &V::sy, &V::sz};
constexpr std::array<Row, 1> kWeightRows = {&V::weights};

// Returns which elements of the rows differ or are not finite in any pose.
std::vector<uint8_t> Moving(absl::Span<const V> poses, absl::Span<const Row> rows, int size) {
  std::vector<uint8_t> moving(static_cast<size_t>(size));
  uint8_t* out = moving.data();
  for (const V& pose : poses) {
    for (const Row row : rows) {
      const float *a = poses[0].*row, *b = pose.*row;
      for (int i = 0; i < size; ++i) out[i] = static_cast<uint8_t>(out[i] | !(a[i] - b[i] == 0));
    }
  }
  return moving;
}

// The bits of floats with the same sign are ordered like the floats, and loops over integers are
// vectorised.
int32_t MagnitudeBits(float v) { return std::bit_cast<int32_t>(v) & 0x7fffffff; }

float LeastMagnitude(const float* v, size_t n) {
  int32_t least = std::numeric_limits<int32_t>::max();
  for (size_t i = 0; i < n; ++i) least = std::min(least, MagnitudeBits(v[i]));
  return std::bit_cast<float>(least);
}

// Returns the largest difference of a squared length from 1. It is small only if all values are
// finite.
float MostFromUnit(const float* v, size_t row, size_t n) {
  int32_t most = 0;
  for (size_t i = 0; i < n; ++i) {
    const float w = v[i], x = v[row + i], y = v[2 * row + i], z = v[3 * row + i];
    most = std::max(most, MagnitudeBits(w * w + x * x + y * y + z * z - 1));
  }
  return std::bit_cast<float>(most);
}

// Chooses the fourth component of each segment and makes it positive. Returns false if a rotation
// does not have unit length.
bool ChooseFourths(int segment_frames, Track& track) {
  const auto frames = static_cast<size_t>(track.frames);
  const auto step = static_cast<size_t>(segment_frames);
  for (size_t first = 0; first < frames; first += step) {
    float* const v = track.values.data() + first;
    const size_t n = std::min(frames - first, step);
    if (!(MostFromUnit(v, frames, n) < 1e-3f)) return false;
    size_t fourth = 0;
    float least = LeastMagnitude(v, n);
    // Above this value no other component can be larger.
    for (size_t c = 1; c < 4 && least < 0.7072f; ++c) {
      const float other = LeastMagnitude(v + c * frames, n);
      if (other > least) least = other, fourth = c;
    }
    for (size_t f = 0; f < n; ++f) {
      if (v[fourth * frames + f] >= 0) continue;
      for (size_t c = 0; c < 4; ++c) v[c * frames + f] *= -1;
    }
    track.fourth.push_back(static_cast<uint8_t>(fourth));
    track.least_fourth = std::min(track.least_fourth, least);
  }
  return true;
}

absl::Span<const Row> RowsOf(TrackKind kind) {
  switch (kind) {
    case TrackKind::kTurn:
      return kTurnRows;
    case TrackKind::kMove:
      return kMoveRows;
    case TrackKind::kScale:
      return kScaleRows;
    case TrackKind::kWeight:
      break;
  }
  return kWeightRows;
}

class Finder {
 public:
  Finder(absl::Span<const skel::Pose> poses, Tracks& out) : out_(out) {
    for (const skel::Pose& pose : poses) poses_.push_back(pose.view());
  }

  void Add(TrackKind kind, const uint8_t* present, int size) {
    if (std::count(present, present + size, 0) == size) return;
    const std::vector<uint8_t> moving = Moving(poses_, RowsOf(kind), size);
    for (int i = 0; i < size; ++i) {
      if (!present[i] || !moving[static_cast<size_t>(i)]) continue;
      Track& track = out_.tracks.emplace_back();
      track.kind = kind;
      track.index = i;
      track.frames = out_.frames;
      track.values.resize(RowsOf(kind).size() * poses_.size());
    }
  }

  // Returns false if a value is not finite, a rotation has no length, or when stopped.
  bool Fill(StopCheck stopped) {
    // A few poses at a time, so that they stay in the CPU caches.
    constexpr size_t kPoses = 16;
    for (size_t first = 0; first < poses_.size(); first += kPoses) {
      if (stopped()) return false;
      const size_t end = std::min(poses_.size(), first + kPoses);
      for (Track& track : out_.tracks) Copy(first, end, track);
    }
    return std::all_of(out_.tracks.begin(), out_.tracks.end(), [&](Track& track) {
      if (stopped()) return false;
      if (track.kind == TrackKind::kTurn) return ChooseFourths(out_.segment_frames, track);
      return std::all_of(track.values.begin(), track.values.end(),
                         [](float v) { return std::isfinite(v); });
    });
  }

 private:
  void Copy(size_t first, size_t end, Track& track) const {
    float* row_out = track.values.data();
    for (const Row row : RowsOf(track.kind)) {
      for (size_t f = first; f < end; ++f) row_out[f] = (poses_[f].*row)[track.index];
      row_out += poses_.size();
    }
  }

  std::vector<V> poses_;
  Tracks& out_;
};

}  // namespace

bool FindTracks(absl::Span<const skel::Pose> poses, Tracks& out, StopCheck stopped) {
  out.frames = static_cast<int>(poses.size());
  // Segments of as nearly the same length as possible.
  const int segments = (out.frames + kSegmentFrames - 1) / kSegmentFrames;
  out.segment_frames = (out.frames + segments - 1) / segments;
  const skel::PoseView first = poses[0].view();
  Finder finder(poses, out);
  finder.Add(TrackKind::kTurn, first.has_r, first.joints);
  finder.Add(TrackKind::kMove, first.has_t, first.joints);
  finder.Add(TrackKind::kScale, first.has_s, first.joints);
  finder.Add(TrackKind::kWeight, first.has_w, first.shapes);
  return finder.Fill(stopped);
}

}  // namespace posewire::clip
