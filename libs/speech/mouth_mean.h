// The mouth between several visemes: the mean of their targets, weighted by how strongly each one
// holds jaw, lips and rounding.
#ifndef POSEWIRE_LIBS_SPEECH_MOUTH_MEAN_H_
#define POSEWIRE_LIBS_SPEECH_MOUTH_MEAN_H_

#include "libs/speech/viseme_table.h"

namespace posewire::speech {

class MouthMean {
 public:
  // A viseme that counts with `weight`, and for the rounding of the lips, which runs ahead of their
  // opening, with `round_weight`. `openness` scales how far it opens jaw and lips.
  void Add(const Viseme& viseme, float weight, float round_weight, float openness);
  // All that `other` has, weighted.
  void Add(const MouthMean& other, float weight, float round_weight);

  // All zero while nothing counts.
  MouthPose Mean() const;

 private:
  MouthPose sum_{}, weight_{};
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_MOUTH_MEAN_H_
