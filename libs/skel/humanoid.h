// The bones of a human, and which joint of a rig each of them is.
//
// Rigs have many names for one bone, and one name for many bones: ACE's "LeftLeg" is a thigh,
// Mixamo's a shank, and H-Anim says "l_hip". Code that needs a bone therefore does not use names
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

// The segments of arms and legs, and the bones at whose joints they end. Arms come first, and the
// upper segment of each limb.
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

// With fewer bones than this, names do not count as a naming convention.
inline constexpr int kLeastBones = 8;

// The end of a chain, which carries no pose.
constexpr bool IsTip(HumanBone bone) { return bone >= HumanBone::kHeadTip; }

// The enumerators' names, in order: "LeftUpperLeg". For Unity's bones, they are Unity's names.
absl::Span<const absl::string_view> HumanBoneNames();
absl::string_view NameOf(HumanBone bone);
// Ignores case.
std::optional<HumanBone> FindHumanBone(absl::string_view name);

// Maps bones to the joints of a rig. A rig makes its own (Rig::humanoid). Immutable.
class Humanoid {
 public:
  // Has no bones.
  Humanoid() {
    joints_.fill(-1);
    ends_.fill(-1);
  }

  // Uses the convention that finds most of the rig's bones (NameBones). If the rig's stance is
  // kAsItStands, or no convention finds eight bones, the other bones are found by the words in
  // their names (BoneOfWords), if the joint is in the right place of the tree. If there are still
  // fewer than eight bones, each convention adds the ones that it finds.
  Humanoid(const Rig& rig, absl::Span<const NamingConvention> conventions);
  // Bones given explicitly, one for each joint of the topology.
  Humanoid(const Topology& topology, absl::Span<const std::optional<HumanBone>> bones);

  // Returns -1 if the rig does not have the bone.
  int joint(HumanBone bone) const { return joints_[static_cast<size_t>(bone)]; }
  // Returns the last joint of a bone. For an upper arm, forearm, thigh or shank of several
  // consecutive joints (bend and twist), it is the one that carries the next bone; otherwise
  // `joint`.
  int end(HumanBone bone) const { return ends_[static_cast<size_t>(bone)]; }
  // Returns the bone of a joint, if any.
  std::optional<HumanBone> BoneOf(int joint) const;
  // Returns the joint of the first of these bones that the rig has; -1 for none.
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
