#include "services/anim_graph/relay/stream_relay.h"

#include <chrono>
#include <string>
#include <utility>

#include "services/anim_graph/relay/call_metadata.h"

namespace posewire::anim_graph {
namespace {

// Longer than a server waits for its own client.
constexpr int kPatience_s = 40;

}  // namespace

StreamRelay::StreamRelay(PeerCalls* calls, grpc::ServerContext* client)
    : PeerCall(calls, grpc::ClientContext::FromServerContext(*client)), client_(*client) {
  PassOn(client_.client_metadata(), [this](const std::string& key, const std::string& value) {
    context_->AddMetadata(key, value);
  });
  context_->AddMetadata(kRelayedKey, "1");
}

void StreamRelay::PassInitialMetadata() {
  PassOn(context_->GetServerInitialMetadata(),
         [this](const std::string& key, const std::string& value) {
           client_.AddInitialMetadata(key, value);
         });
}

void StreamRelay::PassTrailingMetadata() {
  PassOn(context_->GetServerTrailingMetadata(),
         [this](const std::string& key, const std::string& value) {
           client_.AddTrailingMetadata(key, value);
         });
}

void StreamRelay::Abandon() {
  Cancel();
  client_.TryCancel();
}

PushRelay::PushRelay(PeerCalls* calls, Client client)
    : StreamRelay(calls, client.context), held_(std::move(client)) {}

void PushRelay::OnHeaders() {
  PassInitialMetadata();
  // A push that the peer has rejected must not look like one that is open.
  const bool opened = context_->GetServerInitialMetadata().count(kRelayedKey) > 0;
  if (opened && Begin()) held_.stream->SendInitialMetadata(headers_delivered_.tag());
  Read();
}

void PushRelay::OnSent() {
  if (Begin()) held_.stream->Read(&message_, client_message_.tag());
}

void PushRelay::OnClientMessage(bool ok) {
  const auto last = ReleaseEvent();
  if (ok) return Send(message_);
  // If a lost connection reached the peer as a half-close, nothing could be resumed.
  if (!Begin()) return;
  ending_alarm_.Set(held_.queue, std::chrono::system_clock::now() + service::kLossIsKnown,
                    client_ending_.tag());
}

void PushRelay::OnClientEnding(bool ok) {
  const auto last = ReleaseEvent();
  if (ok && !client_.IsCancelled()) SendEnd();
}

void PushRelay::OnMessage(grpc::ByteBuffer message) {
  answer_ = std::move(message);
  Read();
}

void PushRelay::OnEnd(const grpc::Status& status) {
  ending_alarm_.Cancel();
  PassTrailingMetadata();
  if (!Begin()) return;
  if (status.ok()) {
    held_.stream->Finish(answer_, status, answered_.tag());
  } else {
    held_.stream->FinishWithError(status, answered_.tag());
  }
}

void PushRelay::OnDelivered(bool) { const auto last = ReleaseEvent(); }

PullRelay::PullRelay(PeerCalls* calls, Client client)
    : StreamRelay(calls, client.context), held_(std::move(client)) {}

void PullRelay::OnHeaders() {
  PassInitialMetadata();
  Read();
}

void PullRelay::OnMessage(grpc::ByteBuffer message) {
  if (!Begin()) return;
  writing_ = true;
  waited_s_ = 0;
  held_.stream->Write(message, message_taken_.tag());
}

void PullRelay::OnTaken(bool ok) {
  const auto last = ReleaseEvent();
  writing_ = false;
  if (!ok) Cancel();
  Read();
}

void PullRelay::OnSecond() {
  if (writing_ && ++waited_s_ > kPatience_s) client_.TryCancel();
}

void PullRelay::OnEnd(const grpc::Status& status) {
  PassTrailingMetadata();
  if (Begin()) held_.stream->Finish(status, answered_.tag());
}

void PullRelay::OnAnswered(bool) { const auto last = ReleaseEvent(); }

}  // namespace posewire::anim_graph
