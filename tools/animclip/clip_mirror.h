// Swaps left and right in a clip, key by key: names, what joints do, and the camera.
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

// A shape goes by the other side's name from then on, and keeps its weights; so does a joint, whose
// rotations and translations are those of skel::Mirror, at the rig's x = 0. Codes, tracks, sound
// and what is unknown stay as they are. Twice is as before, but for rounding.
class ClipMirror : public MessageEdit {
 public:
  // `rig` is as ChooseRig takes it, and chosen by the header.
  explicit ClipMirror(std::string rig) : rig_name_(std::move(rig)) {}

  // INVALID_ARGUMENT for a joint that the rig does not know.
  absl::StatusOr<bool> Apply(Message& message) override;

 private:
  absl::Status RenameJoints(google::protobuf::RepeatedPtrField<std::string>* joints);
  template <typename Values>
  void FlipValues(Values* values);

  std::string rig_name_;
  std::shared_ptr<const skel::Rig> rig_;
  std::optional<skel::Mirror> mirror_;
  skel::Pose pose_, mirrored_;
  std::vector<int> joints_;  // of the rig, by the header's order before
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_MIRROR_H_
