// Matches blend shapes by the names that tools give them.
#ifndef POSEWIRE_LIBS_SKEL_SHAPE_NAMES_H_
#define POSEWIRE_LIBS_SKEL_SHAPE_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posewire::skel {

// Returns a key: "blendShape1.mouthSmile_L" and "MouthSmileLeft" both become "mouthsmileleft".
std::string ShapeKeyOf(absl::string_view name);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_SHAPE_NAMES_H_
