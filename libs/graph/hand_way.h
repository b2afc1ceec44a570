// The way of a hand to a thing: how long it takes, and where the hand is meanwhile.
//
// People's hands go to where they are wanted on nearly straight ways, fastest in the middle: of all
// motions between two places the one with the least jerk (Flash & Hogan, "The coordination of arm
// movements: an experimentally confirmed mathematical model", J. Neuroscience 5, 1985), which is a
// polynomial of the fifth degree. How long they take grows with the logarithm of the distance over
// the width of what must be hit (Fitts, "The information capacity of the human motor system in
// controlling the amplitude of movement", J. Exp. Psychology 47, 1954; in the form of MacKenzie,
// Human-Computer Interaction 7, 1992).
//
// The way is kept as what is missing to the goal, and that goes to nothing. So a goal may move
// meanwhile, and a new goal in mid-way changes neither place nor speed.
#ifndef POSEWIRE_LIBS_GRAPH_HAND_WAY_H_
#define POSEWIRE_LIBS_GRAPH_HAND_WAY_H_

#include "libs/skel/model_place.h"

namespace posewire::graph {

// Seconds to go `distance_m` and turn by `angle_rad`; at least 0.3.
double ReachTime(float distance_m, float angle_rad);

// One hand. One thread; does not allocate.
class HandWay {
 public:
  // Begins to go to `goal` from where it is and as fast as it goes, in `time_s`; from `from` at
  // rest where it was nowhere.
  void Begin(const skel::Placement& from, const skel::Placement& goal, double time_s);
  // Where the hand is after `dt_s` more, while the goal is there. The middle of the way is a little
  // higher than a straight line: over the edge of a table.
  skel::Placement Step(const skel::Placement& goal, double dt_s);
  // Is nowhere.
  void Forget() { *this = HandWay(); }

  bool begun() const { return begun_; }
  bool arrived() const { return begun_ && at_s_ >= time_s_; }
  // How much of the way lies behind, 0..1, smooth.
  float done() const;
  double time_s() const { return time_s_; }
  const skel::Placement& shown() const { return shown_; }

 private:
  bool begun_ = false;
  double at_s_ = 0, time_s_ = 0;
  skel::Vec3 miss_, speed_;       // from the goal, at the beginning
  skel::Vec3 turn_, turn_speed_;  // rotation vectors, the same
  float lift_m_ = 0;
  skel::Placement shown_;
  skel::Vec3 shown_speed_, shown_turn_speed_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_HAND_WAY_H_
