#include "services/anim_graph/directory/lease_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/anim_graph/fake_lease_store.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMs = 1'000'000;

// A process: its clocks, its keeper, and the streams that its engine has.
struct Node {
  Node(std::string address, FakeTime* time, LeaseStore* store, bool pause, int64_t clock_ns = 0,
       double wall_s = 0)
      : name(std::move(address)),
        clock([=] {
          const int64_t ns = time->ns + clock_ns;
          return Now{ns, 1.7e9 + wall_s + static_cast<double>(time->ns) * 1e-9};
        }),
        keeper(store, {pause, clock}, &counters, service::Logger()) {
    keeper.Start(name, [this](const StreamDirectory::LostLease& lost) {
      why = lost.why;
      const auto at = engine.find(lost.stream_id);
      if (at != engine.end() && at->second == lost.lease) engine.erase(at);
    });
  }
  absl::StatusOr<Location> Claim(const std::string& id) {
    auto location = keeper.Claim({id}).front();
    if (location.ok() && std::holds_alternative<Here>(*location)) engine[id] = keeper.Find(id);
    return location;
  }
  bool Serves(const std::string& id) const {
    const auto at = engine.find(id);
    return at != engine.end() && clock().ns < at->second->until_ns;
  }
  // Absolute time of a frame that is made now.
  double Frame_s(const std::string& id) const {
    return engine.at(id)->unix_offset_s + static_cast<double>(clock().ns) * 1e-9;
  }

  const std::string name;
  const std::function<Now()> clock;
  DirectoryCounters counters;
  std::map<std::string, LeasePtr> engine;
  absl::Status why;
  LeaseKeeper keeper;
  int64_t next_ns = 0;
};

struct World {
  explicit World(bool pause = true)
      : store(&time), a("a:1", &time, &store, pause), b("b:1", &time, &store, pause, 77'000 * kMs) {
    time.Advance(LeaseStore::kTerm_ns + LeaseStore::kOwnersFirst_ns);  // since it lost data
    a.keeper.Renew();
    b.keeper.Renew();
  }
  void Renew(std::vector<Node*> nodes, int64_t for_ns) {
    for (const int64_t end_ns = time.ns + for_ns; time.ns < end_ns;) {
      time.Advance(LeaseKeeper::kRenewEvery_ns);
      for (Node* node : nodes) node->keeper.Renew();
    }
  }
  FakeTime time;
  FakeLeaseStore store;
  Node a, b;
};

std::string OwnerOf(const absl::StatusOr<Location>& location) {
  if (!location.ok()) return std::string(location.status().message());
  const auto* at = std::get_if<At>(&*location);
  return at == nullptr ? "here" : at->address;
}

TEST(LeaseKeeper, GivesAStreamToTheFirstWhoAsks) {
  World w;
  EXPECT_EQ(OwnerOf(w.a.Claim("s")), "here");
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "a:1");
  w.Renew({&w.a, &w.b}, 10'000 * kMs);
  EXPECT_TRUE(w.a.Serves("s"));
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "a:1");
  EXPECT_EQ(w.a.counters.leases, 1);
  EXPECT_EQ(w.a.counters.claims, 1);
}

TEST(LeaseKeeper, MakesNoFrameAfterItsTermAndLosesTheStreamToItsSuccessor) {
  World w;
  (void)w.a.Claim("s");
  w.Renew({&w.b}, 1'500 * kMs);
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "a:1");
  w.Renew({&w.b}, 500 * kMs);
  EXPECT_FALSE(w.a.Serves("s"));
  w.Renew({&w.b}, 500 * kMs);
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "here");
  w.a.keeper.Renew();
  EXPECT_TRUE(w.a.engine.empty());
  EXPECT_EQ(w.a.why.message(), "stream_id \"s\" is served by b:1");
  EXPECT_EQ(w.a.counters.lost, 1);
  EXPECT_EQ(OwnerOf(w.a.Claim("s")), "b:1");
}

TEST(LeaseKeeper, KeepsAStreamAfterAStopIfNoOtherHasClaimedIt) {
  World w;
  (void)w.a.Claim("s");
  w.Renew({&w.b}, 20'000 * kMs);
  EXPECT_FALSE(w.a.Serves("s"));
  w.a.keeper.Renew();
  EXPECT_TRUE(w.a.Serves("s"));
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "a:1");
}

TEST(LeaseKeeper, ReleasesWhatNobodyUses) {
  World w;
  (void)w.a.Claim("s");
  w.Renew({&w.a, &w.b}, 3'000 * kMs);
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "a:1");
  w.a.engine.clear();
  w.Renew({&w.a, &w.b}, 3'000 * kMs);
  EXPECT_EQ(w.store.entries(), 0u);
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "here");
}

TEST(LeaseKeeper, ReleasesAllWhenItCloses) {
  World w;
  (void)w.a.Claim("s");
  w.a.keeper.Close();
  EXPECT_FALSE(w.a.Serves("s"));
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "here");
}

// What the next owner finds, or "none".
std::string SavedFor(Node& node, const std::string& id, double* alive_s = nullptr) {
  EXPECT_EQ(OwnerOf(node.Claim(id)), "here");
  const auto saved = node.keeper.TakeSaved(id);
  EXPECT_FALSE(node.keeper.TakeSaved(id).has_value());
  if (saved && alive_s != nullptr) *alive_s = saved->alive_s;
  return saved ? saved->snapshot : "none";
}

TEST(LeaseKeeper, TheNextOwnerGetsWhatWasSaved) {
  World w;
  (void)w.a.Claim("s");
  (void)w.a.Claim("t");
  w.a.keeper.Save("s", w.a.keeper.Find("s"), "first");
  w.a.keeper.Save("s", w.a.keeper.Find("s"), "second");
  w.a.keeper.WriteSaves();
  EXPECT_EQ(w.a.counters.saves, 1);
  w.Renew({&w.a, &w.b}, 5'000 * kMs);
  const double last_s = w.a.Frame_s("s");
  w.Renew({&w.b}, 3'000 * kMs);
  double alive_s = 0;
  EXPECT_EQ(SavedFor(w.b, "s", &alive_s), "second");
  // Never later than the last frame, and a renewal earlier at most.
  EXPECT_LE(alive_s, last_s);
  EXPECT_GE(alive_s, last_s - 0.6);
  EXPECT_EQ(SavedFor(w.b, "t"), "none");
}

TEST(LeaseKeeper, AProcessThatWasStoppedOverwritesNothing) {
  World w;
  (void)w.a.Claim("s");
  const LeasePtr lease = w.a.keeper.Find("s");
  w.Renew({&w.b}, 3'000 * kMs);
  (void)w.b.Claim("s");
  w.b.keeper.Save("s", w.b.keeper.Find("s"), "of b");
  w.b.keeper.WriteSaves();
  w.a.keeper.Save("s", lease, "of a");
  w.a.keeper.HandOver("s", lease, "of a", 1e9);
  w.a.keeper.WriteSaves();
  w.a.keeper.WriteLeaving();
  w.Renew({&w.a}, 3'000 * kMs);
  EXPECT_EQ(SavedFor(w.a, "s"), "of b");
}

TEST(LeaseKeeper, AHandedOverStreamIsFreeAtOnceAndItsTimesGoOn) {
  World w;
  (void)w.a.Claim("s");
  w.Renew({&w.a, &w.b}, 1'000 * kMs);
  const double end_s = w.a.Frame_s("s") + 7;  // the clock of the next owner is behind
  w.a.keeper.HandOver("s", w.a.keeper.Find("s"), "exact", end_s);
  EXPECT_EQ(w.a.keeper.Find("s"), nullptr);
  w.a.keeper.WriteLeaving();
  EXPECT_EQ(w.a.counters.moves, 1);
  EXPECT_EQ(w.a.counters.leases, 0);
  double alive_s = 0;
  EXPECT_EQ(SavedFor(w.b, "s", &alive_s), "exact");
  EXPECT_NEAR(alive_s, end_s, 1e-5);
  EXPECT_GT(w.b.Frame_s("s"), end_s);
}

TEST(LeaseKeeper, KeepsWhatWasSavedForCallsThatCameToNothing) {
  World w;
  (void)w.a.Claim("s");
  w.a.keeper.HandOver("s", w.a.keeper.Find("s"), "exact", 2e9);
  w.a.keeper.WriteLeaving();
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "here");
  w.b.engine.clear();
  w.Renew({&w.a, &w.b}, 4'000 * kMs);
  EXPECT_EQ(w.b.keeper.Find("s"), nullptr);
  double alive_s = 0;
  EXPECT_EQ(SavedFor(w.a, "s", &alive_s), "exact");
  EXPECT_NEAR(alive_s, 2e9, 1e-3);
}

TEST(LeaseKeeper, ForgetsWhatWasSavedOfAStreamThatHasEnded) {
  World w;
  (void)w.a.Claim("s");
  w.a.keeper.Save("s", w.a.keeper.Find("s"), "old");
  w.a.keeper.WriteSaves();
  w.a.engine.clear();
  w.Renew({&w.a, &w.b}, 4'000 * kMs);
  EXPECT_EQ(SavedFor(w.b, "s"), "none");
}

TEST(LeaseKeeper, AsksForWhatTheStoreHasLost) {
  World w;
  (void)w.a.Claim("s");
  const LeasePtr lease = w.a.keeper.Find("s");
  w.a.keeper.Save("s", lease, "state");
  w.a.keeper.WriteSaves();
  const uint32_t losses = lease->losses;
  w.store.LoseData();
  w.Renew({&w.a}, 1'000 * kMs);
  EXPECT_GT(lease->losses, losses);
  // A failed exchange.
  w.store.transport = [] { return FakeTransport{.fails = true, .late_ns = 9}; };
  const uint32_t again = lease->losses;
  w.a.keeper.Save("s", lease, "state");
  w.a.keeper.WriteSaves();
  EXPECT_GT(lease->losses, again);
}

TEST(LeaseKeeper, TheTimeOfASnapshotIsThatOfWhoSavedIt) {
  World w;
  (void)w.a.Claim("s");
  w.a.keeper.Save("s", w.a.keeper.Find("s"), "of a");
  w.a.keeper.WriteSaves();
  w.Renew({&w.a, &w.b}, 2'000 * kMs);
  const double last_s = w.a.Frame_s("s");
  w.Renew({&w.b}, 3'000 * kMs);
  // The next one serves it for a while, and ends before it saves.
  EXPECT_EQ(SavedFor(w.b, "s"), "of a");
  w.Renew({&w.b}, 5'000 * kMs);
  w.Renew({&w.a}, 3'000 * kMs);
  double alive_s = 0;
  EXPECT_EQ(SavedFor(w.a, "s", &alive_s), "of a");
  EXPECT_LE(alive_s, last_s);
  EXPECT_GE(alive_s, last_s - 0.6);
}

TEST(LeaseKeeper, HandsOverLaterWhatItCouldNotWrite) {
  World w;
  (void)w.a.Claim("s");
  (void)w.a.Claim("t");
  w.a.keeper.HandOver("s", w.a.keeper.Find("s"), "exact", 2e9);
  w.store.transport = [] {
    return FakeTransport{.back_ns = 400 * kMs, .fails = true, .late_ns = 9'000'000 * kMs};
  };
  w.a.keeper.WriteLeaving();
  EXPECT_EQ(w.a.counters.moves, 0);
  EXPECT_EQ(w.a.keeper.Find("s"), nullptr);
  w.store.transport = [] { return FakeTransport(); };
  w.Renew({&w.a, &w.b}, 1'000 * kMs);
  w.a.keeper.WriteLeaving();
  EXPECT_EQ(w.a.counters.moves, 1);
  EXPECT_EQ(SavedFor(w.b, "s"), "exact");
}

TEST(LeaseKeeper, WhatIsTooLongIsNotSaved) {
  World w;
  (void)w.a.Claim("s");
  const std::string large(StreamDirectory::kMostSnapshotBytes + 1, 'x');
  w.a.keeper.Save("s", w.a.keeper.Find("s"), large);
  w.a.keeper.HandOver("s", w.a.keeper.Find("s"), large, 2e9);
  w.a.keeper.WriteSaves();
  w.a.keeper.WriteLeaving();
  EXPECT_EQ(SavedFor(w.b, "s").size(), 0u);
}

TEST(LeaseKeeper, ForgetsStreamsThatAreGoneWhenItCloses) {
  World w;
  (void)w.a.Claim("gone");
  w.a.keeper.Save("gone", w.a.keeper.Find("gone"), "old");
  w.a.keeper.WriteSaves();
  w.a.engine.clear();
  w.a.keeper.Close();
  EXPECT_EQ(SavedFor(w.b, "gone"), "none");
}

TEST(LeaseKeeper, ContinuesWithoutTheStoreOrPauses) {
  for (const bool pause : {false, true}) {
    World w(pause);
    (void)w.a.Claim("s");
    w.store.transport = [] {
      return FakeTransport{.back_ns = 400 * kMs, .fails = true, .late_ns = 9};
    };
    for (int i = 0; i < 10; ++i) {
      w.Renew({&w.a}, 1);
      EXPECT_EQ(w.a.Serves("s"), !pause || i < 2) << pause << i;
    }
    EXPECT_THAT(OwnerOf(w.a.Claim("new")), HasSubstr("Redis (--directory) cannot be asked"));
    EXPECT_GT(w.a.counters.errors, 0);
    w.store.transport = [] { return FakeTransport(); };
    w.Renew({&w.a}, 1);
    EXPECT_TRUE(w.a.Serves("s"));
    EXPECT_EQ(OwnerOf(w.a.Claim("new")), "here");
  }
}

TEST(LeaseKeeper, AsksAgainAfterAStopBeforeItContinuesWithoutTheStore) {
  World w(/*pause=*/false);
  (void)w.a.Claim("s");
  // The process is stopped while it waits for an answer.
  w.store.transport = [] {
    return FakeTransport{.back_ns = 20'000 * kMs, .fails = true, .late_ns = 9};
  };
  w.a.keeper.Renew();
  EXPECT_FALSE(w.a.Serves("s"));
}

TEST(LeaseKeeper, KeepsItsStreamsWhenTheStoreLosesItsData) {
  World w;
  (void)w.a.Claim("s");
  w.store.LoseData();
  w.b.keeper.Renew();
  EXPECT_THAT(OwnerOf(w.b.Claim("s")), HasSubstr("leaves the streams to their owners for 3.0 s"));
  w.a.keeper.Renew();
  EXPECT_TRUE(w.a.Serves("s"));
  w.Renew({&w.a, &w.b}, 5'000 * kMs);
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "a:1");
  EXPECT_EQ(w.a.counters.lost, 0);
}

TEST(LeaseKeeper, AnOwnerThatContinuedComesFirstWhenTheStoreIsBackWithoutItsData) {
  World w(/*pause=*/false);
  (void)w.a.Claim("s");
  w.store.transport = [] {
    return FakeTransport{.back_ns = 400 * kMs, .fails = true, .late_ns = 9};
  };
  w.Renew({&w.a, &w.b}, 10'000 * kMs);
  w.store.LoseData();
  w.store.transport = [] { return FakeTransport(); };
  for (int i = 0; i < 100; ++i) {
    w.time.Advance(50 * kMs);
    if (i % 10 == 4) w.b.keeper.Renew();
    EXPECT_NE(OwnerOf(w.b.Claim("s")), "here");
    if (i % 10 == 9) w.a.keeper.Renew();
    EXPECT_TRUE(w.a.Serves("s"));
  }
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "a:1");
}

TEST(LeaseKeeper, KeepsAStreamThatTheStoreGrantedAgainWithoutAnAnswer) {
  World w;
  (void)w.a.Claim("s");
  w.store.LoseData();
  int requests = 0;  // renew, open, claim
  w.store.transport = [&] {
    return ++requests == 3 ? FakeTransport{.back_ns = 400 * kMs, .fails = true, .late_ns = 0}
                           : FakeTransport();
  };
  w.a.keeper.Renew();
  w.time.Advance(kMs);
  w.store.ReadLateRequests();
  EXPECT_EQ(w.store.entries(), 1u);
  w.Renew({&w.a, &w.b}, 6'000 * kMs);
  EXPECT_TRUE(w.a.Serves("s"));
  EXPECT_EQ(w.a.counters.lost, 0);
  EXPECT_EQ(OwnerOf(w.b.Claim("s")), "a:1");
}

// Frames of the successor come after those of the predecessor, although its clock is slow.
TEST(LeaseKeeper, StartsAfterThePredecessorsTerm) {
  World w;
  Node slow("c:1", &w.time, &w.store, true, -5'000 * kMs, -3600);
  slow.keeper.Renew();
  (void)w.a.Claim("s");
  w.Renew({&w.a, &slow}, 5'000 * kMs);
  const double last_s = w.a.Frame_s("s") + 1.9;
  w.Renew({&slow}, 3'000 * kMs);
  EXPECT_EQ(OwnerOf(slow.Claim("s")), "here");
  EXPECT_GE(slow.Frame_s("s"), last_s);
  EXPECT_LT(slow.Frame_s("s"), last_s + 2);
}

// Random faults on several nodes: stops, late and lost messages, and loss of the store's data.
class Faults {
 public:
  Faults(uint32_t seed, bool pause, bool store_fails)
      : random_(seed), store_fails_(store_fails), store_(&time_) {
    for (int i = 0; i < 4; ++i) {
      nodes_.push_back(std::make_unique<Node>(std::string(1, static_cast<char>('a' + i)), &time_,
                                              &store_, pause, i * 1'000'000 * kMs, 3.0 * i));
    }
    time_.pass = [this] { Pass(); };
    store_.transport = [this] { return Transport(); };
  }
  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      time_.Advance(Below(100) * kMs);
      if (store_fails_ && Below(200) == 0) store_.LoseData();
      Node& node = *nodes_[static_cast<size_t>(Below(4))];
      if (Below(60) == 0) node.next_ns = time_.ns + Below(5000) * kMs;  // is stopped
      for (const auto& n : nodes_) {
        if (time_.ns < n->next_ns) continue;
        n->next_ns = time_.ns + LeaseKeeper::kRenewEvery_ns;
        n->keeper.Renew();
      }
      if (time_.ns + LeaseKeeper::kRenewEvery_ns < node.next_ns) continue;
      if (Below(3) == 0) (void)node.Claim(Stream());
      if (Below(30) == 0) node.engine.erase(Stream());
    }
  }
  int served() const { return served_; }
  int handed_over() const { return handed_over_; }

 private:
  int64_t Below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random_); }
  std::string Stream() { return absl::StrCat("s", Below(5)); }
  FakeTransport Transport() {
    FakeTransport how;
    how.there_ns = Below(30) * kMs;
    how.back_ns = Below(30) * kMs;
    if (Below(40) == 0) how.there_ns += Below(3000) * kMs;
    if (Below(20) == 0) how.back_ns += Below(4000) * kMs;  // a stop
    if (!store_fails_) return how;
    how.fails = Below(10) == 0;
    if (how.fails) how.back_ns += 400 * kMs;
    if (how.fails && Below(2) == 0) how.late_ns = Below(4000) * kMs;
    return how;
  }
  void Pass() {
    store_.ReadLateRequests();
    for (int s = 0; s < 5; ++s) {
      const std::string id = absl::StrCat("s", s);
      const Node* server = nullptr;
      for (const auto& node : nodes_) {
        if (!node->Serves(id)) continue;
        ASSERT_EQ(server, nullptr) << id << " is served by " << server->name << " and "
                                   << node->name << " at " << time_.ns;
        server = node.get();
      }
      if (server == nullptr) continue;
      ++served_;
      if (last_[id] != server->name) ++handed_over_;
      last_[id] = server->name;
    }
  }

  std::mt19937 random_;
  const bool store_fails_;
  FakeTime time_;
  FakeLeaseStore store_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::string, std::string> last_;
  int served_ = 0, handed_over_ = 0;
};

TEST(LeaseKeeper, WithPauseNeverServesAStreamTwiceUnderAnyFault) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Faults faults(seed, /*pause=*/true, /*store_fails=*/true);
    faults.Run(1500);
    if (testing::Test::HasFailure()) return;
    EXPECT_GT(faults.served(), 500);
    EXPECT_GT(faults.handed_over(), 5);
  }
}

TEST(LeaseKeeper, WithContinueNeverServesAStreamTwiceWhileTheStoreAnswers) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Faults faults(seed, /*pause=*/false, /*store_fails=*/false);
    faults.Run(1500);
    if (testing::Test::HasFailure()) return;
    EXPECT_GT(faults.served(), 500);
    EXPECT_GT(faults.handed_over(), 5);
  }
}

}  // namespace
}  // namespace posewire::anim_graph
