// File formats that people have and that are not read here: what they are, and how to get there.
#ifndef POSEWIRE_LIBS_CLIPIO_OTHER_FORMATS_H_
#define POSEWIRE_LIBS_CLIPIO_OTHER_FORMATS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posewire::clipio {

// By the name's ending, ignoring case: "FBX is not read here: import it into Blender and export it
// as glTF (.glb)". Empty for endings that are not in the table. Any thread.
std::string HowToConvert(absl::string_view path);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_OTHER_FORMATS_H_
