#include "libs/graph/rests_node.h"

#include <vector>

#include "gtest/gtest.h"
#include "libs/graph/transition_requests.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

struct Rests {
  explicit Rests(uint64_t seed, RestsNode::Settings settings = {4, 10, 1}) : rng(seed) {
    for (const char* name : {"posture_attentive", "rest_wrist", "rest_sides"}) {
      clips.push_back(Gestures()->Find(name));
    }
    node = std::make_unique<RestsNode>(clips, settings);
  }
  // Which clip is shown.
  size_t Tick(const SpeechGestureInput* gesture = nullptr) {
    input.gesture = gesture;
    inputs.providers = absl::MakeConstSpan(&input, 1);
    asks.Clear();
    TickContext ctx{tick, static_cast<double>(tick) * kTick_s, kTick_s, &rng, &inputs, nullptr};
    ctx.asks = &asks;
    ++tick;
    const AllocationCount allocations;
    node->Update(ctx, 1);
    node->Evaluate(ctx, pose.span());
    EXPECT_EQ(allocations.count(), 0);
    for (size_t i = 0; i < clips.size(); ++i) {
      const double time_s = node->phase() * clips[i]->duration_s();
      if (FarFrom(*clips[i], time_s, pose.view()) < 2e-3f) return i;
    }
    ADD_FAILURE() << "none of them";
    return 0;
  }

  std::vector<const clip::Clip*> clips;
  std::unique_ptr<RestsNode> node;
  Random rng;
  ProviderInput input;
  Inputs inputs;
  std::shared_ptr<const skel::Rig> rig = BuiltinRig();
  skel::Pose pose{rig->joints(), rig->shapes()};
  TransitionRequests asks{rig->joints(), rig->shapes()};
  int tick = 0;
};

TEST(RestsNode, BeginsWithTheFirstAndChangesWithinItsTimes) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Rests rests(seed);
    size_t shown = rests.Tick();
    EXPECT_EQ(shown, 0u);
    int since = 0, changes = 0;
    for (int k = 0; k < 1800; ++k) {
      const size_t now = rests.Tick();
      ++since;
      if (now == shown) {
        EXPECT_LE(since, 301) << "stays no longer than its most";
        continue;
      }
      EXPECT_GE(since, 119);
      EXPECT_TRUE(rests.asks.any()) << "a change is eased";
      shown = now, since = 0;
      ++changes;
    }
    EXPECT_GE(changes, 6) << "in a minute";
  }
}

TEST(RestsNode, GoesOverWithTheStrokeOfAGestureOnceItHasStayed) {
  Rests rests(1, {4, 60, 1});
  const SpeechGestureInput beat{0, 0, 1, 0.8, 2};
  for (int k = 0; k < 60; ++k) EXPECT_EQ(rests.Tick(k == 30 ? &beat : nullptr), 0u) << "too early";
  for (int k = 60; k < 150; ++k) EXPECT_EQ(rests.Tick(), 0u);
  rests.Tick(&beat);
  int ticks = 1;
  while (ticks < 60 && rests.Tick() == 0) ++ticks;
  EXPECT_NEAR(ticks * kTick_s, 0.8, 0.07);
}

TEST(RestsNode, ANewTopicIsNoGesture) {
  Rests rests(1, {1, 60, 1});
  const SpeechGestureInput topic{SpeechGestureInput::kTopic, 0, 1, 0.3, 2};
  for (int k = 0; k < 90; ++k) EXPECT_EQ(rests.Tick(k == 45 ? &topic : nullptr), 0u);
}

TEST(RestsNode, GoesOnInANewGraph) {
  Rests old(2), fresh(7);
  size_t shown = 0;
  for (int k = 0; k < 600 && shown == 0; ++k) shown = old.Tick();
  ASSERT_NE(shown, 0u);
  fresh.node->Adopt(*old.node);
  EXPECT_EQ(fresh.Tick(), shown);
}

TEST(RestsNode, RestartsWithTheFirst) {
  Rests rests(2);
  size_t shown = 0;
  for (int k = 0; k < 600 && shown == 0; ++k) shown = rests.Tick();
  ASSERT_NE(shown, 0u);
  rests.node->Restart();
  EXPECT_EQ(rests.Tick(), 0u);
}

}  // namespace
}  // namespace posewire::graph
