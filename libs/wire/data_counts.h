// Counts the parts of a message before any memory is allocated for it. Internal to libs/wire.
#ifndef POSEWIRE_LIBS_WIRE_DATA_COUNTS_H_
#define POSEWIRE_LIBS_WIRE_DATA_COUNTS_H_

#include <array>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {

struct DataCounts {
  std::array<size_t, kAllTracks> keys = {};
  size_t metadata_entries = 0;
  // Sub-messages and numbers. A Float3 or QuatF counts as one, including its numbers.
  size_t elements = 0;
};

// INVALID_ARGUMENT for bytes that protobuf cannot parse. `where` is the path of the field.
absl::Status Malformed(absl::string_view where);

// Walks one serialized AnimationData. INVALID_ARGUMENT for bytes that are not such a message and
// for arrays whose length does not match the header's names; RESOURCE_EXHAUSTED over a limit.
// Allocates only for the text of an error.
absl::Status CountData(Bytes data, const StreamHeader& header, const ReaderLimits& limits,
                       DataCounts* counts);

// Walks one serialized AnimationDataStreamHeader: RESOURCE_EXHAUSTED for more names than allowed.
absl::Status CountHeader(Bytes header, const ReaderLimits& limits);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_DATA_COUNTS_H_
