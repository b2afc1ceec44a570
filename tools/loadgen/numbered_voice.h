// A voice whose samples count, so that a listener sees what was lost or doubled.
#ifndef POSEWIRE_TOOLS_LOADGEN_NUMBERED_VOICE_H_
#define POSEWIRE_TOOLS_LOADGEN_NUMBERED_VOICE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace posewire::loadgen {

// Sample n of the voice; never 0, which is silence. The numbers start over after 2 s at 16 kHz.
inline constexpr int kVoicePeriod = 32003;
inline int16_t VoiceSample(int64_t n) { return static_cast<int16_t>(1 + n % kVoicePeriod); }

// Follows what is heard of one voice. Silence may stand anywhere (a request that waits for its
// source); between two spoken samples no number may be missing or come twice. A fade at the end of
// a request is no numbered voice: stop listening before.
class VoiceListener {
 public:
  // 16-bit samples, little endian.
  void Hear(absl::Span<const uint8_t> samples);

  int64_t spoken() const { return spoken_; }
  // Silent samples after the first spoken one.
  int64_t silent() const { return silent_; }
  // Places at which a sample was not the successor of the one before.
  int64_t breaks() const { return breaks_; }

 private:
  int last_ = 0;
  int64_t spoken_ = 0;
  int64_t silent_ = 0;
  int64_t breaks_ = 0;
};

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_NUMBERED_VOICE_H_
