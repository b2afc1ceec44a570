// posewire.control.v1 over gRPC.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "libs/service/queue_calls.h"
#include "libs/service/task_thread.h"
#include "posewire.control.v1.grpc.pb.h"
#include "services/anim_graph/runtime/control.h"

namespace posewire::anim_graph {

// Calls come by one queue, are carried out on the thread of answers, and leave on the thread that
// has the answer.
class ControlService {
 public:
  // Both outlive the calls.
  ControlService(Control* control, service::TaskThread* answers)
      : control_(control), answers_(answers) {}

  grpc::Service* service() { return &service_; }
  // The server has been started.
  void Serve(grpc::ServerCompletionQueue* queue, service::CallCount* calls);

 private:
  posewire::control::v1::ControlService::AsyncService service_;
  Control* const control_;
  service::TaskThread* const answers_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_
