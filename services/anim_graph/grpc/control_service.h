// posewire.control.v1 over gRPC.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_

#include "posewire.control.v1.grpc.pb.h"
#include "services/anim_graph/runtime/control.h"

namespace posewire::anim_graph {

class ControlService : public posewire::control::v1::ControlService::CallbackService {
 public:
  // `control` outlives this.
  explicit ControlService(Control* control) : control_(control) {}

  grpc::ServerUnaryReactor* SetGesture(grpc::CallbackServerContext* context,
                                       const cv1::SetGestureRequest* request,
                                       cv1::SetGestureResponse* response) override;
  grpc::ServerUnaryReactor* ListGestures(grpc::CallbackServerContext* context,
                                         const cv1::ListGesturesRequest* request,
                                         cv1::ListGesturesResponse* response) override;
  grpc::ServerUnaryReactor* StopRequest(grpc::CallbackServerContext* context,
                                        const cv1::StopRequestRequest* request,
                                        cv1::StopRequestResponse* response) override;
  grpc::ServerUnaryReactor* RegisterStream(grpc::CallbackServerContext* context,
                                           const cv1::RegisterStreamRequest* request,
                                           cv1::RegisterStreamResponse* response) override;
  grpc::ServerUnaryReactor* RemoveStream(grpc::CallbackServerContext* context,
                                         const cv1::RemoveStreamRequest* request,
                                         cv1::RemoveStreamResponse* response) override;
  grpc::ServerUnaryReactor* ListStreams(grpc::CallbackServerContext* context,
                                        const cv1::ListStreamsRequest* request,
                                        cv1::ListStreamsResponse* response) override;
  grpc::ServerUnaryReactor* ListGraphs(grpc::CallbackServerContext* context,
                                       const cv1::ListGraphsRequest* request,
                                       cv1::ListGraphsResponse* response) override;
  grpc::ServerUnaryReactor* ListVariables(grpc::CallbackServerContext* context,
                                          const cv1::ListVariablesRequest* request,
                                          cv1::ListVariablesResponse* response) override;
  grpc::ServerUnaryReactor* SetVariable(grpc::CallbackServerContext* context,
                                        const cv1::SetVariableRequest* request,
                                        cv1::SetVariableResponse* response) override;
  grpc::ServerUnaryReactor* FireEvent(grpc::CallbackServerContext* context,
                                      const cv1::FireEventRequest* request,
                                      cv1::FireEventResponse* response) override;
  grpc::ServerUnaryReactor* PlayArrangement(grpc::CallbackServerContext* context,
                                            const cv1::PlayArrangementRequest* request,
                                            cv1::PlayArrangementResponse* response) override;
  grpc::ServerUnaryReactor* SetUser(grpc::CallbackServerContext* context,
                                    const cv1::SetUserRequest* request,
                                    cv1::SetUserResponse* response) override;
  grpc::ServerUnaryReactor* RemoveUser(grpc::CallbackServerContext* context,
                                       const cv1::RemoveUserRequest* request,
                                       cv1::RemoveUserResponse* response) override;
  grpc::ServerUnaryReactor* PlaceAvatar(grpc::CallbackServerContext* context,
                                        const cv1::PlaceAvatarRequest* request,
                                        cv1::PlaceAvatarResponse* response) override;
  grpc::ServerUnaryReactor* GetSites(grpc::CallbackServerContext* context,
                                     const cv1::GetSitesRequest* request,
                                     cv1::GetSitesResponse* response) override;
  grpc::ServerUnaryReactor* PutClip(grpc::CallbackServerContext* context,
                                    const cv1::PutClipRequest* request,
                                    cv1::PutClipResponse* response) override;
  grpc::ServerUnaryReactor* ListClips(grpc::CallbackServerContext* context,
                                      const cv1::ListClipsRequest* request,
                                      cv1::ListClipsResponse* response) override;
  grpc::ServerUnaryReactor* RemoveClip(grpc::CallbackServerContext* context,
                                       const cv1::RemoveClipRequest* request,
                                       cv1::RemoveClipResponse* response) override;
  grpc::ServerUnaryReactor* PutArrangement(grpc::CallbackServerContext* context,
                                           const cv1::PutArrangementRequest* request,
                                           cv1::PutArrangementResponse* response) override;
  grpc::ServerUnaryReactor* ListArrangements(grpc::CallbackServerContext* context,
                                             const cv1::ListArrangementsRequest* request,
                                             cv1::ListArrangementsResponse* response) override;
  grpc::ServerUnaryReactor* RemoveArrangement(grpc::CallbackServerContext* context,
                                              const cv1::RemoveArrangementRequest* request,
                                              cv1::RemoveArrangementResponse* response) override;
  grpc::ServerWriteReactor<cv1::Event>* WatchEvents(
      grpc::CallbackServerContext* context, const cv1::WatchEventsRequest* request) override;

 private:
  template <typename Request, typename Response>
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context, const Request* request,
                                  Response* response);

  Control* const control_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_
