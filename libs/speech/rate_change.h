// Streaming change of the rate of 16-bit sound, to the sample.
#ifndef POSEWIRE_LIBS_SPEECH_RATE_CHANGE_H_
#define POSEWIRE_LIBS_SPEECH_RATE_CHANGE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/speech/sound_resampler.h"

namespace posewire::speech {

// Of n samples at `rate_hz` come round(n * to_hz / rate_hz) at `to_hz`, all of them once Finish was
// called. One thread.
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
  int64_t taken_ = 0;  // samples that came
  int64_t given_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_RATE_CHANGE_H_
