#include "services/anim_graph/grpc/grpc_util.h"

#include "services/anim_graph/relay/call_metadata.h"

namespace posewire::anim_graph {

stream::Caller CallerOf(const grpc::ServerContextBase& context) {
  stream::Caller caller = service::CallerOf(context);
  const stream::MetadataLookup metadata = LookupIn(context);
  caller.authorization = metadata("authorization").value_or("");
  caller.relayed = metadata(kRelayedKey).has_value();
  return caller;
}

bool IsFaultOfData(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) ||
         absl::IsOutOfRange(status);
}

}  // namespace posewire::anim_graph
