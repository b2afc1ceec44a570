// Nodes of scenes that writers of clips and characters share: what moves, and the camera.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_SCENE_NODES_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_SCENE_NODES_H_

#include <vector>

#include "libs/asset/motion.h"
#include "libs/asset/scene.h"
#include "libs/formats/gltf/document_writer.h"
#include "libs/skel/affine.h"

namespace posewire::gltf {

// Moves a node by the keys of its places; one place is the node's.
void AddPlaces(int node, const std::vector<double>& times_s,
               const std::vector<asset::RigidPlace>& places, DocumentWriter& out);

// Adds the camera of a clip that is at `place`, if it has one. A glTF camera's angle does not
// change: it is that of the first key.
void AddCamera(const asset::Motion& motion, const skel::Trs& place, DocumentWriter& out);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_SCENE_NODES_H_
