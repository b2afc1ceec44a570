// Changes the sample rate of streamed audio, such as to the network's 16 kHz.
#ifndef POSEWIRE_LIBS_SPEECH_SOUND_RESAMPLER_H_
#define POSEWIRE_LIBS_SPEECH_SOUND_RESAMPLER_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/types/span.h"

struct SRC_STATE_tag;

namespace posewire::speech {

inline constexpr int kNetworkRate_hz = 16000;
inline constexpr int kMinSoundRate_hz = 8000;
inline constexpr int kMaxSoundRate_hz = 192000;

// Wraps libsamplerate's sinc converter: sample 0 of the output is at the time of sample 0 of the
// input, for any length. 1.3 ms, and below 16 kHz up to 2.5 ms, are delayed until more arrives. The
// output does not depend on how the input is divided. One thread.
class SoundResampler {
 public:
  // Both rates from kMinSoundRate_hz to kMaxSoundRate_hz.
  explicit SoundResampler(int rate_hz, int to_hz = kNetworkRate_hz);
  ~SoundResampler();
  SoundResampler(SoundResampler&&) noexcept;
  SoundResampler& operator=(SoundResampler&&) noexcept;

  // Appends the output for the audio so far to `out`.
  void Process(absl::Span<const float> sound, std::vector<float>& out);

 private:
  struct Free {
    void operator()(SRC_STATE_tag* s) const;
  };
  double ratio_;
  std::unique_ptr<SRC_STATE_tag, Free> state_;  // null if the rates are equal
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SOUND_RESAMPLER_H_
