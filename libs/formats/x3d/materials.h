// Materials of an X3D scene's surfaces: Appearance with its material and its picture.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_MATERIALS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_MATERIALS_H_

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/asset/limits.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/formats/x3d/scene.h"
#include "libs/image/image.h"

namespace posewire::x3d {

// Converts an sRGB colour value (0..1) to linear light.
float LinearOf(float srgb);
// The inverse.
float SrgbOf(float linear);

// Adds materials and textures to a character as its shapes request them. Colours of Material are
// sRGB; PhysicalMaterial's are linear, as glTF's.
class X3dLooks {
 public:
  X3dLooks(const Scene& scene, const character::Limits& limits,
           const asset::ReadSidecar& read_sidecar, character::Character& out)
      : scene_(scene), limits_(limits), read_sidecar_(read_sidecar), out_(out) {}

  // Returns the material of a shape with this geometry. INVALID_ARGUMENT with the line; unreadable
  // pictures are skipped with a note.
  absl::StatusOr<int> Of(const X3dNode& shape, const X3dNode& geometry);
  // Applies its TextureTransform, if any.
  absl::Status MovePicture(const X3dNode& shape, std::vector<std::array<float, 2>>& uv) const;
  // Adds the last material, which is white, as for a glTF file.
  void Finish() { out_.materials.emplace_back(); }

 private:
  absl::Status Read(const X3dNode& appearance, character::Material& m);
  absl::Status ReadMaterial(const X3dNode& node, character::Material& m);
  // Returns an index in the character; -1 for none.
  int Picture(const X3dNode* texture);
  absl::StatusOr<image::Image> Load(const X3dNode& texture);

  const Scene& scene_;
  const character::Limits& limits_;
  const asset::ReadSidecar& read_sidecar_;
  character::Character& out_;
  std::map<std::tuple<const X3dNode*, bool, bool>, int> known_;
  std::map<const X3dNode*, int> pictures_;
};

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_MATERIALS_H_
