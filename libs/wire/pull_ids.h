// The request message of a Pull.
#ifndef POSEWIRE_LIBS_WIRE_PULL_IDS_H_
#define POSEWIRE_LIBS_WIRE_PULL_IDS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

// `bytes` is one serialized AnimationIds message. INVALID_ARGUMENT names the missing or invalid id
// (see CheckId); request and target may be empty.
absl::StatusOr<StreamIds> ParsePullIds(absl::Span<const uint8_t> bytes);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_PULL_IDS_H_
