#include "libs/character/bone_names.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_limits.h"
#include "libs/skel/shape_names.h"

namespace posewire::character {

using skel::HumanBone;
using skel::ShapeKeyOf;

BoneNodes FindBones(absl::Span<const std::string> names) {
  BoneNodes out;
  out.fill(-1);
  // Makes a flat rig of these names, so that they are recognised by the one table of conventions.
  skel::RigParts parts;
  parts.name = "file";
  parts.stance = skel::Stance::kAsItStands;
  std::vector<int> node_of;
  absl::flat_hash_set<std::string> taken;
  for (size_t i = 0; i < names.size() && parts.joint_paths.size() < skel::kMostJoints; ++i) {
    std::string name = absl::StrReplaceAll(names[i], {{"/", "_"}});
    if (name.empty() || !taken.insert(name).second) continue;
    parts.joint_paths.push_back(std::move(name));
    parts.rest_translations.emplace_back();
    node_of.push_back(static_cast<int>(i));
  }
  const auto rig = skel::Rig::Make(std::move(parts));
  for (int b = 0; rig.ok() && b < skel::kHumanBones; ++b) {
    const int joint = (*rig)->humanoid().joint(static_cast<HumanBone>(b));
    if (joint >= 0) out[static_cast<size_t>(b)] = node_of[static_cast<size_t>(joint)];
  }
  return out;
}

std::vector<int> SourcesOf(absl::string_view target, absl::Span<const std::string> keys) {
  const auto find = [&](absl::string_view key) {
    const auto at = std::find(keys.begin(), keys.end(), key);
    return at == keys.end() ? -1 : static_cast<int>(at - keys.begin());
  };
  const std::string wanted = ShapeKeyOf(target);
  if (const int own = find(wanted); own >= 0) return {own};
  for (const absl::string_view side : {"left", "right"}) {
    if (!absl::EndsWith(wanted, side)) continue;
    const int whole = find(absl::string_view(wanted).substr(0, wanted.size() - side.size()));
    if (whole >= 0) return {whole};
  }
  const int left = find(absl::StrCat(wanted, "left")), right = find(absl::StrCat(wanted, "right"));
  if (left >= 0 && right >= 0) return {left, right};
  return {};
}

}  // namespace posewire::character
