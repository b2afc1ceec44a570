#include "libs/vmc/bones.h"

#include "libs/vmc/text.h"

namespace posewire::vmc {

absl::Span<const absl::string_view> BoneNames() {
  return skel::HumanBoneNames().subspan(0, kBones);
}

int FindBone(absl::string_view name) { return FindIgnoringCase(BoneNames(), name); }

}  // namespace posewire::vmc
