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

// Announces one every 4 s, between which the hands come back, for two minutes; how many of them the
// hands made. In a posture with one place to rest.
int GesturesMade(const char* activity, uint64_t seed) {
  Talk talk(seed);
  talk.told.Set("activity", activity);
  talk.quiet.Set("activity", activity);
  for (GraphRun* run : {&talk.told, &talk.quiet}) {
    run->Set("posture_state", "Idle");
    run->Tick();
  }
  Random rng(seed);
  int made = 0;
  bool away = false;
  for (int k = 0; k < 3600; ++k) {
    const SpeechGestureInput gesture{0, 0, rng.Uniform(), 0.8, 0.9};
    talk.Tick(k % 120 == 60 ? &gesture : nullptr);
    const double far = talk.Away();
    if (!away && far > 0.06) ++made;
    away = away ? far > 0.03 : far > 0.06;
  }
  return made;
}

TEST(SpeechGestures, ComeMoreOftenWithActivity) {
  const int calm = GesturesMade("0", 3), usual = GesturesMade("0.7", 3),
            lively = GesturesMade("1", 3);
  RecordProperty("calm", calm);
  RecordProperty("usual", usual);
  RecordProperty("lively", lively);
  EXPECT_GE(calm, 3);
  EXPECT_GT(usual, calm);
  EXPECT_GT(lively, usual);
  EXPECT_LE(lively, 30);
}

// With two units, a third gesture within 20 s has none.
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
  EXPECT_GT(highest(90, &greeting), 1.28f) << "a wave";
  EXPECT_GT(highest(90, &greeting), 1.28f) << "the other one";
  highest(60, nullptr);
  EXPECT_LT(highest(90, &greeting), 1.28f) << "no third so soon";
  highest(540, nullptr);
  EXPECT_GT(highest(90, &greeting), 1.28f);
}

// A greeting is the first word of many a text: there is no time to announce it.
TEST(SpeechGestures, AGreetingIsWavedHoweverLateItIsAnnounced) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Talk talk(seed);
    const SpeechGestureInput greeting{9, 0, 1, 0.05, 0.4};
    float highest = 0, left = 10, right = -10;
    for (int k = 0; k < 75; ++k) {
      talk.Tick(k == 0 ? &greeting : nullptr);
      highest = std::max(highest, talk.Wrist(talk.told, "r_wrist").y);
      if (k < 18 || k > 36) continue;
      const gesture::Forward now(*talk.told.rig, talk.told.pose.view(), talk.told.rig->rest());
      const skel::Vec3 tip = now.place("r_middle3") - now.place("r_wrist");
      left = std::min(left, tip.x), right = std::max(right, tip.x);
    }
    EXPECT_GT(highest, 1.28f) << seed;
    EXPECT_GT(right - left, 0.04f) << seed << ": the fingers go from side to side";
  }
}

// Two gestures of the same hand, the second announced 1.5 s ahead: between them it stays away from
// where it rests.
TEST(SpeechGestures, FlowIntoEachOtherWhenTheNextIsNear) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Talk talk(seed);
    // Both hands ask, both hands say no.
    const SpeechGestureInput first{1, 0, 1, 0.8, 1.3}, second{2, 0, 1, 1.5, 2.2};
    double nearest = 1, at_first = 0;
    for (int k = 0; k < 90; ++k) {
      // The first one ends at 1.3 s; the second strikes at 2.8 s.
      talk.Tick(k == 0 ? &first : k == 39 ? &second : nullptr);
      if (k == 27) at_first = talk.Away();
      if (k > 27 && k < 84) nearest = std::min(nearest, talk.Away());
    }
    EXPECT_GT(at_first, 0.12) << seed;
    EXPECT_GT(nearest, 0.08) << seed << ": it went home";
  }
}

// Not when there is time to go home.
TEST(SpeechGestures, GoHomeWhenTheNextIsFar) {
  Talk talk(3);
  const SpeechGestureInput first{1, 0, 1, 0.8, 1.3}, second{2, 0, 1, 1.5, 2.2};
  double nearest = 1;
  for (int k = 0; k < 150; ++k) {
    talk.Tick(k == 0 ? &first : k == 90 ? &second : nullptr);
    if (k > 30 && k < 110) nearest = std::min(nearest, talk.Away());
  }
  EXPECT_LT(nearest, 0.01);
}

// Of a hand that is held: how far wrist and fingers turn in any half second.
TEST(SpeechGestures, AHeldHandIsAlive) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Talk talk(seed);
    const SpeechGestureInput five{4, 5, 1, 0.8, 4};
    std::vector<skel::Quat> wrist, finger;
    for (int k = 0; k < 75; ++k) {
      talk.Tick(k == 0 ? &five : nullptr);
      const skel::PoseView pose = talk.told.pose.view();
      wrist.push_back(pose.rotation(talk.told.rig->FindJoint("r_wrist")));
      finger.push_back(pose.rotation(talk.told.rig->FindJoint("r_ring1")));
    }
    // The clip has come to rest at 1.6 s, and is held until 2.6 s.
    for (size_t k = 48; k + 15 < 75; ++k) {
      float turned = 0, bent = 0;
      for (size_t i = k; i < k + 15; ++i) {
        turned = std::max(turned, AngleBetween(wrist[k], wrist[i]) * kDegrees);
        bent = std::max(bent, AngleBetween(finger[k], finger[i]) * kDegrees);
      }
      EXPECT_GT(turned, 0.5f) << seed << " tick " << k;
      EXPECT_GT(bent, 0.3f) << seed << " tick " << k;
    }
  }
}

// The same gesture with a mouth that opens wide once and with one that is shut.
TEST(SpeechGestures, AHeldHandBeatsWithTheAccents) {
  Talk loud(4), shut(4);
  const SpeechGestureInput ask{1, 0, 1, 0.8, 4};
  const int jaw = loud.told.rig->FindShape("jawOpen");
  for (Talk* talk : {&loud, &shut}) talk->voice.owns_mouth = true;
  float apart = 0, before = 0;
  for (int k = 0; k < 70; ++k) {
    for (Talk* talk : {&loud, &shut}) talk->nothing.span().SetWeight(jaw, 0.02f);
    if (k >= 50 && k < 56) loud.nothing.span().SetWeight(jaw, 0.6f);
    for (Talk* talk : {&loud, &shut}) talk->Tick(k == 0 ? &ask : nullptr);
    const int wrist = loud.told.rig->FindJoint("r_wrist");
    const float now =
        AngleBetween(loud.told.pose.view().rotation(wrist), shut.told.pose.view().rotation(wrist)) *
        kDegrees;
    (k < 50 ? before : apart) = std::max(k < 50 ? before : apart, now);
  }
  EXPECT_LT(before, 0.1f);
  EXPECT_GT(apart, 3);
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
