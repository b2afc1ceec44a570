#include "services/renderer_sink/core/prop_track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "libs/skel/math.h"

namespace posewire::renderer_sink {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

wire::Prop At(const std::string& name, float x, float turn_rad = 0) {
  wire::Prop prop;
  prop.name = name;
  prop.position = {x, 1, 0};
  prop.rotation = skel::FromAxisAngle({0, 1, 0}, turn_rad);
  return prop;
}

TEST(PropTrack, MovesThingsFromOneFrameToTheNext) {
  PropTrack track;
  track.Add(1, {At("cup", 0), At("box", 5)});
  track.Add(1.04, {At("cup", 0.4f, 0.2f), At("box", 5)});
  EXPECT_THAT(track.At(0.99), IsEmpty());
  const auto between = track.At(1.01);
  ASSERT_THAT(between, SizeIs(2));
  EXPECT_NEAR(between[0].position.x, 0.1f, 1e-4f);
  EXPECT_NEAR(AngleBetween(between[0].rotation, skel::FromAxisAngle({0, 1, 0}, 0.05f)), 0, 1e-3f);
  EXPECT_EQ(between[1].position.x, 5);
  EXPECT_NEAR(track.At(1.04)[0].position.x, 0.4f, 1e-4f);
  EXPECT_NEAR(track.At(9)[0].position.x, 0.4f, 1e-4f);
}

TEST(PropTrack, APropAtRestDoesNotMoveTowardsItsNextPlace) {
  PropTrack track;
  track.Add(1, {At("cup", 0)});
  track.Add(11, {At("cup", 1)});
  EXPECT_EQ(track.At(10.9)[0].position.x, 0);
  EXPECT_EQ(track.At(11)[0].position.x, 1);
}

TEST(PropTrack, ThingsComeAndGoAtTheirMoments) {
  PropTrack track;
  track.Add(1, {At("cup", 0)});
  track.Add(1.03, {At("cup", 0), At("box", 1)});
  track.Add(1.06, {At("box", 1)});
  track.Add(1.09, {});
  EXPECT_THAT(track.At(1.02), SizeIs(1));
  EXPECT_THAT(track.At(1.05), SizeIs(2));
  EXPECT_EQ(track.At(1.07)[0].name, "box");
  EXPECT_THAT(track.At(1.09), IsEmpty());
}

TEST(PropTrack, KeepsNoMoreThanItMayAndAlwaysTheNewest) {
  PropTrack track(4);
  for (int k = 0; k < 100; ++k) track.Add(k, {At("cup", static_cast<float>(k))});
  EXPECT_EQ(track.size(), 4u);
  EXPECT_EQ(track.At(2)[0].position.x, 2);
  EXPECT_EQ(track.At(100)[0].position.x, 99);
  track.DiscardBefore(100);
  EXPECT_EQ(track.size(), 1u);
  EXPECT_EQ(track.At(100)[0].position.x, 99);
}

TEST(PropTrack, IsWhatALookAtAllStatesSays) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(0, 1);
  for (int round = 0; round < 50; ++round) {
    PropTrack track;
    std::map<double, float> states;
    for (int k = 0; k < 40; ++k) {
      const double at_s = 3 * any(random);
      states[at_s] = static_cast<float>(any(random));
      track.Add(at_s, {At("cup", states[at_s])});
    }
    double discarded_s = 0;
    for (double at_s = 0.01; at_s < 3.2; at_s += 0.05 * any(random)) {
      double before_s = -1, after_s = 99;
      for (const auto& [s, x] : states) {
        if (s <= at_s) before_s = s;
        if (s > at_s && after_s == 99) after_s = s;
      }
      const auto seen = track.At(at_s);
      ASSERT_EQ(seen.empty(), before_s < 0);
      if (before_s < 0) continue;
      double x = states[before_s];
      if (after_s - before_s <= PropTrack::kLongestStep_s) {
        x += (states[after_s] - x) * (at_s - before_s) / (after_s - before_s);
      }
      ASSERT_NEAR(seen[0].position.x, x, 1e-3) << at_s;
      if (at_s > discarded_s + 0.7) track.DiscardBefore(discarded_s = at_s);
    }
  }
}

}  // namespace
}  // namespace posewire::renderer_sink
