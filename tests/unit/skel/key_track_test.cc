#include "libs/skel/key_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "libs/skel/math.h"

namespace posewire::skel {
namespace {

int Append(KeyTrack& track, const std::vector<std::pair<double, float>>& keys,
           double not_before_s = 0) {
  std::vector<double> time_codes_s;
  std::vector<float> values;
  for (auto [code, value] : keys) {
    time_codes_s.push_back(code);
    values.push_back(value);
  }
  return track.Append(time_codes_s, values, not_before_s);
}

float At(const KeyTrack& track, double code) {
  float scratch = NAN;
  const auto value = track.Sample(code, absl::MakeSpan(&scratch, 1));
  EXPECT_EQ(value.size(), 1u);
  return value.empty() ? NAN : value[0];
}

TEST(KeyTrack, InterpolatesBetweenKeysAndHoldsOutside) {
  KeyTrack track(1, false);
  Append(track, {{1, 10}, {2, 20}, {4, 0}});
  EXPECT_EQ(At(track, 0), 10);
  EXPECT_EQ(At(track, 1.5), 15);
  EXPECT_EQ(At(track, 3), 10);
  EXPECT_EQ(At(track, 9), 0);
}

TEST(KeyTrack, PassesAKeyUnchangedThoughItsCodeWasRounded) {
  KeyTrack track(1, false);
  Append(track, {{0.033333, 7}, {0.066667, 1000}});
  EXPECT_EQ(At(track, 1.0 / 30), 7);
  EXPECT_EQ(At(track, 2.0 / 30), 1000);
}

TEST(KeyTrack, TakesOnlyWhatIsNew) {
  KeyTrack track(1, false);
  EXPECT_EQ(Append(track, {{1, 1}, {2, 2}}), 0);
  EXPECT_EQ(Append(track, {{1, 9}, {2, 9}, {3, 3}}), 2);
  EXPECT_EQ(At(track, 2), 2);
  EXPECT_EQ(At(track, 3), 3);
}

TEST(KeyTrack, LeavesOutWhatIsLate) {
  KeyTrack track(1, false);
  EXPECT_EQ(Append(track, {{1, 1}, {2, 2}, {3, 3}}, 2.5), 2);
  EXPECT_EQ(At(track, 0), 3);
}

TEST(KeyTrack, IsEmptyUntilSomethingCame) {
  KeyTrack track(1, false);
  float v = 0;
  EXPECT_TRUE(track.Sample(0, absl::MakeSpan(&v, 1)).empty());
  EXPECT_FALSE(track.ever());
}

TEST(KeyTrack, TurnsTheShortWay) {
  const Quat half = FromAxisAngle({0, 0, 1}, 0.5f);
  const Quat whole = FromAxisAngle({0, 0, 1}, 1);
  for (const float sign : {1.0f, -1.0f}) {
    KeyTrack track(4, true);
    const std::vector<double> time_codes_s = {0, 1};
    const std::vector<float> values = {
        1, 0, 0, 0, sign * whole.w, sign * whole.x, sign * whole.y, sign * whole.z};
    track.Append(time_codes_s, values);
    float v[4];
    ASSERT_EQ(track.Sample(0.5, absl::MakeSpan(v, 4)).data(), v);
    EXPECT_NEAR(std::fabs(Dot({v[0], v[1], v[2], v[3]}, half)), 1, 1e-6);
    const auto held = track.Sample(9, absl::MakeSpan(v, 4));
    EXPECT_EQ(std::vector<float>(held.begin(), held.end()),
              std::vector<float>(values.begin() + 4, values.end()));
  }
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
      Append(track, keys);
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
}  // namespace posewire::skel
