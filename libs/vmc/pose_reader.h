// Converts a performer's latest values to a pose of a rig.
#ifndef POSEWIRE_LIBS_VMC_POSE_READER_H_
#define POSEWIRE_LIBS_VMC_POSE_READER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "libs/vmc/performer.h"

namespace posewire::vmc {

// Rotations of a sender's skeleton in its T-pose, relative to its parents, in our space.
using RestRotations = std::array<skel::Quat, kBones>;

struct PoseReaderSettings {
  // Height of the sender's hips in its T-pose; 0: computed from the lengths of its legs, and the
  // target's own height until these are known.
  float sender_hips_height_m = 0;
  // How much of jawOpen the target's mouthClose shape includes; 0 for a target with ARKit's own.
  float mouth_close_jaw = 1;
  // Whether to use eye and jaw bones if shapes express the same motion. kUnlessShapes leaves them
  // at rest once the shapes (eyeLook..., jawOpen) have moved, so that the motion is not applied
  // twice.
  enum class FaceBones : uint8_t { kUnlessShapes, kAlways, kNever };
  FaceBones face_bones = FaceBones::kUnlessShapes;
  // Whether the pose of the model's root is added to the hips.
  bool use_root = true;
  // For senders of raw skeletons (VRM 1). Absent: all identity, as for VRM 0.
  std::optional<RestRotations> sender_rest;
};

// Bone rotations rotate the target's joints by the same amount from their own rest. The position of
// the hips, including the root's, is scaled by hips height. Bones that were never received count as
// at rest. Hips at exactly (0, 0, 0) have no position: such senders do not track the body.
//
// ARKit shapes are used if they were ever applied, and presets otherwise.
//
// Write does not allocate. One thread at a time.
class PoseReader {
 public:
  // INVALID_ARGUMENT if the target has no joint for any bone, or a setting is invalid.
  static absl::StatusOr<PoseReader> Make(std::shared_ptr<const skel::Rig> vrm,
                                         std::shared_ptr<const skel::Rig> target,
                                         const PoseReaderSettings& settings);

  // Fills `out`, a pose of the target, with everything that the performer determines; the rest is
  // absent.
  void Write(const Performer& performer, const skel::PoseSpan& out);

  const PoseReaderSettings& settings() const { return settings_; }
  void SetSenderRest(const RestRotations& rest);

 private:
  PoseReader(skel::RigMap map, const PoseReaderSettings& settings);
  int Joint(int bone) const { return JointOf(*map_.from(), bone); }
  float ScaleOf(const Performer& performer) const;
  skel::Quat Normalized(int bone, skel::Quat rotation) const;
  void WriteHips(const Performer& performer);
  void WriteBones(const Performer& performer);
  void WriteShapes(const Performer& performer, const skel::PoseSpan& out) const;
  bool Silenced(int bone, const Performer& performer) const;

  skel::RigMap map_;
  PoseReaderSettings settings_;
  std::array<int, kArkitShapes> shape_of_arkit_{};  // in the target, -1 for none
  RestRotations rest_, rest_world_;
  skel::Pose vrm_pose_;
};

// Returns the performer's current rotations as its T-pose.
RestRotations RestOf(const Performer& performer);

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_POSE_READER_H_
