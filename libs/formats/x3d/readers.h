// The readers of the two forms; ReadScene selects one.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_READERS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_READERS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// How VRML97 begins.
inline constexpr char kVrml97[] = "#VRML V2.0";
// Returns the text from the first line of the classic form or VRML97 on, which may follow up to 16
// lines of comments; "" if there is none.
absl::string_view ClassicHead(absl::string_view text);

absl::StatusOr<Scene> ReadXml(absl::string_view bytes, const Limits& limits);
absl::StatusOr<Scene> ReadClassic(absl::string_view bytes, const Limits& limits);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_READERS_H_
