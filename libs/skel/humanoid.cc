#include "libs/skel/humanoid.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "libs/skel/bone_chains.h"
#include "libs/skel/bone_words.h"
#include "libs/skel/naming.h"
#include "libs/skel/path_index.h"
#include "libs/skel/rig.h"
#include "libs/skel/topology.h"

namespace posewire::skel {
namespace {

constexpr int kSeveral = -2;  // several joints match the bone

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

using Joints = std::array<int16_t, kHumanBones>;

// Matches by the words of each name; if several joints match a bone, none is used.
Joints ByWords(const Rig& rig) {
  std::array<int, kHumanBones> found;
  found.fill(-1);
  for (int j = 0; j < rig.joints(); ++j) {
    const auto bone = BoneOfWords(LastPathElement(rig.joint_paths()[static_cast<size_t>(j)]));
    if (!bone) continue;
    int& place = found[static_cast<size_t>(*bone)];
    place = place == -1 ? j : kSeveral;
  }
  Joints out;
  std::transform(found.begin(), found.end(), out.begin(),
                 [](int j) { return static_cast<int16_t>(std::max(j, -1)); });
  return out;
}

bool IsBelow(const Topology& topology, int joint, int above) {
  do {
    joint = topology.parent(joint);
  } while (joint > above);
  return joint == above;
}

// Returns whether a joint is in the right place of the tree for a bone, between the known bones.
bool Fits(const Topology& topology, const Joints& known, HumanBone bone, int joint) {
  for (int b = 0; b < kHumanBones; ++b) {
    const auto other = static_cast<HumanBone>(b);
    const int at = known[static_cast<size_t>(b)];
    if (at < 0) continue;
    if (HangsOn(bone, other) != IsBelow(topology, joint, at)) return false;
    if (HangsOn(other, bone) != IsBelow(topology, at, joint)) return false;
  }
  return true;
}

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

Humanoid::Humanoid(const Rig& rig, absl::Span<const NamingConvention> conventions) {
  const NamedBones named = NameBones(rig, conventions);
  joints_ = named.joints;
  if (named.convention != nullptr) convention_ = named.convention->id;
  // If no convention has the name, its words may identify the bone, unless the skeleton is known.
  if (rig.stance() == Stance::kAsItStands || named.count < kLeastBones) {
    const Joints words = ByWords(rig);
    const auto worded = std::count_if(words.begin(), words.end(), [](int j) { return j >= 0; });
    if (named.count < kLeastBones && worded > named.count) {
      joints_ = words;
      convention_.clear();
    }
    AddFitting(rig.topology(), words);
  }
  // A few bones, such as a head with two eyes, may have names from any convention.
  if (Count() < kLeastBones) {
    for (const NamedBones& found : NameBonesByEach(rig, conventions)) {
      AddFitting(rig.topology(), found.joints);
    }
  }
  Segment(rig.topology());
}

int Humanoid::Count() const {
  return static_cast<int>(
      std::count_if(joints_.begin(), joints_.end(), [](int j) { return j >= 0; }));
}

Humanoid::Humanoid(const Topology& topology, absl::Span<const std::optional<HumanBone>> bones)
    : Humanoid() {
  for (size_t j = 0; j < bones.size(); ++j) {
    if (bones[j]) joints_[static_cast<size_t>(*bones[j])] = static_cast<int16_t>(j);
  }
  Segment(topology);
}

void Humanoid::AddFitting(const Topology& topology, absl::Span<const int16_t> candidates) {
  bool flat = true;  // names without a tree
  for (int j = 0; j < topology.size(); ++j) flat = flat && topology.parent(j) < 0;
  for (size_t b = 0; b < joints_.size(); ++b) {
    const int joint = candidates[b];
    if (joints_[b] >= 0 || joint < 0 || BoneOf(joint)) continue;
    if (!flat && !Fits(topology, joints_, static_cast<HumanBone>(b), joint)) continue;
    joints_[b] = static_cast<int16_t>(joint);
  }
}

void Humanoid::Segment(const Topology& topology) {
  ends_ = joints_;
  for (const auto& [bone, next] : kLimbSegments) {
    const int first = joint(bone), after = joint(next);
    if (first < 0 || after < 0 || !IsBelow(topology, after, first)) continue;
    ends_[static_cast<size_t>(bone)] = static_cast<int16_t>(topology.parent(after));
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
