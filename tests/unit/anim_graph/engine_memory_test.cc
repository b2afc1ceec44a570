// An engine's memory: what an avatar takes, and that it does not grow by the hour.
//
// By default five minutes of the avatars' time are looked at; POSEWIRE_MEMORY_MINUTES=60 looks at
// an hour.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/support/allocation_count.h"
#include "tests/unit/anim_graph/engine_crowd.h"

namespace posewire::anim_graph {
namespace {

constexpr int64_t kMinute = 60 * 30;  // ticks
// Of the default graph on the standard rig, the latter with whole poses and a voice, 0.3 s of it
// buffered; docs/configuration.md tells them.
constexpr double kIdle_kib = 64;
constexpr double kPlaying_kib = 175;

HarnessSettings Settings() {
  HarnessSettings settings;
  settings.graph = "default";
  settings.clips =
      *gesture::MakeGestures(*skel::RigCatalog::Builtin()->Find("hanim_loa3"), clip::Precision{});
  // What is remembered of requests and streams comes into balance within the warm-up.
  settings.remember_s = 40;
  settings.resume_s = 10;
  settings.idle_avatar_s = 20;
  return settings;
}

class Crowd {
 public:
  Crowd() : h(Settings()), performance(*h.rig) {}

  template <typename A, typename... Args>
  A& Add(Args&&... args) {
    auto actor = std::make_unique<A>(&h, std::forward<Args>(args)...);
    A& added = *actor;
    actors_.push_back(std::move(actor));
    return added;
  }
  // The least that the heap held at the end of one of the seconds.
  int64_t Run(int64_t ticks) {
    int64_t least = INT64_MAX;
    for (const int64_t end = tick_ + ticks; tick_ < end; ++tick_) {
      for (auto& actor : actors_) actor->Step(tick_);
      h.Run((tick_ % 3 == 0) ? 0.033333334 : 0.033333333);
      if (tick_ % 30 == 29) least = std::min(least, LiveBytes());
    }
    return least;
  }

  Harness h;
  Performance performance;

 private:
  std::vector<std::unique_ptr<Actor>> actors_;
  int64_t tick_ = 0;
};

int64_t Minutes() {
  const char* text = std::getenv("POSEWIRE_MEMORY_MINUTES");
  return text == nullptr ? 5 : std::max<int64_t>(2, std::atoll(text));
}

TEST(EngineMemory, DoesNotGrowWithTheTimeThatAvatarsLive) {
  Crowd crowd;
  for (int i = 0; i < 8; ++i) crowd.Add<IdleActor>(absl::StrCat("idle", i));
  for (int i = 0; i < 8; ++i) {
    crowd.Add<SpokenActor>(&crowd.performance, absl::StrCat("spoken", i),
                           i % 2 == 0 ? Mode::kStall : Mode::kLive, i % 4 == 0 ? 3 : 0);
  }
  for (int i = 0; i < 8; ++i) {
    crowd.Add<RestlessActor>(&crowd.performance, absl::StrCat("restless", i), 53 * i);
  }
  for (int i = 0; i < 4; ++i) {
    crowd.Add<PassingActor>(&crowd.performance, absl::StrCat("passing", i, "-"));
  }
  crowd.Run(3 * kMinute);
  const int64_t first = crowd.Run(kMinute);
  int64_t last = first;
  for (int64_t minute = 1; minute < Minutes(); ++minute) {
    last = crowd.Run(kMinute);
    std::cout << minute << ": " << last << " bytes, " << last - first << " more than at first\n";
  }
  const EngineCounters counters = crowd.h.engine->counters();
  EXPECT_GT(counters.ticks, 24 * kMinute * Minutes());
  EXPECT_GT(counters.messages, 10 * kMinute * Minutes());
  EXPECT_EQ(counters.missed_ticks, 0);
  // A byte a second and avatar would be more.
  EXPECT_LT(last - first, 28 * 60 * Minutes());
}

TEST(EngineMemory, SteadyTicksAndMessagesAllocateNothing) {
  Crowd crowd;
  for (int i = 0; i < 4; ++i) crowd.Add<IdleActor>(absl::StrCat("idle", i));
  for (int i = 0; i < 4; ++i) {
    crowd.Add<SpokenActor>(&crowd.performance, absl::StrCat("spoken", i),
                           i % 2 == 0 ? Mode::kStall : Mode::kLive, 0);
  }
  crowd.Run(kMinute / 2);
  const AllocationCount allocations;
  crowd.Run(kMinute / 2);
  EXPECT_EQ(allocations.count(), 0);
}

// What each further avatar of a kind takes, with its pull.
template <typename Add>
double KibOfAnAvatar(const Add& add) {
  constexpr int kAvatars = 16;
  Crowd crowd;
  add(crowd, 0);
  const int64_t before = crowd.Run(20 * 30);
  for (int i = 1; i <= kAvatars; ++i) add(crowd, i);
  return static_cast<double>(crowd.Run(20 * 30) - before) / 1024 / kAvatars;
}

TEST(EngineMemory, AnAvatarStaysWithinItsBudget) {
  const double idle =
      KibOfAnAvatar([](Crowd& crowd, int i) { crowd.Add<IdleActor>(absl::StrCat("idle", i)); });
  const double playing = KibOfAnAvatar([](Crowd& crowd, int i) {
    crowd.Add<SpokenActor>(&crowd.performance, absl::StrCat("spoken", i), Mode::kStall, 0);
  });
  std::cout << "an idle avatar takes " << idle << " KiB, a playing one " << playing << " KiB\n";
  EXPECT_LT(idle, 1.25 * kIdle_kib);
  EXPECT_LT(playing, 1.25 * kPlaying_kib);
  EXPECT_GT(idle, 10);  // it is counted at all
}

}  // namespace
}  // namespace posewire::anim_graph
