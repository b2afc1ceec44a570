#include "libs/timecode/key_spacing.h"

#include <gtest/gtest.h>

namespace posewire::timecode {
namespace {

KeySpacing Keys(int count, double hz, double start_s = 0) {
  KeySpacing spacing;
  for (int k = 0; k < count; ++k) spacing.Add(start_s + k / hz);
  return spacing;
}

TEST(KeySpacing, TellsTheRateOfEvenKeys) {
  for (const FrameRate& rate : {FrameRate{24, 1},
                                {24000, 1001},
                                {25, 1},
                                {30, 1},
                                {30000, 1001},
                                {60000, 1001},
                                {90, 1},
                                {1, 1}}) {
    EXPECT_EQ(Keys(300, rate.hz(), 7).Rate(), rate) << ToString(rate);
  }
  EXPECT_EQ(Keys(2, 30).Rate(), (FrameRate{30, 1}));
}

TEST(KeySpacing, TellsNoRateWhereThereIsNone) {
  EXPECT_EQ(KeySpacing().Rate(), std::nullopt);
  EXPECT_EQ(Keys(1, 30).Rate(), std::nullopt);
  EXPECT_EQ(Keys(300, 29.5).Rate(), std::nullopt);
  EXPECT_EQ(Keys(5, 0.4).Rate(), std::nullopt);
  KeySpacing hole = Keys(30, 30);
  hole.Add(31 / 30.0);
  EXPECT_FALSE(hole.IsEven());
  EXPECT_EQ(hole.Rate(), std::nullopt);
}

TEST(KeySpacing, TakesCodesThatWereRounded) {
  KeySpacing spacing;
  for (const double code : {0.0, 0.033333, 0.066667, 0.1, 0.133333}) spacing.Add(code);
  EXPECT_EQ(spacing.Rate(), (FrameRate{30, 1}));
}

}  // namespace
}  // namespace posewire::timecode
