// One Push on the wire: reads messages, checks them, and hands them to the stream's engine.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PUSH_CALL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PUSH_CALL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/async_stream.h>

#include <vector>

#include "libs/service/queue_calls.h"
#include "libs/wire/frame_reader.h"
#include "nvidia_ace.services.animation_data.v1.grpc.pb.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/grpc/worker_endpoint.h"

namespace posewire::anim_graph {

// Push and Pull on raw bytes: no message object is made of what streams by.
using AnimationDataAsync = nvidia_ace::services::animation_data::v1::AnimationDataService::
    WithRawMethod_PushAnimationDataStream<
        nvidia_ace::services::animation_data::v1::AnimationDataService::
            WithRawMethod_PullAnimationDataStream<
                nvidia_ace::services::animation_data::v1::AnimationDataService::Service>>;

// Reads one message at a time: the next read starts when the engine took the last one, so that its
// pauses reach the sender as flow control. Its events come on the thread of its endpoint, where its
// engine is too when there is one worker. What both share is guarded by mutex_.
class PushCall final : public service::StreamCall, public PushPeer {
 public:
  // Waits for the next call, and so on for ever. Both outlive the calls.
  static void Await(const WorkerEndpoint* endpoint, AnimationDataAsync* service);

  PushCall(const WorkerEndpoint* endpoint, AnimationDataAsync* service)
      : endpoint_(endpoint),
        service_(service),
        reader_(endpoint->parts->limits, endpoint->worker->engine().read_paths()),
        place_(&endpoint->parts->capacity->pushes) {}

  // PushPeer, on the engine's thread.
  void ReadOn() override { Read(); }
  void Finish(const PushAnswer& answer) override;

 private:
  void OnArrived(bool ok);
  void OnRead(bool ok);
  // The client has half-closed, or its connection is lost: by now it is known which.
  void OnEnding(bool ok);
  // No header has come in time.
  void OnSilent(bool ok);
  void OnSent(bool ok);
  void OnDone(bool ok);

  void Open(wire::StreamHeader header);
  void Take(const wire::Chunk& chunk, Engine& engine, Now now);
  void End(PushEnd end);
  void Fault(const absl::Status& status);
  // Has it counted and told that the push is turned away; the answer is another matter.
  void TellRefused(const wire::StreamIds& ids, const absl::Status& why);
  void Fail(const absl::Status& status) override { Fault(status); }
  // By CallParts::faults_as_status.
  void FinishFault(const absl::Status& status);
  void Read();
  void FinishCall(const absl::Status& status, const wire::StatusChunk& answer);

  const WorkerEndpoint* const endpoint_;
  AnimationDataAsync* const service_;
  grpc::ServerAsyncReader<grpc::ByteBuffer, grpc::ByteBuffer> stream_{&context_};
  grpc::ByteBuffer message_;
  std::vector<grpc::Slice> slices_;  // of message_, while it is read
  wire::FrameReader reader_;
  stream::Caller caller_;              // set on arrival
  std::shared_ptr<const void> quota_;  // what its token may have
  grpc::Alarm alarm_;                  // until something has come
  bool heard_ = false;                 // something has come, or is waited for no more
  grpc::Alarm ending_alarm_;           // between the last read and OnEnding
  bool status_seen_ = false;           // the source has said its last word
  Worker* worker_ = nullptr;           // set by the header
  wire::StreamIds ids_;                // set by the header
  stream::Share place_;                // among the pushes of the process
  uint64_t push_ = 0;                  // of the engine's thread
  bool finished_ = false;              // guarded by mutex_

  service::EventOf<PushCall, &PushCall::OnArrived> arrived_{this};
  service::EventOf<PushCall, &PushCall::OnRead> read_{this};
  service::EventOf<PushCall, &PushCall::OnEnding> ending_{this};
  service::EventOf<PushCall, &PushCall::OnSilent> silent_{this};
  service::EventOf<PushCall, &PushCall::OnSent> sent_{this};
  service::EventOf<PushCall, &PushCall::OnSent> answered_{this};
  service::EventOf<PushCall, &PushCall::OnDone> done_{this};
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_PUSH_CALL_H_
