// The gesture files compiled into the program. Internal to libs/gesture_loader.
#ifndef POSEWIRE_LIBS_GESTURE_LOADER_BUILTIN_FILES_H_
#define POSEWIRE_LIBS_GESTURE_LOADER_BUILTIN_FILES_H_

#include "absl/strings/string_view.h"

namespace posewire::gesture {

// Returns a file by name, such as "greet.gesture.txtpb"; empty if there is none.
absl::string_view BuiltinGestureFile(absl::string_view name);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_LOADER_BUILTIN_FILES_H_
