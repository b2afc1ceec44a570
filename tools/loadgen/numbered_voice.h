// Test audio whose samples are sequence numbers, so that a receiver detects lost or repeated ones.
#ifndef POSEWIRE_TOOLS_LOADGEN_NUMBERED_VOICE_H_
#define POSEWIRE_TOOLS_LOADGEN_NUMBERED_VOICE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace posewire::loadgen {

// Sample n of the voice; never 0, which is silence. The numbers start over after 2 s at 16 kHz.
inline constexpr int kVoicePeriod = 32003;
inline int16_t VoiceSample(int64_t n) { return static_cast<int16_t>(1 + n % kVoicePeriod); }

// Checks the received samples of one voice. Silence is allowed anywhere, for example while a
// request waits for its source, but no number may be missing or repeated between two spoken
// samples. The fade at the end of a request breaks the numbering, so stop before it.
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
