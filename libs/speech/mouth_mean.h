// The mouth between several visemes: the mean of their targets, weighted by how strongly each one
// holds jaw, lips and rounding.
#ifndef POSEWIRE_LIBS_SPEECH_MOUTH_MEAN_H_
#define POSEWIRE_LIBS_SPEECH_MOUTH_MEAN_H_

#include "libs/speech/viseme_table.h"

namespace posewire::speech {

class MouthMean {
 public:
  // Adds a viseme with `weight`, and with `round_weight` for the rounding of the lips, which
  // precedes their opening. `openness` scales how far it opens jaw and lips.
  void Add(const Viseme& viseme, float weight, float round_weight, float openness);
  // Adds all of `other`, weighted.
  void Add(const MouthMean& other, float weight, float round_weight);

  // All zero if the weights are zero.
  MouthPose Mean() const;

 private:
  MouthPose sum_{}, weight_{};
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_MOUTH_MEAN_H_
