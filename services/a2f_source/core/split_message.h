// Cuts a message that is too large to be sent into several that play the same.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/wire/message.h"

namespace posewire::a2f_source {

// Messages of at most `max_bytes`, in order of time: every key goes to one of them with its bytes,
// audio is cut between samples, all else goes with the first, unknown fields too. Codes stay as
// they are (those of cut audio are counted from its first). Only of a message with its audio in
// several fields, which no writer makes, unknown fields are lost. INVALID_ARGUMENT when a single
// key, or all that has no code, is over the limit.
absl::StatusOr<std::vector<wire::Message>> SplitMessage(wire::Message message, int audio_rate_hz,
                                                        size_t max_bytes);

// Takes every key and sample from `cut_s` on out of `data`; metadata stays. The codes are those
// that they had.
wire::DataChunk TakeFrom(double cut_s, int audio_rate_hz, wire::DataChunk& data);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_
