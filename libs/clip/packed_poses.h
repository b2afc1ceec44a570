// The poses of a clip in few bits, and functions to unpack a pose.
//
// A value v that moves is stored as a whole number of steps: v = (base + q) * step. The step
// belongs to the value's track for the whole clip and bounds its error (half a step). The base
// belongs to the track in one segment of the clip. q is stored for each frame, in as many bits as
// the largest q in that segment needs. Tracks form groups of eight with the same number of bits, so
// that eight values are unpacked at once: the q of a group take exactly `bits` bytes, lane by lane,
// low bits first. A frame is the q of all groups, in order; all frames of a segment have the same
// size.
//
// A rotation is stored as three of its components. The fourth, the one that stays farthest from
// zero in the segment, is positive (-q is the same rotation as q) and follows from unit length.
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
// Maximum bits of a q. The sum of base and q stays within the integers that a float represents
// exactly.
inline constexpr int kMostBits = 24;
// A group is read in whole vectors, which may reach this far past its end.
inline constexpr size_t kReadAhead = 32;

// Unused lanes of the last group repeat its last track.
struct TurnGroup {
  std::array<float, kLanes> step;
  std::array<uint16_t, kLanes> joint;
};
struct TurnRange {
  std::array<std::array<int16_t, kLanes>, 3> base;  // times 2^shift
  // Which of w x y z (0..3) the three stored components are, and the fourth: two bits each, from
  // the lowest.
  std::array<uint8_t, kLanes> order;
  std::array<uint8_t, 3> bits;
  std::array<uint8_t, 3> shift;
};

// The rows of a pose that contain single values.
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
  size_t at = 0;           // offset of its first frame in `bits`
  size_t frame_bytes = 0;  // size of each of its frames
};

struct PackedPoses {
  int frames = 0;
  int segment_frames = 1;  // of every segment, except possibly the last
  ThinPose first;          // uncompressed: has presence, and the values that do not move
  // At least one value of this kind is present and does not move; it has the first frame's value.
  bool still_turns = false, still_moves = false, still_scales = false, still_weights = false;
  std::vector<TurnGroup> turns;
  std::vector<ValueGroup> values;
  std::vector<PackedSegment> segments;
  std::vector<TurnRange> turn_ranges;    // turns.size() for each segment
  std::vector<ValueRange> value_ranges;  // values.size() for each segment
  std::vector<uint8_t> bits;             // followed by kReadAhead extra bytes

  // Memory used, not counting this object itself.
  size_t bytes() const;
};

// Writes only the tracks of `poses` into `out`, at `t` (0..1) between two frames: lerp, and slerp
// along the shorter way, accurate to 1e-6. The same bits on every CPU. No allocation; any thread.
void UnpackBetween(const PackedPoses& poses, int from, int to, float t, const skel::PoseSpan& out);
// The same at a frame.
void UnpackFrame(const PackedPoses& poses, int frame, const skel::PoseSpan& out);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_PACKED_POSES_H_
