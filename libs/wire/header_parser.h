// Parses and checks StreamHeader and StatusChunk. Internal to libs/wire.
#ifndef POSEWIRE_LIBS_WIRE_HEADER_PARSER_H_
#define POSEWIRE_LIBS_WIRE_HEADER_PARSER_H_

#include "absl/status/statusor.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {

absl::StatusOr<StreamHeader> ParseHeader(Bytes bytes, const ReaderLimits& limits);

// Returns the ids of a header that ParseHeader rejects. Illegal ids are empty.
StreamIds LegalIds(Bytes header);

absl::StatusOr<StatusChunk> ParseStatus(Bytes bytes);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_HEADER_PARSER_H_
