// One step of one foot: off the ground, over to a place that may still move, and down.
//
// Hands and feet that move from rest to rest go along nearly straight lines, with the bell of speed
// that makes the jerk least (Flash and Hogan, 1985): the share of the way is
// 10 s^3 - 15 s^4 + 6 s^5. Such a curve needs an end that stays where it is, and the body over a
// stepping foot goes on turning. So the end is aimed at where the foot will be wanted, corrected
// on the way, and left alone from three quarters of the step on: the foot lands at rest. The heel
// leaves first, rolling over the toes, and touches the ground first.
#ifndef POSEWIRE_LIBS_GRAPH_FOOT_STEP_H_
#define POSEWIRE_LIBS_GRAPH_FOOT_STEP_H_

#include "libs/skel/math.h"

namespace posewire::graph {

// A foot in model space: its ankle's place in metres, its heading in radians to the left, and the
// rest of the ankle joint's rotation.
struct FootPlace {
  skel::Vec3 at;
  float heading = 0;
  skel::Quat tilt;

  skel::Quat turn() const;
};

// `rest_turn` is the ankle joint's rotation in model space at rest, where the heading is 0.
FootPlace FootPlaceOf(skel::Vec3 at, skel::Quat turn, skel::Quat rest_turn);

// Moves the end of a step towards where the foot is `wanted`, at the fraction `s` of the step.
void Aim(float dt_s, float s, const FootPlace& wanted, FootPlace& goal);

// How many equal parts a tick is simulated in.
int Substeps(float dt_s);

// How far the foot reaches before and behind the ankle, how far before it the ball is, over which
// it rolls, and how high above the ground the ankle is; metres.
struct FootShape {
  float front_m = 0.2f, back_m = 0.06f, ball_m = 0.14f, ankle_m = 0.08f;
};

// A value; any thread, one at a time. Nothing allocates.
class FootStep {
 public:
  // Heights of the ankles are those of a foot on the ground. `length_s` is above 0.
  void Begin(const FootPlace& from, const FootPlace& goal, float length_s, FootShape shape);
  // `goal` is where the foot is now expected to be wanted at the end.
  void Advance(float dt_s, const FootPlace& goal);

  bool done() const { return time_s_ >= length_s_; }
  float left_s() const { return length_s_ - time_s_; }
  // Where the foot is; once done, where it has landed.
  FootPlace now() const;

 private:
  FootPlace from_, goal_;
  FootShape shape_;
  float length_s_ = 0, time_s_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_FOOT_STEP_H_
