#include "libs/timecode/playout.h"

#include <gtest/gtest.h>

namespace posewire::timecode {
namespace {

TEST(Playout, KeysOnTicksPassUnchangedForHours) {
  for (const FrameRate fps : {FrameRate{30, 1}, {30000, 1001}, {24, 1}, {60, 1}}) {
    for (const int64_t first : {0, 1, 7, 1000003}) {
      const Playout playout(fps.SecondsAt(first) + 0.0004, fps);
      EXPECT_EQ(playout.zero_s(), fps.SecondsAt(first));
      for (int64_t n = 0; n < 30 * 3600 * 3; n += 11) {
        ASSERT_EQ(playout.CodeAt(n), fps.SecondsAt(first + n));
      }
    }
  }
}

TEST(Playout, AZeroOffTheTicksStaysWhereItIs) {
  const FrameRate fps{30, 1};
  const Playout playout(0.35, fps);
  EXPECT_EQ(playout.zero_s(), 0.35);
  EXPECT_DOUBLE_EQ(playout.CodeAt(3), 0.45);
}

TEST(Playout, ThePrebufferIsMeasuredFromTheCodeThatIsShown) {
  const Playout playout(2.0, {30, 1});
  EXPECT_FALSE(playout.PrebufferFilled(2.05, 0, 0.1));
  EXPECT_TRUE(playout.PrebufferFilled(2.1, 0, 0.1));
  EXPECT_FALSE(playout.PrebufferFilled(2.1, 1, 0.1));
  EXPECT_TRUE(playout.PrebufferFilled(2.0 + 1.0 / 30 + 0.1, 1, 0.1));
  EXPECT_TRUE(playout.PrebufferFilled(2.0, 0, 0));
}

}  // namespace
}  // namespace posewire::timecode
