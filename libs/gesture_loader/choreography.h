// Gestures from files: protobuf text of posewire.choreography.v1, made into clips.
//
// The files hold what a choreographer says (reach here with an open hand, turn, smile); how a body
// does that, with lag, overshoot and limits, is libs/gesture's. docs/gestures.md shows how one is
// written.
#ifndef POSEWIRE_LIBS_GESTURE_LOADER_CHOREOGRAPHY_H_
#define POSEWIRE_LIBS_GESTURE_LOADER_CHOREOGRAPHY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip.h"
#include "libs/gesture/body.h"
#include "libs/skel/rig.h"
#include "posewire.choreography.v1.pb.h"

namespace posewire::gesture {

// What the names of such files end in.
inline constexpr absl::string_view kGestureFileEnding = ".gesture.txtpb";

// Reads and checks a file's text. INVALID_ARGUMENT lists what is wrong, a line each, "FILE:LINE: "
// first: at most 100. At most 1 MiB, 200 gestures, 200 places and 1000 moves of each.
absl::StatusOr<choreography::v1::Choreography> ParseChoreography(absl::string_view text,
                                                                 const std::string& file);

// Makes the clip of a gesture that was checked. `rig` has the joints of H-Anim LOA-3 and is that of
// `body`.
std::shared_ptr<const clip::Clip> MakeClip(const choreography::v1::Gesture& gesture,
                                           const Body& body,
                                           const std::shared_ptr<const skel::Rig>& rig);

// All gestures of a file, in its order. Errors: of the file's text, and NOT_FOUND for one that
// cannot be read; INVALID_ARGUMENT for a rig that is not LOA-3's.
absl::StatusOr<std::vector<std::shared_ptr<const clip::Clip>>> ReadGestures(
    const std::string& path, const std::shared_ptr<const skel::Rig>& rig);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_LOADER_CHOREOGRAPHY_H_
