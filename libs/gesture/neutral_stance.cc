#include "libs/gesture/neutral_stance.h"

#include "libs/gesture/hand_shapes.h"

namespace posewire::gesture {

ArmAngles NeutralArm() {
  ArmAngles a{};
  a[kShoulderX] = 0.06f;
  a[kShoulderY] = -0.16f;
  a[kShoulderZ] = 0.11f;
  a[kElbowFlex] = 0.33f;
  a[kForearmTwist] = 0.20f;
  a[kWristFlex] = 0.05f;
  SetHand(HandShape::kRelaxed, a);
  return a;
}

absl::StatusOr<skel::Pose> NeutralStance(const skel::Rig& rig) {
  const absl::StatusOr<Body> body = Body::Make(rig);
  if (!body.ok()) return body.status();
  skel::Pose pose(rig.joints(), rig.shapes());
  pose.span().CopyFrom(rig.rest());
  for (Side side : {Side::kLeft, Side::kRight}) PoseArm(*body, side, NeutralArm(), pose.span());
  return pose;
}

}  // namespace posewire::gesture
