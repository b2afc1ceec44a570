#include "services/a2f_source/core/vmc_channel.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

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

TEST(VmcChannel, InGoodTimesItGoesAsTheSenderDidAPeriodLater) {
  WeightChannel c;
  for (int k = 0; k < 120; ++k) {
    const double t = k / 60.0;
    c.Add(t, t, static_cast<float>(std::sin(9 * t)), kSent);
    if (k < 15) continue;
    const double now_s = t + 0.004;
    EXPECT_NEAR(c.At(now_s), std::sin(9 * (now_s - 1 / 60.0)), 0.004) << k;
  }
}

TEST(VmcChannel, GoesOnWithItsSpeedForAMomentThenBackAndHolds) {
  WeightChannel c = Ramp(0.5);
  const double delay_s = 1 / 60.0;
  EXPECT_NEAR(c.At(0.50 + delay_s), 0.5, 1e-4);
  EXPECT_NEAR(c.At(0.52 + delay_s), 0.52, 1e-4);
  const float most = c.At(0.55 + delay_s);
  EXPECT_GT(most, 0.53);
  EXPECT_LT(most, 0.55);
  EXPECT_NEAR(c.At(0.9 + delay_s), 0.5, 1e-4);
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
  float last = 0;
  for (int k = 0; k < 90; ++k) {
    const double t = k / 60.0;
    c.Add(t, t, k < 60 ? 0 : 1, kSent);
    const float now = c.At(t);
    EXPECT_LE(now - last, WeightKind::kMost_s / 60 + 1e-4);
    EXPECT_GE(now, last - 1e-4);
    last = now;
    if (k == 60) {
      EXPECT_LT(now, 0.5);
    }
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

struct Followed {
  double largest_step = 0, sent_step = 0, rms = 0;
};

// Half a minute of a curve at 60 Hz, with 5 % lost and `jitter_s`, against the curve itself.
Followed Follow(Stamp stamp, double jitter_s) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> chance(0, 1);
  const auto curve = [](double t) { return 0.5 + 0.5 * std::sin(5 * t); };
  struct Packet {
    double at_s, sent_s;
  };
  std::vector<Packet> packets;
  for (int k = 0; k < 1800; ++k) {
    if (jitter_s > 0 && chance(random) < 0.05) continue;
    packets.push_back({k / 60.0 + jitter_s * chance(random), k / 60.0});
  }
  std::sort(packets.begin(), packets.end(),
            [](const Packet& a, const Packet& b) { return a.at_s < b.at_s; });
  Followed f;
  WeightChannel c;
  size_t next = 0;
  float last = 0;
  double squares = 0;
  for (int k = 5; k < 1800; ++k) {
    const double now_s = (k + 0.5) / 60;
    for (; next < packets.size() && packets[next].at_s <= now_s; ++next) {
      const Packet& p = packets[next];
      c.Add(stamp == kSent ? p.sent_s : p.at_s, p.at_s, static_cast<float>(curve(p.sent_s)), stamp);
    }
    const float shown = c.At(now_s);
    const double off = shown - curve(now_s - 1 / 60.0);
    if (k > 60) {
      f.largest_step = std::max<double>(f.largest_step, std::fabs(shown - last));
      f.sent_step = std::max(f.sent_step, std::fabs(curve(now_s) - curve(now_s - 1 / 60.0)));
      squares += off * off;
    }
    last = shown;
  }
  f.rms = std::sqrt(squares / 1740);
  return f;
}

TEST(VmcChannel, FollowsTheSendersCurveOverABadNetwork) {
  const Followed good = Follow(kSent, 0), bad = Follow(kSent, 0.03);
  EXPECT_LT(good.rms, 0.001);
  EXPECT_LT(bad.rms, 0.015);
  EXPECT_LT(bad.largest_step, 1.8 * bad.sent_step);
}

TEST(VmcChannel, WithoutTimesItStaysCalmerThanPreciseOverABadNetwork) {
  const Followed good = Follow(Stamp::kArrival, 0), bad = Follow(Stamp::kArrival, 0.03);
  EXPECT_LT(good.rms, 0.001);
  EXPECT_LT(bad.rms, 0.08);
  EXPECT_LT(bad.largest_step, 2 * bad.sent_step);
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
