// Writes poses of a rig as VMC messages that all common receivers understand.
#ifndef POSEWIRE_LIBS_VMC_POSE_WRITER_H_
#define POSEWIRE_LIBS_VMC_POSE_WRITER_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/shapes/shape_set.h"
#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/expressions.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {

struct PoseWriterSettings {
  // Send the ARKit names, for avatars with Perfect Sync.
  bool arkit = true;
  // Send presets, for avatars without it. A receiver that uses both applies some motion twice.
  enum class Presets : uint8_t { kNone, kVrm0, kVrm1, kBoth };
  Presets presets = Presets::kVrm0;
  // Send this set instead of both; null: none. It must outlive the writer.
  const shapes::ShapeSet* shape_set = nullptr;
  // Bones that the receiver's avatar lacks: their rotation is added to the next bones below.
  std::bitset<kBones> missing_bones;
  // Height of the receiver's hips in its T-pose; 0: the VRM rig's.
  float receiver_hips_height_m = 0;
  // How much of jawOpen the poses' mouthClose shape includes; 0 for ARKit's own.
  float mouth_close_jaw = 1;
  // Clamps weights to 0..1, as the protocol requires.
  bool clamp_weights = true;
  // Send six virtual trackers computed from bones: Head, Spine, LeftHand, RightHand, LeftFoot,
  // RightFoot.
  bool trackers = true;
  // Send the longer form of Root/Pos, with scale and offset.
  bool root_with_scale = false;
};

struct SentCamera {
  skel::Placement pose;  // in our space; looks along its Z
  float fov_deg = 30;    // vertical
};

// Further parts of a frame.
struct FrameParts {
  double time_s = 0;   // the sender's clock
  bool loaded = true;  // false: receivers stop
  // The kinds to send this time.
  bool status = true, root = true, bones = true, shapes = true, devices = true;
  // Also send what the eyes look at, relative to the head, as assistants do.
  bool eye_target = false;
  // Of the performer whose motion this is; by default calibrated.
  Ok performer = {1, 3, 0, std::nullopt};
  using View = SentCamera;
  std::optional<View> camera;
};

// A frame consists of: OK (the form with three arguments, calibrated, which the strictest receivers
// require) and T; Root at the origin; Hips with position, and every bone that the pose determines;
// camera; trackers; all expressions, including zeros, and Apply at the very end. Without a model it
// is only OK and T.
//
// Expressions that the pose lacks keep the value of the last frame that had them, 0 at first. Does
// not allocate beyond the packer's memory. One thread at a time.
class PoseWriter {
 public:
  // INVALID_ARGUMENT if the source has no joint for any bone, a bone required by VRM 0 and 1 is
  // missing, or a setting is invalid.
  static absl::StatusOr<PoseWriter> Make(std::shared_ptr<const skel::Rig> vrm,
                                         std::shared_ptr<const skel::Rig> source,
                                         const PoseWriterSettings& settings);

  // Adds the messages of one frame. INVALID_ARGUMENT, and nothing added, if the size of the pose is
  // not the source's.
  absl::Status Write(const skel::PoseView& pose, const FrameParts& parts, DatagramPacker& packer);

 private:
  struct SentBone {
    int bone = 0;   // in BoneNames
    int joint = 0;  // in the map's target
  };
  PoseWriter(skel::RigMap map, const PoseWriterSettings& settings);
  absl::Status WriteBones(DatagramPacker& packer) const;
  absl::Status WriteShapes(const skel::PoseView& pose, DatagramPacker& packer);
  absl::Status WriteSet(const ArkitWeights& arkit, DatagramPacker& packer);
  absl::Status WriteTrackers(DatagramPacker& packer);
  float Sent(float weight) const;

  skel::RigMap map_;
  PoseWriterSettings settings_;
  std::vector<SentBone> bones_;
  std::array<int, shapes::kTargets> shape_of_target_{};  // in the source, -1 for none
  shapes::TargetWeights weights_{};                      // latest value of each
  std::vector<float> set_weights_;                       // of settings_.shape_set
  float hips_scale_ = 1;
  skel::Pose vrm_pose_;
  std::vector<skel::Vec3> places_;
  std::vector<skel::Quat> turns_;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_POSE_WRITER_H_
