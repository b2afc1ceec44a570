#include <algorithm>
#include <cmath>
#include <limits>

#include "libs/character/body_contact.h"

namespace posewire::character {
namespace {

using skel::HandTouch;
using skel::HumanBone;
using skel::Vec3;

// Points within this distance of a ring count towards it, as a fraction of the line's length.
constexpr float kBand = 0.12f;
constexpr float kThinnest_m = 0.03f;
// The chin is the lowest point of the face. The face begins at this fraction of the way from the
// middle of the head to its front.
constexpr float kFront = 0.5f;
// Used if a head has no points.
constexpr Vec3 kChin{0, -0.02f, 0.02f}, kSkull{0, 0.22f, 0};

enum class Of { kNothing, kTrunk, kHead };

// Returns which part of the body each node moves. Everything that hangs on the bones of the trunk
// and thighs (skirts) belongs to the trunk. What hangs on the head (hair) does not belong to it.
std::vector<Of> PartsOf(const BoneNodes& nodes, absl::Span<const int> parents) {
  std::vector<Of> out(parents.size(), Of::kNothing);
  std::vector<bool> known(parents.size(), false);
  for (int b = 0; b < skel::kHumanBones; ++b) {
    const int node = nodes[static_cast<size_t>(b)];
    if (node < 0) continue;
    const auto i = static_cast<size_t>(node);
    known[i] = true;
    switch (static_cast<HumanBone>(b)) {
      case HumanBone::kHips:
      case HumanBone::kSpine:
      case HumanBone::kChest:
      case HumanBone::kUpperChest:
      case HumanBone::kLeftUpperLeg:
      case HumanBone::kRightUpperLeg:
        out[i] = Of::kTrunk;
        break;
      case HumanBone::kHead:
      case HumanBone::kJaw:
        out[i] = Of::kHead;
        break;
      default:
        break;
    }
  }
  for (size_t i = 0; i < parents.size(); ++i) {
    if (known[i]) continue;
    int above = parents[i];
    while (above >= 0 && !known[static_cast<size_t>(above)]) {
      above = parents[static_cast<size_t>(above)];
    }
    if (above >= 0 && out[static_cast<size_t>(above)] == Of::kTrunk) out[i] = Of::kTrunk;
  }
  return out;
}

// Returns rings across the line from `start` to `start + way`.
HandTouch::Rings RingsOf(absl::Span<const Vec3> points, Vec3 start, Vec3 way) {
  HandTouch::Rings rings;
  const float squared = skel::Dot(way, way);
  if (!(squared > 0)) return rings;
  constexpr float kSteps = HandTouch::kRings - 1;
  for (const Vec3 p : points) {
    const float along = skel::Dot(p - start, way) / squared;
    const Vec3 off = p - (start + way * along);
    for (size_t k = 0; k < rings.size(); ++k) {
      if (std::fabs(along - static_cast<float>(k) / kSteps) > kBand) continue;
      HandTouch::Ring& ring = rings[k];
      ring.side_m = std::max({ring.side_m, std::fabs(off.x), kThinnest_m});
      ring.front_m = std::max({ring.front_m, off.z, kThinnest_m});
      ring.back_m = std::max({ring.back_m, -off.z, kThinnest_m});
    }
  }
  // Rings without points are like the nearest one before that has some, or else the next one.
  for (size_t k = 1; k < rings.size(); ++k) {
    if (rings[k].side_m == 0) rings[k] = rings[k - 1];
  }
  for (size_t k = rings.size() - 1; k-- > 0;) {
    if (rings[k].side_m == 0) rings[k] = rings[k + 1];
  }
  return rings;
}

void MeasureHead(absl::Span<const Vec3> points, Vec3 joint, Flesh& out) {
  out.chin = kChin, out.skull = kSkull;
  if (points.empty()) return;
  float back = std::numeric_limits<float>::max(), front = -back, top = -back, chin = back;
  for (const Vec3 p : points) {
    back = std::min(back, p.z), front = std::max(front, p.z), top = std::max(top, p.y);
  }
  const float middle = (back + front) / 2;
  for (const Vec3 p : points) {
    if (p.z > middle + kFront * (front - middle)) chin = std::min(chin, p.y);
  }
  if (!(top - chin > kThinnest_m)) return;
  out.chin = Vec3{joint.x, chin, middle} - joint;
  out.skull = {0, top - chin, 0};
  out.head = RingsOf(points, joint + out.chin, out.skull);
}

}  // namespace

Flesh Measure(absl::Span<const FleshPoint> points, const BoneNodes& nodes,
              absl::Span<const int> parents, absl::Span<const Vec3> places) {
  const std::vector<Of> parts = PartsOf(nodes, parents);
  std::vector<Vec3> trunk, head;
  for (const FleshPoint& point : points) {
    const Of part = parts[static_cast<size_t>(point.node)];
    if (part == Of::kTrunk) trunk.push_back(point.at);
    if (part == Of::kHead) head.push_back(point.at);
  }
  const auto at = [&](HumanBone bone) {
    const int node = nodes[static_cast<size_t>(bone)];
    return node < 0 ? Vec3{} : places[static_cast<size_t>(node)];
  };
  const auto between = [&](HumanBone a, HumanBone b) { return (at(a) + at(b)) * 0.5f; };
  const Vec3 hips = between(HumanBone::kLeftUpperLeg, HumanBone::kRightUpperLeg),
             shoulders = between(HumanBone::kLeftUpperArm, HumanBone::kRightUpperArm);
  Flesh out;
  out.trunk = RingsOf(trunk, hips, shoulders - hips);
  const float thigh_m =
      (skel::Length(at(HumanBone::kLeftLowerLeg) - at(HumanBone::kLeftUpperLeg)) +
       skel::Length(at(HumanBone::kRightLowerLeg) - at(HumanBone::kRightUpperLeg))) /
      2;
  out.pelvis = RingsOf(trunk, hips, {0, -kPelvisShare * thigh_m, 0});
  MeasureHead(head, at(HumanBone::kHead), out);
  out.hand_m = (skel::Length(at(HumanBone::kLeftMiddleProximal) - at(HumanBone::kLeftHand)) +
                skel::Length(at(HumanBone::kRightMiddleProximal) - at(HumanBone::kRightHand))) /
               2;
  return out;
}

}  // namespace posewire::character
