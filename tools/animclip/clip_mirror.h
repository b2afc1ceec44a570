// Swaps left and right in a clip, key by key: names, joint motion, and the camera.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_MIRROR_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_MIRROR_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/skel/mirror.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "tools/animclip/edit_clip.h"

namespace posewire::animclip {

// A shape gets the other side's name and keeps its weights. A joint gets the other side's name, and
// its rotations and translations are those of skel::Mirror, at the rig's x = 0. Time codes, tracks,
// audio and unknown fields do not change. Mirroring twice restores the clip, except for rounding.
class ClipMirror : public MessageEdit {
 public:
  // `rig` is as in ChooseRig, and is chosen by the header.
  explicit ClipMirror(std::string rig) : rig_name_(std::move(rig)) {}

  // INVALID_ARGUMENT for a joint that the rig does not have.
  absl::StatusOr<bool> Apply(Message& message) override;

 private:
  absl::Status RenameJoints(google::protobuf::RepeatedPtrField<std::string>* joints);
  template <typename Values>
  void FlipValues(Values* values);

  std::string rig_name_;
  std::shared_ptr<const skel::Rig> rig_;
  std::optional<skel::Mirror> mirror_;
  skel::Pose pose_, mirrored_;
  std::vector<int> joints_;  // indices in the rig, by the original header's order
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_MIRROR_H_
