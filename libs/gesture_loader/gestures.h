// The built-in motions: clips from the files in data/gestures, which are compiled in, on the
// standard rig (H-Anim LOA-3) at 30 frames per second.
//
// In each clip, only the joints and shapes that it moves are present, so that the motion below
// continues elsewhere. Feet stay in place. Every run makes the same clips.
#ifndef POSEWIRE_LIBS_GESTURE_LOADER_GESTURES_H_
#define POSEWIRE_LIBS_GESTURE_LOADER_GESTURES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip.h"
#include "libs/clip/clip_library.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {

enum class GestureKind {
  kBody,     // a gesture of 1 to 10 s; starts and ends in NeutralStance
  kFacial,   // shapes, and perhaps neck and head; 1 to 3 s; starts and ends in NeutralStance
  kPosture,  // loops; the whole body and the brows or eyes, but not the mouth
  kLayer,    // loops; differences from rest, to be added to any pose
};

struct GestureInfo {
  absl::string_view name;  // static
  GestureKind kind;
  bool loops() const { return kind == GestureKind::kPosture || kind == GestureKind::kLayer; }
};

// Returns all gestures, ordered by name.
std::vector<GestureInfo> ListGestures();
// Return all names, or those of one kind, ordered.
std::vector<std::string> GestureNames();
std::vector<std::string> GestureNames(GestureKind kind);

// Make all kinds, or one. INVALID_ARGUMENT for a rig without the joints of LOA-3 or with another
// rest stance.
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig);
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig, GestureKind kind);
// Makes all kinds, and compresses each clip as soon as it is made.
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig, const clip::Precision& precision);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_LOADER_GESTURES_H_
