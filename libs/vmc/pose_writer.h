// Poses of a rig as VMC messages, for every receiver in use.
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
#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/expressions.h"

namespace posewire::vmc {

struct PoseWriterSettings {
  // The ARKit names, for avatars with Perfect Sync.
  bool arkit = true;
  // Presets, for avatars without it. A receiver that obeys both shows some motion twice.
  enum class Presets : uint8_t { kNone, kVrm0, kVrm1, kBoth };
  Presets presets = Presets::kVrm0;
  // Bones that the receiver's avatar lacks: their rotation goes into the next bones below.
  std::bitset<kBones> missing_bones;
  // The height of the receiver's hips in its T-pose; 0: the VRM rig's.
  float receiver_hips_height_m = 0;
  // How much of jawOpen the poses' mouthClose shape includes; 0 for ARKit's own.
  float mouth_close_jaw = 1;
  // Clamps weights to 0..1, as the protocol requires.
  bool clamp_weights = true;
  // Six virtual trackers from bones: Head, Spine, LeftHand, RightHand, LeftFoot, RightFoot.
  bool trackers = true;
  // The longer form of Root/Pos, with scale and offset.
  bool root_with_scale = false;
};

struct SentCamera {
  skel::Placement pose;  // in our space; looks along its Z
  float fov_deg = 30;    // vertical
};

// What is sent along with a pose.
struct FrameParts {
  double time_s = 0;   // of the sender's clock
  bool loaded = true;  // false: receivers stop
  // Which kinds are sent this time.
  bool status = true, root = true, bones = true, shapes = true, devices = true;
  using View = SentCamera;
  std::optional<View> camera;
};

// A frame is: OK (the form with three arguments, calibrated, which the strictest receivers want)
// and T; Root at the origin; Hips with position, and every bone that the pose determines; camera;
// trackers; all expressions, including zeros, and Apply at the very end. Without a model it is only
// OK and T.
//
// Expressions that the pose lacks keep the value of the last frame that had them, 0 at first. Does
// not allocate beyond the packer's memory. One thread at a time.
class PoseWriter {
 public:
  // INVALID_ARGUMENT if the source has no joint that stands for a bone, a bone required by VRM 0
  // and 1 is missing, or a setting makes no sense.
  static absl::StatusOr<PoseWriter> Make(std::shared_ptr<const skel::Rig> vrm,
                                         std::shared_ptr<const skel::Rig> source,
                                         const PoseWriterSettings& settings);

  // Adds the messages of one frame. INVALID_ARGUMENT, and nothing added, for a pose whose size is
  // not the source's.
  absl::Status Write(const skel::PoseView& pose, const FrameParts& parts, DatagramPacker& packer);
  // The messages that are sent only rarely: which model is shown. Some receivers wait for it.
  absl::Status WriteSeldom(const std::string& title, DatagramPacker& packer) const;

 private:
  struct SentBone {
    int bone = 0;   // in BoneNames
    int joint = 0;  // in the map's target
  };
  PoseWriter(skel::RigMap map, const PoseWriterSettings& settings);
  absl::Status WriteBones(DatagramPacker& packer) const;
  absl::Status WriteShapes(const skel::PoseView& pose, DatagramPacker& packer);
  absl::Status WriteTrackers(DatagramPacker& packer);
  float Sent(float weight) const;

  skel::RigMap map_;
  PoseWriterSettings settings_;
  std::vector<SentBone> bones_;
  std::array<int, kArkitShapes> shape_of_arkit_{};  // in the source, -1 for none
  ArkitWeights weights_{};                          // newest of the poses
  float hips_scale_ = 1;
  skel::Pose vrm_pose_;
  std::vector<skel::Vec3> places_;
  std::vector<skel::Quat> turns_;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_POSE_WRITER_H_
