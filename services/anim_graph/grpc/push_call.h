// One Push call: reads messages, checks them, and passes them to the stream's engine.
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

// Push and Pull on raw bytes, so that no protobuf message is made for streamed data.
using AnimationDataAsync = nvidia_ace::services::animation_data::v1::AnimationDataService::
    WithRawMethod_PushAnimationDataStream<
        nvidia_ace::services::animation_data::v1::AnimationDataService::
            WithRawMethod_PullAnimationDataStream<
                nvidia_ace::services::animation_data::v1::AnimationDataService::Service>>;

// Reads one message at a time. The next read starts after the engine has accepted the last message,
// so the engine's pauses reach the sender as flow control. gRPC events arrive on the thread of its
// endpoint, which is also the engine's thread if there is one worker. Shared state is guarded by
// mutex_.
class PushCall final : public service::StreamCall, public PushPeer {
 public:
  // Registers for the next incoming call and re-arms itself. Both arguments must outlive all calls.
  static void Await(const WorkerEndpoint* endpoint, AnimationDataAsync* service);

  PushCall(const WorkerEndpoint* endpoint, AnimationDataAsync* service)
      : endpoint_(endpoint),
        service_(service),
        reader_(endpoint->parts->limits, endpoint->worker->engine().read_paths()),
        reservation_(&endpoint->parts->capacity->pushes) {}

  // PushPeer, called on the engine's thread.
  void ReadOn() override { Read(); }
  void Finish(const PushAnswer& answer) override;

 private:
  void OnArrived(bool ok);
  void OnRead(bool ok);
  // The client has half-closed or its connection was lost; by now it is known which.
  void OnEnding(bool ok);
  // The header did not arrive in time.
  void OnSilent(bool ok);
  void OnSent(bool ok);
  void OnDone(bool ok);

  void Open(wire::StreamHeader header);
  void OpenAs(const absl::StatusOr<Admitted>& admitted, wire::StreamHeader header,
              CallContext context, const PushCallOptions& options);
  void Take(const wire::Chunk& chunk, Engine& engine, Now now);
  void End(PushEnd end);
  void Fault(const absl::Status& status);
  // Counts and logs the rejected push. Does not reply to the client.
  void LogRejected(const wire::StreamIds& ids, const absl::Status& why);
  void Fail(const absl::Status& status) override { Fault(status); }
  // Ends the call as CallParts::faults_as_status requires.
  void FinishFault(const absl::Status& status);
  void Read();
  void FinishCall(const absl::Status& status, const wire::StatusChunk& answer);

  const WorkerEndpoint* const endpoint_;
  AnimationDataAsync* const service_;
  grpc::ServerAsyncReader<grpc::ByteBuffer, grpc::ByteBuffer> stream_{&context_};
  grpc::ByteBuffer message_;
  std::vector<grpc::Slice> slices_;  // slices of message_ while it is parsed
  wire::FrameReader reader_;
  stream::Caller caller_;              // set on arrival
  std::shared_ptr<const void> quota_;  // the token's reservation
  grpc::Alarm alarm_;                  // expires if the header does not arrive
  bool heard_ = false;                 // a message arrived, or the time to wait for it is over
  grpc::Alarm ending_alarm_;           // between the last read and OnEnding
  bool status_seen_ = false;           // the source has sent its final status
  Worker* worker_ = nullptr;           // set when the header arrives
  wire::StreamIds ids_;                // set when the header arrives
  stream::Reservation reservation_;    // in the process's budget of pushes
  uint64_t push_ = 0;                  // used on the engine's thread
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
