#include "libs/livelink/face_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::livelink {
namespace {

using skel::HumanBone;

// The angles of an eye while one of its shapes is at 1, as in libs/graph/eye_angles.h.
constexpr float kAcross = 35 * skel::kDeg, kUp = 30 * skel::kDeg;
// An eye turned by less is not turned by its joint.
constexpr float kStill = 1e-4f;

// The shapes of an eye, by direction as the person sees it, and its first angle.
struct EyeCurves {
  HumanBone bone;
  int right, left, down, up;
  int yaw;
};
constexpr EyeCurves kEyes[] = {
    {HumanBone::kLeftEye, skel::kArkitEyeLookInLeft, skel::kArkitEyeLookOutLeft,
     skel::kArkitEyeLookDownLeft, skel::kArkitEyeLookUpLeft, kLeftEyeYaw},
    {HumanBone::kRightEye, skel::kArkitEyeLookOutRight, skel::kArkitEyeLookInRight,
     skel::kArkitEyeLookDownRight, skel::kArkitEyeLookUpRight, kRightEyeYaw}};

void PutAngles(const Angles& angles, int first, std::array<float, kCurves>& curves) {
  const auto at = static_cast<size_t>(first);
  curves[at] = angles.yaw, curves[at + 1] = angles.pitch, curves[at + 2] = angles.roll;
}

// Adds the rotation of the eye's joint to its shapes, and sets its angles.
void PutEye(const EyeCurves& eye, skel::Quat turn, std::array<float, kCurves>& curves) {
  const auto curve = [&curves](int shape) -> float& { return curves[static_cast<size_t>(shape)]; };
  const Angles joint = AnglesOf(turn);
  const Angles sum = {joint.yaw + kAcross * (curve(eye.right) - curve(eye.left)),
                      joint.pitch + kUp * (curve(eye.down) - curve(eye.up)), joint.roll};
  PutAngles(sum, eye.yaw, curves);
  if (std::fabs(joint.yaw) < kStill && std::fabs(joint.pitch) < kStill) return;
  curve(eye.right) = std::clamp(sum.yaw / kAcross, 0.0f, 1.0f);
  curve(eye.left) = std::clamp(-sum.yaw / kAcross, 0.0f, 1.0f);
  curve(eye.down) = std::clamp(sum.pitch / kUp, 0.0f, 1.0f);
  curve(eye.up) = std::clamp(-sum.pitch / kUp, 0.0f, 1.0f);
}

}  // namespace

absl::StatusOr<FaceWriter> FaceWriter::Make(std::shared_ptr<const skel::Rig> vrm,
                                            std::shared_ptr<const skel::Rig> source,
                                            const FaceWriterSettings& settings) {
  if (vrm == nullptr || source == nullptr) {
    return absl::InvalidArgumentError("livelink: both the vrm rig and a source rig are needed");
  }
  for (const float value :
       {settings.mouth_close_jaw, settings.head.yaw, settings.head.pitch, settings.head.roll}) {
    if (!std::isfinite(value)) {
      return absl::InvalidArgumentError("livelink: a setting is not a finite number");
    }
  }
  absl::StatusOr<skel::RigMap> map = skel::RigMap::Make(std::move(source), std::move(vrm));
  if (!map.ok()) return map.status();
  return FaceWriter(*std::move(map), settings);
}

FaceWriter::FaceWriter(skel::RigMap map, const FaceWriterSettings& settings)
    : map_(std::move(map)), settings_(settings) {
  for (size_t s = 0; s < shape_of_arkit_.size(); ++s) {
    shape_of_arkit_[s] = map_.from()->FindShape(skel::ArkitNames()[s]);
  }
  vrm_pose_.Resize(map_.to()->joints(), map_.to()->shapes());
}

skel::Quat FaceWriter::TurnOfBone(HumanBone bone) const {
  const int joint = map_.to()->humanoid().joint(bone);
  const skel::PoseView pose = vrm_pose_.view();
  return joint >= 0 && pose.has_r[joint] != 0 ? pose.rotation(joint) : skel::Quat{};
}

absl::Status FaceWriter::Write(const skel::PoseView& pose, std::array<float, kCurves>& curves) {
  if (pose.joints != map_.from()->joints() || pose.shapes != map_.from()->shapes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "pose of ", pose.joints, " joints and ", pose.shapes, " shapes: rig ", map_.from()->name(),
        " has ", map_.from()->joints(), " and ", map_.from()->shapes()));
  }
  map_.Apply(pose, vrm_pose_.span());
  for (size_t s = 0; s < shape_of_arkit_.size(); ++s) {
    const int shape = shape_of_arkit_[s];
    if (shape >= 0 && pose.has_w[shape] != 0) weights_[s] = pose.weights[shape];
  }
  skel::ArkitWeights arkit = weights_;
  skel::FromAceMouth(settings_.mouth_close_jaw, arkit);
  std::transform(arkit.begin(), arkit.end(), curves.begin(),
                 [](float weight) { return std::clamp(weight, 0.0f, 1.0f); });
  const Angles head = AnglesOf(
      skel::Normalized(skel::Mul(TurnOfBone(HumanBone::kNeck), TurnOfBone(HumanBone::kHead))));
  PutAngles({settings_.head.yaw * head.yaw, settings_.head.pitch * head.pitch,
             settings_.head.roll * head.roll},
            kHeadYaw, curves);
  for (const EyeCurves& eye : kEyes) PutEye(eye, TurnOfBone(eye.bone), curves);
  return absl::OkStatus();
}

}  // namespace posewire::livelink
