// Calls to the other processes that share the stream directory.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_PEERS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_PEERS_H_

#include <google/protobuf/message.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/stream/access.h"
#include "services/anim_graph/runtime/event_hub.h"

namespace posewire::anim_graph {

// Calls that were relayed to a peer.
struct RelayCounts {
  std::atomic<int64_t> pushes = 0, pulls = 0, calls = 0, watches = 0;
};

// A peer is named by the address of its gRPC server. Peers check the caller's token like any
// server. Thread-safe.
class Peers {
 public:
  virtual ~Peers() = default;

  // Makes a control call ("SetVariable") and passes the peer's status on. Calls `done` once, on any
  // thread; `response` must live until then, `request` only until this returns. Other errors:
  // RESOURCE_EXHAUSTED (IsBusy) if too many calls are relayed, DEADLINE_EXCEEDED after 10 s.
  virtual void Call(const std::string& address, const stream::Caller& caller,
                    absl::string_view method, const google::protobuf::Message& request,
                    google::protobuf::Message* response,
                    absl::AnyInvocable<void(const absl::Status&)> done) = 0;

  // Adds the peer's events of the watched stream to `watch`, until `watch` is released. Ends
  // `watch` when the peer's call ends.
  virtual void Watch(const std::string& address, const stream::Caller& caller,
                     const std::shared_ptr<EventHub::Watch>& watch) = 0;

  virtual const RelayCounts& counts() const = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_PEERS_H_
