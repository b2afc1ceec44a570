// The rig of a glTF file that is not a humanoid: a tube, a tail, a prop.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_OWN_RIG_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_OWN_RIG_H_

#include "libs/character/bind.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/document.h"
#include "libs/skel/rig.h"

namespace posewire::gltf {

// Returns a rig with the joints and shapes of `standard` and the file's own, with their names in
// clips of the file (libs/formats/gltf/joints.h). So both a face with ARKit's names and a clip of
// its own can move it. Omits the standard's joints if a path is in both. `scene` has the file's
// nodes, in their order, and its meshes. Null, possibly with a note there, for a file without
// joints and shapes of its own.
character::OwnRig GltfRig(Document& document, const skel::Rig& standard,
                          character::Character& scene);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_OWN_RIG_H_
