#include "services/anim_graph/core/key_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "libs/skel/math.h"

namespace posewire::anim_graph {
namespace {

wire::KeyBlock Block(std::vector<std::pair<double, float>> keys) {
  wire::KeyBlock b;
  b.width = 1;
  for (auto [code, value] : keys) {
    b.codes_s.push_back(code);
    b.values.push_back(value);
  }
  return b;
}

float At(const KeyTrack& track, double code) {
  float scratch = NAN;
  const auto value = track.Sample(code, absl::MakeSpan(&scratch, 1));
  EXPECT_EQ(value.size(), 1u);
  return value.empty() ? NAN : value[0];
}

TEST(KeyTrack, InterpolatesBetweenKeysAndHoldsOutside) {
  KeyTrack track(1, false);
  track.Append(Block({{1, 10}, {2, 20}, {4, 0}}), 0);
  EXPECT_EQ(At(track, 0), 10);
  EXPECT_EQ(At(track, 1.5), 15);
  EXPECT_EQ(At(track, 3), 10);
  EXPECT_EQ(At(track, 9), 0);
}

TEST(KeyTrack, PassesAKeyUnchangedThoughItsCodeWasRounded) {
  KeyTrack track(1, false);
  track.Append(Block({{0.033333, 7}, {0.066667, 1000}}), 0);
  EXPECT_EQ(At(track, 1.0 / 30), 7);
  EXPECT_EQ(At(track, 2.0 / 30), 1000);
}

TEST(KeyTrack, TakesOnlyWhatIsNew) {
  KeyTrack track(1, false);
  EXPECT_EQ(track.Append(Block({{1, 1}, {2, 2}}), 0), 0);
  EXPECT_EQ(track.Append(Block({{1, 9}, {2, 9}, {3, 3}}), 0), 2);
  EXPECT_EQ(At(track, 2), 2);
  EXPECT_EQ(At(track, 3), 3);
}

TEST(KeyTrack, LeavesOutWhatIsLate) {
  KeyTrack track(1, false);
  EXPECT_EQ(track.Append(Block({{1, 1}, {2, 2}, {3, 3}}), 2.5), 2);
  EXPECT_EQ(At(track, 0), 3);
}

TEST(KeyTrack, IsEmptyUntilSomethingCame) {
  KeyTrack track(1, false);
  float v = 0;
  EXPECT_TRUE(track.Sample(0, absl::MakeSpan(&v, 1)).empty());
  EXPECT_FALSE(track.ever());
}

TEST(KeyTrack, TurnsTheShortWay) {
  KeyTrack track(4, true);
  wire::KeyBlock b;
  b.width = 4;
  b.codes_s = {0, 1};
  const skel::Quat q = skel::FromAxisAngle({0, 0, 1}, 1.0f);
  b.values = {1, 0, 0, 0, -q.w, -q.x, -q.y, -q.z};
  track.Append(b, 0);
  float v[4];
  ASSERT_EQ(track.Sample(0.5, absl::MakeSpan(v, 4)).data(), v);
  const skel::Quat want = skel::FromAxisAngle({0, 0, 1}, 0.5f);
  EXPECT_NEAR(std::fabs(skel::Dot({v[0], v[1], v[2], v[3]}, want)), 1, 1e-6);
}

// Against a map of all keys: random appends, discards and samples.
TEST(KeyTrack, AgreesWithAMapOfAllKeys) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 200; ++round) {
    KeyTrack track(1, false);
    std::map<double, float> all;
    double code = 0, at = 0;
    for (int step = 0; step < 60; ++step) {
      std::vector<std::pair<double, float>> keys;
      for (int i = static_cast<int>(uniform(rng) * 4); i > 0; --i) {
        code += 0.01 + uniform(rng);
        keys.emplace_back(code, static_cast<float>(uniform(rng)));
        all.insert(keys.back());
      }
      track.Append(Block(keys), 0);
      if (all.empty()) continue;
      at += uniform(rng);
      const auto hi = all.upper_bound(at);
      double want = 0;
      if (hi == all.begin()) {
        want = hi->second;
      } else if (hi == all.end()) {
        want = std::prev(hi)->second;
      } else {
        const auto lo = std::prev(hi);
        want = lo->second + (hi->second - lo->second) * (at - lo->first) / (hi->first - lo->first);
      }
      EXPECT_NEAR(At(track, at), want, 1e-3);
      track.DiscardBefore(at);
      EXPECT_NEAR(At(track, at), want, 1e-3);
    }
    EXPECT_LT(track.size(), 70u);
  }
}

}  // namespace
}  // namespace posewire::anim_graph
