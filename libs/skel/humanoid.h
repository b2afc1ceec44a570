// The bones of a human, and which joint of a rig each of them is.
//
// Rigs have many names for one bone, and one name for many bones: ACE's "LeftLeg" is a thigh,
// Mixamo's a shank, and H-Anim says "l_hip". So code that means a bone does not spell out its name
// but asks the rig: `rig.humanoid().joint(HumanBone::kLeftUpperLeg)`. The names are in
// data/rigs/conventions.bones; the bones are Unity's HumanBodyBones, as in VRM, and a few more.
#ifndef POSEWIRE_LIBS_SKEL_HUMANOID_H_
#define POSEWIRE_LIBS_SKEL_HUMANOID_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::skel {

class Rig;
class Topology;
struct NamingConvention;

// Left and right are the human's own.
enum class HumanBone : uint8_t {
  // Unity's HumanBodyBones, in their order.
  kHips,
  kLeftUpperLeg,
  kRightUpperLeg,
  kLeftLowerLeg,
  kRightLowerLeg,
  kLeftFoot,
  kRightFoot,
  kSpine,
  kChest,
  kNeck,
  kHead,
  kLeftShoulder,
  kRightShoulder,
  kLeftUpperArm,
  kRightUpperArm,
  kLeftLowerArm,
  kRightLowerArm,
  kLeftHand,
  kRightHand,
  kLeftToes,
  kRightToes,
  kLeftEye,
  kRightEye,
  kJaw,
  kLeftThumbProximal,
  kLeftThumbIntermediate,
  kLeftThumbDistal,
  kLeftIndexProximal,
  kLeftIndexIntermediate,
  kLeftIndexDistal,
  kLeftMiddleProximal,
  kLeftMiddleIntermediate,
  kLeftMiddleDistal,
  kLeftRingProximal,
  kLeftRingIntermediate,
  kLeftRingDistal,
  kLeftLittleProximal,
  kLeftLittleIntermediate,
  kLeftLittleDistal,
  kRightThumbProximal,
  kRightThumbIntermediate,
  kRightThumbDistal,
  kRightIndexProximal,
  kRightIndexIntermediate,
  kRightIndexDistal,
  kRightMiddleProximal,
  kRightMiddleIntermediate,
  kRightMiddleDistal,
  kRightRingProximal,
  kRightRingIntermediate,
  kRightRingDistal,
  kRightLittleProximal,
  kRightLittleIntermediate,
  kRightLittleDistal,
  kUpperChest,
  // Bones that Unity lacks: a second neck joint, the palm, and more of the face.
  kNeck2,
  kLeftIndexMetacarpal,
  kLeftMiddleMetacarpal,
  kLeftRingMetacarpal,
  kLeftLittleMetacarpal,
  kRightIndexMetacarpal,
  kRightMiddleMetacarpal,
  kRightRingMetacarpal,
  kRightLittleMetacarpal,
  kLeftEyelid,
  kRightEyelid,
  kLeftEyebrow,
  kRightEyebrow,
  // Tips, which are joints in some rigs.
  kHeadTip,
  kLeftThumbTip,
  kLeftIndexTip,
  kLeftMiddleTip,
  kLeftRingTip,
  kLeftLittleTip,
  kRightThumbTip,
  kRightIndexTip,
  kRightMiddleTip,
  kRightRingTip,
  kRightLittleTip,
  kLeftToeTip,
  kRightToeTip,
};

inline constexpr int kHumanBones = static_cast<int>(HumanBone::kRightToeTip) + 1;
inline constexpr int kUnityBones = static_cast<int>(HumanBone::kUpperChest) + 1;

// Left and right.
struct LegBones {
  HumanBone upper, lower, foot, toes;
};
inline constexpr LegBones kLegs[] = {
    {HumanBone::kLeftUpperLeg, HumanBone::kLeftLowerLeg, HumanBone::kLeftFoot,
     HumanBone::kLeftToes},
    {HumanBone::kRightUpperLeg, HumanBone::kRightLowerLeg, HumanBone::kRightFoot,
     HumanBone::kRightToes},
};

// The segments of arms and legs, and the bones at whose joints they end. Arms come first, and of
// each limb the upper segment.
inline constexpr std::pair<HumanBone, HumanBone> kLimbSegments[] = {
    {HumanBone::kLeftUpperArm, HumanBone::kLeftLowerArm},
    {HumanBone::kLeftLowerArm, HumanBone::kLeftHand},
    {HumanBone::kRightUpperArm, HumanBone::kRightLowerArm},
    {HumanBone::kRightLowerArm, HumanBone::kRightHand},
    {HumanBone::kLeftUpperLeg, HumanBone::kLeftLowerLeg},
    {HumanBone::kLeftLowerLeg, HumanBone::kLeftFoot},
    {HumanBone::kRightUpperLeg, HumanBone::kRightLowerLeg},
    {HumanBone::kRightLowerLeg, HumanBone::kRightFoot},
};

// Fewer bones than this are not a naming.
inline constexpr int kLeastBones = 8;

// The end of a chain, which carries no pose.
constexpr bool IsTip(HumanBone bone) { return bone >= HumanBone::kHeadTip; }

// The enumerators' names, in order: "LeftUpperLeg". For Unity's bones, they are Unity's names.
absl::Span<const absl::string_view> HumanBoneNames();
absl::string_view NameOf(HumanBone bone);
// Ignores case.
std::optional<HumanBone> FindHumanBone(absl::string_view name);

// Which joint of a rig is which bone. A rig makes its own (Rig::humanoid); immutable.
class Humanoid {
 public:
  // No bone at all.
  Humanoid() {
    joints_.fill(-1);
    ends_.fill(-1);
  }

  // As the convention says that finds most of the rig's bones (NameBones). Of a rig that is
  // kAsItStands, and of one of which no convention finds eight bones, the others are found by the
  // words of their names (BoneOfWords), where the joint is in the right place of the tree. With
  // fewer than eight bones after that, each convention adds what it finds.
  Humanoid(const Rig& rig, absl::Span<const NamingConvention> conventions);
  // Bones given explicitly, one for each joint of the topology.
  Humanoid(const Topology& topology, absl::Span<const std::optional<HumanBone>> bones);

  // -1: the rig has none.
  int joint(HumanBone bone) const { return joints_[static_cast<size_t>(bone)]; }
  // The last joint of a bone: of an upper arm, forearm, thigh or shank of several joints in a row
  // (bend and twist), the one that carries the next bone; else `joint`.
  int end(HumanBone bone) const { return ends_[static_cast<size_t>(bone)]; }
  // The bone that a joint of the rig stands for, if any.
  std::optional<HumanBone> BoneOf(int joint) const;
  // The first of them that the rig has; -1 for none.
  int FirstOf(absl::Span<const HumanBone> bones) const;
  // How many bones the rig has.
  int Count() const;
  // The convention that named the bones ("mixamo"); "" if none did.
  const std::string& convention() const { return convention_; }

 private:
  void AddFitting(const Topology& topology, absl::Span<const int16_t> candidates);
  void Segment(const Topology& topology);

  std::array<int16_t, kHumanBones> joints_, ends_;
  std::string convention_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_HUMANOID_H_
