// Where several processes keep their leases of streams.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_LEASE_STORE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_LEASE_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/anim_graph/core/engine_parts.h"

namespace posewire::anim_graph {

// A lease is an entry with the session of its owner. It is valid as long as the session is, so a
// process renews one session instead of many leases. The store ends a session when its term
// (kTerm_ns) has passed since it was opened or renewed. docs/adr/0044 has the reasons.
//
// All calls block, for at most 1.5 s, and are idempotent. UNAVAILABLE: the store cannot be reached,
// or refuses; it may have done what was asked. One thread.
class LeaseStore {
 public:
  static constexpr int64_t kTerm_ns = 2'000'000'000;
  // After a loss of data, streams are free once every earlier term is over. For this long they are
  // so only for processes that claimed them before the loss, which ask again twice meanwhile.
  static constexpr int64_t kOwnersFirst_ns = 1'000'000'000;

  struct Session {
    std::string id;     // never used twice; empty: none
    std::string store;  // distinguishes a store from the same one restarted
    std::string address;
  };
  struct Claim {
    std::string stream_id;
    uint64_t number = 0;  // never used twice by a process
    // For a stream that the process has claimed before: the session at that time, the offset that
    // it was granted, and whether its term is not over yet.
    std::string session = {};
    double unix_offset_s = 0;
    bool in_term = false;
    // Ids of later sessions in which the process claimed it again without an answer.
    std::string tried = {};
  };

  struct Granted {
    double unix_offset_s;  // see StreamLease
    // For a stream that the process has not claimed before: what its last owner saved.
    std::optional<StreamDirectory::SavedStream> saved = {};
  };
  struct Taken {
    std::string address;  // of the owner
  };
  // For a stream claimed before: another process has owned it in the meantime.
  struct Lost {};
  // The store has lost its data and leaves this time to the owners that it knew before.
  struct Wait {
    double s;
  };
  struct NoSession {};
  using Answer = std::variant<Granted, Taken, Lost, Wait, NoSession>;

  virtual ~LeaseStore() = default;
  // `now_ns` of all calls is the caller's monotonic time before the call.
  virtual absl::StatusOr<Session> Open(const std::string& address, int64_t now_ns) = 0;
  // NOT_FOUND: the session has ended, or the store has lost data since it was opened.
  virtual absl::Status Renew(const Session& session, int64_t now_ns) = 0;
  // Returns an answer for each claim.
  virtual absl::StatusOr<std::vector<Answer>> Take(const Session& session, Now now,
                                                   const std::vector<Claim>& claims) = 0;
  // Removes the entries made by these claims, with what was saved, if they still exist.
  virtual absl::Status Release(const Session& session, const std::vector<Claim>& claims) = 0;

  struct Snapshot {
    Claim claim;
    std::string bytes;
    // Ends the claim: the stream is free. Absolute times: it has no frame after `end_s`; its owner,
    // or the one before if that saved the snapshot, made frames at least up to `alive_s`.
    struct Moved {
      double end_s, alive_s;
    };
    std::optional<Moved> moved = {};
  };
  // Saves what the owners of streams need to continue them. Returns for each whether its claim
  // still exists; if not, nothing is saved.
  virtual absl::StatusOr<std::vector<bool>> Save(const Session& session,
                                                 const std::vector<Snapshot>& snapshots) = 0;
  // Returns the addresses of all processes with sessions.
  virtual absl::StatusOr<std::vector<std::string>> Nodes() = 0;
  // Ends the session and thereby all its leases.
  virtual absl::Status Close(const Session& session, int64_t now_ns) = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_LEASE_STORE_H_
