#include "libs/graph/body_parts.h"

#include <algorithm>
#include <utility>

#include "libs/skel/humanoid.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::graph {
namespace {

using skel::HumanBone;
using skel::Quat;
using skel::Vec3;
using enum skel::HumanBone;

BodyParts::Limb FindLimb(const skel::Rig& rig, HumanBone start, HumanBone middle, HumanBone end) {
  const skel::Humanoid& bones = rig.humanoid();
  BodyParts::Limb limb;
  limb.start = bones.joint(start), limb.middle = bones.joint(middle), limb.end = bones.joint(end);
  if (limb.complete()) limb.hinge = skel::HingeOf(rig, limb.start, limb.middle, limb.end);
  return limb;
}

// Returns the joints from `from` down to, not including, `to`.
std::vector<int> Run(const skel::Rig& rig, int from, int to) {
  std::vector<int> run;
  if (from < 0 || to < 0 || !skel::IsAbove(rig, from, to)) return run;
  for (int j = rig.topology().parent(to); j >= 0; j = rig.topology().parent(j)) {
    run.push_back(j);
    if (j == from) break;
  }
  std::reverse(run.begin(), run.end());
  return run;
}

}  // namespace

BodyParts::BodyParts(std::shared_ptr<const skel::Rig> r) : rig(std::move(r)) {
  for (int j = 0; j < rig->joints(); ++j) {
    const int p = rig->topology().parent(j);
    const skel::Placement above =
        p < 0 ? skel::Placement{}
              : skel::Placement{rest_at[static_cast<size_t>(p)], rest_turn[static_cast<size_t>(p)]};
    rest_at.push_back(above.at + Rotate(above.turn, rig->rest().translation(j)));
    rest_turn.push_back(Normalized(Mul(above.turn, rig->rest().rotation(j))));
  }
  const skel::Humanoid& bones = rig->humanoid();
  root = bones.joint(kHips);
  if (root < 0 && rig->joints() > 0) root = 0;
  for (int j = root; j >= 0; j = rig->topology().parent(j)) top = j;
  head = bones.joint(kHead);
  const int neck_base = bones.FirstOf({kNeck, kNeck2});
  neck = Run(*rig, neck_base, head);
  spine = Run(*rig, bones.joint(kSpine), neck.empty() ? head : neck_base);
  eyes = {bones.joint(kLeftEye), bones.joint(kRightEye)};
  lids = {bones.joint(kLeftEyelid), bones.joint(kRightEyelid)};
  jaw = bones.joint(kJaw);
  arms = {FindLimb(*rig, kLeftUpperArm, kLeftLowerArm, kLeftHand),
          FindLimb(*rig, kRightUpperArm, kRightLowerArm, kRightHand)};
  legs = {FindLimb(*rig, kLeftUpperLeg, kLeftLowerLeg, kLeftFoot),
          FindLimb(*rig, kRightUpperLeg, kRightLowerLeg, kRightFoot)};
  toes = {bones.joint(kLeftToes), bones.joint(kRightToes)};
  if (head < 0) return;
  const auto h = static_cast<size_t>(head);
  height_m = std::max(rest_at[h].y * 1.1f, 0.1f);
  Vec3 middle = rest_at[h] + Vec3{0, 0.04f, 0.075f} * (height_m / 1.75f);
  if (eyes[0] >= 0 && eyes[1] >= 0) {
    middle =
        Lerp(rest_at[static_cast<size_t>(eyes[0])], rest_at[static_cast<size_t>(eyes[1])], 0.5f);
  }
  between_eyes = Rotate(Conjugate(rest_turn[h]), middle - rest_at[h]);
}

Vec3 BodyParts::BetweenFeet(const skel::PoseView& pose) const {
  const auto& [left, right] = legs;
  if (!left.complete() || !right.complete()) return PlaceOf(*rig, pose, top).at;
  return Lerp(PlaceOf(*rig, pose, left.end).at, PlaceOf(*rig, pose, right.end).at, 0.5f);
}

void BodyParts::Carry(Vec3 about, Quat turn, Vec3 by, const skel::PoseSpan& pose) const {
  const skel::Placement now = PlaceOf(*rig, pose, top);
  pose.SetRotation(top, Normalized(Mul(turn, now.turn)));
  pose.SetTranslation(top, about + by + Rotate(turn, now.at - about));
}

Quat BodyParts::TurnFromRest(const skel::PoseView& pose, int joint) const {
  return Mul(skel::TurnOf(*rig, pose, joint), Conjugate(rest_turn[static_cast<size_t>(joint)]));
}

Quat BodyParts::LocalOf(int joint, Quat turn) const {
  const int p = rig->topology().parent(joint);
  const Quat above = p < 0 ? Quat{} : rest_turn[static_cast<size_t>(p)];
  return Normalized(Mul(Mul(Mul(Conjugate(above), turn), above), rig->rest().rotation(joint)));
}

Quat BodyParts::TurnOfLocal(int joint, Quat local) const {
  const int p = rig->topology().parent(joint);
  const Quat above = p < 0 ? Quat{} : rest_turn[static_cast<size_t>(p)];
  const Quat turn = Mul(local, Conjugate(rig->rest().rotation(joint)));
  return Normalized(Mul(Mul(above, turn), Conjugate(above)));
}

}  // namespace posewire::graph
