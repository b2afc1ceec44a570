// Metadata that a relay passes on, in both directions.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_CALL_METADATA_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_CALL_METADATA_H_

#include <grpcpp/support/string_ref.h>

#include <map>
#include <string>

#include "absl/functional/function_ref.h"

namespace posewire::anim_graph {

// Marks a relayed call with "1". Its receiver never relays it again, and marks its own initial
// metadata too, which a rejected call has not.
inline constexpr char kRelayedKey[] = "x-posewire-relayed";

// Calls `add` for each entry except those of one hop: headers that HTTP/2 or gRPC makes for each
// connection, such as user-agent and grpc-timeout, and the mark of relayed calls. Also leaves out
// what gRPC would not send, because it ends the process instead.
void PassOn(const std::multimap<grpc::string_ref, grpc::string_ref>& metadata,
            absl::FunctionRef<void(const std::string& key, const std::string& value)> add);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_CALL_METADATA_H_
