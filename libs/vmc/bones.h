// The bones of VMC: Unity's HumanBodyBones, which are the first of skel::HumanBone.
#ifndef POSEWIRE_LIBS_VMC_BONES_H_
#define POSEWIRE_LIBS_VMC_BONES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/rig.h"

namespace posewire::vmc {

inline constexpr int kBones = skel::kUnityBones;

// In the order of Unity's enumeration; UpperChest is the last.
absl::Span<const absl::string_view> BoneNames();

// Returns -1 for an unknown name, and for LastBone. Ignores case.
int FindBone(absl::string_view name);

// Maps the bone names of one sender. VMC uses Unity's names. A sender that uses VRM 1.0's is
// detected by its leftThumbMetacarpal, which Unity lacks: from then on its ThumbProximal is the
// thumb's second joint, Unity's ThumbIntermediate.
class SenderBones {
 public:
  // Records a name that the sender has used.
  void See(absl::string_view name);
  // Like FindBone, but takes recorded names into account.
  int Find(absl::string_view name) const;
  bool vrm1() const { return vrm1_; }

 private:
  bool vrm1_ = false;
};

constexpr int IndexOf(skel::HumanBone bone) { return static_cast<int>(bone); }

inline constexpr int kHips = IndexOf(skel::HumanBone::kHips),
                     kHead = IndexOf(skel::HumanBone::kHead);

// Returns -1 if the rig has no such bone.
inline int JointOf(const skel::Rig& rig, int bone) {
  return rig.humanoid().joint(static_cast<skel::HumanBone>(bone));
}

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_BONES_H_
