// One Pull on the wire: writes what the engine offers, as fast as the consumer takes it.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PULL_CALL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PULL_CALL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>

#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/core/pull_queue.h"
#include "services/anim_graph/grpc/push_call.h"

namespace posewire::anim_graph {

// gRPC's threads and the worker's meet in the queue, guarded by mutex_. Keeps itself alive until
// both are done with it.
class PullCall : public grpc::ServerWriteReactor<grpc::ByteBuffer>, public FrameSink {
 public:
  static PullCall* Start(const CallParts& parts, grpc::CallbackServerContext* context,
                         const grpc::ByteBuffer* request);

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // FrameSink, on the worker's thread.
  Offered Offer(const wire::EncodedFrame& frame, double now_s) override;
  void Finish(const absl::Status& status) override;

 private:
  explicit PullCall(grpc::CallbackServerContext* context) : context_(context) {}
  void Open(const CallParts& parts, const grpc::ByteBuffer& request);
  void Pump();                                  // with mutex_ held
  void FinishCall(const absl::Status& status);  // with mutex_ held

  grpc::CallbackServerContext* context_;
  std::shared_ptr<PullCall> self_;
  Worker* worker_ = nullptr;
  uint64_t pull_ = 0;  // of the worker's thread

  std::mutex mutex_;
  PullQueue queue_;
  double now_s_ = 0;  // of the engine, when it last offered
  grpc::ByteBuffer message_;
  std::optional<absl::Status> last_words_;  // finish with this when all is written
  bool finished_ = false;
  grpc::Alarm patience_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PULL_CALL_H_
