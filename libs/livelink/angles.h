// Angles of the head and the eyes as Live Link Face sends them, and as rotations in our space.
//
// Radians. Yaw turns to the person's right, pitch looks down, roll leans to the person's left; yaw
// is applied last. Yaw and pitch of the eyes are so in recordings of the app, where an eye turns by
// about 35 degrees while its shape eyeLook... is 1; the head's are taken to be the same. Epic does
// not document them.
#ifndef POSEWIRE_LIBS_LIVELINK_ANGLES_H_
#define POSEWIRE_LIBS_LIVELINK_ANGLES_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/math.h"

namespace posewire::livelink {

struct Angles {
  float yaw = 0, pitch = 0, roll = 0;
};

// Our space: right-handed, X to the person's left, Y up, Z to the front.
skel::Quat TurnOf(const Angles& angles);
// The inverse of TurnOf. Pitch is within 90 degrees. `turn` has unit length.
Angles AnglesOf(skel::Quat turn);

// Reads "YAW,PITCH,ROLL", factors from -10 to 10 of a head's angles. INVALID_ARGUMENT otherwise.
absl::StatusOr<Angles> ParseFactors(absl::string_view text);

}  // namespace posewire::livelink

#endif  // POSEWIRE_LIBS_LIVELINK_ANGLES_H_
