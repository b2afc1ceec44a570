// What the arms do in the default graph while a source announces its gestures.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "libs/graph_loader/graph_file.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/gesture/forward.h"
#include "tests/unit/graph_loader/graph_text.h"

namespace posewire::graph {
namespace {

constexpr int kKinds = 10;  // of SpeechGesture

// Two avatars with the same chance: to one a source speaks that announces gestures, to the other
// one that does not.
struct Talk {
  explicit Talk(uint64_t seed) : told(DefaultText(), seed), quiet(DefaultText(), seed) {
    voice.playback_id = 7;
    voice.source_service_id = "voice";
    voice.pose = nothing.view();
    for (int i = 0; i < 30; ++i) Tick(nullptr);
  }
  void Tick(const SpeechGestureInput* gesture) {
    voice.gesture = gesture;
    told.inputs.providers = speaks ? absl::MakeConstSpan(&voice, 1) : absl::Span<ProviderInput>();
    const AllocationCount allocations;
    told.Tick();
    EXPECT_EQ(allocations.count(), 0);
    quiet.Tick();
  }
  skel::Vec3 Wrist(const GraphRun& run, const char* joint) const {
    return gesture::Forward(*run.rig, run.pose.view(), run.rig->rest()).place(joint);
  }
  // How far the hands are from where they would be.
  double Away() const {
    return std::max(Length(Wrist(told, "l_wrist") - Wrist(quiet, "l_wrist")),
                    Length(Wrist(told, "r_wrist") - Wrist(quiet, "r_wrist")));
  }
  GraphRun told, quiet;
  skel::Pose nothing{told.rig->joints(), told.rig->shapes()};
  ProviderInput voice;
  bool speaks = true;
};

// From the announced syllable to where the faster hand stops: the end of the stroke.
TEST(SpeechGestures, TheStrokeFallsOnTheAccent) {
  std::vector<double> all;
  for (int kind = 0; kind < kKinds; ++kind) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      Talk talk(seed);
      const SpeechGestureInput gesture{kind, kind == 4 ? 1 + static_cast<int>(seed % 5) : 0, 1, 0.8,
                                       2.0};
      std::array<std::vector<skel::Vec3>, 2> path;
      for (int k = 0; k < 45; ++k) {
        talk.Tick(k == 0 ? &gesture : nullptr);
        path[0].push_back(talk.Wrist(talk.told, "l_wrist"));
        path[1].push_back(talk.Wrist(talk.told, "r_wrist"));
      }
      // The last fast movement before it slows down below a third of its top, around the accent.
      std::vector<float> speed(path[0].size());
      for (size_t k = 1; k < speed.size(); ++k) {
        speed[k] =
            std::max(Length(path[0][k] - path[0][k - 1]), Length(path[1][k] - path[1][k - 1]));
      }
      const auto top = std::max_element(speed.begin() + 12, speed.begin() + 28);
      auto stop = top;
      while (stop + 1 != speed.end() && *stop > *top / 3) ++stop;
      const double at_s = static_cast<double>(stop - speed.begin()) / 30;
      EXPECT_GT(*top, 0.005f) << "kind " << kind << " does not move";
      EXPECT_LT(std::abs(at_s - 0.8), 0.2) << "kind " << kind << " seed " << seed;
      all.push_back(std::abs(at_s - 0.8));
    }
  }
  std::sort(all.begin(), all.end());
  RecordProperty("median_ms", static_cast<int>(1000 * all[all.size() / 2]));
  EXPECT_LT(all[all.size() / 2], 0.08);
}

// Announces one every 1.5 s for a minute; how many of them the hands made.
int GesturesAMinute(const char* activity, uint64_t seed) {
  Talk talk(seed);
  talk.told.Set("activity", activity);
  talk.quiet.Set("activity", activity);
  Random rng(seed);
  int made = 0;
  bool away = false;
  for (int k = 0; k < 1800; ++k) {
    const SpeechGestureInput gesture{0, 0, rng.Uniform(), 0.8, 0.9};
    talk.Tick(k % 60 == 0 ? &gesture : nullptr);
    const double far = talk.Away();
    if (!away && far > 0.06) ++made;
    away = away ? far > 0.03 : far > 0.06;
  }
  return made;
}

TEST(SpeechGestures, ComeMoreOftenWithActivity) {
  const int calm = GesturesAMinute("0", 3), usual = GesturesAMinute("0.7", 3),
            lively = GesturesAMinute("1", 3);
  RecordProperty("calm", calm);
  RecordProperty("usual", usual);
  RecordProperty("lively", lively);
  EXPECT_GE(calm, 3);
  EXPECT_GT(usual, calm);
  EXPECT_GT(lively, usual);
  EXPECT_LE(lively, 30);
}

// With a single unit, a second gesture within 20 s has none.
TEST(SpeechGestures, DoNotRepeatAUnitWithin20Seconds) {
  Talk talk(1);
  const SpeechGestureInput greeting{9, 0, 1, 0.8, 1.2};
  const auto highest = [&](int ticks, const SpeechGestureInput* gesture) {
    float y = 0;
    for (int k = 0; k < ticks; ++k) {
      talk.Tick(k == 0 ? gesture : nullptr);
      y = std::max(y, talk.Wrist(talk.told, "r_wrist").y);
    }
    return y;
  };
  EXPECT_GT(highest(90, &greeting), 1.4f) << "a wave";
  EXPECT_LT(highest(90, &greeting), 1.35f) << "no wave so soon";
  highest(480, nullptr);
  EXPECT_GT(highest(90, &greeting), 1.4f);
}

TEST(SpeechGestures, LeaveThePostureAloneInPauses) {
  Talk talk(2);
  const SpeechGestureInput gesture{0, 0, 1, 0.8, 1.0};
  double most = 0;
  for (int k = 0; k < 30; ++k) {
    talk.Tick(k == 0 ? &gesture : nullptr);
    most = std::max(most, talk.Away());
  }
  EXPECT_GT(most, 0.08);
  for (int k = 0; k < 45; ++k) talk.Tick(nullptr);
  for (int k = 0; k < 60; ++k) {
    talk.Tick(nullptr);
    ASSERT_LT(LargestStep(talk.told.pose.view(), talk.quiet.pose.view()).degrees, 0.1);
  }
}

TEST(SpeechGestures, EndWithTheirSource) {
  Talk talk(2);
  const SpeechGestureInput gesture{0, 0, 1, 0.8, 30};
  for (int k = 0; k < 45; ++k) talk.Tick(k == 0 ? &gesture : nullptr);
  EXPECT_GT(talk.Away(), 0.08) << "held";
  talk.speaks = false;
  for (int k = 0; k < 40; ++k) talk.Tick(nullptr);
  EXPECT_LT(talk.Away(), 0.005);
}

TEST(SpeechGestures, ThatComeTooLateAreLeftOut) {
  Talk talk(2);
  const SpeechGestureInput gesture{0, 0, 1, 0.1, 2};
  for (int k = 0; k < 60; ++k) {
    talk.Tick(k == 0 ? &gesture : nullptr);
    ASSERT_LT(talk.Away(), 0.001);
  }
}

// The hands go straight from the folded posture to the stroke, and do not hang in between.
TEST(SpeechGestures, HandsDoNotSinkFirst) {
  float most_m = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Talk talk(seed);
    const SpeechGestureInput gesture{0, 0, 1, 0.8, 1};
    for (int k = 0; k < 30; ++k) {
      talk.Tick(k == 0 ? &gesture : nullptr);
      for (const char* wrist : {"l_wrist", "r_wrist"}) {
        most_m = std::max(most_m, talk.Wrist(talk.quiet, wrist).y - talk.Wrist(talk.told, wrist).y);
      }
    }
  }
  EXPECT_LT(most_m, 0.1);
}

// Arms move fast, but never from one place to another between two frames.
TEST(SpeechGestures, NothingJumps) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Talk talk(seed);
    talk.told.Set("activity", "1");
    Random rng(seed);
    for (int k = 0; k < 600; ++k) {
      const SpeechGestureInput gesture{static_cast<int>(rng.Next() % kKinds), 0, 1,
                                       rng.Uniform(0.1f, 1.5f), rng.Uniform(0.2f, 3)};
      talk.Tick(rng.Uniform() < 0.04f ? &gesture : nullptr);
      if (rng.Uniform() < 0.004f) talk.speaks = !talk.speaks;
      ASSERT_LT(talk.told.step().degrees, 30) << seed << " tick " << k;
    }
  }
}

}  // namespace
}  // namespace posewire::graph
