#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {

bool IsFaultOfData(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) ||
         absl::IsOutOfRange(status);
}

}  // namespace posewire::anim_graph
