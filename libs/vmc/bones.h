// The bones of VMC: Unity's HumanBodyBones.
#ifndef POSEWIRE_LIBS_VMC_BONES_H_
#define POSEWIRE_LIBS_VMC_BONES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::vmc {

inline constexpr int kBones = 55;

// In the order of Unity's enumeration; UpperChest is the last.
absl::Span<const absl::string_view> BoneNames();

// -1 for a name that is none, and for LastBone. Ignores case.
int FindBone(absl::string_view name);

inline constexpr int kHips = 0, kLeftUpperLeg = 1, kRightUpperLeg = 2, kLeftLowerLeg = 3,
                     kRightLowerLeg = 4, kLeftFoot = 5, kRightFoot = 6, kSpine = 7, kHead = 10,
                     kLeftHand = 17, kRightHand = 18, kLeftEye = 21, kRightEye = 22, kJaw = 23;

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_BONES_H_
