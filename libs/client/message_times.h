// Time codes of one animation data message: which it spans, and moving them.
#ifndef POSEWIRE_LIBS_CLIENT_MESSAGE_TIMES_H_
#define POSEWIRE_LIBS_CLIENT_MESSAGE_TIMES_H_

#include <cstdint>
#include <limits>

#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::client {

struct MessageTimes {
  // Infinite (and minus infinite) when the message holds no time code.
  double earliest_s = std::numeric_limits<double>::infinity();
  double latest_s = -std::numeric_limits<double>::infinity();
  // First pose key; infinite without one.
  double first_pose_s = std::numeric_limits<double>::infinity();
  // Newest key, or beginning of the sound where that is later; minus infinity without codes.
  double newest_key_s = -std::numeric_limits<double>::infinity();

  bool empty() const { return latest_s < earliest_s; }
};

// Over all tracks. Audio reaches to the end of its buffer at `audio_rate_hz` (16 bit, mono); with 0
// it counts as its first code only.
MessageTimes TimesOf(const nvidia_ace::animation_data::v1::AnimationData& data,
                     uint32_t audio_rate_hz);

// Adds `delta_s` to every code. Codes that would fall below 0 become 0.
void ShiftCodes(double delta_s, nvidia_ace::animation_data::v1::AnimationData& data);

// Samples per second that the header declares, 0 when it has no audio.
uint32_t AudioRate(const nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_MESSAGE_TIMES_H_
