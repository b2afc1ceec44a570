// A listener nods when a phrase of somebody else ends.
#include "libs/graph/listen_node.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

constexpr int kListenHz = 30;

struct Listener {
  explicit Listener(ListenSettings settings = {}, uint64_t seed = 1)
      : rig(BuiltinRig()), parts(std::make_shared<const BodyParts>(rig)), stage(rig, {}, seed) {
    node = std::make_unique<ListenNode>(parts, IdleOrRest(rig, false), settings);
  }
  // Ticks for so long with the voice of another avatar at this loudness, a syllable up and down
  // four times a second; notes when nods begin, and how deep they go.
  void Hear(double seconds, float voice_db) {
    for (int k = 0; k < static_cast<int>(seconds * kListenHz + 0.5); ++k) {
      const float syllable =
          voice_db > -60 ? 8 * std::sin(8 * 3.14159f * static_cast<float>(k) / kListenHz) : 0;
      NeighbourInput other;
      other.target_object_id = "ann", other.head = {0, 1.6f, 1.5f};
      other.voice_db = voice_db + syllable;
      stage.neighbours = {other};
      Tick();
    }
  }
  void Tick() {
    const AllocationCount allocations;
    stage.Tick(*node, 1.0 / kListenHz);
    EXPECT_EQ(allocations.count(), 0);
    const float now = node->nod();
    if (now > 0 && last == 0) begins.push_back(stage.time_s);
    deepest = std::max(deepest, now * kDegrees);
    fastest = std::max(fastest, std::fabs(now - last) * kDegrees * kListenHz);
    last = now;
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  Stage stage;
  std::unique_ptr<ListenNode> node;
  std::vector<double> begins;
  float last = 0, deepest = 0, fastest = 0;
};

TEST(Listen, NodsSoonAfterEachPhraseAndAtNothingElse) {
  Listener all({.rate = 1.0});
  all.Hear(2, kSilent_db);
  EXPECT_TRUE(all.begins.empty());
  std::vector<double> ends;
  for (int k = 0; k < 100; ++k) {
    all.Hear(2, -24);
    ends.push_back(all.stage.time_s);
    all.Hear(1.2, -70);
  }
  ASSERT_EQ(all.begins.size(), ends.size());
  for (size_t k = 0; k < ends.size(); ++k) {
    EXPECT_GT(all.begins[k] - ends[k], 0.2) << k;
    EXPECT_LT(all.begins[k] - ends[k], 0.62) << k;
  }
  EXPECT_GT(all.deepest, 6);
  EXPECT_LT(all.deepest, 8.01f);
  EXPECT_LT(all.fastest, 76);

  Listener some;
  for (int k = 0; k < 100; ++k) {
    some.Hear(2, -24);
    some.Hear(1.2, -70);
  }
  EXPECT_GT(some.begins.size(), 45u);
  EXPECT_LT(some.begins.size(), 75u);

  Listener none({.rate = 0.0});
  none.Hear(2, -24);
  none.Hear(2, -70);
  EXPECT_TRUE(none.begins.empty());
}

TEST(Listen, IsNotTakenInByShortWordsStopsAndNoise) {
  Listener l({.rate = 1.0});
  // A word, the stops within a phrase, and a noisy room.
  l.Hear(0.4, -24);
  l.Hear(1, -70);
  for (int k = 0; k < 8; ++k) {
    l.Hear(0.4, -24);
    l.Hear(0.1, -70);
  }
  EXPECT_TRUE(l.begins.empty());
  l.Hear(1, -70);
  EXPECT_EQ(l.begins.size(), 1u);
  l.Hear(30, -62);
  EXPECT_EQ(l.begins.size(), 1u);
  // A voice over noise: what is 25 dB below it is a pause.
  l.Hear(2, -20);
  l.Hear(1, -50);
  EXPECT_EQ(l.begins.size(), 2u);
}

TEST(Listen, AnswersWhoDoesNotPause) {
  Listener l({.rate = 1.0});
  l.Hear(60, -24);
  EXPECT_GE(l.begins.size(), 6u);
  EXPECT_LE(l.begins.size(), 12u);
}

TEST(Listen, DoesNotNodWhileItSpeaksItselfOrTwoSpeak) {
  Listener l({.rate = 1.0});
  ProviderInput own;
  own.owns_mouth = true;
  l.stage.inputs.providers = {&own, 1};
  l.Hear(2, -24);
  l.Hear(2, -70);
  EXPECT_TRUE(l.begins.empty());
  own.suspended = true;
  l.Hear(2, -24);
  l.Hear(2, -70);
  EXPECT_EQ(l.begins.size(), 1u);
}

TEST(Listen, HearsUsersOfWhomItIsSaid) {
  Listener l({.rate = 1.0});
  for (int k = 0; k < 10; ++k) {
    for (int t = 0; t < 90; ++t) {
      UserInput user = UserAt({0, 1.6f, 2}, {0, 1.6f, 0});
      user.speaks = t < 60;
      l.stage.users = {user};
      l.Tick();
    }
  }
  EXPECT_EQ(l.begins.size(), 10u);
}

// Downwards, of the head and neck alone.
TEST(Listen, NodsWithHeadAndNeck) {
  Listener l({.rate = 1.0});
  l.Hear(2, -24);
  int nodding = 0;
  for (int k = 0; k < 45; ++k) {
    l.Hear(1.0 / kListenHz, -70);
    if (l.node->nod() == 0) continue;
    ++nodding;
    const skel::Quat turn = l.parts->TurnFromRest(l.stage.pose.view(), l.parts->head);
    const skel::Vec3 front = Rotate(turn, {0, 0, 1});
    EXPECT_NEAR(std::asin(-front.y), l.node->nod(), 1e-4f);
    EXPECT_NEAR(front.x, 0, 1e-5f);
    for (int j = 0; j < l.rig->joints(); ++j) {
      const bool nods =
          j == l.parts->head || std::count(l.parts->neck.begin(), l.parts->neck.end(), j) > 0;
      if (!nods) {
        EXPECT_LT(AngleBetween(l.stage.pose.view().rotation(j), l.rig->rest().rotation(j)), 1e-5f);
      }
    }
  }
  EXPECT_GT(nodding, 8);
}

}  // namespace
}  // namespace posewire::graph
