// One Pull call: writes the frames that the engine offers, as fast as the consumer reads.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PULL_CALL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PULL_CALL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <optional>

#include "libs/service/queue_calls.h"
#include "libs/stream/pull_queue.h"
#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/grpc/worker_endpoint.h"

namespace posewire::anim_graph {

// A gRPC method that can be pulled from, on one queue.
struct PullPort {
  const WorkerEndpoint* endpoint;
  const char* method;  // "/package.Service/Method"
  // Registers with gRPC for the next call.
  std::function<void(grpc::ServerContext*, grpc::ByteBuffer* request,
                     grpc::ServerAsyncWriter<grpc::ByteBuffer>*, void* tag)>
      ask;
};

// gRPC events arrive on the thread of its endpoint, offers on the engine's thread; with one worker
// these are the same. Both use the queue, guarded by mutex_.
class PullCall final : public service::StreamCall, public FrameSink {
 public:
  // Registers for the next incoming call and re-arms itself. `port` must outlive all calls.
  static void Await(const PullPort* port);

  explicit PullCall(const PullPort* port);

  // FrameSink, called on the engine's thread.
  Offered Offer(const wire::EncodedFrame& frame, double now_s) override;
  void Finish(const absl::Status& status) override;

 private:
  void OnArrived(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);
  void OnPatienceOver(bool ok);
  void OnDone(bool ok);

  void Open();
  void OpenAs(const absl::StatusOr<Admitted>& admitted, CallContext context,
              const PullCallOptions& options);
  // Call on the thread of `engine`, which counts the rejection.
  void Reject(Engine& engine, const CallContext& context, const absl::Status& why);
  // Requires mutex_. `cork`: the cork of the current tick.
  void Pump(service::TcpCork* cork);
  void FinishCall(const absl::Status& status);  // requires mutex_
  void Fail(const absl::Status& status) override {
    std::lock_guard lock(mutex_);
    FinishCall(status);
  }

  const PullPort* const port_;
  const stream::Budget& frames_;
  grpc::ByteBuffer request_;
  grpc::ServerAsyncWriter<grpc::ByteBuffer> stream_{&context_};
  Worker* worker_ = nullptr;
  service::TcpCork* cork_ = nullptr;   // of the worker
  int connection_ = -1;                // its number in the cork
  std::shared_ptr<const void> quota_;  // the token's reservation
  uint64_t pull_ = 0;                  // used on the engine's thread

  // Guarded by mutex_.
  stream::PullQueue queue_;
  double now_s_ = 0;                        // engine time of the last offer
  std::optional<absl::Status> last_words_;  // finish with this once everything is written
  bool finished_ = false;
  grpc::Alarm patience_;

  service::EventOf<PullCall, &PullCall::OnArrived> arrived_{this};
  service::EventOf<PullCall, &PullCall::OnWritten> written_{this};
  service::EventOf<PullCall, &PullCall::OnFinished> answered_{this};
  service::EventOf<PullCall, &PullCall::OnPatienceOver> patience_over_{this};
  service::EventOf<PullCall, &PullCall::OnDone> done_{this};
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PULL_CALL_H_
