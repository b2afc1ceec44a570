// The identity of a caller, and the directory that maps streams to servers. Checked before any
// state changes.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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
  std::atomic<int64_t> saves = 0;   // snapshots saved
  std::atomic<int64_t> moves = 0;   // streams handed over
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

  static constexpr size_t kMostSnapshotBytes = size_t{64} << 10;
  // What the process that served a stream before has saved of it.
  struct SavedStream {
    std::string snapshot;  // see StreamSnapshots
    // That process made frames at least up to here: epoch plus time code.
    double alive_s = 0;
  };

  virtual ~StreamDirectory() = default;
  // Whether other processes may serve streams, too.
  virtual bool shared() const { return true; }
  // Finds the process that serves the stream. If none does, this process becomes the one. Calls
  // `done` once, within a few seconds: before it returns if the stream is served here, otherwise on
  // any thread. UNAVAILABLE if that cannot be known now. Never blocks.
  virtual void Locate(absl::string_view stream_id, Done done) = 0;
  // Finds the other processes that may serve streams. Calls `done` once, within a few seconds, on
  // any thread. UNAVAILABLE if that cannot be known now.
  using NodesDone = absl::AnyInvocable<void(const absl::StatusOr<std::vector<std::string>>&)>;
  virtual void FindOthers(NodesDone done) { done(std::vector<std::string>()); }
  // Returns the lease of a stream that is served here. Keep it while the stream is in use, because
  // unused leases are released. Null if streams need no lease. UNAVAILABLE if it was lost.
  virtual absl::StatusOr<LeasePtr> Lease(absl::string_view) { return LeasePtr(); }
  // Returns what was saved of a stream that is served here, once.
  virtual std::optional<SavedStream> TakeSaved(absl::string_view) { return std::nullopt; }
  // Saves the state of a stream (at most kMostSnapshotBytes) within a second, unless the lease ends
  // before. Replaces an earlier one. If that fails, `lease->losses` is incremented.
  virtual void Save(absl::string_view /*stream_id*/, const LeasePtr& /*lease*/,
                    std::string /*snapshot*/) {}
  // Saves the state of a stream and ends its lease, so that the next process that is called for the
  // stream serves it. `end_s`: the stream has no frame after this absolute time.
  virtual void HandOver(absl::string_view /*stream_id*/, const LeasePtr& /*lease*/,
                        std::string /*snapshot*/, double /*end_s*/) {}
  // From now on, this process becomes the server of no further stream.
  virtual void ClaimNoMore() {}
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
  bool shared() const override { return false; }
  void Locate(absl::string_view, Done done) override { done(Location(Here{})); }
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
