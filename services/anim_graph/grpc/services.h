// The gRPC services of anim_graph.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_SERVICES_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_SERVICES_H_

#include <memory>

#include "libs/clip/clip_library.h"
#include "nvidia_ace.services.animation_data.v1.grpc.pb.h"
#include "posewire.control.v1.grpc.pb.h"
#include "services/anim_graph/grpc/pull_call.h"
#include "services/anim_graph/grpc/push_call.h"

namespace posewire::anim_graph {

// Push and Pull on raw bytes: no message object is made of what streams by.
class AnimationDataService
    : public nvidia_ace::services::animation_data::v1::AnimationDataService::
          WithRawCallbackMethod_PushAnimationDataStream<
              nvidia_ace::services::animation_data::v1::AnimationDataService::
                  WithRawCallbackMethod_PullAnimationDataStream<
                      nvidia_ace::services::animation_data::v1::AnimationDataService::Service>> {
 public:
  explicit AnimationDataService(const CallParts& parts) : parts_(parts) {}

  grpc::ServerReadReactor<grpc::ByteBuffer>* PushAnimationDataStream(
      grpc::CallbackServerContext* context, grpc::ByteBuffer* response) override {
    return PushCall::Start(parts_, context, response);
  }
  grpc::ServerWriteReactor<grpc::ByteBuffer>* PullAnimationDataStream(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) override {
    return PullCall::Start(parts_, context, request);
  }

 private:
  const CallParts parts_;
};

// posewire.control.v1: each call is carried out by the stream's worker.
class ControlService : public posewire::control::v1::ControlService::CallbackService {
 public:
  ControlService(const CallParts& parts, std::shared_ptr<const clip::ClipLibrary> gestures)
      : parts_(parts), gestures_(std::move(gestures)) {}

  grpc::ServerUnaryReactor* SetGesture(
      grpc::CallbackServerContext* context, const posewire::control::v1::SetGestureRequest* request,
      posewire::control::v1::SetGestureResponse* response) override;
  grpc::ServerUnaryReactor* ListGestures(
      grpc::CallbackServerContext* context,
      const posewire::control::v1::ListGesturesRequest* request,
      posewire::control::v1::ListGesturesResponse* response) override;
  grpc::ServerUnaryReactor* StopRequest(
      grpc::CallbackServerContext* context,
      const posewire::control::v1::StopRequestRequest* request,
      posewire::control::v1::StopRequestResponse* response) override;
  grpc::ServerUnaryReactor* RegisterStream(
      grpc::CallbackServerContext* context,
      const posewire::control::v1::RegisterStreamRequest* request,
      posewire::control::v1::RegisterStreamResponse* response) override;
  grpc::ServerUnaryReactor* RemoveStream(
      grpc::CallbackServerContext* context,
      const posewire::control::v1::RemoveStreamRequest* request,
      posewire::control::v1::RemoveStreamResponse* response) override;
  grpc::ServerUnaryReactor* ListStreams(
      grpc::CallbackServerContext* context,
      const posewire::control::v1::ListStreamsRequest* request,
      posewire::control::v1::ListStreamsResponse* response) override;

 private:
  using Action = absl::AnyInvocable<absl::Status(Engine&, Now)>;
  // Checks the ids and the caller, then runs `action` on the stream's worker and finishes with its
  // status.
  grpc::ServerUnaryReactor* OnStream(grpc::CallbackServerContext* context,
                                     const std::string& stream_id, Action action);

  const CallParts parts_;
  const std::shared_ptr<const clip::ClipLibrary> gestures_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_SERVICES_H_
