#include "libs/graph/gait_body.h"

#include <algorithm>

#include "absl/types/span.h"
#include "libs/graph/small_math.h"
#include "libs/skel/model_place.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

// Fractions of the hips' turn and list by which spine and neck counter-rotate. The chest moves
// against the hips; the head follows neither.
constexpr float kSpineTurn = -1.8f, kSpineList = -0.8f;
// How far the hand is below the shoulder, as a fraction of the arm's length: below the first the
// arm does not swing, above the second it swings fully.
constexpr float kBent = 0.6f, kHangs = 0.85f;

struct Axes {
  Vec3 left, up, front;
};

void TurnAlong(const skel::Rig& rig, absl::Span<const int> joints, const Axes& axes, float turn,
               float list, float lean, const skel::PoseSpan& pose) {
  if (joints.empty()) return;
  const float part = 1 / static_cast<float>(joints.size());
  const Quat by = skel::Exp((axes.up * turn + axes.front * list + axes.left * lean) * part);
  for (int joint : joints) TurnInModel(rig, joint, by, pose);
}

float Hangs(const BodyParts& parts, const BodyParts::Limb& arm, const skel::PoseView& pose) {
  const Vec3 from = PlaceOf(*parts.rig, pose, arm.start).at;
  const Vec3 elbow = PlaceOf(*parts.rig, pose, arm.middle).at;
  const Vec3 hand = PlaceOf(*parts.rig, pose, arm.end).at;
  const float length = Length(elbow - from) + Length(hand - elbow);
  if (length <= 0) return 0;
  return Smoothstep(((from.y - hand.y) / length - kBent) / (kHangs - kBent));
}

}  // namespace

void PoseGaitBody(const BodyParts& parts, const GaitBody& body, const skel::PoseSpan& pose) {
  const skel::Rig& rig = *parts.rig;
  const Quat heading = skel::FromAxisAngle({0, 1, 0}, body.heading);
  const Axes axes{Rotate(heading, {1, 0, 0}), {0, 1, 0}, Rotate(heading, {0, 0, 1})};
  const int root = parts.root;
  const Vec3 by = axes.left * body.left_m + axes.up * body.up_m + axes.front * body.ahead_m;
  MoveInModel(rig, root, by, pose);
  TurnInModel(rig, root, skel::Exp(axes.up * body.turn + axes.front * body.list), pose);
  TurnAlong(rig, parts.spine, axes, kSpineTurn * body.turn, kSpineList * body.list, body.lean,
            pose);
  TurnAlong(rig, parts.neck, axes, -(1 + kSpineTurn) * body.turn, -(1 + kSpineList) * body.list,
            -body.lean, pose);
  for (size_t side = 0; side < 2; ++side) {
    const BodyParts::Limb& arm = parts.arms[side];
    if (!arm.complete()) continue;
    const float hangs = Hangs(parts, arm, pose);
    if (hangs <= 0) continue;
    // A hanging arm moves forwards by a negative rotation about the axis to the left.
    TurnInModel(rig, arm.start, skel::FromAxisAngle(axes.left, -body.arm[side] * hangs), pose);
    TurnInModel(rig, arm.middle, skel::FromAxisAngle(axes.left, -body.elbow[side] * hangs), pose);
  }
}

}  // namespace posewire::graph
