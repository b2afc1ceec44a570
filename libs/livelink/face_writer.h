// Writes poses of a rig as the curves of Live Link Face.
#ifndef POSEWIRE_LIBS_LIVELINK_FACE_WRITER_H_
#define POSEWIRE_LIBS_LIVELINK_FACE_WRITER_H_

#include <array>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/livelink/angles.h"
#include "libs/livelink/packet.h"
#include "libs/skel/arkit_shapes.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"

namespace posewire::livelink {

struct FaceWriterSettings {
  // How much of jawOpen the poses' mouthClose shape includes; 0 for ARKit's own.
  float mouth_close_jaw = 1;
  // Factors of the head's angles: -1 turns the other way, 0 leaves one out.
  Angles head = {1, 1, 1};
};

// The shapes are Apple's, clamped to 0..1; those that a pose lacks keep the value of the last pose
// that had them, 0 at first. The head's angles are those of neck and head together, relative to the
// chest, because receivers turn no other joint. Receivers move eyes by the shapes eyeLook..., so
// eyes that are turned by joints are added to them. Write does not allocate. One thread at a time.
class FaceWriter {
 public:
  // INVALID_ARGUMENT if a rig is missing, the rigs have nothing in common, or a setting is not
  // finite.
  static absl::StatusOr<FaceWriter> Make(std::shared_ptr<const skel::Rig> vrm,
                                         std::shared_ptr<const skel::Rig> source,
                                         const FaceWriterSettings& settings);

  // INVALID_ARGUMENT if the size of the pose is not the source's; `curves` is then unchanged.
  absl::Status Write(const skel::PoseView& pose, std::array<float, kCurves>& curves);

 private:
  FaceWriter(skel::RigMap map, const FaceWriterSettings& settings);
  // The rotation of a bone of the current pose; none if it has none.
  skel::Quat TurnOfBone(skel::HumanBone bone) const;

  skel::RigMap map_;
  FaceWriterSettings settings_;
  std::array<int, skel::kArkitShapes> shape_of_arkit_{};  // in the source, -1 for none
  skel::ArkitWeights weights_{};                          // the latest of each, ACE's
  skel::Pose vrm_pose_;
};

}  // namespace posewire::livelink

#endif  // POSEWIRE_LIBS_LIVELINK_FACE_WRITER_H_
