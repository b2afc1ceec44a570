// Cuts a message that is too large to be sent into several that play the same.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::a2f_source {

// Messages of at most `max_bytes`, in order of time: every key goes to one of them, audio is cut
// between samples, metadata goes with the first. Bytes, values and codes stay as they are (the
// codes of cut audio are counted from its first). Fields that this build does not know stay with
// the first. INVALID_ARGUMENT when a single key, or the metadata, is over the limit.
absl::StatusOr<std::vector<nvidia_ace::animation_data::v1::AnimationData>> SplitMessage(
    nvidia_ace::animation_data::v1::AnimationData data, uint32_t audio_rate_hz, size_t max_bytes);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_
