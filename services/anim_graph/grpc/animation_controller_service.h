// ACE's AnimationControllerService: ids, pulls and variables of the graph.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_CONTROLLER_SERVICE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_CONTROLLER_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <string>

#include "libs/client/connection.h"
#include "libs/service/queue_calls.h"
#include "nvidia_ace.services.animation_controller.v1.grpc.pb.h"
#include "services/anim_graph/grpc/sound_forward.h"
#include "services/anim_graph/runtime/control.h"

namespace posewire::anim_graph {

namespace acv1 = nvidia_ace::services::animation_controller::v1;

using AnimationControllerAsync =
    acv1::AnimationControllerService::WithAsyncMethod_RequestAnimationIds<
        acv1::AnimationControllerService::WithRawMethod_PullAnimationDataStream<
            acv1::AnimationControllerService::WithAsyncMethod_PushAudioStream<
                acv1::AnimationControllerService::WithAsyncMethod_UpdateAnimationGraphVariable<
                    acv1::AnimationControllerService::Service>>>>;

// All but its pulls, which are PullCalls. Ids are random; the stream is registered at once where
// that is needed to use it. PushAudioStream goes on to a source, where there is one. A variable
// that cannot be set ends the call with its error, or with Status ERROR by
// CallParts::faults_as_status; those before it stay set.
class AnimationControllerService {
 public:
  // `control` outlives the calls. `a2f` is the address of the source that makes faces of voices, or
  // empty.
  AnimationControllerService(Control* control, const client::ConnectionOptions& a2f);

  AnimationControllerAsync* service() { return &service_; }
  // The server has been started.
  void Serve(grpc::ServerCompletionQueue* queue, service::CallCount* calls);

 private:
  AnimationControllerAsync service_;
  Control* const control_;
  SoundSource sound_source_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_CONTROLLER_SERVICE_H_
