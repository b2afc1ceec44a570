#include "services/renderer_sink/core/rebaser.h"

#include "gtest/gtest.h"

namespace posewire::renderer_sink {
namespace {

wire::ChunkTimes TimesAt(double code_s) { return {code_s, code_s, code_s}; }

TEST(Rebaser, StartsAtTheFirstFrame) {
  Rebaser rebaser;
  rebaser.OnHeader(1.7e9);
  EXPECT_FALSE(rebaser.origin_epoch_s().has_value());
  EXPECT_EQ(rebaser.OnMessage(TimesAt(5000), 1)->code_s, 0);
  EXPECT_NEAR(rebaser.OnMessage(TimesAt(5000.5), 1.5)->code_s, 0.5, 1e-9);
  EXPECT_NEAR(*rebaser.origin_epoch_s(), 1.7e9 + 5000, 1e-6);
}

TEST(Rebaser, ThePoseOfTheFirstFrameLiesAtZeroAndNotItsSound) {
  Rebaser rebaser;
  rebaser.OnHeader(0);
  // Tick 1: the sound begins 20.8 us before the pose.
  const auto place = rebaser.OnMessage({533 / 16000.0, 0.06, 1 / 30.0}, 0);
  EXPECT_EQ(place->code_s, 0);
  EXPECT_EQ(place->shift_s, -1 / 30.0);
}

TEST(Rebaser, GoesOnBehindAllThatAMessageHeld) {
  Rebaser rebaser;
  rebaser.OnHeader(1.7e9);
  // A clip of ten seconds in one message, and another one that is pushed at once behind it.
  rebaser.OnMessage({.earliest_s = 0, .latest_s = 10, .first_pose_s = 0, .newest_key_s = 10}, 5);
  rebaser.OnHeader(1.7e9 + 0.03);
  const auto place = rebaser.OnMessage(TimesAt(0), 5.03);
  EXPECT_TRUE(place->moved);
  EXPECT_GT(place->code_s, 10);
  EXPECT_LT(place->code_s, 10.1);
}

TEST(Rebaser, MessagesWithoutCodesHaveNoPlace) {
  Rebaser rebaser;
  rebaser.OnHeader(0);
  EXPECT_FALSE(rebaser.OnMessage(wire::ChunkTimes(), 0).has_value());
}

TEST(Rebaser, TheSameServerGoesOnByItsCodes) {
  Rebaser rebaser;
  rebaser.OnHeader(1.7e9);
  rebaser.OnMessage(TimesAt(10), 100);
  rebaser.OnHeader(1.7e9);
  const auto place = rebaser.OnMessage(TimesAt(12.5), 102.4);
  EXPECT_NEAR(place->code_s, 2.5, 1e-9);
  EXPECT_NEAR(*place->hole_s, 2.5, 1e-9);
  EXPECT_FALSE(place->moved);
  EXPECT_FALSE(rebaser.OnMessage(TimesAt(12.6), 102.5)->hole_s.has_value());
}

TEST(Rebaser, ARestartedServerGoesOnByEpochAndCode) {
  Rebaser rebaser;
  rebaser.OnHeader(1.7e9);
  rebaser.OnMessage(TimesAt(1000), 50);
  rebaser.OnHeader(1.7e9 + 1003);
  const auto place = rebaser.OnMessage(TimesAt(0.25), 53.3);
  EXPECT_NEAR(place->code_s, 3.25, 1e-6);
  EXPECT_FALSE(place->moved);
}

TEST(Rebaser, AnEpochThatNoClockHasDoesNotTearTheLine) {
  for (const double epoch_s : {1e300, -1e308, 1.5e308}) {
    Rebaser rebaser;
    rebaser.OnHeader(1e308);
    rebaser.OnMessage(TimesAt(10), 100);
    rebaser.OnHeader(epoch_s);
    const auto place = rebaser.OnMessage(TimesAt(7), 102);
    EXPECT_TRUE(place->moved);
    EXPECT_NEAR(place->code_s, 2, 1e-9) << epoch_s;
    EXPECT_NEAR(rebaser.OnMessage(TimesAt(7.5), 102.5)->code_s, 2.5, 1e-9) << epoch_s;
    rebaser.OnHeader(1.7e9);
    EXPECT_NEAR(rebaser.OnMessage(TimesAt(3), 104)->code_s, 4, 1e-9) << epoch_s;
    rebaser.OnHeader(1.7e9 + 1);
    EXPECT_NEAR(rebaser.OnMessage(TimesAt(3), 105)->code_s, 5, 1e-6) << epoch_s;
  }
}

TEST(Rebaser, AWallClockThatSteppedDoesNotTearTheLine) {
  for (const double step_s : {-3600.0, 3600.0}) {
    Rebaser rebaser;
    rebaser.OnHeader(1.7e9);
    rebaser.OnMessage(TimesAt(0), 50);
    rebaser.OnMessage(TimesAt(9), 59);
    rebaser.OnHeader(1.7e9 + 11 + step_s);
    const auto place = rebaser.OnMessage(TimesAt(0), 61);
    EXPECT_TRUE(place->moved);
    EXPECT_NEAR(place->code_s, 11, 1e-6);
    EXPECT_NEAR(rebaser.OnMessage(TimesAt(1), 62)->code_s, 12, 1e-6);
    // And a second restart.
    rebaser.OnHeader(1.7e9 + 14 + step_s);
    const auto next = rebaser.OnMessage(TimesAt(0), 64);
    EXPECT_FALSE(next->moved) << "the new clock agrees with itself";
    EXPECT_NEAR(next->code_s, 14, 1e-6);
  }
}

TEST(Rebaser, AServerWithoutAnEpochGoesOnByTheTimeItTook) {
  Rebaser rebaser;
  rebaser.OnHeader(0);
  rebaser.OnMessage(TimesAt(600), 50);
  rebaser.OnHeader(0);
  const auto place = rebaser.OnMessage(TimesAt(0), 52);
  EXPECT_TRUE(place->moved);
  EXPECT_NEAR(place->code_s, 2, 1e-9);
}

TEST(Rebaser, TheLineRisesWhateverComes) {
  Rebaser rebaser;
  double last_s = -1;
  double receive_s = 0;
  for (int i = 0; i < 50; ++i) {
    rebaser.OnHeader(i % 3 == 0 ? 1.7e9 : i % 3 == 1 ? 0 : -5e8);
    const auto place = rebaser.OnMessage(TimesAt(i % 7), receive_s);
    EXPECT_GT(place->code_s, last_s);
    last_s = place->code_s;
    receive_s += i % 4 == 0 ? 0 : 1;
  }
}

TEST(Rebaser, HolesStayReadable) {
  Rebaser rebaser;
  rebaser.OnHeader(1.7e9);
  rebaser.OnMessage(TimesAt(0), 0);
  rebaser.OnHeader(1.7e9);
  const auto place = rebaser.OnMessage(TimesAt(4000), 4000);
  EXPECT_TRUE(place->moved);
  EXPECT_LT(place->code_s, 300);
}

}  // namespace
}  // namespace posewire::renderer_sink
