// Common file formats that are not read here: what they are, and how to convert them.
#ifndef POSEWIRE_LIBS_CLIPIO_OTHER_FORMATS_H_
#define POSEWIRE_LIBS_CLIPIO_OTHER_FORMATS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posewire::clipio {

// Returns advice by file extension, ignoring case: "FBX is not read here: import it into Blender
// and export it as glTF (.glb)". Empty for extensions that are not in the table. Any thread.
std::string HowToConvert(absl::string_view path);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_OTHER_FORMATS_H_
