// When eyes that meet a target look away, dart about, and answer a look.
#ifndef POSEWIRE_LIBS_GRAPH_EYE_CONTACT_H_
#define POSEWIRE_LIBS_GRAPH_EYE_CONTACT_H_

#include "libs/graph/eye_angles.h"
#include "libs/random/random.h"

namespace posewire::graph {

struct EyeContactSettings {
  enum class LookedBack : uint8_t { kHold, kPause, kLead };

  // Seconds of contact and of looking away in between; a hold of 0 is contact without pauses.
  double hold_s = 0, pause_s = 0;
  bool natural = false;  // spread about these means
  double darts_deg = 0;
  // What happens once a user has looked back for that long; 0: nothing.
  LookedBack looked_back = LookedBack::kHold;
  double look_back_s = 0;
};

// Steps once a tick. All randomness comes from the rng; without pauses and darts, none is drawn.
class EyeContact {
 public:
  // `looked_at`: a user looks at the avatar's eyes. `led`: a user looks where the avatar leads.
  void Step(const EyeContactSettings& settings, double dt_s, bool looked_at, bool led, Random& rng);

  // Added to the target's direction: for head and eyes while looking away; darts for the eyes only.
  LookAngles aside() const { return pausing_ ? aside_ : LookAngles{}; }
  LookAngles dart() const { return dart_; }
  // The gaze is on the target it leads the user's eyes to.
  bool leading() const { return leading_; }

 private:
  void StartPause(const EyeContactSettings& settings, Random& rng);
  void StepBack(const EyeContactSettings& settings, float dt_s, bool looked_at, bool led,
                Random& rng);

  bool started_ = false, pausing_ = false, leading_ = false;
  float left_s_ = 0;  // of the present contact, pause or lead
  float dart_left_s_ = 0, back_s_ = 0, led_s_ = 0;
  LookAngles aside_, dart_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_EYE_CONTACT_H_
