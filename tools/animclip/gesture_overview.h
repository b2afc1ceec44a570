// Draws one picture of all built-in gestures.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_GESTURE_OVERVIEW_H_
#define POSEWIRE_TOOLS_ANIMCLIP_GESTURE_OVERVIEW_H_

#include <string>

#include "absl/status/status.h"
#include "libs/clip/clip_library.h"

namespace posewire::animclip {

// Draws postures, gestures and facial gestures, each at the instant that is farthest from its
// start. `path` ends in .svg or .png. `library` is that of gesture::MakeGestures, all on one rig.
absl::Status WriteGestureOverview(const clip::ClipLibrary& library, const std::string& path);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_GESTURE_OVERVIEW_H_
