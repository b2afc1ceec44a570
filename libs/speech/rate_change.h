// Changes the sample rate of streamed 16-bit audio, exact to the sample.
#ifndef POSEWIRE_LIBS_SPEECH_RATE_CHANGE_H_
#define POSEWIRE_LIBS_SPEECH_RATE_CHANGE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/speech/sound_resampler.h"

namespace posewire::speech {

// From n samples at `rate_hz` makes round(n * to_hz / rate_hz) at `to_hz`, complete after Finish.
// One thread.
class RateChange {
 public:
  // Both rates from kMinSoundRate_hz to kMaxSoundRate_hz.
  RateChange(int rate_hz, int to_hz);

  void Add(absl::Span<const int16_t> sound, std::vector<int16_t>& out);
  void Finish(std::vector<int16_t>& out);

 private:
  void Give(int64_t most, std::vector<int16_t>& out);

  int rate_hz_, to_hz_;
  SoundResampler resampler_;
  std::vector<float> in_, made_;
  int64_t taken_ = 0;  // samples received
  int64_t given_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_RATE_CHANGE_H_
