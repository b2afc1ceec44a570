// Procedural blinks and gaze.
#ifndef POSEWIRE_LIBS_GRAPH_EYES_H_
#define POSEWIRE_LIBS_GRAPH_EYES_H_

#include "libs/random/random.h"

namespace posewire::graph {

// Blinks every 2 to 6 s, with 0.1 s to close and 0.2 s to open, occasionally twice in a row.
class Blinker {
 public:
  void Step(float dt_s, Random& rng);
  // Reports a large jump of the gaze, which often comes with a blink.
  void Hint(Random& rng);
  // 0 open, 1 closed.
  float value() const;

 private:
  float wait_s_ = 1.5f;
  float phase_s_ = -1;  // within a blink; below 0: no blink
  bool again_ = false;
};

// Looks around: fixations of 0.3 to 2 s, then a jump that takes one or two frames; mostly at the
// viewer.
class Gaze {
 public:
  void Step(float dt_s, Random& rng);
  // To the avatar's left, and up; -0.5..0.5.
  float x() const { return x_; }
  float y() const { return y_; }
  // Target of the fixation; the head may follow it.
  float target_x() const { return target_x_; }
  float target_y() const { return target_y_; }
  // True at a step in which a large jump began.
  bool jumped_far() const { return jumped_far_; }

 private:
  float wait_s_ = 0.8f;
  float x_ = 0, y_ = 0, target_x_ = 0, target_y_ = 0;
  bool jumped_far_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_EYES_H_
