// Converts the keys of a clip in memory to the messages of a stream.
#ifndef POSEWIRE_LIBS_RECORDING_MOTION_MESSAGES_H_
#define POSEWIRE_LIBS_RECORDING_MOTION_MESSAGES_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "libs/asset/motion.h"
#include "libs/wire/message.h"

namespace posewire::recording {

// Calls `put` with the header and a message for each time at which there are keys, in order. Stops
// at its first error and returns it. The motion must have a header.
absl::Status PutMessages(const asset::Motion& motion,
                         absl::FunctionRef<absl::Status(const wire::MessageBytes&)> put);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_MOTION_MESSAGES_H_
