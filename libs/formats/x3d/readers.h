// The readers of the two forms; ReadScene selects one.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_READERS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_READERS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

absl::StatusOr<Scene> ReadXml(absl::string_view bytes, const Limits& limits);
absl::StatusOr<Scene> ReadClassic(absl::string_view bytes, const Limits& limits);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_READERS_H_
