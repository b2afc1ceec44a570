// Whatever a character's file holds, reading it ends in a character that can be posed or in a
// refusal that says why, within the limits. A libFuzzer target in the fuzz preset; elsewhere its
// corpus is replayed as a test.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "libs/character/deformer.h"
#include "libs/character_file/read_character.h"
#include "libs/character_file/scene_models.h"
#include "libs/formats/gltf/character_writer.h"

using posewire::character::Deformer;
using posewire::character::Limits;
using posewire::character_file::ReadCharacter;

namespace {

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

const posewire::skel::RigCatalog& Rigs() {
  static const auto* rigs =
      new posewire::skel::RigCatalog(*posewire::skel::RigCatalog::Builtin("arkit68"));
  return *rigs;
}

// What a scene shows can be written.
void ReadScene(absl::string_view bytes, const Limits& limits) {
  const auto scene = posewire::character_file::ReadSceneModels(bytes, limits, nullptr);
  if (!scene.ok()) return Check(scene.status().message().size() > 5, "a refusal says why");
  for (const auto& model : scene->characters) {
    Check(posewire::gltf::WriteCharacter(model.character, &model.motion).ok(),
          "a character of a scene can be written");
  }
  for (const auto& prop : scene->props) {
    Check(prop.meshes.empty() || posewire::gltf::WriteCharacter(prop).ok(),
          "a prop of a scene can be written");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Limits limits;
  limits.bytes = 1 << 20;
  limits.numbers = 1 << 20;
  limits.points = 1 << 14;
  limits.triangles = 1 << 15;
  limits.picture.read_side = 256;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadScene(bytes, limits);
  const auto read = ReadCharacter(bytes, "file", Rigs(), {.limits = limits});
  if (!read.ok()) {
    Check(read.status().message().size() > 10, "a refusal says why");
    return 0;
  }
  Check((*read)->points() <= limits.points, "points are within the limit");
  Deformer deformer(*read);
  posewire::skel::Pose pose((*read)->rig->joints(), (*read)->rig->shapes());
  for (int s = 0; s < pose.shapes(); ++s) pose.span().SetWeight(s, 0.7f);
  Check(deformer.Pose(pose.view()).ok(), "what was read can be posed");
  return 0;
}
