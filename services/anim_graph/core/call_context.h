// The identity of a caller, and the directory that maps streams to servers. Checked before any
// state changes.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_

#include <string>
#include <variant>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"

namespace posewire::anim_graph {

struct CallContext {
  std::string identity;  // stream::Authorizer's name for the caller
  wire::StreamIds ids;
  std::string peer;
  std::string traceparent = {};
};

// This process serves the stream.
struct Here {};
// Another process serves it.
struct At {
  std::string address;  // HOST:PORT of its gRPC server
};
using Location = std::variant<Here, At>;

class StreamDirectory {
 public:
  using Done = absl::AnyInvocable<void(const absl::StatusOr<Location>&)>;

  virtual ~StreamDirectory() = default;
  // Finds the process that serves the stream. If none does, this process becomes the one. Calls
  // `done` once, within a few seconds: before it returns if the stream is served here, otherwise on
  // any thread. UNAVAILABLE if that cannot be known now. Never blocks; callable from any thread.
  virtual void Locate(absl::string_view stream_id, Done done) = 0;
};

// A directory for a single process that serves all streams.
class AllHere : public StreamDirectory {
 public:
  void Locate(absl::string_view, Done done) override { done(Location(Here{})); }
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
