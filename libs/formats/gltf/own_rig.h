// The rig of a glTF file that is no humanoid: a tube, a tail, a prop.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_OWN_RIG_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_OWN_RIG_H_

#include "libs/character/bind.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/document.h"
#include "libs/skel/rig.h"

namespace posewire::gltf {

// The joints and shapes of `standard`, and besides them the file's own, as clips of the file name
// them (libs/formats/gltf/joints.h): so a face of ARKit's names moves it, and so does a clip of its
// own. Without the standard's joints if both have a path. `scene` has the file's nodes, in their
// order, and its meshes. Null, maybe with a note there, for a file without joints and shapes of its
// own.
character::OwnRig GltfRig(Document& document, const skel::Rig& standard,
                          character::Character& scene);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_OWN_RIG_H_
