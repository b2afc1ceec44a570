// All gRPC services of anim_graph, running on the workers' threads.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_API_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_API_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/client/connection.h"
#include "libs/service/grpc_host.h"
#include "services/anim_graph/relay/relay.h"
#include "services/anim_graph/runtime/control.h"

namespace posewire::anim_graph {

// One completion queue per worker. Only the worker's thread takes events from its queue, and it
// starts most writes, so with one worker no message changes threads. With several workers, a call
// may arrive on any queue, and reaches its stream's engine as a task. Control calls arrive on the
// first queue.
class GrpcApi {
 public:
  // Listens, and starts the workers of `control`. `relay` may be null if the control's parts have
  // no peers. `a2f` is the address of the source that makes faces from voices, or empty. Errors:
  // see GrpcHost::Start. `control`, its parts and `relay` must outlive the result.
  static absl::StatusOr<std::unique_ptr<GrpcApi>> Start(const service::GrpcHostOptions& options,
                                                        Control* control, Relay* relay,
                                                        const client::ConnectionOptions& a2f,
                                                        service::Logger log);
  // Ends all calls and stops the workers.
  ~GrpcApi();
  GrpcApi(const GrpcApi&) = delete;
  GrpcApi& operator=(const GrpcApi&) = delete;

  service::GrpcHost& host();

 private:
  struct Impl;
  explicit GrpcApi(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_API_H_
