// Computes how long one pass of a clip lasts, so that the next one follows without a seam.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_LOOP_PERIOD_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_LOOP_PERIOD_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "libs/wire/chunk.h"

namespace posewire::a2f_source {

// Observes one pass. A pass ends one key step after its last key, or with its audio, whichever is
// later. With evenly spaced keys it is a whole number of steps, so that the keys of all passes are
// on the same grid. One thread.
class LoopPeriod {
 public:
  explicit LoopPeriod(int audio_rate_hz) : audio_rate_hz_(audio_rate_hz) {}

  void Observe(const wire::DataChunk& data);

  // Returns 0 if there was no time code.
  double seconds() const;

 private:
  struct Track {
    int64_t keys = 0;
    double first_s = 0;
    double last_s = 0;
    double smallest_step_s = std::numeric_limits<double>::infinity();
  };
  static void Note(const wire::KeyBlock& keys, Track& track);

  int audio_rate_hz_;
  double first_s_ = std::numeric_limits<double>::infinity();
  double last_s_ = -std::numeric_limits<double>::infinity();
  Track tracks_[size_t{wire::kPoseTracks} + size_t{wire::kCameraTracks}];
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_LOOP_PERIOD_H_
