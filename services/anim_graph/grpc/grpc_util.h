// Conversions between gRPC's types and ours.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_UTIL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_UTIL_H_

#include "absl/status/status.h"
#include "libs/service/stream/stream_bytes.h"

namespace posewire::anim_graph {

using service::LookupIn;
using service::ParsePullIds;
using service::SerializeStatus;
using service::Wrap;

// Returns the caller with what a relayed call needs.
stream::Caller CallerOf(const grpc::ServerContextBase& context);

// Returns whether `status` reports invalid data, as opposed to something missing or full.
bool IsFaultOfData(const absl::Status& status);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_UTIL_H_
