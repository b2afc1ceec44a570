// Relays calls for streams that other processes serve, at most once: the receiver of a relayed call
// serves it or answers UNAVAILABLE.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_RELAY_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_RELAY_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "libs/client/connection.h"
#include "libs/service/queue_calls.h"
#include "services/anim_graph/relay/peer_call.h"
#include "services/anim_graph/relay/peer_channels.h"
#include "services/anim_graph/relay/stream_relay.h"
#include "services/anim_graph/runtime/admission.h"
#include "services/anim_graph/runtime/peers.h"

namespace posewire::anim_graph {

// Thread-safe.
class Relay final : public Peers {
 public:
  // `connection`: TLS for calls to peers; its address is not used. `calls_per_connection`: as many
  // as peers accept. Uses the directory, the capacity and the log of `parts`, which must outlive
  // this.
  Relay(const client::ConnectionOptions& connection, int calls_per_connection,
        const CallParts& parts);

  // Control calls use this queue, and count as calls of the server. Call before the first one.
  void Serve(grpc::CompletionQueue* queue, service::CallCount* server);
  // Ends all relayed calls with UNAVAILABLE, and rejects new ones.
  void Close() { calls_.Close(); }

  // Relays the rest of a client's call. `first`: the message that the client has sent. If this
  // returns an error (see PeerCalls), the client's call has not ended. Call on the thread of the
  // call's queue.
  absl::Status Push(const PeerTarget& target, PushRelay::Client client,
                    const grpc::ByteBuffer& first);
  absl::Status Pull(const PeerTarget& target, PullRelay::Client client,
                    const grpc::ByteBuffer& first);

  void Call(const std::string& address, const stream::Caller& caller, absl::string_view method,
            const google::protobuf::Message& request, google::protobuf::Message* response,
            absl::AnyInvocable<void(const absl::Status&)> done) override;
  void Watch(const std::string& address, const stream::Caller& caller,
             const std::shared_ptr<EventHub::Watch>& watch) override;
  const RelayCounts& counts() const override { return counts_; }

 private:
  PeerChannels channels_;
  PeerCalls calls_;
  RelayCounts counts_;
  grpc::CompletionQueue* queue_ = nullptr;
  service::CallCount* server_ = nullptr;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_RELAY_H_
