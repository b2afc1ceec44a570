// A thing as a binary glTF, for programs that read glTF alone, such as browsers.
#ifndef POSEWIRE_LIBS_RENDER_PROP_GLB_H_
#define POSEWIRE_LIBS_RENDER_PROP_GLB_H_

#include <string>

#include "absl/status/statusor.h"
#include "libs/render/prop_shapes.h"

namespace posewire::render {

// The surface that the painter gives it, with its colours, where the prop has it. Any shape will
// do; sizes are above 0. Errors: of CharacterGlb.
absl::StatusOr<std::string> PropGlb(const Prop& prop);

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_PROP_GLB_H_
