// Character data that glTF has no field for: `extras.posewire` at the top of the file
// (docs/characters.md).
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_H_

#include <vector>

#include "absl/status/status.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/scene.h"

namespace posewire::gltf {

// Call before the meshes are read, which use them. At most 256.
std::vector<Inbetween> ReadInbetweens(Document& document);

// Call once meshes are read and a rig is bound: reads mouthClose, correctives, variants, deformers,
// sites, cameras. References to missing parts of the file are errors; unknown members are ignored.
absl::Status ReadExtras(Document& document, character::Character& out);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_H_
