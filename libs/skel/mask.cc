#include "libs/skel/mask.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/skel/job_check.h"

namespace posewire::skel {
namespace {

// The tops of a region's subtrees. Of each group the first name that the rig knows is taken: one
// group stands for one place of the body, in the names of H-Anim, ACE and Unity, from full rigs to
// simple ones.
using Group = std::vector<absl::string_view>;
struct RegionTops {
  absl::string_view name;
  std::vector<Group> tops;
  bool shapes = false;
};

std::vector<RegionTops> AllRegions() {
  return {
      {"face",
       {{"l_eyelid_joint"},
        {"r_eyelid_joint"},
        {"l_eyeball_joint", "LeftEye"},
        {"r_eyeball_joint", "RightEye"},
        {"l_eyebrow_joint"},
        {"r_eyebrow_joint"},
        {"temporomandibular", "Jaw"}},
       true},
      {"head", {{"vc7", "Neck1", "Neck", "vc4", "skullbase", "Head"}}, true},
      {"upper_body", {{"vl5", "Spine1", "Spine"}}, true},
      {"left_arm",
       {{"l_sternoclavicular", "LeftShoulder", "l_shoulder", "LeftArm", "LeftUpperArm"}}},
      {"right_arm",
       {{"r_sternoclavicular", "RightShoulder", "r_shoulder", "RightArm", "RightUpperArm"}}},
      {"arms",
       {{"l_sternoclavicular", "LeftShoulder", "l_shoulder", "LeftArm", "LeftUpperArm"},
        {"r_sternoclavicular", "RightShoulder", "r_shoulder", "RightArm", "RightUpperArm"}}},
      {"hands", {{"l_wrist", "LeftHand"}, {"r_wrist", "RightHand"}}},
      {"legs", {{"l_hip", "LeftLeg", "LeftUpperLeg"}, {"r_hip", "RightLeg", "RightUpperLeg"}}},
  };
}

}  // namespace

Mask::Mask(const Rig& rig, float weight)
    : joints_(static_cast<size_t>(rig.joints()), ClampWeight(weight)),
      shapes_(static_cast<size_t>(rig.shapes()), ClampWeight(weight)) {}

absl::StatusOr<Mask> Mask::Region(const Rig& rig, absl::string_view name) {
  std::string known;
  for (const RegionTops& region : AllRegions()) {
    if (region.name != name) {
      absl::StrAppend(&known, known.empty() ? "" : ", ", region.name);
      continue;
    }
    Mask mask(rig, 0);
    for (const Group& group : region.tops) {
      for (absl::string_view joint : group) {
        const int j = rig.FindJoint(joint);
        if (j < 0) continue;
        mask.SetSubtreeAt(rig, j, 1);
        break;
      }
    }
    if (region.shapes) mask.SetAllShapes(1);
    return mask;
  }
  return absl::NotFoundError(absl::StrCat("mask region \"", name, "\" is unknown: use ", known));
}

absl::Status Mask::SetSubtree(const Rig& rig, absl::string_view joint, float weight) {
  const int j = rig.FindJoint(joint);
  if (j < 0) {
    return absl::NotFoundError(absl::StrCat("rig ", rig.name(), " has no joint \"", joint, "\""));
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
    return absl::NotFoundError(absl::StrCat("rig ", rig.name(), " has no shape \"", shape, "\""));
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
