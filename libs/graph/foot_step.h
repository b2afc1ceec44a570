// One step of one foot: off the ground, over to a place that may still move, and down.
//
// Hands and feet that move from rest to rest follow nearly straight lines, with a bell-shaped speed
// that minimises jerk (Flash and Hogan, 1985): the fraction of the way is 10 s^3 - 15 s^4 + 6 s^5.
// Such a curve needs a fixed end, but the body over a stepping foot continues to turn. Therefore
// the end is predicted, corrected during the step, and fixed from three quarters of the step on, so
// that the foot lands at rest. The heel leaves first, rolling over the toes, and touches the ground
// first.
#ifndef POSEWIRE_LIBS_GRAPH_FOOT_STEP_H_
#define POSEWIRE_LIBS_GRAPH_FOOT_STEP_H_

#include "libs/skel/math.h"

namespace posewire::graph {

// A foot in model space: its ankle's position in metres, its heading in radians to the left, and
// the rest of the ankle joint's rotation.
struct FootPlace {
  skel::Vec3 at;
  float heading = 0;
  skel::Quat tilt;

  skel::Quat turn() const;
};

// `rest_turn` is the ankle joint's rotation in model space at rest, where the heading is 0.
FootPlace FootPlaceOf(skel::Vec3 at, skel::Quat turn, skel::Quat rest_turn);

// Moves the end of a step towards the `wanted` place of the foot, at fraction `s` of the step.
void Aim(float dt_s, float s, const FootPlace& wanted, FootPlace& goal);

// Returns the number of equal parts in which a tick is simulated.
int Substeps(float dt_s);

// How far the foot reaches before and behind the ankle, how far in front of it the ball is, over
// which it rolls, and how high above the ground the ankle is, in metres.
struct FootShape {
  float front_m = 0.2f, back_m = 0.06f, ball_m = 0.14f, ankle_m = 0.08f;
};

// A value type; any thread, one at a time. Does not allocate.
class FootStep {
 public:
  // Heights of the ankles are those of a foot on the ground. `length_s` must be above 0.
  void Begin(const FootPlace& from, const FootPlace& goal, float length_s, FootShape shape);
  // `goal` is the expected target of the foot at the end of the step.
  void Advance(float dt_s, const FootPlace& goal);

  bool done() const { return time_s_ >= length_s_; }
  float left_s() const { return length_s_ - time_s_; }
  // Returns the place of the foot; once done, where it has landed.
  FootPlace now() const;

 private:
  FootPlace from_, goal_;
  FootShape shape_;
  float length_s_ = 0, time_s_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_FOOT_STEP_H_
