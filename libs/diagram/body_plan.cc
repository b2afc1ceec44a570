#include "libs/diagram/body_plan.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "libs/diagram/model_pose.h"
#include "libs/skel/humanoid.h"

namespace posewire::diagram {
namespace {

using skel::HumanBone;
using skel::Rig;
using skel::Vec3;

bool Contains(const std::string& lower, std::initializer_list<absl::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](absl::string_view w) { return absl::StrContains(lower, w); });
}

Side SideOf(HumanBone bone) {
  if (absl::StartsWith(NameOf(bone), "Left")) return Side::kLeft;
  return absl::StartsWith(NameOf(bone), "Right") ? Side::kRight : Side::kMiddle;
}

// Data that several steps of the plan look up.
struct Workshop {
  explicit Workshop(const Rig& r) : rig(r), rest(ToModel(r, r.rest())) {
    children.resize(static_cast<size_t>(r.joints()));
    for (int j = 0; j < r.joints(); ++j) {
      if (const int p = r.topology().parent(j); p >= 0) {
        children[static_cast<size_t>(p)].push_back(j);
      }
    }
  }
  int parent(int j) const { return j < 0 ? -1 : rig.topology().parent(j); }
  bool IsAncestor(int above, int j) const {
    for (; j >= 0; j = parent(j)) {
      if (j == above) return true;
    }
    return false;
  }
  const std::vector<int>& kids(int j) const { return children[static_cast<size_t>(j)]; }
  Vec3 at(int j) const { return rest.position[static_cast<size_t>(j)]; }
  int joint(HumanBone bone) const { return rig.humanoid().joint(bone); }
  bool IsTip(int j) const {
    const auto bone = rig.humanoid().BoneOf(j);
    return bone && skel::IsTip(*bone);
  }

  const Rig& rig;
  ModelPose rest;
  std::vector<std::vector<int>> children;
};

// A joint has the side of its parent bone, and everything below the head belongs to the face.
void FindSides(const Workshop& w, BodyPlan& plan) {
  for (int j = 0; j < w.rig.joints(); ++j) {
    const auto at = static_cast<size_t>(j);
    const int above = w.parent(j);
    const auto bone = w.rig.humanoid().BoneOf(j);
    if (bone) plan.side[at] = SideOf(*bone);
    if (above < 0) continue;
    if (!bone) plan.side[at] = plan.side[static_cast<size_t>(above)];
    const bool on_face = plan.part[static_cast<size_t>(above)] == Part::kFace;
    if (on_face || above == w.joint(HumanBone::kHead)) plan.part[at] = Part::kFace;
  }
}

// Marks the joints from `end` up to the first joint shared with the other side (exclusive), and all
// joints below `end`.
void MarkLimb(const Workshop& w, int end, int other_end, Part limb, Part tip, BodyPlan& plan) {
  if (end < 0) return;
  for (int j = w.parent(end); j >= 0; j = w.parent(j)) {
    const bool shared = other_end >= 0 ? w.IsAncestor(j, other_end)
                                       : plan.side[static_cast<size_t>(j)] == Side::kMiddle;
    if (shared) break;
    plan.part[static_cast<size_t>(j)] = limb;
  }
  plan.part[static_cast<size_t>(end)] = limb;
  for (int j = end + 1; j < w.rig.joints(); ++j) {
    if (w.IsAncestor(end, j)) plan.part[static_cast<size_t>(j)] = tip;
  }
}

float HandRadius(float height) { return 0.0065f * height / 1.75f; }

// Radii at the two ends of the bone that ends in joint `to`.
std::array<float, 2> Radii(const BodyPlan& plan, const Workshop& w, int from, int to) {
  const float s = plan.height_m / 1.75f;
  const auto part = plan.part[static_cast<size_t>(to)];
  const bool upper = plan.part[static_cast<size_t>(from)] != part;
  const bool lower_end = to == plan.wrist[0] || to == plan.wrist[1];
  switch (part) {
    case Part::kArm:
      if (upper) return {0.018f * s, 0.018f * s};
      return lower_end ? std::array{0.019f * s, 0.014f * s} : std::array{0.022f * s, 0.020f * s};
    case Part::kLeg:
      if (upper) return {0.020f * s, 0.022f * s};
      return w.kids(to).empty() || plan.part[static_cast<size_t>(w.kids(to)[0])] == Part::kFoot
                 ? std::array{0.024f * s, 0.017f * s}
                 : std::array{0.030f * s, 0.025f * s};
    case Part::kFoot:
      return {0.016f * s, 0.013f * s};
    case Part::kHand:
      return {HandRadius(plan.height_m), HandRadius(plan.height_m) * 0.92f};
    default:
      return {0.019f * s, 0.019f * s};
  }
}

// Returns the lowest common ancestor, or -1 if either joint is missing.
int Common(const Workshop& w, int a, int b) {
  if (a < 0 || b < 0) return -1;
  for (a = w.parent(a); a >= 0 && !w.IsAncestor(a, b);) a = w.parent(a);
  return a;
}

void AddJointBones(const Workshop& w, BodyPlan& plan) {
  for (int j = 0; j < w.rig.joints(); ++j) {
    int p = w.parent(j);
    const Part part = plan.part[static_cast<size_t>(j)];
    if (p >= 0 && w.parent(p) < 0 && plan.pelvis > 0) {
      // A root below the pelvis would look like a tail: the spine starts at the pelvis.
      if (j == plan.pelvis) continue;
      p = plan.pelvis;
    }
    if (p < 0 || part == Part::kFace) continue;
    // A root on the floor below the hips is not a bone.
    const bool to_hips = plan.pelvis >= 0 && w.parent(p) < 0 && w.IsAncestor(j, plan.pelvis);
    if (to_hips && w.at(j).y - w.at(p).y > 0.3f * plan.height_m) continue;
    // The head is drawn as an oval.
    if (plan.head.joint >= 0 && p == plan.head.joint) continue;
    const auto radii = Radii(plan, w, p, j);
    plan.bones.push_back(
        {{p, {}}, {j, {}}, plan.side[static_cast<size_t>(j)], part, radii[0], radii[1]});
  }
}

bool IsTipSite(const std::string& lower) {
  return absl::EndsWith(lower, "_tip") || Contains(lower, {"distal_phalanx"});
}

// Adds finger tips, toes and heels: at the rig's sites if it has them, otherwise by extending the
// last bone.
void AddEndBones(const Workshop& w, BodyPlan& plan) {
  std::vector<bool> done(static_cast<size_t>(w.rig.joints()), false);
  const float s = plan.height_m / 1.75f;
  const float hand = HandRadius(plan.height_m);
  for (const skel::Site& site : w.rig.sites()) {
    if (site.joint < 0) continue;
    const auto j = static_cast<size_t>(site.joint);
    const std::string name = absl::AsciiStrToLower(site.name);
    const Part part = plan.part[j];
    const bool end_of_chain = w.kids(site.joint).empty();
    const bool limb_end = part == Part::kHand || part == Part::kFoot || end_of_chain;
    if (part == Part::kFace || site.joint == plan.head.joint) continue;
    const bool foot = absl::StrContains(name, "forefoot") || absl::StrContains(name, "tarsal");
    if (limb_end && IsTipSite(name) && end_of_chain) {
      const float r = foot ? 0.012f * s : hand * 0.88f;
      plan.bones.push_back({{site.joint, {}},
                            {site.joint, site.offset},
                            plan.side[j],
                            foot ? Part::kFoot : Part::kHand,
                            r,
                            r});
      done[j] = true;
    } else if (Contains(name, {"calcaneous", "calcaneus"})) {
      plan.bones.push_back({{site.joint, {}},
                            {site.joint, site.offset},
                            plan.side[j],
                            Part::kFoot,
                            0.015f * s,
                            0.014f * s});
    }
  }
  for (int j = 0; j < w.rig.joints(); ++j) {
    const auto at = static_cast<size_t>(j);
    const Part part = plan.part[at];
    if (done[at] || !w.kids(j).empty() || w.IsTip(j)) continue;
    Vec3 on;
    float r = hand * 0.88f;
    if (part == Part::kHand) {
      on = (w.at(j) - w.at(w.parent(j))) * 0.75f;
    } else if (part == Part::kFoot || (part == Part::kLeg && plan.side[at] != Side::kMiddle)) {
      on = {0, 0, (part == Part::kFoot ? 0.06f : 0.16f) * s};
      r = 0.012f * s;
    } else {
      continue;
    }
    const Vec3 local = skel::Rotate(skel::Conjugate(w.rest.rotation[at]), on);
    plan.bones.push_back({{j, {}}, {j, local}, plan.side[at], part, r, r});
  }
}

void PlanHead(const Workshop& w, BodyPlan& plan) {
  Head& head = plan.head;
  head.joint = w.joint(HumanBone::kHead);
  if (head.joint < 0) return;
  const float s = plan.height_m / 1.75f;
  head.half_axes = {0.073f * s, 0.112f * s, 0.093f * s};
  float top = w.at(head.joint).y + 0.155f * s;
  for (const skel::Site& site : w.rig.sites()) {
    const std::string name = absl::AsciiStrToLower(site.name);
    if (site.joint == head.joint && Contains(name, {"skull_tip", "skull_vertex"})) {
      top = w.at(head.joint).y + site.offset.y;
    }
  }
  if (const int tip = w.joint(HumanBone::kHeadTip); tip >= 0) top = w.at(tip).y;
  head.eye[0] = w.joint(HumanBone::kLeftEye);
  head.eye[1] = w.joint(HumanBone::kRightEye);
  // The face is in front of the eyes. Without eyes, the oval is centred above the joint.
  float z = 0.0f;
  if (head.eye[0] >= 0) z = w.at(head.eye[0]).z - w.at(head.joint).z - head.half_axes.z * 0.62f;
  const Vec3 model{0, top - head.half_axes.y - w.at(head.joint).y, z};
  head.center =
      skel::Rotate(skel::Conjugate(w.rest.rotation[static_cast<size_t>(head.joint)]), model);
}

void Measure(const Workshop& w, BodyPlan& plan) {
  float low = 0, high = 1.75f;
  if (w.rig.joints() > 0) {
    low = high = w.at(0).y;
    for (int j = 0; j < w.rig.joints(); ++j) {
      low = std::min(low, w.at(j).y);
      high = std::max(high, w.at(j).y);
    }
    for (const skel::Site& site : w.rig.sites()) {
      if (site.joint >= 0) high = std::max(high, w.rest.At({site.joint, site.offset}).y);
    }
  }
  // The soles are slightly below the lowest joint.
  plan.floor_y_m = low - 0.014f * (high - low) / 1.75f;
  plan.height_m = std::max(high - low, 1e-3f);
}

void MeasureReach(const Workshop& w, BodyPlan& plan) {
  plan.reach_m.assign(static_cast<size_t>(w.rig.joints()), 0.02f);
  if (plan.head.joint >= 0) {
    plan.reach_m[static_cast<size_t>(plan.head.joint)] = 0.25f * plan.height_m / 1.75f;
  }
  for (int j = w.rig.joints() - 1; j > 0; --j) {
    if (const int p = w.parent(j); p >= 0) {
      float& above = plan.reach_m[static_cast<size_t>(p)];
      above =
          std::max(above, skel::Length(w.at(j) - w.at(p)) + plan.reach_m[static_cast<size_t>(j)]);
    }
  }
}

}  // namespace

BodyPlan MakeBodyPlan(const skel::Rig& rig) {
  using enum HumanBone;
  const Workshop w(rig);
  BodyPlan plan;
  plan.side.assign(static_cast<size_t>(rig.joints()), Side::kMiddle);
  plan.part.assign(static_cast<size_t>(rig.joints()), Part::kSpine);
  FindSides(w, plan);
  Measure(w, plan);
  plan.wrist[0] = w.joint(kLeftHand), plan.wrist[1] = w.joint(kRightHand);
  plan.ankle[0] = w.joint(kLeftFoot), plan.ankle[1] = w.joint(kRightFoot);
  plan.index[0] = w.joint(kLeftIndexProximal), plan.index[1] = w.joint(kRightIndexProximal);
  plan.little[0] = w.joint(kLeftLittleProximal), plan.little[1] = w.joint(kRightLittleProximal);
  const int(&ankle)[2] = plan.ankle;
  for (int i = 0; i < 2; ++i) {
    MarkLimb(w, plan.wrist[i], plan.wrist[1 - i], Part::kArm, Part::kHand, plan);
    MarkLimb(w, ankle[i], ankle[1 - i], Part::kLeg, Part::kFoot, plan);
    plan.shoulder[i] = w.parent(w.parent(plan.wrist[i]));
    plan.hip[i] = w.parent(w.parent(ankle[i]));
  }
  plan.pelvis = Common(w, ankle[0], ankle[1]);
  plan.chest = Common(w, plan.wrist[0], plan.wrist[1]);
  PlanHead(w, plan);
  AddJointBones(w, plan);
  AddEndBones(w, plan);
  MeasureReach(w, plan);
  return plan;
}

}  // namespace posewire::diagram
