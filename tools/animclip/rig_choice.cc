#include "tools/animclip/rig_choice.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/files/read.h"
#include "libs/skel/path_index.h"

namespace posewire::animclip {
namespace {

constexpr const char* kStandard = "hanim_loa3";

int Known(const skel::Rig& rig, const wire::StreamHeader& header) {
  return static_cast<int>(
      std::count_if(header.joints.begin(), header.joints.end(),
                    [&](const std::string& joint) { return rig.FindJoint(joint) >= 0; }));
}

std::string Best(const wire::StreamHeader& header, const skel::RigCatalog& catalog) {
  std::string best;
  int best_known = 0, best_joints = 0;
  for (const std::string& name : catalog.names()) {
    const auto rig = catalog.Find(name);
    if (!rig.ok()) continue;
    const int known = Known(**rig, header), joints = (*rig)->joints();
    const bool better = known > best_known || (known == best_known && best != kStandard &&
                                               (name == kStandard || joints < best_joints));
    if (known == 0 || !better) continue;
    best = name, best_known = known, best_joints = joints;
  }
  return best;
}

absl::StatusOr<std::shared_ptr<const skel::Rig>> ReadRig(const std::string& path) {
  const auto text = files::ReadWhole(path, clipio::kMostRigFile_bytes);
  if (!text.ok()) return text.status();
  auto rig = skel::Rig::Parse(*text);
  if (rig.ok()) return rig;
  return absl::Status(rig.status().code(), absl::StrCat(path, ": ", rig.status().message()));
}

}  // namespace

std::string ShapesFor(const wire::StreamHeader& header) {
  const bool tongue =
      std::any_of(header.shapes.begin(), header.shapes.end(), [](const std::string& shape) {
        const std::string lower = absl::AsciiStrToLower(skel::LastPathElement(shape));
        return absl::StartsWith(lower, "tongue") && lower != "tongueout";
      });
  return tongue ? "arkit68" : "arkit52";
}

std::string GuessRig(const wire::StreamHeader& header) {
  const auto catalog = skel::RigCatalog::Builtin(ShapesFor(header));
  return catalog.ok() ? Best(header, *catalog) : "";
}

absl::StatusOr<std::shared_ptr<const skel::Rig>> ChooseRig(const std::string& name,
                                                           const wire::StreamHeader& header,
                                                           const skel::RigCatalog& catalog) {
  if (absl::EndsWith(name, ".rig")) return ReadRig(name);
  if (clipio::HoldsSkeleton(name)) return clipio::ReadSkeleton(name);
  if (absl::StrContains(name, '/')) return ReadRig(name);
  if (name != "auto") return catalog.Find(name);
  const std::string best = Best(header, catalog);
  return catalog.Find(best.empty() ? kStandard : best);
}

}  // namespace posewire::animclip
