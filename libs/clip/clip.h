// A clip in memory: poses of one rig at a fixed rate, uncompressed or compressed. Immutable: any
// number of threads and characters may play one clip.
#ifndef POSEWIRE_LIBS_CLIP_CLIP_H_
#define POSEWIRE_LIBS_CLIP_CLIP_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/clip/packed_poses.h"
#include "libs/clip/stop_check.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::clip {

// The purpose of a clip.
enum class ClipKind : uint8_t {
  kGesture,        // played once, on top of the current motion
  kFacialGesture,  // the same, for the face and possibly the head
  kPosture,        // a stance that is held; loops
  kLayer,          // loops on top of any motion
};

// Returns "gesture", "facial_gesture", "posture" or "layer".
const char* NameOf(ClipKind kind);

// Allowed error of compression.
struct Precision {
  // How far a point 3 cm from a joint may be from its exact place in model space in any frame;
  // absent components count as the rig's rest. A weight may be off by error_m / 0.1 m: at 0.1 mm,
  // 0.001.
  float error_m = 1e-4f;
  // Uses an upper bound of the error instead of measuring it: twenty times as fast, and up to a
  // fifth larger.
  bool quick = false;
};

class Clip {
 public:
  // `frames` are poses of `rig`, one per tick of `rate`. All have the presence of the first frame.
  Clip(std::string name, std::shared_ptr<const skel::Rig> rig, timecode::FrameRate rate,
       std::vector<skel::Pose> frames, bool loops = false, ClipKind kind = ClipKind::kGesture);
  // Makes a clip from compressed poses of that rig. `hash` is the content hash of the original
  // poses, or 0 if unknown.
  Clip(std::string name, std::shared_ptr<const skel::Rig> rig, timecode::FrameRate rate,
       std::shared_ptr<const PackedPoses> packed, bool loops, ClipKind kind, uint64_t hash = 0);

  const std::string& name() const { return name_; }
  const std::shared_ptr<const skel::Rig>& rig() const { return rig_; }
  const timecode::FrameRate& rate() const { return rate_; }
  bool loops() const { return loops_; }
  ClipKind kind() const { return kind_; }
  // The mean place of the camera in its file, in the avatar's space, for clips that look at it.
  const std::optional<skel::Vec3>& camera_at() const { return camera_at_; }
  // Call before the clip is shared.
  void set_camera_at(skel::Vec3 at) { camera_at_ = at; }
  int frames() const { return packed_ ? packed_->frames : static_cast<int>(frames_.size()); }
  bool compressed() const { return packed_ != nullptr; }
  // Null if the clip is not compressed.
  const PackedPoses* packed() const { return packed_.get(); }
  // Returns skel::PoseHash over all frames as they were before compression; if a compressed clip
  // was made without that hash, over its compressed frames. The first call may take some
  // microseconds per frame and allocate. Any thread.
  uint64_t content_hash() const;
  // Memory used by its poses.
  size_t bytes() const;
  // Time of the last frame; for a looping clip, one period longer.
  double duration_s() const;
  // For a compressed clip, `i` must be 0, the only frame that is stored uncompressed.
  skel::PoseView frame(int i) const {
    return packed_ ? packed_->first.view() : frames_[static_cast<size_t>(i)].view();
  }
  // Copies any frame of any clip, with the clip's presence.
  void CopyFrame(int i, const skel::PoseSpan& out) const;

  // Writes the pose at `t_s` with the clip's presence. Interpolates between frames with slerp (the
  // shorter way) and lerp. Times outside the clip are clamped, or wrapped if it loops; NaN counts
  // as 0. At frames the result is exact; for compressed clips, within their precision. No
  // allocation; any thread.
  void Sample(double t_s, const skel::PoseSpan& out) const;

  // Returns the same clip in less memory. Returns null if that is impossible: at most one frame, a
  // size that is not the rig's, values that are not finite, an error too small for floats, or no
  // gain. Also returns null when `stopped` returns true.
  std::shared_ptr<const Clip> Compressed(const Precision& precision,
                                         StopCheck stopped = NeverStop) const;

 private:
  void CopyStill(const skel::PoseSpan& out) const;

  std::string name_;
  std::shared_ptr<const skel::Rig> rig_;
  timecode::FrameRate rate_;
  std::vector<skel::Pose> frames_;             // empty if packed_ is set
  std::shared_ptr<const PackedPoses> packed_;  // null: not compressed
  bool loops_;
  ClipKind kind_;
  std::optional<skel::Vec3> camera_at_;
  mutable std::atomic<uint64_t> hash_{0};  // 0: not computed yet
};

// Returns the clip compressed, or itself if that is impossible, if error_m is 0, or when stopped.
std::shared_ptr<const Clip> CompressedOrAsIs(std::shared_ptr<const Clip> clip,
                                             const Precision& precision,
                                             StopCheck stopped = NeverStop);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_CLIP_H_
