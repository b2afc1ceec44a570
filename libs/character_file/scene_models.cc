#include "libs/character_file/scene_models.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/character_file/read_character.h"
#include "libs/files/read.h"
#include "libs/formats/gltf/scene_models.h"
#include "libs/formats/usd/scene_models.h"

namespace posewire::character_file {

absl::StatusOr<character::SceneModels> ReadSceneModels(absl::string_view bytes,
                                                       const character::Limits& limits,
                                                       const asset::ReadSidecar& read_sidecar,
                                                       bool outside_skel_root) {
  if (!absl::StartsWith(bytes, "#usda ")) {
    return gltf::ReadSceneModels(bytes, limits, read_sidecar);
  }
  return usd::ReadSceneModels(bytes, limits, read_sidecar, {outside_skel_root});
}

absl::StatusOr<character::SceneModels> OpenSceneModels(const std::string& path,
                                                       bool outside_skel_root) {
  const character::Limits limits;
  const absl::StatusOr<std::string> bytes = ReadFile(path, limits);
  if (!bytes.ok()) return bytes.status();
  auto out = ReadSceneModels(
      *bytes, limits,
      [&](const std::string& name) { return files::ReadNamed(path, name, limits.bytes); },
      outside_skel_root);
  if (out.ok()) return out;
  return absl::Status(out.status().code(), absl::StrCat(path, ": ", out.status().message()));
}

}  // namespace posewire::character_file
