#include "libs/skel/mask.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/names/known_names.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/job_check.h"

namespace posewire::skel {
namespace {

using Bones = std::vector<HumanBone>;
using enum HumanBone;

// The tops of a region's subtrees: in each group the first bone that the rig has, for detailed and
// simple rigs.
struct RegionTops {
  absl::string_view name;
  std::vector<Bones> tops;
  bool shapes = false;
};

std::vector<RegionTops> AllRegions() {
  const Bones left_arm = {kLeftShoulder, kLeftUpperArm};
  const Bones right_arm = {kRightShoulder, kRightUpperArm};
  return {
      {"face",
       {{kLeftEyelid},
        {kRightEyelid},
        {kLeftEye},
        {kRightEye},
        {kLeftEyebrow},
        {kRightEyebrow},
        {kJaw}},
       true},
      {"head", {{kNeck, kNeck2, kHead}}, true},
      {"upper_body", {{kSpine}}, true},
      {"left_arm", {left_arm}},
      {"right_arm", {right_arm}},
      {"arms", {left_arm, right_arm}},
      {"hands", {{kLeftHand}, {kRightHand}}},
      {"legs", {{kLeftUpperLeg}, {kRightUpperLeg}}},
  };
}

}  // namespace

Mask::Mask(const Rig& rig, float weight)
    : joints_(static_cast<size_t>(rig.joints()), ClampWeight(weight)),
      shapes_(static_cast<size_t>(rig.shapes()), ClampWeight(weight)) {}

std::vector<std::string> Mask::RegionNames() {
  std::vector<std::string> names;
  for (const RegionTops& region : AllRegions()) names.emplace_back(region.name);
  return names;
}

absl::StatusOr<Mask> Mask::Region(const Rig& rig, absl::string_view name) {
  for (const RegionTops& region : AllRegions()) {
    if (region.name != name) continue;
    Mask mask(rig, 0);
    for (const Bones& bones : region.tops) {
      if (const int j = rig.humanoid().FirstOf(bones); j >= 0) mask.SetSubtreeAt(rig, j, 1);
    }
    if (region.shapes) mask.SetAllShapes(1);
    return mask;
  }
  return absl::NotFoundError(
      absl::StrCat("there is no mask region \"", name, "\"", KnownNames(name, RegionNames())));
}

absl::Status Mask::SetSubtree(const Rig& rig, absl::string_view joint, float weight) {
  const int j = rig.FindJoint(joint);
  if (j < 0) {
    return absl::NotFoundError(absl::StrCat("rig ", rig.name(), " has no joint \"", joint, "\"",
                                            KnownNames(joint, rig.joint_names())));
  }
  SetSubtreeAt(rig, j, weight);
  return absl::OkStatus();
}

void Mask::SetSubtreeAt(const Rig& rig, int joint, float weight) {
  std::vector<bool> below(joints_.size(), false);
  for (int j = joint; j < rig.joints(); ++j) {
    const int parent = rig.topology().parent(j);
    if (j != joint && (parent < joint || !below[static_cast<size_t>(parent)])) continue;
    below[static_cast<size_t>(j)] = true;
    set_joint(j, weight);
  }
}

absl::Status Mask::SetShape(const Rig& rig, absl::string_view shape, float weight) {
  const int s = rig.FindShape(shape);
  if (s < 0) {
    return absl::NotFoundError(absl::StrCat("rig ", rig.name(), " has no shape \"", shape, "\"",
                                            KnownNames(shape, rig.shape_names())));
  }
  set_shape(s, weight);
  return absl::OkStatus();
}

void Mask::SetAllShapes(float weight) {
  std::fill(shapes_.begin(), shapes_.end(), ClampWeight(weight));
}
void Mask::set_joint(int j, float weight) { joints_[static_cast<size_t>(j)] = ClampWeight(weight); }
void Mask::set_shape(int s, float weight) { shapes_[static_cast<size_t>(s)] = ClampWeight(weight); }

}  // namespace posewire::skel
