// What a client's call sends besides its messages, checked before gRPC sees it: gRPC ends the
// process over metadata that it cannot send. Includes gRPC; private to clients.
#ifndef POSEWIRE_LIBS_CLIENT_CALL_METADATA_H_
#define POSEWIRE_LIBS_CLIENT_CALL_METADATA_H_

#include <string>

#include "absl/status/status.h"
#include "libs/client/byte_call.h"
#include "libs/wire/chunk.h"

namespace posewire::client {

// INVALID_ARGUMENT for an id that no stream may have; see wire::CheckId. An empty target passes,
// and so does an empty request unless `needs_request`.
absl::Status CheckIds(const wire::StreamIds& ids, bool needs_request);

// x-stream-id, unless metadata cannot carry the id: HTTP/2 takes printable ASCII without leading or
// trailing blanks, and an id may be any text. The header or the request has the same id in any
// case.
void AddStreamId(const std::string& stream_id, Metadata& metadata);

// INVALID_ARGUMENT, naming the key, if a value is not printable ASCII.
absl::Status CheckMetadata(const Metadata& metadata);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CALL_METADATA_H_
