// A lease store in memory, for several processes on a clock of the test. Requests can be late, and
// answers can be lost.
#ifndef POSEWIRE_TESTS_UNIT_ANIM_GRAPH_FAKE_LEASE_STORE_H_
#define POSEWIRE_TESTS_UNIT_ANIM_GRAPH_FAKE_LEASE_STORE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/anim_graph/directory/lease_store.h"

namespace posewire::anim_graph {

// The time of all. `pass` is called for each step of it.
struct FakeTime {
  int64_t ns = 1'000'000'000'000;
  std::function<void()> pass = [] {};

  void Advance(int64_t by_ns) {
    for (const int64_t end_ns = ns + by_ns; ns < end_ns;) {
      ns = std::min(ns + 20'000'000, end_ns);
      pass();
    }
  }
};

// What becomes of a request.
struct FakeTransport {
  int64_t there_ns = 1'000'000;
  int64_t back_ns = 1'000'000;
  bool fails = false;    // the sender gets an error after both times
  int64_t late_ns = -1;  // if 0 or more: the store reads the request that long after the error
};

// Follows the scripts of RedisLeaseStore.
class FakeLeaseStore : public LeaseStore {
 public:
  explicit FakeLeaseStore(FakeTime* time) : time_(*time) { LoseData(); }

  std::function<FakeTransport()> transport = [] { return FakeTransport(); };

  // As a flush does.
  void LoseData() {
    sessions_.clear();
    entries_.clear();
    snapshots_.clear();
    run_ = absl::StrCat("run", ++runs_);
    began_ns_ = time_.ns;
  }
  // Call when time has passed.
  void ReadLateRequests() {
    for (size_t i = 0; i < late_.size(); ++i) {
      if (time_.ns < late_[i].first) continue;
      const auto request = std::move(late_[i].second);
      late_.erase(late_.begin() + static_cast<ptrdiff_t>(i--));
      request();
    }
  }
  size_t entries() const { return entries_.size(); }

  absl::StatusOr<Session> Open(const std::string& address, int64_t now_ns) override {
    Session session{absl::StrCat("session", ++opened_), "", address};
    return Exchange<Session>([this, session, now_ns]() mutable {
      sessions_[session.id] = {session.address, time_.ns + kTerm_ns, now_ns + kTerm_ns};
      session.store = run_;
      return session;
    });
  }
  absl::Status Renew(const Session& session, int64_t now_ns) override {
    const auto known = Exchange<bool>([this, session, now_ns] {
      if (session.store != run_ || !Lives(session.id)) return false;
      sessions_[session.id] = {session.address, time_.ns + kTerm_ns, now_ns + kTerm_ns};
      return true;
    });
    if (!known.ok()) return known.status();
    return *known ? absl::OkStatus() : absl::NotFoundError("");
  }
  absl::StatusOr<std::vector<Answer>> Take(const Session& session, Now now,
                                           const std::vector<Claim>& claims) override {
    return Exchange<std::vector<Answer>>([this, session, now, claims] {
      std::vector<Answer> out;
      for (const Claim& claim : claims) out.push_back(TakeOne(session, now, claim));
      return out;
    });
  }
  absl::Status Release(const Session& session, const std::vector<Claim>& claims) override {
    return Exchange<bool>([this, session, claims] {
             for (const Claim& claim : claims) {
               const auto at = entries_.find(claim.stream_id);
               if (at != entries_.end() && at->second.session == session.id &&
                   at->second.number == claim.number) {
                 entries_.erase(at);
                 snapshots_.erase(claim.stream_id);
               }
             }
             return true;
           })
        .status();
  }
  absl::StatusOr<std::vector<bool>> Save(const Session& session,
                                         const std::vector<Snapshot>& snapshots) override {
    return Exchange<std::vector<bool>>([this, session, snapshots] {
      std::vector<bool> out;
      for (const Snapshot& snapshot : snapshots) {
        const auto at = entries_.find(snapshot.claim.stream_id);
        out.push_back(at != entries_.end() && at->second.session == session.id &&
                      at->second.number == snapshot.claim.number);
        if (!out.back()) continue;
        snapshots_[snapshot.claim.stream_id] = snapshot.bytes;
        at->second.alive_s.reset();
        if (snapshot.moved) {
          at->second = {kMoved, 0, snapshot.moved->end_s, snapshot.moved->alive_s};
        }
      }
      return out;
    });
  }
  absl::StatusOr<std::vector<std::string>> Nodes() override {
    return Exchange<std::vector<std::string>>([this] {
      std::vector<std::string> out;
      for (const auto& [id, owner] : sessions_) {
        if (Lives(id)) out.push_back(owner.address);
      }
      return out;
    });
  }
  absl::Status Close(const Session& session, int64_t now_ns) override {
    return Exchange<bool>([this, session, now_ns] {
             sessions_[session.id] = {session.address, 0, now_ns};
             return true;
           })
        .status();
  }

 private:
  struct Owner {
    std::string address;
    int64_t ends_ns, clock_ns;
  };
  struct Entry {
    std::string session;
    uint64_t number;
    double unix_offset_s;
    std::optional<double> alive_s = {};
  };
  static constexpr char kMoved[] = "moved";

  bool Lives(const std::string& session) {
    const auto at = sessions_.find(session);
    return at != sessions_.end() && time_.ns < at->second.ends_ns;
  }

  template <typename T, typename Request>
  absl::StatusOr<T> Exchange(Request request) {
    const FakeTransport how = transport();
    time_.Advance(how.there_ns);
    std::optional<T> answer;
    if (how.late_ns < 0) answer = request();
    time_.Advance(how.back_ns);
    if (how.late_ns >= 0)
      late_.emplace_back(time_.ns + how.late_ns, [request]() mutable { (void)request(); });
    if (how.fails || !answer) return absl::UnavailableError("no answer");
    return *std::move(answer);
  }

  Answer TakeOne(const Session& session, Now now, const Claim& claim) {
    if (!Lives(session.id)) return NoSession{};
    const auto at = entries_.find(claim.stream_id);
    const bool known = at != entries_.end();
    const std::string owner = known ? at->second.session : "";
    const bool own = known && (owner == session.id || (claim.in_term && owner == claim.session) ||
                               claim.tried.find(owner) != std::string::npos);
    if (known && !own && Lives(owner)) return Taken{sessions_[owner].address};
    if (!own && !claim.in_term) {
      const int64_t age_ns = time_.ns - began_ns_;
      const int64_t closed_ns = kTerm_ns + (claim.session.empty() ? kOwnersFirst_ns : 0);
      if (age_ns < closed_ns) return Wait{static_cast<double>(closed_ns - age_ns) * 1e-9};
      if (!claim.session.empty() && known && owner != claim.session) return Lost{};
    }
    double offset_s = claim.unix_offset_s;
    if (claim.session.empty()) {
      const double mono_s = static_cast<double>(now.ns) * 1e-9;
      double start_s = 0;
      if (known) {
        const int64_t till_ns = owner == session.id ? now.ns : sessions_[owner].clock_ns;
        start_s = at->second.unix_offset_s + static_cast<double>(till_ns) * 1e-9 + 0.001;
      }
      offset_s = std::max(now.unix_s, start_s) - mono_s;
    }
    Entry entry{session.id, claim.number, offset_s};
    Granted granted{offset_s};
    if (!claim.session.empty() && own) entry.alive_s = at->second.alive_s;
    if (claim.session.empty()) {
      if (known) {
        entry.alive_s = at->second.alive_s.value_or(
            at->second.unix_offset_s +
            static_cast<double>(sessions_[owner].clock_ns - kTerm_ns) * 1e-9);
      }
      const auto saved = snapshots_.find(claim.stream_id);
      if (saved != snapshots_.end()) granted.saved = {saved->second, entry.alive_s.value_or(0)};
    }
    entries_[claim.stream_id] = entry;
    return granted;
  }

  FakeTime& time_;
  std::map<std::string, Owner> sessions_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> snapshots_;
  std::vector<std::pair<int64_t, std::function<void()>>> late_;
  std::string run_;
  int64_t began_ns_ = 0;
  int runs_ = 0, opened_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_TESTS_UNIT_ANIM_GRAPH_FAKE_LEASE_STORE_H_
