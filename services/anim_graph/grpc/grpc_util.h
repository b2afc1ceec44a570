// Between gRPC's types and ours.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_UTIL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_UTIL_H_

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include <array>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_writer.h"
#include "services/anim_graph/core/call_options.h"

namespace posewire::anim_graph {

// Something that was sent is wrong, as opposed to something that is missing or full.
bool IsFaultOfData(const absl::Status& status);

// Of a server call; the context must outlive the lookup.
MetadataLookup LookupIn(const grpc::ServerContextBase& context);

// Wraps the frame's memory without a copy; it is let go when gRPC has sent it.
grpc::ByteBuffer Wrap(const wire::EncodedFrame& frame, bool without_pose);
grpc::ByteBuffer SerializeStatus(const wire::StatusChunk& status);

// Parses and checks the ids of a pull.
absl::StatusOr<wire::StreamIds> ParsePullIds(const grpc::ByteBuffer& request);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_UTIL_H_
