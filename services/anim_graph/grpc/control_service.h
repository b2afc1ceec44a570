// posewire.control.v1 over gRPC.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>

#include "libs/service/queue_calls.h"
#include "libs/service/task_thread.h"
#include "services/anim_graph/runtime/control.h"

namespace posewire::anim_graph {

// Serves the methods in the service's descriptor as raw bytes, with one call class for all. Calls
// arrive on one queue, run on the thread of `answers`, and are sent from the thread that produces
// the response.
class ControlService {
 public:
  // Both arguments must outlive the calls.
  ControlService(Control* control, service::TaskThread* answers);
  ~ControlService();

  grpc::Service* service();
  // Call after the server has started.
  void Serve(grpc::ServerCompletionQueue* queue, service::CallCount* calls);

 private:
  class RawService;
  void Answer(const google::protobuf::MethodDescriptor* method, const stream::Caller& caller,
              grpc::ByteBuffer* request, grpc::ByteBuffer* response,
              const std::function<void(const grpc::Status&)>& done);

  const std::unique_ptr<RawService> service_;
  Control* const control_;
  service::TaskThread* const answers_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_CONTROL_SERVICE_H_
