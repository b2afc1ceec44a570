// The surfaces of a scene: see libs/formats/gltf/node_scene.h for what it consists of.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_SCENE_MODELS_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_SCENE_MODELS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/limits.h"
#include "libs/character/scene.h"

namespace posewire::gltf {

// Reads the characters with the meshes of their skins and those below their joints, the props, and
// all other meshes as they are at first. Nodes and weights move as in the first animation that
// moves each. Springs, VRM's expressions and `extras.posewire` are left out.
//
// Errors: those of FindScene and of ReadCharacter; RESOURCE_EXHAUSTED for over kMostNodePlaces.
absl::StatusOr<character::SceneModels> ReadSceneModels(absl::string_view bytes,
                                                       const character::Limits& limits,
                                                       const asset::ReadSidecar& read_sidecar);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_SCENE_MODELS_H_
