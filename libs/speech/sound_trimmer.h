// Shortens the silence before and after the audio of a voice without phoneme times, while it
// streams.
#ifndef POSEWIRE_LIBS_SPEECH_SOUND_TRIMMER_H_
#define POSEWIRE_LIBS_SPEECH_SOUND_TRIMMER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace posewire::speech {

// Silence is audio below -50 dB of full scale over 10 ms. Silence within the audio is kept: it is
// delayed until more audio follows. One thread.
class SoundTrimmer {
 public:
  SoundTrimmer(int rate_hz, double lead_s, double tail_s);

  // Appends the audio that will certainly be kept to `out`.
  void Add(absl::Span<const int16_t> sound, std::vector<int16_t>& out);
  // The audio has ended: appends its tail.
  void Finish(std::vector<int16_t>& out);

  // Duration cut from the beginning; known once Add has appended anything.
  double cut_s() const { return cut_s_; }
  // Duration of silence kept at the end; known after Finish.
  double tail_s() const { return tail_s_; }

 private:
  void Block(std::vector<int16_t>& out);

  const int rate_hz_;
  const size_t block_, lead_, tail_;  // in samples
  std::vector<int16_t> held_;         // silence, and from silent_ on an incomplete block
  size_t silent_ = 0;
  bool spoke_ = false;
  double cut_s_ = 0;
  double tail_s_ = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SOUND_TRIMMER_H_
