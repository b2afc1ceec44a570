// The gestures that ship with the project: clips made by our own generator on the standard rig
// (H-Anim LOA-3), 30 frames a second, 1.2 to 3.5 s long.
//
// Each starts and ends in NeutralStance and carries only the joints and shapes that it moves, so
// that what plays beneath goes on elsewhere. Feet stay where they are. Made the same on every run.
#ifndef POSEWIRE_LIBS_GESTURE_GESTURES_H_
#define POSEWIRE_LIBS_GESTURE_GESTURES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip.h"
#include "libs/clip/clip_library.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {

// All names, in alphabetical order.
std::vector<std::string> GestureNames();

// NOT_FOUND that lists the known names; INVALID_ARGUMENT for a rig without the joints of LOA-3 or
// with another rest stance.
absl::StatusOr<std::shared_ptr<const clip::Clip>> MakeGesture(absl::string_view name,
                                                              std::shared_ptr<const skel::Rig> rig);

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_GESTURES_H_
