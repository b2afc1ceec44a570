// Moves that come, stay and go: what most gestures do with face, head and trunk.
#ifndef POSEWIRE_LIBS_GESTURE_STAY_H_
#define POSEWIRE_LIBS_GESTURE_STAY_H_

#include "absl/strings/string_view.h"
#include "libs/gesture/script.h"

namespace posewire::gesture {

// Comes from t0 to t1 and goes from t2 to t3, in seconds.
struct Stay {
  double t0, t1, t2, t3;
};

void StayShape(Script& s, absl::string_view shape, const Stay& t, float weight);
// The left and the right shape of that name.
void StayPair(Script& s, absl::string_view shape, const Stay& t, float weight);
// All three brow shapes.
void StayBrows(Script& s, const Stay& t, float weight);
void StaySmile(Script& s, const Stay& t, float weight);

// Degrees, as Script's.
void StayLook(Script& s, const Stay& t, skel::Vec3 degrees);
// Thorax and lumbar share the turn.
void StayTrunk(Script& s, const Stay& t, skel::Vec3 degrees);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_STAY_H_
