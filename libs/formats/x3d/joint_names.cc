#include "libs/formats/x3d/joint_names.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/skel/rig.h"
#include "libs/wire/text_check.h"

namespace posewire::x3d {
namespace {

constexpr int kMostLevel = 4;
constexpr int kLeastKnown = 8;  // a skeleton with fewer of the standard's joints is another one
constexpr size_t kMostX3dNameBytes = 128;

}  // namespace

absl::Status CheckX3dName(absl::string_view what, const std::string& name) {
  if (!name.empty() && name.size() <= kMostX3dNameBytes && !wire::HasControlCharacter(name)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      what, wire::Quoted(name), " cannot be named in X3D: 1 to 128 bytes, no control characters"));
}

bool IsPlainName(absl::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

absl::StatusOr<JointNames> NameJoints(const std::vector<std::string>& labels,
                                      const std::vector<int>& parents, HAnimVersion version) {
  const absl::StatusOr<skel::RigCatalog> catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  const auto standard = catalog->Find(absl::StrCat("hanim_loa", kMostLevel));
  if (!standard.ok()) return standard.status();
  const size_t joints = labels.size();
  std::vector<int> known(joints);
  std::vector<bool> holds(joints, false);
  int all = 0;
  for (size_t j = joints; j-- > 0;) {
    known[j] = (*standard)->FindJoint(labels[j]);
    all += known[j] >= 0 ? 1 : 0;
    if (parents[j] >= 0 && (known[j] >= 0 || holds[j])) {
      holds[static_cast<size_t>(parents[j])] = true;
    }
  }
  JointNames out;
  out.is_hanim = all >= std::min<int>(kLeastKnown, static_cast<int>(joints));
  absl::flat_hash_set<std::string> seen = {kHumanoidDef};
  for (size_t j = 0; j < joints; ++j) {
    std::string name = labels[j];
    std::string segment, v1;
    if (out.is_hanim && known[j] >= 0) {
      const auto at = static_cast<size_t>(known[j]);
      v1 = (*standard)->joint_names()[at];
      segment = std::string(SegmentOf(v1, version));
      const std::string& alias = (*standard)->joint_aliases()[at];
      name = alias.empty() || version == HAnimVersion::k1 ? v1 : alias;
    } else if (out.is_hanim && !holds[j] && name.substr(0, 2) != "x_") {
      name = absl::StrCat("x_", name);
    }
    if (absl::Status s = CheckX3dName("joint ", name); !s.ok()) return s;
    std::string def = absl::StrCat("hanim_", name);
    if (!IsPlainName(name) || !seen.insert(def).second) def = absl::StrCat("joint_", j);
    out.names.push_back(std::move(name));
    out.defs.push_back(std::move(def));
    out.known.push_back(std::move(v1));
    out.segments.push_back(std::move(segment));
  }
  for (int level = 0; out.is_hanim && level <= kMostLevel && out.level < 0; ++level) {
    const auto rig = catalog->Find(absl::StrCat("hanim_loa", level));
    if (!rig.ok()) return rig.status();
    const bool has_all = std::all_of(out.names.begin(), out.names.end(), [&](const auto& name) {
      return (*rig)->FindJoint(name) >= 0 || name.substr(0, 2) == "x_";
    });
    if (has_all) out.level = level;
  }
  return out;
}

}  // namespace posewire::x3d
