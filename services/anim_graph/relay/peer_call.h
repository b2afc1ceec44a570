// The client's side of a call to a peer, as raw bytes.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_PEER_CALL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_PEER_CALL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "libs/service/logger.h"
#include "libs/service/queue_calls.h"
#include "libs/stream/budget.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/relay/peer_channels.h"

namespace posewire::anim_graph {

class PeerCall;

// All calls to peers that are in progress. Thread-safe.
class PeerCalls {
 public:
  // All pointers must outlive this.
  PeerCalls(PeerChannels* channels, StreamDirectory* directory, stream::Budget* budget,
            service::Logger log)
      : channels_(channels), directory_(directory), budget_(budget), log_(std::move(log)) {}

  // Cancels all calls, and rejects new ones.
  void Close();
  bool closed() const;

 private:
  friend class PeerCall;
  // RESOURCE_EXHAUSTED if the budget is full, UNAVAILABLE after Close.
  absl::Status Add(PeerCall* call);
  void Remove(PeerCall* call);

  PeerChannels* const channels_;
  StreamDirectory* const directory_;
  stream::Budget* const budget_;
  const service::Logger log_;
  mutable std::mutex mutex_;
  std::unordered_set<PeerCall*> calls_;  // guarded by mutex_
  bool closed_ = false;                  // guarded by mutex_
};

struct PeerTarget {
  std::string address;
  std::string method;          // "/package.Service/Method"
  std::string stream_id = {};  // the call ends when another process serves it
};

// Holds one message in each direction, so that a slow receiver slows its sender down. Keeps itself
// alive until the call is over and all its operations have completed. Its events arrive on the
// thread of its queue.
//
// A peer that is stopped or cut off would leave its calls open for as long as pings may take. So
// the directory is asked each second whether the peer still serves the stream, if nothing came from
// it. If not, the call ends with UNAVAILABLE.
class PeerCall : public std::enable_shared_from_this<PeerCall> {
 public:
  virtual ~PeerCall();
  PeerCall(const PeerCall&) = delete;
  PeerCall& operator=(const PeerCall&) = delete;

  // Makes the call, beginning with the message `first`. `last`: no other message follows. If this
  // returns an error (see PeerCalls), there are no events. Any thread, if `last`; otherwise the
  // queue's.
  absl::Status Start(PeerTarget target, grpc::CompletionQueue* queue, const grpc::ByteBuffer& first,
                     bool last);
  // Ends the call with CANCELLED, unless it is over already. Any thread.
  void Cancel() { context_->TryCancel(); }
  // Runs a part of the call. If it throws, logs the exception and ends the call.
  void Contained(absl::FunctionRef<void()> part);

 protected:
  // `calls` must outlive this.
  PeerCall(PeerCalls* calls, std::unique_ptr<grpc::ClientContext> context)
      : context_(std::move(context)), calls_(calls), place_(calls->budget_) {}

  // Call Send or SendEnd once after each OnSent, and Read after OnHeaders and OnMessage.
  void Send(const grpc::ByteBuffer& message);
  void SendEnd();
  void Read();

  // The peer's initial metadata has arrived, or there is none.
  virtual void OnHeaders() { Read(); }
  virtual void OnMessage(grpc::ByteBuffer message) = 0;
  // The message has been sent, and another one may be. Not called if the call is broken.
  virtual void OnSent() {}
  // The call is over; the last event.
  virtual void OnEnd(const grpc::Status& status) = 0;
  // A second has passed. Only for targets with a stream.
  virtual void OnSecond() {}
  // An event has thrown.
  virtual void Abandon() { Cancel(); }

  // For operations of the other side on the same queue: call Begin before starting one, and not if
  // it returns false, because the call is over; call ReleaseEvent first in its event. Since it may
  // be the last operation, the call lives until the result is destroyed.
  [[nodiscard]] bool Begin();
  [[nodiscard]] std::shared_ptr<PeerCall> ReleaseEvent();

  const std::unique_ptr<grpc::ClientContext> context_;

 private:
  friend class PeerCalls;
  void OnWritten(bool ok);
  void OnClosed(bool ok);
  void OnInitialMetadata(bool ok);
  void OnRead(bool ok);
  void OnLook(bool ok);
  void OnFinished(bool ok);

  PeerCalls* const calls_;
  stream::Reservation place_;
  PeerTarget target_;
  grpc::CompletionQueue* queue_ = nullptr;
  std::shared_ptr<const PeerChannels::Link> link_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer message_;
  grpc::Status status_;
  grpc::Alarm look_alarm_;
  bool heard_ = false;              // since the last look
  std::atomic<bool> moved_{false};  // another process serves the stream

  std::mutex mutex_;
  std::shared_ptr<PeerCall> self_;  // guarded by mutex_
  int pending_ = 0;                 // guarded by mutex_
  bool over_ = false;               // guarded by mutex_

  service::EventOf<PeerCall, &PeerCall::OnWritten> written_{this};
  service::EventOf<PeerCall, &PeerCall::OnClosed> half_closed_{this};
  service::EventOf<PeerCall, &PeerCall::OnInitialMetadata> headers_{this};
  service::EventOf<PeerCall, &PeerCall::OnRead> read_{this};
  service::EventOf<PeerCall, &PeerCall::OnLook> look_{this};
  service::EventOf<PeerCall, &PeerCall::OnFinished> finished_{this};
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_PEER_CALL_H_
