// Materials of a stage's surfaces: UsdPreviewSurface with its pictures, or displayColor.
#ifndef POSEWIRE_LIBS_FORMATS_USD_MATERIALS_H_
#define POSEWIRE_LIBS_FORMATS_USD_MATERIALS_H_

#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/formats/usd/stage.h"

namespace posewire::usd {

// Adds materials and textures to a character as its meshes request them.
class StageLooks {
 public:
  StageLooks(const Stage& stage, const character::Limits& limits,
             const asset::ReadSidecar& read_sidecar, character::Character& out)
      : stage_(stage), limits_(limits), read_sidecar_(read_sidecar), out_(out) {}

  // Returns the material of a mesh, by its binding or an inherited one; `bound` is the mesh or a
  // part of it.
  int Of(int mesh, int bound);
  // Returns the materials of faces that a part of the mesh (GeomSubset) overrides.
  absl::flat_hash_map<uint32_t, int> OfFaces(int mesh);
  // Adds the last material, which is white, as for a glTF file.
  void Finish() { out_.materials.emplace_back(); }

 private:
  int PrimOf(int prim, absl::string_view connection) const;
  int Texture(int shader, absl::string_view input);
  void ReadSurface(int material, character::Material& m);

  const Stage& stage_;
  const character::Limits& limits_;
  const asset::ReadSidecar& read_sidecar_;
  character::Character& out_;
  std::map<std::pair<int, std::string>, int> known_;  // by the material's prim and the looks
  std::map<std::string, int> pictures_;
};

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_MATERIALS_H_
