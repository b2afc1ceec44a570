#include "libs/character/bone_names.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/skel/bone_words.h"
#include "libs/skel/rig.h"
#include "libs/skel/shape_names.h"

namespace posewire::character {

using skel::HumanBone;
using skel::ShapeKeyOf;

BoneNodes FindBones(absl::Span<const std::string> names) {
  BoneNodes out;
  out.fill(-1);
  std::vector<bool> used(names.size(), false);
  // As a flat rig of these names, so that the one table of namings decides.
  skel::RigParts parts;
  std::vector<int> node_of;
  absl::flat_hash_set<std::string> taken;
  for (size_t i = 0; i < names.size() && parts.joint_paths.size() < 1024; ++i) {
    std::string name(skel::BareBoneName(names[i]));
    if (absl::StartsWithIgnoreCase(names[i], "j_bip")) name = names[i];
    std::replace(name.begin(), name.end(), '/', '_');
    if (name.empty() || !taken.insert(name).second) continue;
    parts.joint_paths.push_back(std::move(name));
    parts.rest_translations.emplace_back();
    node_of.push_back(static_cast<int>(i));
  }
  parts.name = "file";
  if (auto rig = skel::Rig::Make(std::move(parts)); rig.ok()) {
    BoneNodes found;
    int count = 0;
    for (int b = 0; b < skel::kHumanBones; ++b) {
      const int joint = (*rig)->humanoid().joint(static_cast<HumanBone>(b));
      found[static_cast<size_t>(b)] = joint < 0 ? -1 : node_of[static_cast<size_t>(joint)];
      count += joint >= 0 ? 1 : 0;
    }
    if (count >= kLeastBones) {
      out = found;
      for (const int node : out) {
        if (node >= 0) used[static_cast<size_t>(node)] = true;
      }
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const std::optional<HumanBone> bone = used[i] ? std::nullopt : skel::BoneOfWords(names[i]);
    if (bone && out[static_cast<size_t>(*bone)] < 0) {
      out[static_cast<size_t>(*bone)] = static_cast<int>(i);
    }
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
