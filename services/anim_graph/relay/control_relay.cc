#include "services/anim_graph/relay/control_relay.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/rpc/grpc_status.h"
#include "services/anim_graph/relay/call_metadata.h"

namespace posewire::anim_graph {
namespace {

using Bytes = grpc::SerializationTraits<google::protobuf::Message>;

constexpr std::chrono::seconds kAnswer{10};

}  // namespace

std::string ControlMethod(absl::string_view name) {
  return absl::StrCat("/posewire.control.v1.ControlService/", name);
}

grpc::ByteBuffer BytesOf(const google::protobuf::Message& message) {
  grpc::ByteBuffer bytes;
  bool is_owner = false;
  (void)Bytes::Serialize(message, &bytes, &is_owner);
  return bytes;
}

ControlRelay::ControlRelay(PeerCalls* calls, const stream::Caller& caller,
                           service::CallCount* server)
    : CountedCall{server}, PeerCall(calls, std::make_unique<grpc::ClientContext>()) {
  server->Add(1);
  context_->AddMetadata(kRelayedKey, "1");
  PassOn({{"authorization", caller.authorization}},
         [this](const std::string& key, const std::string& value) {
           if (!value.empty()) context_->AddMetadata(key, value);
         });
}

CallRelay::CallRelay(PeerCalls* calls, const stream::Caller& caller, service::CallCount* server,
                     google::protobuf::Message* response, Done done)
    : ControlRelay(calls, caller, server), response_(response), done_(std::move(done)) {
  context_->set_deadline(std::chrono::system_clock::now() + kAnswer);
}

CallRelay::~CallRelay() { Answer(absl::InternalError("the relayed call gave no answer")); }

void CallRelay::Answer(const absl::Status& status) {
  if (Done done = std::exchange(done_, nullptr)) done(status);
}

void CallRelay::OnMessage(grpc::ByteBuffer message) {
  answered_ = Bytes::Deserialize(&message, response_).ok();
  Read();
}

void CallRelay::OnEnd(const grpc::Status& status) {
  if (!status.ok() || answered_) Answer(rpc::FromGrpc(status));
}

void WatchRelay::OnMessage(grpc::ByteBuffer message) {
  auto event = std::make_shared<EventHub::Event>();
  const auto watch = watch_.lock();
  if (watch != nullptr && Bytes::Deserialize(&message, event.get()).ok()) {
    watch->Add(std::move(event));
  } else {
    Cancel();
  }
  Read();
}

void WatchRelay::OnEnd(const grpc::Status& status) {
  if (const auto watch = watch_.lock()) watch->End(rpc::FromGrpc(status));
}

}  // namespace posewire::anim_graph
