// Whose turn it is to be looked at, where there are several.
//
// Nobody looks between two people. The gaze rests on one, and goes on to another: after about three
// seconds on somebody who looks back (the mean length of a gaze in talks of two, Argyle & Ingham,
// "Gaze, mutual gaze, and proximity", Semiotica 6, 1972), after about one on a hand or a thing (a
// few fixations of 0.3 s, Land & Hayhoe, "In what ways do eye movements contribute to everyday
// activities?", Vision Research 41, 2001). What begins to move in the corner of the eye draws a
// glance, and then the gaze goes back.
#ifndef POSEWIRE_LIBS_GRAPH_GAZE_TURNS_H_
#define POSEWIRE_LIBS_GRAPH_GAZE_TURNS_H_

#include "absl/types/span.h"
#include "libs/random/random.h"

namespace posewire::graph {

struct GazeCandidate {
  float weight = 0;  // of its share of turns; 0: not to be looked at
  bool face = false;
  float speed_m_s = 0;
  bool was_quick = false;  // kept by GazeTurns
};

// Steps once a tick. With one candidate, or none, no random number is drawn. Does not allocate.
class GazeTurns {
 public:
  // Which candidate is looked at; -1 before the first. One whose weight has gone keeps its turn
  // while there is no other. The order of candidates stays.
  int Step(absl::Span<GazeCandidate> candidates, float dt_s, Random& rng);
  // Another order: candidate `turn` goes on.
  void Renumber(int turn) { turn_ = turn, back_ = -1; }
  int turn() const { return turn_; }

 private:
  void GoTo(absl::Span<const GazeCandidate> candidates, int turn, Random& rng);
  int Draw(absl::Span<const GazeCandidate> candidates, Random& rng) const;
  bool Glance(absl::Span<GazeCandidate> candidates, float dt_s, bool others, Random& rng);

  int turn_ = -1;
  int back_ = -1;          // where the gaze was before a glance
  float left_s_ = 0;       // of this turn
  float rested_s_ = 0;     // how long it has lasted
  float no_glance_s_ = 0;  // until the next glance may come
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GAZE_TURNS_H_
