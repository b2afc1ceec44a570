// What every call, of whatever transport, goes through first.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_ADMISSION_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_ADMISSION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"
#include "libs/stream/access.h"
#include "libs/stream/request_end.h"
#include "libs/wire/frame_reader.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

// What the calls of a process share; all outlive the calls.
struct CallParts {
  Workers* workers = nullptr;
  const stream::Authorizer* authorizer = nullptr;
  const StreamDirectory* directory = nullptr;
  wire::ReaderLimits limits;
  // A push has so long for its header.
  double header_timeout_s = stream::kSilence_s;
  // For clients that name targets which nobody pulls: a stream has one avatar, its default.
  bool ignore_targets = false;
  // A pull is by stream, whatever request it names.
  bool ignore_pull_requests = false;
  // Faults in data end a push with Status ERROR in place of a gRPC error.
  bool faults_as_status = false;
  // As the engines' setting: for those who make up ids.
  bool require_registration = false;
  service::Logger log = {};
  std::shared_ptr<Capacity> capacity = std::make_shared<Capacity>();
};

// Asked before any state is touched: the caller's name, or PERMISSION_DENIED and the like, or
// UNAVAILABLE that says where the stream lives.
absl::StatusOr<std::string> Admit(const CallParts& parts, const stream::Caller& caller,
                                  absl::string_view stream_id, stream::Verb verb);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_ADMISSION_H_
