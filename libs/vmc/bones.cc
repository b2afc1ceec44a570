#include "libs/vmc/bones.h"

#include "libs/vmc/text.h"

namespace posewire::vmc {
namespace {

constexpr int kThumbs[] = {IndexOf(skel::HumanBone::kLeftThumbProximal),
                           IndexOf(skel::HumanBone::kRightThumbProximal)};

// Returns 0 for the left one, 1 for the right one.
int FindMetacarpal(absl::string_view name) {
  return FindIgnoringCase({"LeftThumbMetacarpal", "RightThumbMetacarpal"}, name);
}

}  // namespace

absl::Span<const absl::string_view> BoneNames() {
  return skel::HumanBoneNames().subspan(0, kBones);
}

int FindBone(absl::string_view name) { return FindIgnoringCase(BoneNames(), name); }

void SenderBones::See(absl::string_view name) { vrm1_ = vrm1_ || FindMetacarpal(name) >= 0; }

int SenderBones::Find(absl::string_view name) const {
  const int metacarpal = FindMetacarpal(name);
  if (metacarpal >= 0) return kThumbs[metacarpal];
  const int bone = FindBone(name);
  // The bones of a thumb are consecutive.
  return vrm1_ && (bone == kThumbs[0] || bone == kThumbs[1]) ? bone + 1 : bone;
}

}  // namespace posewire::vmc
