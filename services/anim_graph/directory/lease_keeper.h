// Claims, renews and releases the leases of one process.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_LEASE_KEEPER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_LEASE_KEEPER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/directory/lease_store.h"

namespace posewire::anim_graph {

// A lease ends kMargin_ns before the term that the store counts, measured from before the request
// was sent. So it is over here before the store grants it to another process.
//
// While the store cannot be reached, leases end with their terms (`pause`), or this process extends
// them itself. After a failure that took longer than kLongestAttempt_ns it does not, because the
// process may have been stopped: it asks again first.
//
// A session that the store no longer knows is replaced by a new one, never revived, because a
// delayed request of the old one may still arrive at the store. All streams are then claimed again.
// The store grants them at once if their term is not over, since no other process can own them; the
// answer counts only if it arrives within that term.
class LeaseKeeper {
 public:
  static constexpr int64_t kMargin_ns = 100'000'000;
  static constexpr int64_t kRenewEvery_ns = 500'000'000;
  static constexpr int64_t kLongestAttempt_ns = 1'500'000'000;
  // A lease that nobody has used for this long is released.
  static constexpr int64_t kUnused_ns = 2'000'000'000;
  // Entries are written again this often, so that the store may forget those of dead processes.
  static constexpr int64_t kRewriteEvery_ns = 60'000'000'000;
  static constexpr size_t kMostLeases = 65536;
  // Claims that the store gets at once when leases are claimed again, and for how long that goes on
  // before the session is renewed. Few, because a store that lost its data gets as many from every
  // node at once, and must answer them within the time of a call (docs/scale.md has 300 nodes).
  static constexpr size_t kMostClaims = 32;
  static constexpr int64_t kReclaim_ns = 250'000'000;
  // Snapshots that wait to be saved, those that the store gets at once, and for how long that goes
  // on before the session is renewed.
  static constexpr size_t kMostWaitingBytes = size_t{64} << 20;
  static constexpr size_t kMostBytesAtOnce = size_t{1} << 20;
  static constexpr int64_t kSave_ns = 250'000'000;

  struct Options {
    bool pause = false;
    std::function<Now()> clock;
  };
  // All pointers must outlive this.
  LeaseKeeper(LeaseStore* store, Options options, DirectoryCounters* counters, service::Logger log)
      : store_(store), options_(std::move(options)), counters_(*counters), log_(std::move(log)) {}
  // Call before all other methods except Find.
  void Start(std::string address, std::function<void(const StreamDirectory::LostLease&)> lost) {
    address_ = std::move(address);
    lost_ = std::move(lost);
  }

  // Returns the lease of a stream that this process owns, or null. Counts as a use. Callable from
  // any thread.
  LeasePtr Find(const std::string& stream_id);
  // See StreamDirectory. Callable from any thread.
  std::optional<StreamDirectory::SavedStream> TakeSaved(const std::string& stream_id);
  void Save(const std::string& stream_id, const LeasePtr& lease, std::string snapshot);
  void HandOver(const std::string& stream_id, const LeasePtr& lease, std::string snapshot,
                double end_s);

  // --- The rest is called on one thread, and waits for the store.
  // Renews all leases, then releases unused ones. Call every kRenewEvery_ns.
  void Renew();
  // Returns the owner of each stream, this process if there was none. The ids differ, and
  // Find returns null for each. UNAVAILABLE says why no owner can be found.
  std::vector<absl::StatusOr<Location>> Claim(const std::vector<std::string>& stream_ids);
  // Writes the snapshots of streams that are handed over. What fails is written the next time.
  void WriteLeaving();
  // Returns the addresses of the other processes.
  absl::StatusOr<std::vector<std::string>> FindOthers();
  // Writes the snapshots that Save has received. Call after Renew.
  void WriteSaves();
  // Hands over what waits for it, then releases all leases.
  void Close();

 private:
  struct Held {
    std::shared_ptr<StreamLease> lease;
    LeaseStore::Claim claim;  // as granted last
    int64_t term_ns = 0;      // end of the term that the store has granted
    int64_t written_ns = 0;
    int64_t used_ns = 0;
    std::optional<StreamDirectory::SavedStream> saved = {};  // until it is taken
    bool leaving = false;                                    // Find does not return it any more
  };
  using Map = std::map<std::string, Held, std::less<>>;

  // Claims to give back. Streams whose snapshots were not taken were claimed for calls that came to
  // nothing; they keep them.
  struct Unwanted {
    std::vector<LeaseStore::Claim> claims;
    std::vector<LeaseStore::Snapshot> untouched;
    void Add(const LeaseStore::Claim& claim, std::optional<StreamDirectory::SavedStream>& saved,
             int64_t now_ns);
  };
  void Release(const Unwanted& unwanted);
  absl::Status OpenSession();
  absl::Status Reclaim();
  absl::Status ReclaimPart(const std::vector<LeaseStore::Claim>& claims, Now now);
  void ReleaseUnused();
  void Extend(int64_t until_ns, bool all);
  // Remove the next snapshots that go to the store at once.
  std::vector<LeaseStore::Snapshot> NextSaves();
  std::vector<LeaseStore::Snapshot> NextLeaving();
  // Call with mutex_ held.
  void ForgetSave(const std::string& stream_id);
  void Lose(const std::string& stream_id, const std::string& owner);
  void NoteOutcome(const absl::Status& status, int64_t sent_ns);
  absl::StatusOr<Location> Settle(const std::string& stream_id, uint64_t number,
                                  LeaseStore::Answer& answer, int64_t now_ns);
  absl::Status Away(absl::string_view stream_id) const;

  LeaseStore* const store_;
  const Options options_;
  DirectoryCounters& counters_;
  const service::Logger log_;
  std::string address_;
  std::function<void(const StreamDirectory::LostLease&)> lost_;
  LeaseStore::Session session_;
  int64_t term_ns_ = 0;      // end of the session's term
  uint64_t last_claim_ = 0;  // its number
  absl::Status away_ =
      absl::UnavailableError("not connected yet");  // why the store cannot be asked
  bool complained_ = false;

  std::mutex mutex_;
  Map held_;  // guarded by mutex_; entries come and go on the one thread only
  std::map<std::string, std::string> saves_;   // guarded by mutex_: snapshots by stream
  size_t saves_bytes_ = 0;                     // guarded by mutex_
  std::vector<LeaseStore::Snapshot> leaving_;  // guarded by mutex_
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_DIRECTORY_LEASE_KEEPER_H_
