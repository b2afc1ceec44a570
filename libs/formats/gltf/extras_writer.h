// Writes what ReadExtras reads.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_WRITER_H_

#include <string>

#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/linear_shapes.h"
#include "libs/formats/gltf/document_writer.h"

namespace posewire::gltf {

// Writes the member "extras" unless it would be empty. `targets` has those of each mesh. Variants
// are not written.
void WriteCharacterExtras(JsonWriter& json, const character::Character& character,
                          absl::Span<const character::LinearShapes> targets,
                          absl::Span<const std::string> mesh_names);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_EXTRAS_WRITER_H_
