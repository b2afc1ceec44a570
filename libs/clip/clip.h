// A clip in memory: poses of one rig at a fixed rate, as they are or in few bits. Immutable once
// made: any number of threads and characters may play one clip.
#ifndef POSEWIRE_LIBS_CLIP_CLIP_H_
#define POSEWIRE_LIBS_CLIP_CLIP_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libs/clip/packed_poses.h"
#include "libs/clip/stop_check.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::clip {

// What a clip is for.
enum class ClipKind : uint8_t {
  kGesture,        // played once, over what the avatar does
  kFacialGesture,  // the same, of the face and perhaps the head
  kPosture,        // a stance that holds: goes round
  kLayer,          // goes round on top of whatever plays
};

// "gesture", "facial_gesture", "posture", "layer".
const char* NameOf(ClipKind kind);

// What compression may cost.
struct Precision {
  // How far a point 3 cm off a joint may be from its place in model space on any frame; absent
  // components count as the rig's rest. A weight may be off by error_m / 0.1 m: at 0.1 mm, 0.001.
  float error_m = 1e-4f;
  // Bounds the error by what it could be at worst, instead of by measuring it: twenty times as fast
  // to make, and up to a fifth larger.
  bool quick = false;
};

class Clip {
 public:
  // `frames` are poses of `rig`, one a tick of `rate`; presence is that of the first frame for all.
  Clip(std::string name, std::shared_ptr<const skel::Rig> rig, timecode::FrameRate rate,
       std::vector<skel::Pose> frames, bool loops = false, ClipKind kind = ClipKind::kGesture);
  // Of poses that are packed already, for that rig; `hash` is the content hash of what they were
  // made of, 0 where that is not known.
  Clip(std::string name, std::shared_ptr<const skel::Rig> rig, timecode::FrameRate rate,
       std::shared_ptr<const PackedPoses> packed, bool loops, ClipKind kind, uint64_t hash = 0);

  const std::string& name() const { return name_; }
  const std::shared_ptr<const skel::Rig>& rig() const { return rig_; }
  const timecode::FrameRate& rate() const { return rate_; }
  bool loops() const { return loops_; }
  ClipKind kind() const { return kind_; }
  int frames() const { return packed_ ? packed_->frames : static_cast<int>(frames_.size()); }
  bool compressed() const { return packed_ != nullptr; }
  // Null unless it is compressed.
  const PackedPoses* packed() const { return packed_.get(); }
  // skel::PoseHash over all frames as they were before compression; of a clip that came compressed
  // without it, as they are. The first call may take some microseconds a frame and allocate. Any
  // thread.
  uint64_t content_hash() const;
  // Memory that its poses take.
  size_t bytes() const;
  // Time of the last frame; a looping clip's is one period longer.
  double duration_s() const;
  // Of a compressed clip only frame 0, which is exact, can be borrowed.
  skel::PoseView frame(int i) const {
    return packed_ ? packed_->first.view() : frames_[static_cast<size_t>(i)].view();
  }
  // Any frame of any clip, with the clip's presence.
  void CopyFrame(int i, const skel::PoseSpan& out) const;

  // Writes the pose at `t_s` with the clip's presence: slerp the short way and lerp between frames;
  // held outside (wrapped when it loops); a time that is no number is 0. Frames come back exactly,
  // compressed ones within their precision. No allocation; any thread.
  void Sample(double t_s, const skel::PoseSpan& out) const;

  // The same clip in less memory. Null when that cannot be: no frames or a single one, a size that
  // is not the rig's, values that are not finite, an error too small for floats, or no gain; and
  // when it was stopped.
  std::shared_ptr<const Clip> Compressed(const Precision& precision,
                                         StopCheck stopped = NeverStop) const;

 private:
  void CopyStill(const skel::PoseSpan& out) const;

  std::string name_;
  std::shared_ptr<const skel::Rig> rig_;
  timecode::FrameRate rate_;
  std::vector<skel::Pose> frames_;             // none when packed_
  std::shared_ptr<const PackedPoses> packed_;  // null: not compressed
  bool loops_;
  ClipKind kind_;
  mutable std::atomic<uint64_t> hash_{0};  // 0: not known yet
};

// Compressed where that can be; the clip itself where not, with an error_m of 0, and when stopped.
std::shared_ptr<const Clip> CompressedOrAsIs(std::shared_ptr<const Clip> clip,
                                             const Precision& precision,
                                             StopCheck stopped = NeverStop);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_CLIP_H_
