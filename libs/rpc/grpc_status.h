// Converts our statuses to gRPC's, and back.
#ifndef POSEWIRE_LIBS_RPC_GRPC_STATUS_H_
#define POSEWIRE_LIBS_RPC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace posewire::rpc {

// gRPC drops the response, and may end the connection, if its trailer is over 8 KiB. A longer
// message is therefore cut between two characters, and ends in "...". Any thread.
grpc::Status ToGrpc(const absl::Status& status);

// The codes have the same numbers. Any thread.
inline absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_GRPC_STATUS_H_
