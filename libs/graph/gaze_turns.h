// Chooses which of several targets the gaze is on.
//
// People do not look between two others. The gaze rests on one target, and moves to another: after
// about three seconds on a person who looks back (the mean length of a gaze in talks of two, Argyle
// & Ingham, "Gaze, mutual gaze, and proximity", Semiotica 6, 1972), after about one on a hand or an
// object (a few fixations of 0.3 s, Land & Hayhoe, "In what ways do eye movements contribute to
// everyday activities?", Vision Research 41, 2001). A target that begins to move in the corner of
// the eye attracts a short glance, after which the gaze returns.
#ifndef POSEWIRE_LIBS_GRAPH_GAZE_TURNS_H_
#define POSEWIRE_LIBS_GRAPH_GAZE_TURNS_H_

#include "absl/types/span.h"
#include "libs/random/random.h"

namespace posewire::graph {

struct GazeCandidate {
  float weight = 0;  // relative share of turns; 0: not to be looked at
  bool face = false;
  float speed_m_s = 0;
  bool was_quick = false;  // kept by GazeTurns
};

// Call Step once per tick. With one candidate, or none, no random number is drawn. Does not
// allocate.
class GazeTurns {
 public:
  // Returns which candidate to look at; -1 before the first. A candidate whose weight becomes 0
  // keeps its turn while there is no other. The order of candidates must not change.
  int Step(absl::Span<GazeCandidate> candidates, float dt_s, Random& rng);
  // The order of candidates has changed: candidate `turn` continues.
  void Renumber(int turn) { turn_ = turn, back_ = -1; }
  int turn() const { return turn_; }

 private:
  void GoTo(absl::Span<const GazeCandidate> candidates, int turn, Random& rng);
  int Draw(absl::Span<const GazeCandidate> candidates, Random& rng) const;
  bool Glance(absl::Span<GazeCandidate> candidates, float dt_s, bool others, Random& rng);

  int turn_ = -1;
  int back_ = -1;          // target before a glance
  float left_s_ = 0;       // remaining time of this turn
  float rested_s_ = 0;     // duration of this turn so far
  float no_glance_s_ = 0;  // time until the next glance is allowed
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GAZE_TURNS_H_
