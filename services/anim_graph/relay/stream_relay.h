// Pushes and pulls of streams that a peer serves. Messages pass as bytes, one at a time in each
// direction; metadata, deadline, cancellation and status pass as well.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_STREAM_RELAY_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_STREAM_RELAY_H_

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/async_stream.h>

#include <memory>

#include "libs/service/queue_calls.h"
#include "services/anim_graph/relay/peer_call.h"

namespace posewire::anim_graph {

// A client's call on this server.
template <typename Stream>
struct ClientSide {
  std::shared_ptr<service::StreamCall> call;  // owns context and stream
  grpc::ServerContext* context;
  Stream* stream;  // without an operation in progress
  grpc::CompletionQueue* queue;
};

class StreamRelay : public PeerCall {
 protected:
  // The call to the peer inherits the client's deadline, and is cancelled with the client's call.
  StreamRelay(PeerCalls* calls, grpc::ServerContext* client);

  void PassInitialMetadata();
  void PassTrailingMetadata();
  void Abandon() override;

  grpc::ServerContext& client_;
};

class PushRelay final : public StreamRelay {
 public:
  using Client = ClientSide<grpc::ServerAsyncReader<grpc::ByteBuffer, grpc::ByteBuffer>>;
  PushRelay(PeerCalls* calls, Client client);

 private:
  void OnHeaders() override;
  void OnMessage(grpc::ByteBuffer message) override;
  void OnSent() override;
  void OnEnd(const grpc::Status& status) override;

  void OnClientMessage(bool ok);
  // The client has half-closed or its connection was lost; by now it is known which.
  void OnClientEnding(bool ok);
  void OnDelivered(bool ok);

  const Client held_;
  grpc::ByteBuffer message_, answer_;
  grpc::Alarm ending_alarm_;
  service::EventOf<PushRelay, &PushRelay::OnClientMessage> client_message_{this};
  service::EventOf<PushRelay, &PushRelay::OnClientEnding> client_ending_{this};
  service::EventOf<PushRelay, &PushRelay::OnDelivered> headers_delivered_{this};
  service::EventOf<PushRelay, &PushRelay::OnDelivered> answered_{this};
};

class PullRelay final : public StreamRelay {
 public:
  using Client = ClientSide<grpc::ServerAsyncWriter<grpc::ByteBuffer>>;
  PullRelay(PeerCalls* calls, Client client);

 private:
  void OnHeaders() override;
  void OnMessage(grpc::ByteBuffer message) override;
  // Cuts the client off if it has not taken a message for long. The peer does so too, but that is
  // not noticed while a message waits here.
  void OnSecond() override;
  void OnEnd(const grpc::Status& status) override;

  void OnTaken(bool ok);
  void OnAnswered(bool ok);

  const Client held_;
  bool writing_ = false;  // the client has not taken the last message yet
  int waited_s_ = 0;      // for how long
  service::EventOf<PullRelay, &PullRelay::OnTaken> message_taken_{this};
  service::EventOf<PullRelay, &PullRelay::OnAnswered> answered_{this};
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_STREAM_RELAY_H_
