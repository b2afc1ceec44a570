#include "libs/retarget/mixamo_rest.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/skel/affine.h"
#include "libs/skel/body.h"
#include "libs/skel/path_index.h"

namespace posewire::retarget {
namespace {

using skel::Quat;
using skel::Vec3;

// A skeleton with all of these follows the convention; other naming schemes lack one or more.
constexpr absl::string_view kTelling[] = {"Hips",     "LeftUpLeg",  "LeftLeg",
                                          "LeftFoot", "LeftArm",    "LeftForeArm",
                                          "LeftHand", "RightUpLeg", "RightForeArm"};
constexpr float kHalf = 0.70710678f;
// The ratios at which the ankle's height and the foot's length make the sole flat.
constexpr float kDrop = 0.63f, kAlong = 0.7766f;
// Inclination of the elbow's axis, 27 degrees.
constexpr float kElbow = 0.45399f, kLevel = 0.89101f;

absl::string_view Leaf(absl::string_view path) {
  const absl::string_view name = skel::LastPathElement(path);
  const size_t colon = name.rfind(':');
  return colon == absl::string_view::npos ? name : name.substr(colon + 1);
}

Quat FromAxes(Vec3 x, Vec3 y, Vec3 z) {
  return skel::Decompose(skel::Affine{{x, y, z, Vec3{}}}).rotation;
}

// Returns the rotation in the model; nothing if it is the same as that of the parent bone.
std::optional<Quat> TurnOf(absl::string_view bone) {
  const bool left = absl::ConsumePrefix(&bone, "Left");
  if (!left && !absl::ConsumePrefix(&bone, "Right")) return Quat{};
  const float side = left ? 1.0f : -1.0f;
  if (bone == "UpLeg" || bone == "Leg") return FromAxes({-1, 0, 0}, {0, -1, 0}, {0, 0, 1});
  if (bone == "Foot") return FromAxes({-1, 0, 0}, {0, -kDrop, kAlong}, {0, kAlong, kDrop});
  if (absl::StartsWith(bone, "Toe")) return FromAxes({-1, 0, 0}, {0, 0, 1}, {0, 1, 0});
  if (bone == "HandThumb1") {
    return FromAxes({kHalf, 0, -side * kHalf}, {side * kHalf, 0, kHalf}, {0, -1, 0});
  }
  if (bone == "Arm" || bone == "ForeArm") {
    return FromAxes({0, -side * kElbow, -side * kLevel}, {side, 0, 0}, {0, -kLevel, kElbow});
  }
  if (bone == "Shoulder" || absl::StartsWith(bone, "Hand")) {
    return FromAxes({0, 0, -side}, {side, 0, 0}, {0, -1, 0});
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const skel::Rig> MixamoRest(absl::Span<const std::string> joints,
                                            absl::Span<const float> translations) {
  absl::flat_hash_set<absl::string_view> names;
  for (const std::string& joint : joints) names.insert(Leaf(joint));
  for (const absl::string_view name : kTelling) {
    if (!names.contains(name)) return nullptr;
  }
  if (translations.size() != 3 * joints.size()) return nullptr;
  skel::RigParts flat;
  flat.name = "names";
  flat.joint_paths.assign(joints.begin(), joints.end());
  flat.rest_translations.resize(joints.size());
  const auto tree = skel::Rig::Make(flat);
  if (!tree.ok()) return nullptr;
  skel::RigParts parts = std::move(flat);
  std::vector<Quat> turns;
  for (size_t j = 0; j < joints.size(); ++j) {
    const int p = (*tree)->topology().parent(static_cast<int>(j));
    const Quat above = p < 0 ? Quat{} : turns[static_cast<size_t>(p)];
    turns.push_back(TurnOf(Leaf(joints[j])).value_or(above));
    parts.rest_rotations.push_back(skel::Mul(skel::Conjugate(above), turns.back()));
    // The position in the first frame is not part of the rest pose.
    const float* t = translations.data() + 3 * j;
    parts.rest_translations[j] = p < 0 ? Vec3{} : Vec3{t[0], t[1], t[2]};
  }
  return skel::RestRig(std::move(parts));
}

}  // namespace posewire::retarget
