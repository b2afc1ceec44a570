// The motions that ship with the project: clips of the files in data/gestures, which are compiled
// in, on the standard rig (H-Anim LOA-3), 30 frames a second.
//
// Each carries only the joints and shapes that it moves, so that what plays beneath goes on
// elsewhere. Feet stay where they are. Made the same on every run.
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
  kPosture,  // loops; the whole body and the brows or eyes, the mouth left to others
  kLayer,    // loops; differences from rest, to be added to any pose: not a pose of its own
};

struct GestureInfo {
  absl::string_view name;  // static
  GestureKind kind;
  bool loops() const { return kind == GestureKind::kPosture || kind == GestureKind::kLayer; }
};

// All of them, in alphabetical order of names.
std::vector<GestureInfo> ListGestures();
// All names, or those of one kind, in alphabetical order.
std::vector<std::string> GestureNames();
std::vector<std::string> GestureNames(GestureKind kind);

// All kinds, or one. INVALID_ARGUMENT for a rig without the joints of LOA-3 or with another rest
// stance.
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig);
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig, GestureKind kind);
// All kinds, each compressed as soon as it is made.
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig, const clip::Precision& precision);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_LOADER_GESTURES_H_
