// Metadata of a client's call, checked before gRPC gets it, because gRPC ends the process if it
// cannot send some metadata. Includes gRPC; private to clients.
#ifndef POSEWIRE_LIBS_CLIENT_CALL_METADATA_H_
#define POSEWIRE_LIBS_CLIENT_CALL_METADATA_H_

#include <string>

#include "absl/status/status.h"
#include "libs/client/byte_call.h"
#include "libs/wire/chunk.h"

namespace posewire::client {

// INVALID_ARGUMENT for an invalid id; see wire::CheckId. An empty target is valid, and so is an
// empty request unless `needs_request`.
absl::Status CheckIds(const wire::StreamIds& ids, bool needs_request);

// Adds x-stream-id, unless metadata cannot carry the id: HTTP/2 allows only printable ASCII without
// leading or trailing blanks, but an id may be any text. The header or the request has the same id
// in any case.
void AddStreamId(const std::string& stream_id, Metadata& metadata);

// INVALID_ARGUMENT, naming the key, if a value is not printable ASCII.
absl::Status CheckMetadata(const Metadata& metadata);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CALL_METADATA_H_
