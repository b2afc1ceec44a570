// Control calls and event watches of streams that a peer serves.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_CONTROL_RELAY_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_CONTROL_RELAY_H_

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "libs/service/queue_calls.h"
#include "libs/stream/access.h"
#include "services/anim_graph/relay/peer_call.h"
#include "services/anim_graph/runtime/event_hub.h"

namespace posewire::anim_graph {

std::string ControlMethod(absl::string_view name);
grpc::ByteBuffer BytesOf(const google::protobuf::Message& message);

// A base that is destroyed after PeerCall.
struct CountedCall {
  ~CountedCall() { server->Add(-1); }
  service::CallCount* const server;
};

// Counts as a call of the server until it is over, because it uses one of its queues.
class ControlRelay : private CountedCall, public PeerCall {
 protected:
  ControlRelay(PeerCalls* calls, const stream::Caller& caller, service::CallCount* server);
};

// A call with one response.
class CallRelay final : public ControlRelay {
 public:
  using Done = absl::AnyInvocable<void(const absl::Status&)>;
  // See Peers::Call.
  CallRelay(PeerCalls* calls, const stream::Caller& caller, service::CallCount* server,
            google::protobuf::Message* response, Done done);
  // Calls `done`, unless Answer has.
  ~CallRelay() override;
  void Answer(const absl::Status& status);

 private:
  void OnMessage(grpc::ByteBuffer message) override;
  void OnEnd(const grpc::Status& status) override;

  google::protobuf::Message* const response_;
  bool answered_ = false;
  Done done_;
};

class WatchRelay final : public ControlRelay {
 public:
  WatchRelay(PeerCalls* calls, const stream::Caller& caller, service::CallCount* server,
             const std::shared_ptr<EventHub::Watch>& watch)
      : ControlRelay(calls, caller, server), watch_(watch) {}

 private:
  void OnMessage(grpc::ByteBuffer message) override;
  void OnEnd(const grpc::Status& status) override;

  const std::weak_ptr<EventHub::Watch> watch_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_CONTROL_RELAY_H_
