// What glTF cannot say of a character: `extras.posewire` at the top of the file
// (docs/characters.md).
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_H_

#include <vector>

#include "absl/status/status.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/scene.h"

namespace posewire::gltf {

// Before the meshes are read, which are made of them. At most 256.
std::vector<Inbetween> ReadInbetweens(Document& document);

// Once meshes are read and a rig is bound: mouthClose, correctives, variants, sites, cameras. What
// the extras name and the file lacks is an error; unknown members are left alone.
absl::Status ReadExtras(Document& document, character::Character& out);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_H_
