// The gesture files that are compiled in. Internal to libs/gesture_loader.
#ifndef POSEWIRE_LIBS_GESTURE_LOADER_BUILTIN_FILES_H_
#define POSEWIRE_LIBS_GESTURE_LOADER_BUILTIN_FILES_H_

#include "absl/strings/string_view.h"

namespace posewire::gesture {

// By the file's name, "greet.gesture.txtpb"; empty: there is none such.
absl::string_view BuiltinGestureFile(absl::string_view name);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_LOADER_BUILTIN_FILES_H_
