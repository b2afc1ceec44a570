// The identity of a caller, and the directory that maps streams to servers. Checked before any
// state changes.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"
#include "services/anim_graph/core/stream_lease.h"

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

// Counts since the start, except `leases`. Any thread may read.
struct DirectoryCounters {
  std::atomic<int64_t> leases = 0;  // held now
  std::atomic<int64_t> claims = 0;  // streams claimed
  std::atomic<int64_t> lost = 0;    // streams that another process got
  std::atomic<int64_t> errors = 0;  // exchanges with the directory's server that failed
};

// Thread-safe, except Serve and Close.
class StreamDirectory {
 public:
  using Done = absl::AnyInvocable<void(const absl::StatusOr<Location>&)>;
  // The stream must end here: another process serves it, or has served it.
  struct LostLease {
    std::string stream_id;
    LeasePtr lease;
    absl::Status why;
  };

  virtual ~StreamDirectory() = default;
  // Finds the process that serves the stream. If none does, this process becomes the one. Calls
  // `done` once, within a few seconds: before it returns if the stream is served here, otherwise on
  // any thread. UNAVAILABLE if that cannot be known now. Never blocks.
  virtual void Locate(absl::string_view stream_id, Done done) = 0;
  // Returns the lease of a stream that is served here. Keep it while the stream is in use, because
  // unused leases are released. Null if streams need no lease. UNAVAILABLE if it was lost.
  virtual absl::StatusOr<LeasePtr> Lease(absl::string_view) { return LeasePtr(); }
  // Starts. `address` is what other processes call this one. `lost` is called on a thread of the
  // directory.
  virtual void Serve(const std::string& /*address*/,
                     std::function<void(const LostLease&)> /*lost*/) {}
  // Call after all streams have ended. Releases all leases and claims no more.
  virtual void Close() {}

  const DirectoryCounters& counters() const { return counters_; }

 protected:
  DirectoryCounters counters_;
};

// A directory for a single process that serves all streams.
class AllHere : public StreamDirectory {
 public:
  void Locate(absl::string_view, Done done) override { done(Location(Here{})); }
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
