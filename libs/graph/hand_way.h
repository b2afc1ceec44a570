// The path of a hand to an object: its duration, and the place of the hand over time.
//
// Human hands move along nearly straight paths, fastest in the middle: among all motions between
// two places, the one with minimum jerk (Flash & Hogan, "The coordination of arm movements: an
// experimentally confirmed mathematical model", J. Neuroscience 5, 1985), a polynomial of the fifth
// degree. The duration grows with the logarithm of the distance over the width of the target
// (Fitts, "The information capacity of the human motor system in controlling the amplitude of
// movement", J. Exp. Psychology 47, 1954; in the form of MacKenzie, Human-Computer Interaction 7,
// 1992).
//
// The path is stored as the remaining difference to the goal, which goes to zero. Therefore a goal
// may move meanwhile, and a new goal on the way changes neither place nor speed abruptly.
#ifndef POSEWIRE_LIBS_GRAPH_HAND_WAY_H_
#define POSEWIRE_LIBS_GRAPH_HAND_WAY_H_

#include "libs/skel/model_place.h"

namespace posewire::graph {

// Returns the seconds to move by `distance_m` and rotate by `angle_rad`; at least 0.3.
double ReachTime(float distance_m, float angle_rad);

// One hand. One thread; does not allocate.
class HandWay {
 public:
  // Starts to move to `goal` in `time_s`, from its current place and speed; from `from` at rest if
  // it had no place.
  void Begin(const skel::Placement& from, const skel::Placement& goal, double time_s);
  // Returns the place of the hand `dt_s` later, while the goal is at `goal`. The middle of the path
  // is slightly higher than a straight line, to pass over the edge of a table.
  skel::Placement Step(const skel::Placement& goal, double dt_s);
  // Resets it to have no place.
  void Forget() { *this = HandWay(); }

  bool begun() const { return begun_; }
  bool arrived() const { return begun_ && at_s_ >= time_s_; }
  // Returns the fraction of the path that is done, 0..1, smooth.
  float done() const;
  double time_s() const { return time_s_; }
  const skel::Placement& shown() const { return shown_; }

 private:
  bool begun_ = false;
  double at_s_ = 0, time_s_ = 0;
  skel::Vec3 miss_, speed_;       // relative to the goal, at the beginning
  skel::Vec3 turn_, turn_speed_;  // the same as rotation vectors
  float lift_m_ = 0;
  skel::Placement shown_;
  skel::Vec3 shown_speed_, shown_turn_speed_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_HAND_WAY_H_
