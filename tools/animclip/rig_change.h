// Retargets the poses of a clip to another rig, message by message.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_RIG_CHANGE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_RIG_CHANGE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/source_binding.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tools/animclip/console.h"
#include "tools/animclip/forward_clip.h"

namespace posewire::animclip {

// Names are matched or mapped as for a push, with all translations. The new header names the joints
// and shapes of the rig that the clip determines, and every new key has all of them: there are keys
// wherever any track had one. Audio, camera, metadata and statuses are unchanged.
class RigChange {
 public:
  // `path` is read once for its names, and again in step with Apply; `rig` is as in ChooseRig.
  // INVALID_ARGUMENT for a clip that names nothing of it; other errors as in ChooseRig and
  // recording::ClipReader.
  static absl::StatusOr<RigChange> Open(const std::string& path, const std::string& rig,
                                        const Console& console);

  // Rewrites the next message of the file. INVALID_ARGUMENT for a key that goes back to a time
  // without an earlier key.
  absl::Status Apply(nvidia_ace::animation_data::v1::AnimationDataStream* message);

 private:
  RigChange(std::shared_ptr<const skel::Rig> rig, wire::SourceBinding binding, ForwardClip clip);
  absl::Status PoseAt(double t_s);
  void FindNamed();
  absl::Status ApplyData(nvidia_ace::animation_data::v1::SkelAnimation* skel);
  void AddKeys(double time_code_s, nvidia_ace::animation_data::v1::SkelAnimation* skel) const;

  std::shared_ptr<const skel::Rig> rig_;
  wire::SourceBinding binding_;
  ForwardClip clip_;
  skel::Pose pose_;
  std::vector<int> joints_, shapes_;  // the ones that are named
  bool translates_ = false, rotates_ = false, scales_ = false;
  std::vector<double> codes_s_;  // of the keys so far
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_RIG_CHANGE_H_
