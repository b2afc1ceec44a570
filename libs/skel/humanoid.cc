#include "libs/skel/humanoid.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/skel/bone_words.h"
#include "libs/skel/path_index.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map_table.h"

namespace posewire::skel {
namespace {

constexpr int kSeveral = -2;  // joints of one bone

constexpr absl::string_view kNames[] = {"Hips",
                                        "LeftUpperLeg",
                                        "RightUpperLeg",
                                        "LeftLowerLeg",
                                        "RightLowerLeg",
                                        "LeftFoot",
                                        "RightFoot",
                                        "Spine",
                                        "Chest",
                                        "Neck",
                                        "Head",
                                        "LeftShoulder",
                                        "RightShoulder",
                                        "LeftUpperArm",
                                        "RightUpperArm",
                                        "LeftLowerArm",
                                        "RightLowerArm",
                                        "LeftHand",
                                        "RightHand",
                                        "LeftToes",
                                        "RightToes",
                                        "LeftEye",
                                        "RightEye",
                                        "Jaw",
                                        "LeftThumbProximal",
                                        "LeftThumbIntermediate",
                                        "LeftThumbDistal",
                                        "LeftIndexProximal",
                                        "LeftIndexIntermediate",
                                        "LeftIndexDistal",
                                        "LeftMiddleProximal",
                                        "LeftMiddleIntermediate",
                                        "LeftMiddleDistal",
                                        "LeftRingProximal",
                                        "LeftRingIntermediate",
                                        "LeftRingDistal",
                                        "LeftLittleProximal",
                                        "LeftLittleIntermediate",
                                        "LeftLittleDistal",
                                        "RightThumbProximal",
                                        "RightThumbIntermediate",
                                        "RightThumbDistal",
                                        "RightIndexProximal",
                                        "RightIndexIntermediate",
                                        "RightIndexDistal",
                                        "RightMiddleProximal",
                                        "RightMiddleIntermediate",
                                        "RightMiddleDistal",
                                        "RightRingProximal",
                                        "RightRingIntermediate",
                                        "RightRingDistal",
                                        "RightLittleProximal",
                                        "RightLittleIntermediate",
                                        "RightLittleDistal",
                                        "UpperChest",
                                        "Neck2",
                                        "LeftIndexMetacarpal",
                                        "LeftMiddleMetacarpal",
                                        "LeftRingMetacarpal",
                                        "LeftLittleMetacarpal",
                                        "RightIndexMetacarpal",
                                        "RightMiddleMetacarpal",
                                        "RightRingMetacarpal",
                                        "RightLittleMetacarpal",
                                        "LeftEyelid",
                                        "RightEyelid",
                                        "LeftEyebrow",
                                        "RightEyebrow",
                                        "HeadTip",
                                        "LeftThumbTip",
                                        "LeftIndexTip",
                                        "LeftMiddleTip",
                                        "LeftRingTip",
                                        "LeftLittleTip",
                                        "RightThumbTip",
                                        "RightIndexTip",
                                        "RightMiddleTip",
                                        "RightRingTip",
                                        "RightLittleTip",
                                        "LeftToeTip",
                                        "RightToeTip"};
static_assert(std::size(kNames) == kHumanBones);

// Finds joints as the rig does, and where that fails by their names without namespace and case.
class JointFinder {
 public:
  explicit JointFinder(const Rig& rig) : rig_(rig) {
    for (int j = 0; j < rig.joints(); ++j) {
      const absl::string_view leaf = LastPathElement(rig.joint_paths()[static_cast<size_t>(j)]);
      const auto [it, first] =
          by_name_.try_emplace(absl::AsciiStrToLower(leaf.substr(leaf.rfind(':') + 1)), j);
      if (!first) it->second = -1;  // several joints of a name are none
    }
  }

  int Find(absl::string_view name) const {
    if (name.empty()) return -1;
    if (const int j = rig_.FindJoint(name); j >= 0) return j;
    const auto it = by_name_.find(absl::AsciiStrToLower(name));
    return it == by_name_.end() ? -1 : it->second;
  }

 private:
  const Rig& rig_;
  absl::flat_hash_map<std::string, int> by_name_;
};

}  // namespace

absl::Span<const absl::string_view> HumanBoneNames() { return kNames; }

absl::string_view NameOf(HumanBone bone) { return kNames[static_cast<size_t>(bone)]; }

std::optional<HumanBone> FindHumanBone(absl::string_view name) {
  const auto it = std::find_if(std::begin(kNames), std::end(kNames), [&](absl::string_view known) {
    return absl::EqualsIgnoreCase(known, name);
  });
  if (it == std::end(kNames)) return std::nullopt;
  return static_cast<HumanBone>(it - std::begin(kNames));
}

Humanoid::Humanoid(const Rig& rig, absl::Span<const RigMapRow> rows) : Humanoid() {
  const JointFinder finder(rig);
  std::array<size_t, kRigNamings> order;
  std::array<int, kRigNamings> known{};
  for (size_t n = 0; n < kRigNamings; ++n) {
    order[n] = n;
    known[n] = static_cast<int>(std::count_if(rows.begin(), rows.end(), [&](const RigMapRow& row) {
      return finder.Find(row.names[n]) >= 0;
    }));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return known[a] > known[b]; });
  std::vector<bool> taken(static_cast<size_t>(rig.joints()), false);
  for (const size_t n : order) {
    for (const RigMapRow& row : rows) {
      int16_t& joint = joints_[static_cast<size_t>(row.bone)];
      const int found = joint < 0 ? finder.Find(row.names[n]) : -1;
      if (found < 0 || taken[static_cast<size_t>(found)]) continue;
      taken[static_cast<size_t>(found)] = true;
      joint = static_cast<int16_t>(found);
    }
  }
  // The skeleton is anybody's: Unreal's upperarm_l, Blender's thigh.L.
  const auto found = std::count(taken.begin(), taken.end(), true);
  if (rig.stance() != Stance::kAsItStands && found >= kLeastBones) return;
  std::array<int, kHumanBones> by_words;
  by_words.fill(-1);
  for (int j = 0; j < rig.joints(); ++j) {
    if (taken[static_cast<size_t>(j)]) continue;
    const auto bone = BoneOfWords(LastPathElement(rig.joint_paths()[static_cast<size_t>(j)]));
    if (!bone) continue;
    int& place = by_words[static_cast<size_t>(*bone)];
    place = place == -1 ? j : kSeveral;
  }
  for (size_t b = 0; b < by_words.size(); ++b) {
    if (joints_[b] < 0 && by_words[b] >= 0) joints_[b] = static_cast<int16_t>(by_words[b]);
  }
}

Humanoid::Humanoid(absl::Span<const std::optional<HumanBone>> bones) : Humanoid() {
  for (size_t j = 0; j < bones.size(); ++j) {
    if (bones[j]) joints_[static_cast<size_t>(*bones[j])] = static_cast<int16_t>(j);
  }
}

std::optional<HumanBone> Humanoid::BoneOf(int joint) const {
  const auto it = std::find(joints_.begin(), joints_.end(), joint);
  if (joint < 0 || it == joints_.end()) return std::nullopt;
  return static_cast<HumanBone>(it - joints_.begin());
}

int Humanoid::FirstOf(absl::Span<const HumanBone> bones) const {
  for (const HumanBone bone : bones) {
    if (joint(bone) >= 0) return joint(bone);
  }
  return -1;
}

}  // namespace posewire::skel
