// How a file's nodes and targets follow a rig of ours.
#ifndef POSEWIRE_LIBS_CHARACTER_BIND_H_
#define POSEWIRE_LIBS_CHARACTER_BIND_H_

#include <vector>

#include "absl/status/status.h"
#include "libs/character/character.h"
#include "libs/character/gltf_document.h"
#include "libs/character/gltf_reader.h"
#include "libs/skel/rig.h"

namespace posewire::character {

// Fills in rig, links, drives, root, length_scale and what is missing of a character that has its
// scene. A file with the joints of one of the catalog's rigs at their rest is moved by that rig; a
// humanoid of other bones by the rig "vrm"; what is neither stands still, and its shapes move.
absl::Status Bind(GltfDocument& document, const skel::RigCatalog& rigs,
                  const std::vector<MeshOrigin>& origins, Character& out);

// Where cameras find it: of a character that is bound and has its shapes.
absl::Status Frame(Character& out);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_BIND_H_
