// All that anim_graph serves over gRPC, on the workers' own threads.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_API_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_GRPC_API_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/client/connection.h"
#include "libs/service/grpc_host.h"
#include "services/anim_graph/runtime/control.h"

namespace posewire::anim_graph {

// A completion queue for each worker. Its thread alone takes what comes back from the queue, and
// starts most of what goes out: no message changes threads where there is one worker. With more of
// them a call comes by any queue, and reaches its stream's engine by task. Control calls come by
// the first queue.
class GrpcApi {
 public:
  // Listens, and starts the workers of `control`. `a2f` is the address of the source that makes
  // faces of voices, or empty. Errors as of GrpcHost::Start. `control` and its parts outlive this.
  static absl::StatusOr<std::unique_ptr<GrpcApi>> Start(const service::GrpcHostOptions& options,
                                                        Control* control,
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
