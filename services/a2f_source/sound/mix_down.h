// Mixes several audio channels into one.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SOUND_MIX_DOWN_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SOUND_MIX_DOWN_H_

#include <cstddef>

#include "absl/types/span.h"

namespace posewire::a2f_source {

inline constexpr int kMaxSoundChannels = 64;

// Writes the mean of the channels of each sample to `mono`, which has one value per sample.
inline void MixDown(absl::Span<const float> interleaved, size_t channels, absl::Span<float> mono) {
  for (size_t i = 0; i < mono.size(); ++i) {
    float sum = 0;
    for (size_t c = 0; c < channels; ++c) sum += interleaved[i * channels + c];
    mono[i] = sum / static_cast<float>(channels);
  }
}

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SOUND_MIX_DOWN_H_
