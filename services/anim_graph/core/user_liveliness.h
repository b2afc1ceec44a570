// Measures how lively a user moves, from the positions that SetUser reports.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_USER_LIVELINESS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_USER_LIVELINESS_H_

#include "libs/graph/node.h"

namespace posewire::anim_graph {

// The speed of head and hands, smoothed over 1.5 s: 0 for a user who is still, 1 for one who
// gestures broadly. It does not depend on how often positions come. Positions less than 0.1 s apart
// count as one, so that a tracker's noise of millimetres is no motion; after a break of more than 1
// s, motion is measured anew. One thread; never allocates.
class UserLiveliness {
 public:
  // A new position at this time, which never decreases.
  void Note(const graph::UserInput& user, double now_s);
  // Returns 0 to 1. Without new positions it falls to 0 from 0.3 s on.
  float At(double now_s) const;

 private:
  bool known_ = false;
  graph::UserInput before_;  // the position that the next one is compared with, and its time
  double before_s_ = 0;
  float level_ = 0;  // at before_s_
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_USER_LIVELINESS_H_
