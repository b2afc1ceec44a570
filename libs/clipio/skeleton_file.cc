#include "libs/clipio/skeleton_file.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_reader.h"
#include "libs/clipio/gltf_animation.h"
#include "libs/files/read.h"
#include "libs/gltf/document.h"
#include "libs/skel/body.h"
#include "libs/skel/rig_limits.h"
#include "libs/skel/rig_parser.h"
#include "libs/skel/shape_names.h"
#include "libs/usd/usdcat.h"
#include "libs/x3d/humanoid.h"
#include "libs/x3d/read_scene.h"

namespace posewire::clipio {
namespace {

constexpr size_t kMostSkeletonFile_bytes = 256u << 20;

std::vector<std::string> TargetNames(gltf::Document& document) {
  std::vector<std::string> out;
  const gltf::Json meshes = document.root()["meshes"];
  for (size_t m = 0; m < meshes.size(); ++m) {
    const gltf::Json mesh = meshes.At(m);
    for (const gltf::Json& of : {mesh, mesh["primitives"].At(0)}) {
      const gltf::Json extras = of["extras"];
      const gltf::Json names = extras.IsObject() ? extras["targetNames"] : gltf::Json();
      if (names.IsObject()) continue;
      for (size_t n = 0; n < names.size(); ++n) out.push_back(names.At(n).Text());
    }
  }
  return out;
}

// The skeleton with ARKit's shapes, so that a face is never lost, and the file's own, by ARKit's
// names where they are the same: a target "mouthSmile_L" is mouthSmileLeft.
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

std::shared_ptr<const skel::Rig> RestRig(skel::RigParts parts) {
  parts.name = "the clip's skeleton";
  parts.stance = skel::Stance::kAsItStands;
  absl::StatusOr<std::shared_ptr<const skel::Rig>> rig = skel::Rig::Make(std::move(parts));
  if (!rig.ok()) return nullptr;
  // One that stands along another axis is put there once it is turned.
  const skel::Standing standing = skel::StandingOf(**rig);
  if (standing.known && skel::AxisBroughtTo({0, 1, 0}, standing.upright) != "+Y") return *rig;
  return skel::OnGround(*std::move(rig), 0);
}

namespace {

absl::StatusOr<std::shared_ptr<const skel::Rig>> HumanoidAtRest(absl::string_view text) {
  const absl::StatusOr<skel::RigCatalog> catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  const auto standard = catalog->Find("hanim_loa4");
  if (!standard.ok()) return standard.status();
  const absl::StatusOr<x3d::Scene> scene = x3d::ReadScene(text);
  if (!scene.ok()) return scene.status();
  const absl::StatusOr<x3d::Humanoid> humanoid = x3d::ReadHumanoid(*scene, **standard);
  if (!humanoid.ok()) return humanoid.status();
  return RestRig(x3d::RigOf(*humanoid));
}

}  // namespace

bool HoldsSkeleton(absl::string_view path) {
  const std::string lower = absl::AsciiStrToLower(path);
  for (const absl::string_view ending :
       {".glb", ".gltf", ".vrm", ".vrma", ".bvh", ".usda", ".x3d", ".x3dv", ".rig"}) {
    if (absl::EndsWith(lower, ending)) return true;
  }
  return usd::IsStageName(path);
}

absl::StatusOr<std::shared_ptr<const skel::Rig>> ReadSkeleton(const std::string& path) {
  const std::string lower = absl::AsciiStrToLower(path);
  const bool gltf = absl::EndsWith(lower, ".glb") || absl::EndsWith(lower, ".gltf") ||
                    absl::EndsWith(lower, ".vrm");
  const bool x3d = absl::EndsWith(lower, ".x3d") || absl::EndsWith(lower, ".x3dv");
  std::shared_ptr<const skel::Rig> found;
  std::vector<std::string> targets;
  if (gltf || x3d || absl::EndsWith(lower, ".rig")) {
    const absl::StatusOr<std::string> text = files::ReadWhole(path, kMostSkeletonFile_bytes);
    if (!text.ok()) return text.status();
    absl::StatusOr<std::shared_ptr<const skel::Rig>> rig;
    if (gltf) {
      auto document = gltf::Document::Parse(*text, {}, nullptr);
      rig = document.ok() ? GltfAnimation::Skeleton(**document)
                          : absl::StatusOr<std::shared_ptr<const skel::Rig>>(document.status());
      if (rig.ok()) targets = TargetNames(**document);
    } else {
      rig = x3d ? HumanoidAtRest(*text) : skel::Rig::Parse(*text);
    }
    if (!rig.ok()) {
      return absl::Status(rig.status().code(), absl::StrCat(path, ": ", rig.status().message()));
    }
    // A rig file says which shapes it has.
    if (!gltf && !x3d) return rig;
    found = *std::move(rig);
  } else {
    auto clip = ClipReader::Open(path);
    if (!clip.ok()) return clip.status();
    const auto first = (*clip)->Next();
    if (!first.ok()) return first.status();
    if (*first) {
      const auto& names =
          (**first).animation_data_stream_header().skel_animation_header().blend_shapes();
      targets.assign(names.begin(), names.end());
    }
    found = (*clip)->skeleton();
  }
  if (found != nullptr) found = WithShapes(*found, targets);
  if (found != nullptr) return found;
  return absl::InvalidArgumentError(absl::StrCat(path, ": holds no skeleton at rest"));
}

}  // namespace posewire::clipio
