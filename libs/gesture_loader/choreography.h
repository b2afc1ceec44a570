// Reads gestures from files (protobuf text of posewire.choreography.v1) and makes clips from them.
//
// The files contain a choreographer's instructions (reach here with an open hand, turn, smile);
// libs/gesture computes the motion, with lag, overshoot and limits. docs/gestures.md explains how
// to write one.
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

// File name extension of gesture files.
inline constexpr absl::string_view kGestureFileEnding = ".gesture.txtpb";

// Reads and checks a file's text. INVALID_ARGUMENT lists the errors, at most 100, one per line,
// each beginning with "FILE:LINE: ". Limits: 1 MiB, 200 gestures, 200 places and 1000 moves of
// each.
absl::StatusOr<choreography::v1::Choreography> ParseChoreography(absl::string_view text,
                                                                 const std::string& file);

// Makes the clip of a checked gesture. `rig` must have the joints of H-Anim LOA-3 and must be the
// rig of `body`.
std::shared_ptr<const clip::Clip> MakeClip(const choreography::v1::Gesture& gesture,
                                           const Body& body,
                                           const std::shared_ptr<const skel::Rig>& rig);

// Reads all gestures of a file, in order. Errors: those of the text; NOT_FOUND if the file cannot
// be read; INVALID_ARGUMENT if the rig is not an LOA-3 rig.
absl::StatusOr<std::vector<std::shared_ptr<const clip::Clip>>> ReadGestures(
    const std::string& path, const std::shared_ptr<const skel::Rig>& rig);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_LOADER_CHOREOGRAPHY_H_
