// The bones of a human by limb: how each line of bones hangs on the body.
#ifndef POSEWIRE_LIBS_SKEL_BONE_CHAINS_H_
#define POSEWIRE_LIBS_SKEL_BONE_CHAINS_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/humanoid.h"

namespace posewire::skel {

// A limb of one side, or the trunk.
struct BoneChain {
  absl::string_view name;  // "trunk", "arm", "index"
  absl::string_view side;  // "Left", "Right", or "" for the trunk
  // From the body outwards. Each hangs on the one before it, except the bones of the face, which
  // all hang on `from`.
  std::vector<HumanBone> bones;
  std::optional<HumanBone> from;  // none for the trunk
};

// The trunk; then of the left and the right side: arm, leg, face, thumb, index, middle, ring,
// little. Each bone is in one of them. The jaw is in the left face.
absl::Span<const BoneChain> BoneChains();

// The bone that a bone hangs on where a skeleton has all of them; none for the hips.
std::optional<HumanBone> BoneAbove(HumanBone bone);

// Whether `above` is one of those that `bone` hangs on.
bool HangsOn(HumanBone bone, HumanBone above);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BONE_CHAINS_H_
