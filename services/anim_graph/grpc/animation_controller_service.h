// ACE's AnimationControllerService: ids, pulls and variables of the graph.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_CONTROLLER_SERVICE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_CONTROLLER_SERVICE_H_

#include "nvidia_ace.services.animation_controller.v1.grpc.pb.h"
#include "services/anim_graph/grpc/pull_call.h"
#include "services/anim_graph/runtime/control.h"

namespace posewire::anim_graph {

namespace acv1 = nvidia_ace::services::animation_controller::v1;

using AnimationControllerBase =
    acv1::AnimationControllerService::WithCallbackMethod_RequestAnimationIds<
        acv1::AnimationControllerService::WithRawCallbackMethod_PullAnimationDataStream<
            acv1::AnimationControllerService::WithCallbackMethod_PushAudioStream<
                acv1::AnimationControllerService::WithCallbackMethod_UpdateAnimationGraphVariable<
                    acv1::AnimationControllerService::Service>>>>;

// Ids are random; the stream is registered at once where that is needed to use it. PushAudioStream
// is UNIMPLEMENTED: no face is made of a voice here. A variable that cannot be set ends the call
// with its error, or with Status ERROR by CallParts::faults_as_status; those before it stay set.
class AnimationControllerService : public AnimationControllerBase {
 public:
  // `control` outlives this.
  explicit AnimationControllerService(Control* control) : control_(control) {}

  grpc::ServerUnaryReactor* RequestAnimationIds(grpc::CallbackServerContext* context,
                                                const google::protobuf::Empty* request,
                                                acv1::AnimationIdsOrStatus* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* PullAnimationDataStream(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) override {
    return PullCall::Start(control_->parts(), context, request);
  }
  grpc::ServerReadReactor<nvidia_ace::a2f::v1::AudioStream>* PushAudioStream(
      grpc::CallbackServerContext* context, nvidia_ace::status::v1::Status* response) override;
  grpc::ServerReadReactor<acv1::AnimationGraphRequest>* UpdateAnimationGraphVariable(
      grpc::CallbackServerContext* context, nvidia_ace::status::v1::Status* response) override;

 private:
  Control* const control_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_CONTROLLER_SERVICE_H_
