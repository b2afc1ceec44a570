// posewire.control.v1 over gRPC.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "libs/service/queue_calls.h"
#include "posewire.control.v1.grpc.pb.h"
#include "services/anim_graph/runtime/control.h"
#include "services/anim_graph/runtime/desk.h"

namespace posewire::anim_graph {

// Calls come by one queue, are carried out at the desk, and leave on the thread that has the
// answer.
class ControlService {
 public:
  // Both outlive the calls.
  ControlService(Control* control, Desk* desk) : control_(control), desk_(desk) {}

  grpc::Service* service() { return &service_; }
  // The server has been started.
  void Serve(grpc::ServerCompletionQueue* queue, service::CallCount* calls);

 private:
  posewire::control::v1::ControlService::AsyncService service_;
  Control* const control_;
  Desk* const desk_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_
