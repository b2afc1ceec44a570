#include "services/a2f_source/core/say_arm.h"

#include <utility>

#include "libs/gesture/neutral_stance.h"

namespace posewire::a2f_source {
namespace {

using gesture::ArmAngles;
using gesture::Reach;

// Wrists in metres, counted outward from the middle of the body.
Reach Before() {
  Reach r;
  r.wrist = {0.22f, 1.09f, 0.24f};
  r.fingers = {-0.20f, 0.12f, 1};
  r.palm = {-0.75f, 0.65f, 0};
  return r;
}

Reach Aside() {
  Reach r;
  r.wrist = {0.33f, 1.06f, 0.22f};
  r.fingers = {0.40f, 0.02f, 0.9f};
  r.palm = {-0.30f, 1, 0.10f};
  return r;
}

Reach Low(Reach r) {
  r.wrist = r.wrist + skel::Vec3{0.012f, -0.05f, 0.022f};
  r.fingers.y -= 0.16f;
  return r;
}

}  // namespace

absl::StatusOr<ArmPoser> ArmPoser::Make() {
  const absl::StatusOr<skel::RigCatalog> rigs = skel::RigCatalog::Builtin();
  if (!rigs.ok()) return rigs.status();
  absl::StatusOr<std::shared_ptr<const skel::Rig>> rig = rigs->Find("hanim_loa3");
  if (!rig.ok()) return rig.status();
  absl::StatusOr<gesture::Body> body = gesture::Body::Make(**rig);
  if (!body.ok()) return body.status();
  return ArmPoser(*std::move(rig), *std::move(body));
}

ArmPoser::ArmPoser(std::shared_ptr<const skel::Rig> rig, gesture::Body body)
    : rig_(std::move(rig)), body_(std::move(body)), scratch_(rig_->joints(), rig_->shapes()) {
  neutral_ = gesture::NeutralArm();
  const auto solve = [&](const Reach& reach, ArmAngles& angles) {
    angles = neutral_;
    gesture::SolveReach(body_, gesture::Side::kLeft, reach, angles);
  };
  solve(Before(), before_);
  solve(Low(Before()), before_low_);
  solve(Aside(), aside_);
  solve(Low(Aside()), aside_low_);
}

std::array<skel::Quat, 3> ArmPoser::Pose(const ArmBeat& beat, gesture::Side side) {
  ArmAngles angles = neutral_;
  for (size_t i = gesture::kShoulderX; i <= gesture::kWristDeviate; ++i) {
    const float raised = before_[i] + (aside_[i] - before_[i]) * beat.offer;
    const float low = before_low_[i] + (aside_low_[i] - before_low_[i]) * beat.offer;
    const float stroke = i >= gesture::kForearmTwist ? beat.follow : beat.stroke;
    angles[i] += (raised - angles[i]) * beat.raise + (low - raised) * stroke;
  }
  gesture::PoseArm(body_, side, angles, scratch_.span());
  const gesture::ArmJoints& arm = body_.arm(side);
  return {scratch_.view().rotation(arm.shoulder), scratch_.view().rotation(arm.elbow),
          scratch_.view().rotation(arm.wrist)};
}

}  // namespace posewire::a2f_source
