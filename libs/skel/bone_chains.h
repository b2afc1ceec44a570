// The bones of a human by limb: how each chain of bones is attached to the body.
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
  // From the body outwards. The parent of each is the one before it, except the bones of the face,
  // whose parent is `from`.
  std::vector<HumanBone> bones;
  std::optional<HumanBone> from;  // none for the trunk
};

// Returns the trunk; then for the left and the right side: arm, leg, face, thumb, index, middle,
// ring, little. Each bone is in exactly one chain. The jaw is in the left face.
absl::Span<const BoneChain> BoneChains();

// Returns the parent of a bone in a skeleton that has all bones; nothing for the hips.
std::optional<HumanBone> BoneAbove(HumanBone bone);

// Returns whether `above` is an ancestor of `bone`.
bool HangsOn(HumanBone bone, HumanBone above);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BONE_CHAINS_H_
