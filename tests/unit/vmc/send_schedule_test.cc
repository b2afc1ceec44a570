#include "libs/vmc/send_schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace posewire::vmc {
namespace {

TEST(SendSchedule, SendsEverythingEachFrameUntilItIsTold) {
  SendSchedule schedule(90);
  for (int k = 0; k < 200; ++k) {
    const SendSchedule::Due due = schedule.Next();
    EXPECT_TRUE(due.status && due.root && due.bones && due.shapes && due.camera && due.devices);
    EXPECT_EQ(due.seldom, k % 90 == 0);
  }
}

TEST(SendSchedule, ObeysThePeriodOfEachKind) {
  SendSchedule schedule;
  schedule.Take(SetPeriod{1, 2, 3, 4, 5, 6});
  for (int k = 0; k < 120; ++k) {
    const SendSchedule::Due due = schedule.Next();
    EXPECT_TRUE(due.status);
    EXPECT_EQ(due.root, k % 2 == 0);
    EXPECT_EQ(due.bones, k % 3 == 0);
    EXPECT_EQ(due.shapes, k % 4 == 0);
    EXPECT_EQ(due.camera, k % 5 == 0);
    EXPECT_EQ(due.devices, k % 6 == 0);
  }
}

TEST(SendSchedule, PeriodsBelowOneMeanEveryFrame) {
  SendSchedule schedule(0);
  schedule.Take(SetPeriod{0, -1, -2147483647 - 1, 1, 1, 1});
  for (int k = 0; k < 5; ++k) {
    const SendSchedule::Due due = schedule.Next();
    EXPECT_TRUE(due.status && due.root && due.bones && due.seldom);
  }
}

TEST(SendSchedule, ARequestBringsWhatIsSentSeldomOnce) {
  SendSchedule schedule(1000);
  EXPECT_TRUE(schedule.Next().seldom);
  EXPECT_FALSE(schedule.Next().seldom);
  schedule.Take(SetRequest());
  schedule.Take(Time{1});
  EXPECT_TRUE(schedule.Next().seldom);
  EXPECT_FALSE(schedule.Next().seldom);
}

}  // namespace
}  // namespace posewire::vmc
