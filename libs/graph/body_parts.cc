#include "libs/graph/body_parts.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

int FindAny(const skel::Rig& rig, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const int j = rig.FindJoint(name); j >= 0) return j;
  }
  return -1;
}

BodyParts::Limb FindLimb(const skel::Rig& rig, std::initializer_list<const char*> start,
                         std::initializer_list<const char*> middle,
                         std::initializer_list<const char*> end) {
  BodyParts::Limb limb;
  limb.start = FindAny(rig, start), limb.middle = FindAny(rig, middle);
  limb.end = FindAny(rig, end);
  if (limb.complete()) limb.hinge = skel::HingeOf(rig, limb.start, limb.middle, limb.end);
  return limb;
}

// The joints from `from` down to, not including, `to`.
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
  root = FindAny(*rig, {"HumanoidRoot", "Hips"});
  if (root < 0 && rig->joints() > 0) root = 0;
  head = FindAny(*rig, {"skullbase", "Head"});
  const int neck_base = FindAny(*rig, {"vc7", "Neck1", "Neck", "vc4", "vc2"});
  const int spine_base = FindAny(*rig, {"vl5", "Spine1", "Spine"});
  neck = Run(*rig, neck_base, head);
  spine = Run(*rig, spine_base, neck.empty() ? head : neck_base);
  eyes = {FindAny(*rig, {"l_eyeball_joint", "LeftEye"}),
          FindAny(*rig, {"r_eyeball_joint", "RightEye"})};
  lids = {FindAny(*rig, {"l_eyelid_joint"}), FindAny(*rig, {"r_eyelid_joint"})};
  jaw = FindAny(*rig, {"temporomandibular", "Jaw"});
  arms[0] = FindLimb(*rig, {"l_shoulder", "LeftArm", "LeftUpperArm"},
                     {"l_elbow", "LeftForeArm", "LeftLowerArm"}, {"l_wrist", "LeftHand"});
  arms[1] = FindLimb(*rig, {"r_shoulder", "RightArm", "RightUpperArm"},
                     {"r_elbow", "RightForeArm", "RightLowerArm"}, {"r_wrist", "RightHand"});
  legs[0] = FindLimb(*rig, {"l_hip", "LeftLeg", "LeftUpperLeg"},
                     {"l_knee", "LeftShin", "LeftLowerLeg"}, {"l_ankle", "LeftFoot"});
  legs[1] = FindLimb(*rig, {"r_hip", "RightLeg", "RightUpperLeg"},
                     {"r_knee", "RightShin", "RightLowerLeg"}, {"r_ankle", "RightFoot"});
  toes = {FindAny(*rig, {"l_midtarsal", "LeftToeBase", "LeftToes"}),
          FindAny(*rig, {"r_midtarsal", "RightToeBase", "RightToes"})};
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
