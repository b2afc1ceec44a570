// Props from GLB files.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_PROP_READER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_PROP_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/prop_model.h"

namespace posewire::gltf {

// Reads the scene of a GLB at rest, with its nodes' transforms applied. Named nodes without a mesh
// and without children become sites, `grip` first. Skins, shapes and animations have no effect.
// Refers to no other file. Errors as in ReadCharacter, and those of character::Finish.
absl::StatusOr<character::PropModel> ReadProp(absl::string_view bytes,
                                              const character::PropLimits& limits = {});

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_PROP_READER_H_
