#include "tools/loadgen/numbered_voice.h"

namespace posewire::loadgen {

void VoiceListener::Hear(absl::Span<const uint8_t> samples) {
  for (size_t i = 0; i + 1 < samples.size(); i += 2) {
    const int value = samples[i] | samples[i + 1] << 8;
    if (value == 0) {
      silent_ += spoken_ > 0;
      continue;
    }
    const int expected = last_ % kVoicePeriod + 1;
    breaks_ += last_ != 0 && value != expected;
    last_ = value;
    ++spoken_;
  }
}

}  // namespace posewire::loadgen
