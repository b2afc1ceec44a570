// ACE's AnimationControllerService: creates ids, serves pulls, and sets variables of the graph.
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

// Serves all methods except pulls, which are PullCalls. Ids are random. If streams must be
// registered before use, the new stream is registered immediately. PushAudioStream is forwarded to
// a source, if one is configured. If a variable cannot be set, the call ends with the error, or
// with Status ERROR if CallParts::faults_as_status is set; variables set before it keep their
// values.
class AnimationControllerService {
 public:
  static constexpr char kPullMethod[] =
      "/nvidia_ace.services.animation_controller.v1.AnimationControllerService/"
      "PullAnimationDataStream";

  // `control` must outlive the calls. `a2f` is the address of the source that makes faces from
  // voices, or empty.
  AnimationControllerService(Control* control, const client::ConnectionOptions& a2f);

  AnimationControllerAsync* service() { return &service_; }
  // Call after the server has started.
  void Serve(grpc::ServerCompletionQueue* queue, service::CallCount* calls);

 private:
  AnimationControllerAsync service_;
  Control* const control_;
  SoundSource sound_source_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_ANIMATION_CONTROLLER_SERVICE_H_
