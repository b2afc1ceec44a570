// How a file's nodes and targets follow a rig of ours.
#ifndef POSEWIRE_LIBS_CHARACTER_BIND_H_
#define POSEWIRE_LIBS_CHARACTER_BIND_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "libs/character/character.h"
#include "libs/character/gltf_reader.h"
#include "libs/formats/gltf/document.h"
#include "libs/skel/rig.h"

namespace posewire::character {

// A rig of the file's own skeleton, and the nodes that are its joints from `first` on. Null: it has
// none.
struct OwnRig {
  // What takes the way of a joint, as poses have it, into the space of its node's parent.
  struct Way {
    skel::Quat turn;
    float scale = 1;
  };

  std::shared_ptr<const skel::Rig> rig;
  std::vector<int> nodes;
  bool faces_z = false;  // its format says where its front is: a body that is askew is not turned
  int first = 0;
  std::vector<Way> ways = {};  // of each node; empty: poses have the node's own
};

// Fills in rig, links, drives, root, length_scale and what is missing of a character that has its
// scene. A file with the joints of one of the catalog's rigs at their rest is moved by that rig,
// after its arms are brought to where that rig's are, if they stand elsewhere; a humanoid of other
// bones by the rig "vrm"; what is neither by its own rig (gltf_rig.h); and what has none stands
// still, and its shapes move.
absl::Status Bind(gltf::Document& document, const skel::RigCatalog& rigs,
                  const std::vector<MeshOrigin>& origins, Character& out);
// The same of a file without VRM's extras, whose own rig is known.
absl::Status Bind(const OwnRig& own, const skel::RigCatalog& rigs, Character& out);

// Where cameras find it: of a character that is bound and has its shapes.
absl::Status Frame(Character& out);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_BIND_H_
