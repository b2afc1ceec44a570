// Converts between gRPC's types and those of streams. For service shells that use gRPC.
#ifndef POSEWIRE_LIBS_SERVICE_STREAM_STREAM_BYTES_H_
#define POSEWIRE_LIBS_SERVICE_STREAM_STREAM_BYTES_H_

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include "absl/status/statusor.h"
#include "libs/stream/access.h"
#include "libs/stream/call_options.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_writer.h"

namespace posewire::service {

// Looks up metadata of a server call. The context must outlive the lookup.
stream::MetadataLookup LookupIn(const grpc::ServerContextBase& context);

// Returns the caller with the hash of its bearer token, if it sent one.
stream::Caller CallerOf(const grpc::ServerContextBase& context);

// Wraps the frame's memory without a copy. It is released when gRPC has sent it.
grpc::ByteBuffer Wrap(const wire::EncodedFrame& frame, bool without_pose);
grpc::ByteBuffer SerializeStatus(const wire::StatusChunk& status);

// Parses and checks the ids of a pull.
absl::StatusOr<wire::StreamIds> ParsePullIds(const grpc::ByteBuffer& request);

// Marks an error that a later attempt may avoid, so that clients retry.
template <typename Context>
void AddRetryHint(Context* context) {
  context->AddTrailingMetadata("grpc-retry-pushback-ms", "5000");
}

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_STREAM_STREAM_BYTES_H_
