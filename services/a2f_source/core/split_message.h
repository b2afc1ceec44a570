// Splits a message that is too large to be sent into several that play the same.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/wire/message.h"

namespace posewire::a2f_source {

// Returns messages of at most `max_bytes`, in order of time. Every key keeps its bytes and goes to
// one of them, audio is cut between samples, and everything else goes with the first, including
// unknown fields. Time codes stay as they are (those of cut audio follow from its first). Only if a
// message has its audio in several fields, which no writer does, are unknown fields lost.
// INVALID_ARGUMENT if a single key, or all parts without a time code, exceed the limit.
absl::StatusOr<std::vector<wire::Message>> SplitMessage(wire::Message message, int audio_rate_hz,
                                                        size_t max_bytes);

// Moves every key and sample from `cut_s` on out of `data`; metadata stays. Time codes do not
// change.
wire::DataChunk TakeFrom(double cut_s, int audio_rate_hz, wire::DataChunk& data);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPLIT_MESSAGE_H_
