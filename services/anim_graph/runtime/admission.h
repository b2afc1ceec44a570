// Admission check for every call, over any transport.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_ADMISSION_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_ADMISSION_H_

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"
#include "libs/stream/access.h"
#include "libs/stream/request_end.h"
#include "libs/wire/frame_reader.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/runtime/peers.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

// Objects and settings that all calls of a process share. Pointers must outlive the calls.
struct CallParts {
  Workers* workers = nullptr;
  const stream::Authorizer* authorizer = nullptr;
  StreamDirectory* directory = nullptr;
  wire::ReaderLimits limits;
  Peers* peers = nullptr;  // null: calls for streams of other processes are rejected
  // How long a push may take to send its header.
  double header_timeout_s = stream::kSilence_s;
  // For clients whose pushes and pulls name different targets: ignores all targets, so that a
  // stream has only its default avatar.
  bool ignore_targets = false;
  // Every pull is a pull by stream, even if it names a request.
  bool ignore_pull_requests = false;
  // Invalid data ends a push with Status ERROR instead of a gRPC error.
  bool faults_as_status = false;
  // The inverse of EngineSettings::create_streams, for methods that create ids.
  bool require_registration = false;
  service::Logger log = {};
  std::shared_ptr<Capacity> capacity = std::make_shared<Capacity>();
};

struct Admitted {
  std::string name;  // of the caller
  std::string peer;  // the call must be relayed to this address; empty: serve it here
};

// Call before any state changes. Calls `done` once: before it returns if the stream is served here,
// otherwise on any thread. Errors: PERMISSION_DENIED or UNAUTHENTICATED from the authorizer, or
// UNAVAILABLE from the directory, or if a relayed call would have to be relayed again.
void Admit(const CallParts& parts, const stream::Caller& caller, absl::string_view stream_id,
           stream::Permission permission, absl::AnyInvocable<void(absl::StatusOr<Admitted>)> done);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_ADMISSION_H_
