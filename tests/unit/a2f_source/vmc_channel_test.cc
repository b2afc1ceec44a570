#include "services/a2f_source/core/vmc_channel.h"

#include <cmath>
#include <random>

#include "gtest/gtest.h"
#include "services/a2f_source/core/vmc_clock.h"

namespace posewire::a2f_source {
namespace {

constexpr Stamp kSent = Stamp::kSender;

WeightChannel Ramp(double until_s, double per_s = 1) {
  WeightChannel c;
  for (int k = 0; k / 60.0 <= until_s + 1e-9; ++k) {
    const double t = k / 60.0;
    c.Add(t, t, static_cast<float>(per_s * t), kSent);
  }
  return c;
}

TEST(VmcChannel, GoesOnWithItsSpeedForAMomentThenBackAndHolds) {
  WeightChannel c = Ramp(0.5);
  EXPECT_NEAR(c.At(0.51), 0.51, 0.003);
  const float most = c.At(0.55);
  EXPECT_GT(most, 0.52);
  EXPECT_LT(most, 0.55);
  EXPECT_NEAR(c.At(0.9), 0.5, 1e-4);
  EXPECT_NEAR(c.At(60), 0.5, 1e-4);
}

TEST(VmcChannel, AStillOneStaysExact) {
  RotationChannel c;
  const skel::Quat q = skel::FromAxisAngle({0, 1, 0}, 0.7f);
  for (int k = 0; k < 30; ++k) c.Add(k / 60.0, k / 60.0, q, kSent);
  EXPECT_LT(skel::AngleBetween(c.At(0.49), q), 1e-6f);
  EXPECT_LT(skel::AngleBetween(c.At(2), q), 1e-6f);
}

TEST(VmcChannel, OrderOfArrivalDoesNotMatterWhereTheSenderTellsTimes) {
  WeightChannel in_order, shuffled;
  const double times[] = {0, 1 / 60.0, 2 / 60.0, 3 / 60.0};
  const int order[] = {1, 0, 3, 2};
  for (int i = 0; i < 4; ++i) {
    in_order.Add(times[i], 0.05, static_cast<float>(times[i]), kSent);
    shuffled.Add(times[order[i]], 0.05, static_cast<float>(times[order[i]]), kSent);
  }
  EXPECT_EQ(shuffled.newest_s(), times[3]);
  EXPECT_NEAR(shuffled.At(5), in_order.At(5), 1e-6);
}

TEST(VmcChannel, AnOldSampleDoesNotMoveIt) {
  WeightChannel c = Ramp(0.5);
  const float before = c.At(0.51);
  c.Add(0.1, 0.51, 7, kSent);
  EXPECT_EQ(c.At(0.51), before);
}

TEST(VmcChannel, AJumpIsEasedAndReached) {
  WeightChannel c;
  c.Add(0, 0, 0, kSent);
  c.Add(1, 1, 1, kSent);
  EXPECT_EQ(c.At(1), 0);
  double last = 0;
  for (int k = 1; k <= 30; ++k) {
    const float now = c.At(1 + k / 60.0);
    EXPECT_LE(now - last, WeightKind::kEase_s / 60 + 1e-4);
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_NEAR(last, 1, 1e-3);
}

TEST(VmcChannel, ATurnAboutIsEasedBelowFortyDegreesAFrame) {
  RotationChannel c;
  c.Add(0, 0, {}, kSent);
  c.Add(1, 1, {0, 1, 0, 0}, kSent);
  skel::Quat last = c.At(1);
  for (int k = 1; k <= 60; ++k) {
    const skel::Quat now = c.At(1 + k / 30.0);
    EXPECT_LT(skel::AngleBetween(last, now), 40 * M_PI / 180);
    last = now;
  }
  EXPECT_LT(skel::AngleBetween(last, {0, 1, 0, 0}), 1e-3f);
}

TEST(VmcChannel, TwoSamplesOfOneMomentTellNoSpeed) {
  WeightChannel c;
  c.Add(1, 1, 0, kSent);
  c.Add(1.001, 1.001, 0.5, kSent);
  EXPECT_LE(c.At(1.05), 0.5f);
  EXPECT_NEAR(c.At(3), 0.5, 1e-4);
}

// A slow but plain way to say what is right: the sender's own curve.
TEST(VmcChannel, FollowsTheSendersCurveOverABadNetwork) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> chance(0, 1);
  const auto curve = [](double t) { return 0.5 + 0.5 * std::sin(5 * t); };
  WeightChannel c;
  struct Packet {
    double at_s, sent_s;
  };
  std::vector<Packet> packets;
  for (int k = 0; k < 1800; ++k) {
    if (chance(random) < 0.05) continue;
    packets.push_back({k / 60.0 + 0.03 * chance(random), k / 60.0});
  }
  std::sort(packets.begin(), packets.end(),
            [](const Packet& a, const Packet& b) { return a.at_s < b.at_s; });
  size_t next = 0;
  double squares = 0;
  for (int k = 30; k < 1800; ++k) {
    const double now_s = (k + 0.5) / 60;
    for (; next < packets.size() && packets[next].at_s <= now_s; ++next) {
      const Packet& p = packets[next];
      c.Add(p.sent_s, p.at_s, static_cast<float>(curve(p.sent_s)), kSent);
    }
    const double off = c.At(now_s) - curve(now_s);
    squares += off * off;
  }
  // The newest packet alone, as it comes, is some 0.04 off.
  EXPECT_LT(std::sqrt(squares / 1770), 0.02);
}

TEST(VmcClock, TakesTheFastestPacketAndIgnoresTheLate) {
  VmcClock clock;
  EXPECT_TRUE(clock.Arrived(100.02, 5));
  EXPECT_FALSE(clock.Arrived(100.1, 5.1));
  EXPECT_FALSE(clock.Arrived(100.25, 5.2));
  EXPECT_NEAR(clock.SenderTime(100.25), 5.25, 1e-9);
}

TEST(VmcClock, FollowsADriftSlowly) {
  VmcClock clock;
  double last = 0;
  for (int k = 0; k < 6000; ++k) {
    const double now_s = 50 + k / 60.0;
    clock.Arrived(now_s, k / 60.0 * 1.001);
    const double sender_s = clock.SenderTime(now_s);
    if (k > 60) {
      EXPECT_LT(sender_s - last, 1 / 60.0 + 0.0002);
    }
    last = sender_s;
  }
  EXPECT_NEAR(last, 5999 / 60.0 * 1.001, 0.02);
}

TEST(VmcClock, ASenderThatStartsAgainIsNoticed) {
  VmcClock clock;
  clock.Arrived(100, 500);
  EXPECT_FALSE(clock.Arrived(101, 501));
  EXPECT_TRUE(clock.Arrived(101.5, 0));
  EXPECT_NEAR(clock.SenderTime(102), 0.5, 1e-9);
}

}  // namespace
}  // namespace posewire::a2f_source
