#include "libs/clipio/skeleton_file.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/asset/motion_reader.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/format_table.h"
#include "libs/clipio/open_clip.h"
#include "libs/files/read.h"
#include "libs/formats/usd/usdcat.h"
#include "libs/recording/clip_reader.h"
#include "libs/skel/rig_limits.h"
#include "libs/skel/rig_parser.h"
#include "libs/skel/shape_names.h"

namespace posewire::clipio {
namespace {

constexpr size_t kMostSkeletonFile_bytes = 256u << 20;

// Returns the skeleton with ARKit's shapes, so that a face is never lost, and the file's own, under
// ARKit's names where they match: a target "mouthSmile_L" is mouthSmileLeft.
std::shared_ptr<const skel::Rig> WithShapes(const skel::Rig& rig,
                                            const std::vector<std::string>& targets) {
  skel::RigParts parts = rig.parts();
  absl::flat_hash_set<std::string> keys;
  const auto add = [&](const std::string& name) {
    const bool room = !name.empty() && parts.shapes.size() < skel::kMostShapes;
    if (room && keys.insert(skel::ShapeKeyOf(name)).second) parts.shapes.push_back(name);
  };
  parts.shapes.clear();
  const auto arkit = skel::BuiltinShapes("arkit68");
  for (const std::string& name : arkit.ok() ? *arkit : std::vector<std::string>()) add(name);
  for (const std::string& name : rig.parts().shapes) add(name);
  for (const std::string& name : targets) add(name);
  auto made = skel::Rig::Make(std::move(parts));
  return made.ok() ? *std::move(made) : nullptr;
}

}  // namespace

namespace {

// Returns the row for a file's name; null for a rig file, and for an unknown extension.
const FormatRow* RowOfName(absl::string_view path) {
  if (usd::IsStageName(path)) return &RowOf(Format::kUsda);
  if (absl::EndsWithIgnoreCase(path, ".vrm")) return &RowOf(Format::kGlb);
  const absl::StatusOr<Format> format = FormatOf(path);
  return format.ok() ? &RowOf(*format) : nullptr;
}

bool IsRigFile(absl::string_view path) { return absl::EndsWithIgnoreCase(path, ".rig"); }

absl::StatusOr<asset::SkeletonAtRest> SkeletonOfClip(const std::string& path) {
  asset::SkeletonAtRest out;
  auto clip = OpenClip(path);
  if (!clip.ok()) return clip.status();
  const auto first = (*clip)->Next();
  if (!first.ok()) return first.status();
  if (*first) out.shapes = std::get<wire::StreamHeader>((*first)->chunk).shapes;
  out.rig = (*clip)->skeleton();
  return out;
}

}  // namespace

bool HoldsSkeleton(absl::string_view path) {
  const FormatRow* const row = RowOfName(path);
  return IsRigFile(path) || (row != nullptr && row->holds_skeleton);
}

absl::StatusOr<std::shared_ptr<const skel::Rig>> ReadSkeleton(const std::string& path) {
  const FormatRow* const row = RowOfName(path);
  const bool rig_file = IsRigFile(path);
  absl::StatusOr<asset::SkeletonAtRest> found;
  if (rig_file || (row != nullptr && row->skeleton != nullptr)) {
    const absl::StatusOr<std::string> text = files::ReadWhole(path, kMostSkeletonFile_bytes);
    if (!text.ok()) return text.status();
    const auto named = [&path](const absl::Status& s) {
      return absl::Status(s.code(), absl::StrCat(path, ": ", s.message()));
    };
    if (rig_file) {  // a rig file names its shapes
      auto rig = skel::Rig::Parse(*text);
      return rig.ok() ? std::move(rig) : named(rig.status());
    }
    found = row->skeleton(*text);
    if (!found.ok()) return named(found.status());
  } else {
    found = SkeletonOfClip(path);
    if (!found.ok()) return found.status();
  }
  std::shared_ptr<const skel::Rig> rig;
  if (found->rig != nullptr) rig = WithShapes(*found->rig, found->shapes);
  if (rig != nullptr) return rig;
  return absl::InvalidArgumentError(absl::StrCat(path, ": holds no skeleton at rest"));
}

}  // namespace posewire::clipio
