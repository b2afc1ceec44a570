#include "services/anim_graph/relay/relay.h"

#include <limits>
#include <utility>

#include "posewire.control.v1.pb.h"
#include "services/anim_graph/relay/control_relay.h"

namespace posewire::anim_graph {
namespace {

// The time after which a peer that does not answer pings is given up is this plus gRPC's time-out.
// Servers refuse clients that ping more often.
constexpr double kPing_s = 5;

client::ConnectionOptions OptionsOfPeers(client::ConnectionOptions options) {
  options.keep_alive_s = kPing_s;
  // The servers at both ends have their own limits.
  options.message_bytes = std::numeric_limits<int>::max();
  return options;
}

}  // namespace

Relay::Relay(const client::ConnectionOptions& connection, int calls_per_connection,
             const CallParts& parts)
    : channels_(OptionsOfPeers(connection), calls_per_connection),
      calls_(&channels_, parts.directory, &parts.capacity->relayed, parts.log) {}

void Relay::Serve(grpc::CompletionQueue* queue, service::CallCount* server) {
  queue_ = queue;
  server_ = server;
}

absl::Status Relay::Push(const PeerTarget& target, PushRelay::Client client,
                         const grpc::ByteBuffer& first) {
  ++counts_.pushes;
  grpc::CompletionQueue* const queue = client.queue;
  return std::make_shared<PushRelay>(&calls_, std::move(client))
      ->Start(target, queue, first, /*last=*/false);
}

absl::Status Relay::Pull(const PeerTarget& target, PullRelay::Client client,
                         const grpc::ByteBuffer& first) {
  ++counts_.pulls;
  grpc::CompletionQueue* const queue = client.queue;
  return std::make_shared<PullRelay>(&calls_, std::move(client))
      ->Start(target, queue, first, /*last=*/true);
}

void Relay::Call(const std::string& address, const stream::Caller& caller, absl::string_view method,
                 const google::protobuf::Message& request, google::protobuf::Message* response,
                 absl::AnyInvocable<void(const absl::Status&)> done) {
  ++counts_.calls;
  const auto call =
      std::make_shared<CallRelay>(&calls_, caller, server_, response, std::move(done));
  const absl::Status started =
      call->Start({address, ControlMethod(method)}, queue_, BytesOf(request), /*last=*/true);
  if (!started.ok()) call->Answer(started);
}

void Relay::Watch(const std::string& address, const stream::Caller& caller,
                  const std::shared_ptr<EventHub::Watch>& watch) {
  ++counts_.watches;
  posewire::control::v1::WatchEventsRequest request;
  request.set_stream_id(watch->stream_id());
  const auto call = std::make_shared<WatchRelay>(&calls_, caller, server_, watch);
  const absl::Status started =
      call->Start({address, ControlMethod("WatchEvents"), watch->stream_id()}, queue_,
                  BytesOf(request), /*last=*/true);
  if (!started.ok()) return watch->End(started);
  watch->Keep(std::shared_ptr<void>(nullptr, [weak = call->weak_from_this()](void*) {
    if (const auto held = weak.lock()) held->Cancel();
  }));
}

}  // namespace posewire::anim_graph
