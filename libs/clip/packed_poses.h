// The poses of a clip in few bits, and how a pose comes out of them.
//
// A value v that moves is held as a whole number of steps: v = (base + q) * step. The step belongs
// to the value's track for the whole clip and bounds its error (half a step); the base belongs to
// the track in one segment of the clip; q is held for each frame, in as many bits as its largest in
// that segment needs. Tracks stand in groups of eight with the same number of bits, so that eight
// values are unpacked at once: the q of a group take exactly `bits` bytes, lane by lane, low bits
// first. A frame is the q of all groups, in order; the frames of a segment have the same size.
//
// A rotation is held as three of its components. The fourth, the one which stays farthest from
// zero in the segment, is positive (-q turns as q does) and follows from unit length.
#ifndef POSEWIRE_LIBS_CLIP_PACKED_POSES_H_
#define POSEWIRE_LIBS_CLIP_PACKED_POSES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libs/clip/thin_pose.h"
#include "libs/skel/pose.h"

namespace posewire::clip {

inline constexpr size_t kLanes = 8;
// Of a q. The sum of base and q stays within what a float holds exactly.
inline constexpr int kMostBits = 24;
// A group is read in whole vectors, which may reach this far past its end.
inline constexpr size_t kReadAhead = 32;

// The lanes that are left over in the last group repeat its last track.
struct TurnGroup {
  std::array<float, kLanes> step;
  std::array<uint16_t, kLanes> joint;
};
struct TurnRange {
  std::array<std::array<int16_t, kLanes>, 3> base;  // times 2^shift
  // Which of w x y z (0..3) the three held components are, and the fourth: two bits each, from the
  // lowest.
  std::array<uint8_t, kLanes> order;
  std::array<uint8_t, 3> bits;
  std::array<uint8_t, 3> shift;
};

// Rows of a pose that hold single values.
enum class ValueRow : uint8_t { kTx, kTy, kTz, kSx, kSy, kSz, kWeight };
inline constexpr int kValueRows = 7;
// A row and an index in it, in 16 bits.
constexpr uint16_t PlaceOf(ValueRow row, int index) {
  return static_cast<uint16_t>(static_cast<int>(row) << 12 | index);
}

struct ValueGroup {
  std::array<float, kLanes> step;
  std::array<uint16_t, kLanes> place;  // PlaceOf
};
struct ValueRange {
  std::array<int16_t, kLanes> base;
  uint8_t bits, shift;
};

struct PackedSegment {
  size_t at = 0;           // of its first frame in `bits`
  size_t frame_bytes = 0;  // of each of its frames
};

struct PackedPoses {
  int frames = 0;
  int segment_frames = 1;  // of every segment but perhaps the last
  ThinPose first;          // as it was, for presence and what does not move
  // Some values of the kind that are there do not move, and are those of the first frame.
  bool still_turns = false, still_moves = false, still_scales = false, still_weights = false;
  std::vector<TurnGroup> turns;
  std::vector<ValueGroup> values;
  std::vector<PackedSegment> segments;
  std::vector<TurnRange> turn_ranges;    // turns.size() for each segment
  std::vector<ValueRange> value_ranges;  // values.size() for each segment
  std::vector<uint8_t> bits;             // ends with kReadAhead bytes more

  // In memory, without this object itself.
  size_t bytes() const;
};

// Writes the tracks of `poses` alone into `out`, `t` (0..1) between two frames: lerp, and slerp the
// short way to 1e-6. The same bits on every CPU. No allocation; any thread.
void UnpackBetween(const PackedPoses& poses, int from, int to, float t, const skel::PoseSpan& out);
// At a frame.
void UnpackFrame(const PackedPoses& poses, int frame, const skel::PoseSpan& out);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_PACKED_POSES_H_
