// Our statuses as gRPC's.
#ifndef POSEWIRE_LIBS_SERVICE_GRPC_STATUS_H_
#define POSEWIRE_LIBS_SERVICE_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace posewire::service {

// gRPC refuses the whole answer, and may end the connection, when its trailer is over 8 KiB: a
// longer message is cut between two characters, and ends in "...". Any thread.
grpc::Status ToGrpc(const absl::Status& status);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_GRPC_STATUS_H_
