#include "libs/skel/bone_chains.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::skel {
namespace {

struct Limb {
  absl::string_view name, from;  // without the side
  std::vector<absl::string_view> bones;
};

std::vector<BoneChain> MakeLines() {
  using Bone = HumanBone;
  std::vector<BoneChain> chains = {{"trunk",
                                    "",
                                    {Bone::kHips, Bone::kSpine, Bone::kChest, Bone::kUpperChest,
                                     Bone::kNeck, Bone::kNeck2, Bone::kHead, Bone::kHeadTip},
                                    std::nullopt}};
  std::vector<Limb> limbs = {
      {"arm", "UpperChest", {"Shoulder", "UpperArm", "LowerArm", "Hand"}},
      {"leg", "Hips", {"UpperLeg", "LowerLeg", "Foot", "Toes", "ToeTip"}},
      {"face", "Head", {"Jaw", "Eye", "Eyelid", "Eyebrow"}},
      {"thumb", "Hand", {"ThumbProximal", "ThumbIntermediate", "ThumbDistal", "ThumbTip"}}};
  constexpr std::pair<const char*, const char*> kFingers[] = {
      {"index", "Index"}, {"middle", "Middle"}, {"ring", "Ring"}, {"little", "Little"}};
  for (const auto& [name, bone] : kFingers) {
    limbs.push_back({name, "Hand", {}});
    // The names are those of the enumerators, which live as long as the program.
    for (const char* part : {"Metacarpal", "Proximal", "Intermediate", "Distal", "Tip"}) {
      const absl::string_view full = NameOf(*FindHumanBone(absl::StrCat("Left", bone, part)));
      limbs.back().bones.push_back(full.substr(4));
    }
  }
  const auto find = [](absl::string_view side, absl::string_view name) {
    const auto sided = FindHumanBone(absl::StrCat(side, name));
    return sided ? sided : FindHumanBone(name);
  };
  for (const absl::string_view side : {"Left", "Right"}) {
    for (const Limb& limb : limbs) {
      BoneChain line{limb.name, side, {}, find(side, limb.from)};
      for (const absl::string_view bone : limb.bones) {
        if (bone != "Jaw" || side == "Left") line.bones.push_back(*find(side, bone));
      }
      chains.push_back(std::move(line));
    }
  }
  return chains;
}

}  // namespace

absl::Span<const BoneChain> BoneChains() {
  static const auto* const chains = new std::vector<BoneChain>(MakeLines());
  return *chains;
}

std::optional<HumanBone> BoneAbove(HumanBone bone) {
  static const auto* const above = [] {
    auto* const made = new std::array<std::optional<HumanBone>, kHumanBones>;
    for (const BoneChain& line : BoneChains()) {
      std::optional<HumanBone> last = line.from;
      for (const HumanBone next : line.bones) {
        (*made)[static_cast<size_t>(next)] = last;
        if (line.name != "face") last = next;
      }
    }
    return made;
  }();
  return (*above)[static_cast<size_t>(bone)];
}

bool HangsOn(HumanBone bone, HumanBone above) {
  for (auto b = BoneAbove(bone); b; b = BoneAbove(*b)) {
    if (*b == above) return true;
  }
  return false;
}

}  // namespace posewire::skel
