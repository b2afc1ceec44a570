// Timing of eye contact: looking away, eye darts, and reactions to a user's look.
#ifndef POSEWIRE_LIBS_GRAPH_EYE_CONTACT_H_
#define POSEWIRE_LIBS_GRAPH_EYE_CONTACT_H_

#include "libs/graph/eye_angles.h"
#include "libs/random/random.h"

namespace posewire::graph {

struct EyeContactSettings {
  enum class LookedBack : uint8_t { kHold, kPause, kLead };

  // Seconds of contact and of looking away in between; a hold of 0 is contact without pauses.
  double hold_s = 0, pause_s = 0;
  bool natural = false;  // varies randomly about these means
  double darts_deg = 0;
  // Reaction after a user has looked back for that long; 0: none.
  LookedBack looked_back = LookedBack::kHold;
  double look_back_s = 0;
};

// Call Step once per tick. All randomness comes from `rng`; without pauses and darts, no numbers
// are drawn.
class EyeContact {
 public:
  // `looked_at`: a user looks at the avatar's eyes. `led`: a user looks at the place to which the
  // avatar leads their gaze.
  void Step(const EyeContactSettings& settings, double dt_s, bool looked_at, bool led, Random& rng);

  // Offsets to the target's direction: for head and eyes while looking away; darts for the eyes
  // only.
  LookAngles aside() const { return pausing_ ? aside_ : LookAngles{}; }
  LookAngles dart() const { return dart_; }
  // Returns whether the gaze is on the target to which it leads the user's eyes.
  bool leading() const { return leading_; }

 private:
  void StartPause(const EyeContactSettings& settings, Random& rng);
  void StepBack(const EyeContactSettings& settings, float dt_s, bool looked_at, bool led,
                Random& rng);

  bool started_ = false, pausing_ = false, leading_ = false;
  float left_s_ = 0;  // of the current contact, pause or lead
  float dart_left_s_ = 0, back_s_ = 0, led_s_ = 0;
  LookAngles aside_, dart_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_EYE_CONTACT_H_
