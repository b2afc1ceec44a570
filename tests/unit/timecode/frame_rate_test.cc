#include "libs/timecode/frame_rate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace posewire::timecode {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string>& Names() {
  static const auto& names = *new std::vector<std::string>{"24", "25",    "29.97", "30", "48",
                                                           "50", "59.94", "60",    "90", "120"};
  return names;
}

TEST(FrameRate, ParsesTheKnownRatesAndWritesThemBack) {
  for (const std::string& name : Names()) {
    const absl::StatusOr<FrameRate> rate = ParseFrameRate(name);
    ASSERT_TRUE(rate.ok()) << name;
    EXPECT_EQ(ToString(*rate), name);
    EXPECT_NEAR(rate->hz(), std::stod(name), 1e-4);
  }
  EXPECT_EQ(*ParseFrameRate("29.97"), (FrameRate{30000, 1001}));
}

TEST(FrameRate, ParsesFractionsInLowestTerms) {
  EXPECT_EQ(*ParseFrameRate("60/2"), (FrameRate{30, 1}));
  EXPECT_EQ(*ParseFrameRate("24000/1001"), (FrameRate{24000, 1001}));
  EXPECT_EQ(ToString(*ParseFrameRate("25/2")), "25/2");
}

TEST(FrameRate, ParsesWholeNumbersAsTheirFractions) {
  for (const char* text : {"1", "10", "12", "15", "31", "72", "100", "240", "1000000"}) {
    const absl::StatusOr<FrameRate> rate = ParseFrameRate(text);
    ASSERT_TRUE(rate.ok()) << rate.status();
    EXPECT_EQ(*rate, *ParseFrameRate(std::string(text) + "/1"));
    EXPECT_EQ(ToString(*rate), text);
  }
}

// As editors, cameras and ffprobe write them.
TEST(FrameRate, ParsesTelevisionsRatesExactlyHoweverTheyAreRounded) {
  const struct {
    int64_t num;
    std::vector<const char*> texts;
  } rates[] = {{24000, {"23.976", "23.98", "23.9760", "23.976024", "23.97602397602"}},
               {30000, {"29.97", "29.970", "29.97003", "29.970030"}},
               {60000, {"59.94", "59.940", "59.9401"}},
               {120000, {"119.88", "119.880"}},
               {48000, {"47.952", "47.95"}},
               {15000, {"14.985"}}};
  for (const auto& rate : rates) {
    for (const char* text : rate.texts) {
      EXPECT_EQ(*ParseFrameRate(text), (FrameRate{rate.num, 1001})) << text;
    }
  }
}

TEST(FrameRate, ParsesOtherDecimalsExactly) {
  EXPECT_EQ(*ParseFrameRate("12.5"), (FrameRate{25, 2}));
  EXPECT_EQ(*ParseFrameRate("30.0"), (FrameRate{30, 1}));
  EXPECT_EQ(*ParseFrameRate("30.000"), (FrameRate{30, 1}));
  EXPECT_EQ(*ParseFrameRate("29.96"), (FrameRate{749, 25}));
  EXPECT_EQ(*ParseFrameRate("29.9"), (FrameRate{299, 10}));  // one digit says too little
  EXPECT_EQ(*ParseFrameRate("9.99999"), (FrameRate{999999, 100000}));
}

TEST(FrameRate, WritesEveryRateSoThatItReadsBack) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int64_t> num(1001, 240000);
  for (int i = 0; i < 2000; ++i) {
    const FrameRate rate =
        *ParseFrameRate(std::to_string(num(random)) + (i % 2 == 0 ? "/1001" : "/1000"));
    EXPECT_EQ(*ParseFrameRate(ToString(rate)), rate) << ToString(rate);
  }
}

TEST(FrameRate, RejectsEverythingElse) {
  for (const char* text : {"",
                           "0",
                           "-30",
                           "30/",
                           "/1",
                           "30/0",
                           "0/1",
                           "-30/1",
                           "1/2",
                           "a/b",
                           "30/1/1",
                           "30 ",
                           "29,97",
                           "30.",
                           ".5",
                           "0.999",
                           "1000001",
                           "1000001/1",
                           "100001/100001",
                           "+30",
                           "3e1",
                           "1.2.3",
                           "fifty",
                           "30fps",
                           "99999999999999999999",
                           "24.0000000000001"}) {
    const absl::StatusOr<FrameRate> rate = ParseFrameRate(text);
    EXPECT_EQ(rate.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(rate.status().message()), HasSubstr("such as 24, 25, 29.97, 30"));
  }
}

TEST(FrameRate, TheTimeOfATickBuildsUpNoErrorOverHours) {
  const FrameRate rate{30000, 1001};
  // 10 hours less their drift are exactly this many frames.
  EXPECT_EQ(rate.SecondsAt(30000LL * 36), 1001.0 * 36);
  EXPECT_EQ((FrameRate{30, 1}).SecondsAt(30LL * 36000 + 1), (30.0 * 36000 + 1) / 30);
}

TEST(FrameRate, EveryTickFindsItselfOverTenHours) {
  for (const std::string& name : Names()) {
    const FrameRate rate = *ParseFrameRate(name);
    const auto last = static_cast<int64_t>(rate.hz() * 36000);
    for (int64_t k = 0; k < last; k += 7) {
      const double t_s = rate.SecondsAt(k);
      ASSERT_EQ(rate.TickAtOrBefore(t_s), k);
      ASSERT_EQ(rate.NearestTick(t_s), k);
      ASSERT_EQ(rate.TickAtOrBefore(std::nextafter(t_s, -1.0)), k - 1);
      ASSERT_EQ(rate.NearestTick(std::nextafter(t_s, -1.0)), k);
    }
  }
}

TEST(FrameRate, RandomTimesLieBetweenTheirTicks) {
  std::mt19937_64 rng(1);
  std::uniform_real_distribution<double> time(-100, 40000);
  for (const std::string& name : Names()) {
    const FrameRate rate = *ParseFrameRate(name);
    for (int i = 0; i < 2000; ++i) {
      const double t_s = time(rng);
      const int64_t k = rate.TickAtOrBefore(t_s), nearest = rate.NearestTick(t_s);
      EXPECT_LE(rate.SecondsAt(k), t_s);
      EXPECT_GT(rate.SecondsAt(k + 1), t_s);
      EXPECT_LE(std::fabs(rate.SecondsAt(nearest) - t_s), rate.period_s() / 2 + 1e-9);
    }
  }
}

TEST(FrameRate, EndlessTimesComeToAnEnd) {
  const FrameRate rate{120, 1};
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rate.TickAtOrBefore(1e300), rate.TickAtOrBefore(inf));
  EXPECT_GT(rate.TickAtOrBefore(inf), 0);
  EXPECT_LT(rate.TickAtOrBefore(-inf), 0);
}

TEST(SnapToTick, MovesOnlyWhatLiesWithinAMillisecond) {
  const FrameRate rate{30, 1};
  EXPECT_EQ(SnapToTick(1.0 / 3 + 0.0009, rate), 10.0 / 30);
  EXPECT_EQ(SnapToTick(1.0 / 3 - 0.0009, rate), 10.0 / 30);
  EXPECT_EQ(SnapToTick(0.3344, rate), 0.3344);
  EXPECT_EQ(SnapToTick(0.35, rate), 0.35);
  EXPECT_EQ(SnapToTick(0, rate), 0);
  EXPECT_EQ(SnapToTick(static_cast<float>(7.0 / 30), rate), 7.0 / 30);
}

}  // namespace
}  // namespace posewire::timecode
