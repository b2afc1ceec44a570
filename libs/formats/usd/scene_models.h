// The surfaces of a scene: see libs/formats/usd/stage_scene.h for what it consists of.
#ifndef POSEWIRE_LIBS_FORMATS_USD_SCENE_MODELS_H_
#define POSEWIRE_LIBS_FORMATS_USD_SCENE_MODELS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/limits.h"
#include "libs/character/scene.h"
#include "libs/formats/usd/skeleton.h"

namespace posewire::usd {

// Reads the characters with all skeletons and meshes below their SkelRoots, the props, and all
// other meshes as they are at first.
//
// Errors: those of FindScene and of ReadCharacter; RESOURCE_EXHAUSTED for over kMostNodePlaces.
absl::StatusOr<character::SceneModels> ReadSceneModels(absl::string_view bytes,
                                                       const character::Limits& limits,
                                                       const asset::ReadSidecar& read_sidecar,
                                                       const BindingRules& rules = {});

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_SCENE_MODELS_H_
