// One Push on the wire: reads messages, checks them, and hands them to the stream's worker.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PUSH_CALL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PUSH_CALL_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>

#include "libs/wire/frame_reader.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/runtime/admission.h"

namespace posewire::anim_graph {

// Reads one message at a time: the next read starts when the engine took the last one, so that its
// pauses reach the sender as flow control. gRPC's threads and the worker's; guarded by mutex_ where
// both meet. Keeps itself alive until gRPC and the worker are done with it.
class PushCall : public grpc::ServerReadReactor<grpc::ByteBuffer>, public PushPeer {
 public:
  static PushCall* Start(const CallParts& parts, grpc::CallbackServerContext* context,
                         grpc::ByteBuffer* response);

  void OnReadDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // PushPeer, on the worker's thread.
  void ReadOn() override;
  void Finish(const PushAnswer& answer) override;

 private:
  PushCall(const CallParts& parts, grpc::CallbackServerContext* context, grpc::ByteBuffer* response)
      : parts_(parts), context_(context), response_(response), reader_(parts.limits) {}

  void Open(wire::StreamHeader header);
  void Give(wire::Chunk chunk);
  void End(PushEnd end);
  void Fault(const absl::Status& status);
  // By CallParts::faults_as_status.
  void FinishFault(const absl::Status& status);
  void Read();
  void FinishCall(const absl::Status& status, const wire::StatusChunk& answer);

  const CallParts& parts_;
  grpc::CallbackServerContext* context_;
  grpc::ByteBuffer* response_;
  grpc::ByteBuffer message_;
  wire::FrameReader reader_;
  std::shared_ptr<PushCall> self_;
  Worker* worker_ = nullptr;  // set by the header
  uint64_t push_ = 0;         // of the worker's thread

  std::mutex mutex_;
  bool finished_ = false;  // guarded by mutex_
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PUSH_CALL_H_
