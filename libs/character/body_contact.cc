#include "libs/character/body_contact.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/character/deformer.h"
#include "libs/skel/model_place.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::HandTouch;
using skel::HumanBone;
using skel::Quat;
using skel::Vec3;

struct ArmBones {
  HumanBone shoulder, upper, lower, hand, knuckle;
  std::array<HumanBone, 2> fingers;  // their last joints
};
constexpr ArmBones kArms[] = {
    {HumanBone::kLeftShoulder,
     HumanBone::kLeftUpperArm,
     HumanBone::kLeftLowerArm,
     HumanBone::kLeftHand,
     HumanBone::kLeftMiddleProximal,
     {HumanBone::kLeftIndexDistal, HumanBone::kLeftMiddleDistal}},
    {HumanBone::kRightShoulder,
     HumanBone::kRightUpperArm,
     HumanBone::kRightLowerArm,
     HumanBone::kRightHand,
     HumanBone::kRightMiddleProximal,
     {HumanBone::kRightIndexDistal, HumanBone::kRightMiddleDistal}},
};
constexpr HumanBone kThighs[] = {HumanBone::kLeftUpperLeg, HumanBone::kRightUpperLeg};
constexpr HumanBone kKnees[] = {HumanBone::kLeftLowerLeg, HumanBone::kRightLowerLeg};

// The joints of the standard body, each with the joint that it is attached to.
struct Hung {
  HumanBone bone, above;
};
constexpr Hung kStanding[] = {
    {HumanBone::kHips, HumanBone::kHips},
    {HumanBone::kSpine, HumanBone::kHips},
    {HumanBone::kChest, HumanBone::kSpine},
    {HumanBone::kUpperChest, HumanBone::kChest},
    {HumanBone::kNeck, HumanBone::kUpperChest},
    {HumanBone::kHead, HumanBone::kNeck},
    {HumanBone::kLeftUpperLeg, HumanBone::kHips},
    {HumanBone::kLeftLowerLeg, HumanBone::kLeftUpperLeg},
    {HumanBone::kRightUpperLeg, HumanBone::kHips},
    {HumanBone::kRightLowerLeg, HumanBone::kRightUpperLeg},
    {HumanBone::kLeftShoulder, HumanBone::kUpperChest},
    {HumanBone::kLeftUpperArm, HumanBone::kLeftShoulder},
    {HumanBone::kLeftLowerArm, HumanBone::kLeftUpperArm},
    {HumanBone::kLeftHand, HumanBone::kLeftLowerArm},
    {HumanBone::kLeftIndexProximal, HumanBone::kLeftHand},
    {HumanBone::kLeftIndexIntermediate, HumanBone::kLeftIndexProximal},
    {HumanBone::kLeftIndexDistal, HumanBone::kLeftIndexIntermediate},
    {HumanBone::kLeftMiddleProximal, HumanBone::kLeftHand},
    {HumanBone::kLeftMiddleIntermediate, HumanBone::kLeftMiddleProximal},
    {HumanBone::kLeftMiddleDistal, HumanBone::kLeftMiddleIntermediate},
    {HumanBone::kRightShoulder, HumanBone::kUpperChest},
    {HumanBone::kRightUpperArm, HumanBone::kRightShoulder},
    {HumanBone::kRightLowerArm, HumanBone::kRightUpperArm},
    {HumanBone::kRightHand, HumanBone::kRightLowerArm},
    {HumanBone::kRightIndexProximal, HumanBone::kRightHand},
    {HumanBone::kRightIndexIntermediate, HumanBone::kRightIndexProximal},
    {HumanBone::kRightIndexDistal, HumanBone::kRightIndexIntermediate},
    {HumanBone::kRightMiddleProximal, HumanBone::kRightHand},
    {HumanBone::kRightMiddleIntermediate, HumanBone::kRightMiddleProximal},
    {HumanBone::kRightMiddleDistal, HumanBone::kRightMiddleIntermediate},
};

// A palm that is nearer than near_m to the flesh of a part touches it. Beyond far_m, it does not.
// Distances from thighs are from the bone, because their flesh is not measured.
constexpr struct {
  float near_m, far_m, counts_from, counts_to;
  bool hangs;
} kTouched[HandTouch::kParts] = {
    {0.07f, 0.17f, 0, 1, false},          // head
    {0.07f, 0.19f, -0.1f, 0.95f, false},  // trunk
    {0.08f, 0.19f, -0.3f, 1, true},       // pelvis
    {0.11f, 0.18f, 0.6f, 1, false},       // thighs, towards the knee
    {0.11f, 0.18f, 0.6f, 1, false},
};
// Position of the palm's middle: a fraction of the way from the wrist to the knuckles. Without
// knuckles, a fraction of the forearm's length beyond the wrist.
constexpr float kPalm = 0.7f, kPalmBeyond = 0.2f;
// Limits of the hand's size relative to the standard body's.
constexpr float kLeastHand = 0.6f, kMostHand = 1.6f;
// Hands in front of the body keep their distance even when they are further apart than palms that
// touch: narrow shoulders would cross them.
constexpr float kPalmFar_m = 0.4f;
constexpr float kLeast_m = 1e-3f;
// The axis of a straight elbow counts as much as that of a bend with this sine.
constexpr float kHingeShare = 0.15f;

size_t Index(HumanBone bone) { return static_cast<size_t>(bone); }

// Includes everything from the shoulder joint to the finger tips, without the collar bone.
bool IsOfArm(HumanBone bone) {
  return (bone >= HumanBone::kLeftUpperArm && bone <= HumanBone::kRightHand) ||
         (bone >= HumanBone::kLeftThumbProximal && bone <= HumanBone::kRightLittleDistal);
}

bool HasHair(absl::string_view name) {
  return absl::StrContains(absl::AsciiStrToLower(name), "hair");
}

// Returns the visible points in the rig's rest pose, each with the node that moves it most. Hair is
// left out, because hands do not rest on it.
std::vector<FleshPoint> PointsOf(const Character& c, const Deformer& deformer) {
  std::vector<FleshPoint> out;
  for (size_t m = 0; m < c.meshes.size(); ++m) {
    const Mesh& mesh = c.meshes[m];
    if (!deformer.shown(m) || HasHair(mesh.name) ||
        HasHair(c.nodes[static_cast<size_t>(mesh.node)].name) ||
        HasHair(c.materials[static_cast<size_t>(mesh.material)].name)) {
      continue;
    }
    const auto per = static_cast<size_t>(mesh.per_point);
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      int node = mesh.node;
      if (mesh.skin >= 0) {
        const auto first = mesh.weights.begin() + static_cast<std::ptrdiff_t>(i * per);
        const auto heaviest = static_cast<size_t>(
            std::max_element(first, first + static_cast<std::ptrdiff_t>(per)) - first);
        node = c.skins[static_cast<size_t>(mesh.skin)]
                   .nodes[static_cast<size_t>(mesh.joints[i * per + heaviest])];
      }
      out.push_back({deformer.points(m)[i], node});
    }
  }
  return out;
}

// Returns the axis about which an elbow bends: that of its present bend, mixed with the axis about
// which a straight arm in a T-pose bends forward.
Vec3 HingeOf(Vec3 upper, Vec3 lower, Quat turn, bool left) {
  const Vec3 straight = skel::Rotate(turn, {0, left ? -1.0f : 1.0f, 0});
  const Vec3 bent = skel::Cross(skel::Normalized(upper), skel::Normalized(lower));
  Vec3 axis = bent + straight * kHingeShare;
  axis = axis - skel::Normalized(upper) * skel::Dot(axis, skel::Normalized(upper));
  return skel::Length(axis) > kLeast_m ? skel::Normalized(axis) : straight;
}

HandTouch::Body BodyOf(const std::array<Vec3, skel::kHumanBones>& at,
                       const std::array<Quat, skel::kHumanBones>& turns, const Flesh& flesh,
                       bool knuckles, bool fingers) {
  const auto place = [&](HumanBone bone) { return at[Index(bone)]; };
  HandTouch::Body out;
  const Vec3 hips = (place(kThighs[0]) + place(kThighs[1])) * 0.5f;
  const Vec3 shoulders = (place(kArms[0].upper) + place(kArms[1].upper)) * 0.5f;
  const Quat lower = turns[Index(HumanBone::kHips)], chest = turns[Index(HumanBone::kUpperChest)],
             head = turns[Index(HumanBone::kHead)];
  const float thigh_m = (skel::Length(place(kKnees[0]) - place(kThighs[0])) +
                         skel::Length(place(kKnees[1]) - place(kThighs[1]))) /
                        2;
  out.parts[HandTouch::kHead] = {place(HumanBone::kHead) + skel::Rotate(head, flesh.chin),
                                 skel::Rotate(head, flesh.skull), head, head};
  out.parts[HandTouch::kTrunk] = {hips, shoulders - hips, lower, chest};
  out.parts[HandTouch::kPelvis] = {hips, skel::Rotate(lower, {0, -kPelvisShare * thigh_m, 0}),
                                   lower, lower};
  for (size_t h = 0; h < HandTouch::kHands; ++h) {
    const Quat thigh = turns[Index(kThighs[h])];
    out.parts[HandTouch::kLeftThigh + h] = {place(kThighs[h]), place(kKnees[h]) - place(kThighs[h]),
                                            thigh, thigh};
    const ArmBones& bones = kArms[h];
    HandTouch::Arm& arm = out.arms[h];
    arm.shoulder = place(bones.upper), arm.elbow = place(bones.lower);
    arm.wrist = place(bones.hand);
    arm.hinge =
        HingeOf(arm.elbow - arm.shoulder, arm.wrist - arm.elbow, turns[Index(bones.upper)], h == 0);
    arm.points[0] = knuckles ? skel::Lerp(arm.wrist, place(bones.knuckle), kPalm)
                             : arm.wrist + (arm.wrist - arm.elbow) * kPalmBeyond;
    arm.points[1] =
        fingers ? (place(bones.fingers[0]) + place(bones.fingers[1])) * 0.5f : arm.points[0];
  }
  return out;
}

}  // namespace

const Flesh& StandardFlesh() {
  static constexpr Flesh flesh = {{{{0.182f, 0.135f, 0.128f},
                                    {0.182f, 0.145f, 0.128f},
                                    {0.15f, 0.145f, 0.071f},
                                    {0.159f, 0.156f, 0.084f},
                                    {0.159f, 0.151f, 0.101f},
                                    {0.124f, 0.103f, 0.1f}}},
                                  {{{0.178f, 0.131f, 0.122f},
                                    {0.181f, 0.122f, 0.116f},
                                    {0.182f, 0.128f, 0.098f},
                                    {0.182f, 0.131f, 0.074f},
                                    {0.18f, 0.133f, 0.058f},
                                    {0.178f, 0.133f, 0.05f}}},
                                  {{{0.058f, 0.086f, 0.03f},
                                    {0.093f, 0.108f, 0.084f},
                                    {0.099f, 0.111f, 0.107f},
                                    {0.097f, 0.093f, 0.111f},
                                    {0.08f, 0.087f, 0.105f},
                                    {0.057f, 0.056f, 0.072f}}},
                                  {0, -0.098f, -0.033f},
                                  {0, 0.23f, 0},
                                  0.0847f};
  return flesh;
}

Flesh FleshOf(const Character& c) {
  BoneNodes nodes;
  nodes.fill(-1);
  for (const Link& link : c.links) {
    if (const auto bone = c.rig->humanoid().BoneOf(link.joint)) nodes[Index(*bone)] = link.node;
  }
  // Does not own the character, which outlives the deformer.
  Deformer deformer(std::shared_ptr<const Character>(std::shared_ptr<void>(), &c));
  if (!deformer.Pose(c.rig->rest()).ok()) return {};
  std::vector<int> parents;
  std::vector<Vec3> places;
  for (size_t n = 0; n < c.nodes.size(); ++n) {
    parents.push_back(c.nodes[n].parent);
    places.push_back(deformer.nodes()[n].row[3]);
  }
  return Measure(PointsOf(c, deformer), nodes, parents, places);
}

void BodyContact::Stand(const skel::Rig& standard, const skel::Rig& rig) {
  for (const auto& [bone, above] : kStanding) {
    Standing& one = standing_.emplace_back();
    one.bone = bone, one.above = above;
    one.joint = rig.humanoid().joint(bone);
    const auto place = [&](HumanBone of) {
      return skel::PlaceOf(standard, standard.rest(), standard.humanoid().joint(of)).at;
    };
    const Vec3 way = place(bone) - place(above);
    one.way = way;
    if (standard.stance() != skel::Stance::kArmsDown) continue;
    // The standard rig's arms hang: rotates them into a T-pose, from the shoulder joint on.
    const absl::string_view name = skel::NameOf(bone);
    if (!IsOfArm(above)) continue;
    one.way =
        absl::StartsWith(name, "Left") ? Vec3{-way.y, way.x, way.z} : Vec3{way.y, -way.x, way.z};
  }
}

std::shared_ptr<const BodyContact> BodyContact::Make(const Character& c,
                                                     const skel::Rig& standard) {
  if (c.same_joints || c.rig->stance() != skel::Stance::kTPose) return nullptr;
  std::shared_ptr<BodyContact> out(new BodyContact());
  out->nodes_.fill(-1);
  out->joints_.fill(-1);
  for (const Link& link : c.links) {
    const auto bone = c.rig->humanoid().BoneOf(link.joint);
    if (!bone) continue;
    out->nodes_[Index(*bone)] = link.node;
    out->joints_[Index(*bone)] = link.joint;
  }
  for (const ArmBones& arm : kArms) {
    for (const HumanBone bone : {arm.upper, arm.lower, arm.hand}) {
      if (out->nodes_[Index(bone)] < 0) return nullptr;
    }
  }
  for (const HumanBone bone :
       {HumanBone::kHips, HumanBone::kHead, kThighs[0], kThighs[1], kKnees[0], kKnees[1]}) {
    if (out->nodes_[Index(bone)] < 0) return nullptr;
  }
  for (const auto& [bone, above] : kStanding) {
    if (standard.humanoid().joint(bone) < 0 || c.rig->humanoid().joint(bone) < 0) return nullptr;
  }
  out->Stand(standard, *c.rig);

  out->flesh_ = FleshOf(c);

  const Flesh &was = StandardFlesh(), &is = out->flesh_;
  HandTouch& touch = out->touch_;
  for (size_t p = 0; p < HandTouch::kParts; ++p) {
    HandTouch::Touched& part = touch.parts[p];
    part.near_m = kTouched[p].near_m, part.far_m = kTouched[p].far_m;
    part.counts_from = kTouched[p].counts_from, part.counts_to = kTouched[p].counts_to;
    part.hangs = kTouched[p].hangs;
  }
  touch.parts[HandTouch::kHead].from = was.head, touch.parts[HandTouch::kHead].to = is.head;
  touch.parts[HandTouch::kTrunk].from = was.trunk, touch.parts[HandTouch::kTrunk].to = is.trunk;
  touch.parts[HandTouch::kPelvis].from = was.pelvis, touch.parts[HandTouch::kPelvis].to = is.pelvis;
  // A part without points cannot be touched.
  for (HandTouch::Touched& part : touch.parts) part.known = part.to[0].side_m > 0;
  touch.parts[HandTouch::kLeftThigh].known = touch.parts[HandTouch::kRightThigh].known = true;
  touch.scale = is.hand_m > kLeast_m && was.hand_m > kLeast_m
                    ? std::clamp(is.hand_m / was.hand_m, kLeastHand, kMostHand)
                    : 1;
  touch.points = 2;
  touch.palm_far_m = kPalmFar_m;
  for (const ArmBones& arm : kArms) {
    if (out->nodes_[Index(arm.knuckle)] < 0) out->has_knuckles_ = false;
    for (const HumanBone bone : {arm.knuckle, arm.fingers[0], arm.fingers[1]}) {
      if (out->nodes_[Index(bone)] < 0) touch.points = 1;
    }
  }
  std::vector<bool> moves(c.nodes.size(), false);
  for (const int n : c.order) {
    const auto i = static_cast<size_t>(n);
    const int above = c.nodes[i].parent;
    moves[i] = n == out->nodes_[Index(kArms[0].upper)] || n == out->nodes_[Index(kArms[1].upper)] ||
               (above >= 0 && moves[static_cast<size_t>(above)]);
    if (moves[i]) out->arm_nodes_.push_back(n);
  }
  return out;
}

bool BodyContact::Apply(absl::Span<const Quat> rests, absl::Span<const Affine> places,
                        absl::Span<Quat> turns) const {
  // The bones' rotations in the model from their rest, and their positions on the standard body and
  // on this one.
  std::array<Quat, skel::kHumanBones> turned;
  std::array<Vec3, skel::kHumanBones> was, is;
  for (const Standing& one : standing_) {
    const auto joint = static_cast<size_t>(one.joint);
    turned[Index(one.bone)] = skel::Mul(turns[joint], skel::Conjugate(rests[joint]));
    was[Index(one.bone)] = was[Index(one.above)] + skel::Rotate(turned[Index(one.above)], one.way);
    if (const int node = nodes_[Index(one.bone)]; node >= 0) {
      is[Index(one.bone)] = places[static_cast<size_t>(node)].row[3];
    }
  }
  const HandTouch::Body from = BodyOf(was, turned, StandardFlesh(), true, true);
  HandTouch::Body to = BodyOf(is, turned, flesh_, has_knuckles_, touch_.points == 2);
  std::array<HandTouch::Turn, HandTouch::kHands> by;
  touch_.Run(from, to, by);
  bool any = false;
  for (size_t h = 0; h < HandTouch::kHands; ++h) {
    const auto& [upper, lower] = by[h];
    if (upper.w == 1 && lower.w == 1) continue;
    any = true;
    Quat& arm = turns[static_cast<size_t>(joints_[Index(kArms[h].upper)])];
    Quat& forearm = turns[static_cast<size_t>(joints_[Index(kArms[h].lower)])];
    arm = skel::Normalized(skel::Mul(upper, arm));
    forearm = skel::Normalized(skel::Mul(lower, forearm));
  }
  return any;
}

}  // namespace posewire::character
