#include "tools/loadgen/numbered_voice.h"

#include <algorithm>
#include <cstddef>

namespace posewire::loadgen {
namespace {

uint16_t SampleAt(const uint8_t* bytes) { return static_cast<uint16_t>(bytes[0] | bytes[1] << 8); }

// Whether `count` samples are first, first + 1, ... Without an early end, for the vectoriser.
bool Counts(const uint8_t* bytes, size_t count, int first) {
  unsigned differences = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto expected = static_cast<uint16_t>(static_cast<unsigned>(first) + i);
    differences |= static_cast<unsigned>(SampleAt(bytes + 2 * i) ^ expected);
  }
  return differences == 0;
}

}  // namespace

void VoiceListener::Hear(absl::Span<const uint8_t> samples) {
  const size_t count = samples.size() / 2;
  // Most of what comes goes on where the last message ended, up to where the numbers start over.
  const size_t before_wrap =
      last_ == 0 ? 0 : static_cast<size_t>(std::max(0, kVoicePeriod - last_));
  const size_t run = std::min(count, before_wrap);
  size_t i = 0;
  if (run > 0 && Counts(samples.data(), run, last_ + 1)) {
    i = run;
    last_ += static_cast<int>(run);
    spoken_ += static_cast<int64_t>(run);
  }
  for (; i < count; ++i) {
    const int value = SampleAt(samples.data() + 2 * i);
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
