// A demonstration clip for complex characters: ten seconds of curls, raised arms, squats, a jump
// and turns, with a face.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_EXERCISE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_EXERCISE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "libs/clip/clip.h"
#include "libs/skel/rig.h"

namespace posewire::animclip {

// Returns 300 frames at 30 a second. NOT_FOUND for a rig without the joints of LOA-3.
absl::StatusOr<std::shared_ptr<const clip::Clip>> MakeExercise(
    std::shared_ptr<const skel::Rig> rig);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_EXERCISE_H_
