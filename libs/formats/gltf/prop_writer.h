// Props as binary glTF, encoded once and written in any size.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_PROP_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_PROP_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/prop_model.h"

namespace posewire::gltf {

// Writes the model at its own size. Errors as in WriteCharacter.
absl::StatusOr<std::string> WriteProp(const character::PropModel& model, const std::string& name);

// Returns what WriteProp wrote with a scale about the origin on its root node; its pictures and
// arrays are copied. INVALID_ARGUMENT if it is no such GLB.
absl::StatusOr<std::string> ScaleProp(absl::string_view glb, skel::Vec3 scale);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_PROP_WRITER_H_
