// Push and Pull over gRPC.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_DATA_SERVICE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_DATA_SERVICE_H_

#include "nvidia_ace.services.animation_data.v1.grpc.pb.h"
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

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_DATA_SERVICE_H_
