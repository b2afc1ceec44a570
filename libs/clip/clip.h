// A clip in memory: poses of one rig at a fixed rate, and perhaps a voice. Immutable once made.
#ifndef POSEWIRE_LIBS_CLIP_CLIP_H_
#define POSEWIRE_LIBS_CLIP_CLIP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

class Clip {
 public:
  // `frames` are poses of `rig`, one a tick of `rate`; presence is that of the first frame for all.
  Clip(std::string name, std::shared_ptr<const skel::Rig> rig, timecode::FrameRate rate,
       std::vector<skel::Pose> frames, bool loops = false, ClipKind kind = ClipKind::kGesture);

  const std::string& name() const { return name_; }
  const std::shared_ptr<const skel::Rig>& rig() const { return rig_; }
  const timecode::FrameRate& rate() const { return rate_; }
  bool loops() const { return loops_; }
  ClipKind kind() const { return kind_; }
  int frames() const { return static_cast<int>(frames_.size()); }
  // Time of the last frame; a looping clip's is one period longer.
  double duration_s() const;
  skel::PoseView frame(int i) const { return frames_[static_cast<size_t>(i)].view(); }

  // Writes the pose at `t_s` with the clip's presence: slerp the short way and lerp between frames;
  // held outside (wrapped when it loops). No allocation; any thread.
  void Sample(double t_s, const skel::PoseSpan& out) const;

 private:
  std::string name_;
  std::shared_ptr<const skel::Rig> rig_;
  timecode::FrameRate rate_;
  std::vector<skel::Pose> frames_;
  bool loops_;
  ClipKind kind_;
};

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_CLIP_H_
