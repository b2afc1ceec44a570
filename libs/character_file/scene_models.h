// Reads what a file of a scene shows.
#ifndef POSEWIRE_LIBS_CHARACTER_FILE_SCENE_MODELS_H_
#define POSEWIRE_LIBS_CHARACTER_FILE_SCENE_MODELS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/character/limits.h"
#include "libs/character/scene.h"

namespace posewire::character_file {

// Reads a USD stage, or a GLB or glTF file; the files that it refers to are next to it. Characters
// and props are those that clipio::OpenScene lists. Errors of reading begin with the path.
absl::StatusOr<character::SceneModels> OpenSceneModels(const std::string& path,
                                                       bool outside_skel_root = false);
// The same of bytes; `read_sidecar` returns the files that they refer to.
absl::StatusOr<character::SceneModels> ReadSceneModels(absl::string_view bytes,
                                                       const character::Limits& limits,
                                                       const asset::ReadSidecar& read_sidecar,
                                                       bool outside_skel_root = false);

}  // namespace posewire::character_file

#endif  // POSEWIRE_LIBS_CHARACTER_FILE_SCENE_MODELS_H_
