#include "libs/timecode/track_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace posewire::timecode {
namespace {

using ::testing::HasSubstr;
using Codes = std::vector<double>;

std::string Fault(TrackOrder& track, const Codes& codes) {
  const absl::Status status = track.Add(codes);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(TrackOrder, TakesCodesThatStrictlyIncreaseOverMessages) {
  TrackOrder track("rotations");
  EXPECT_FALSE(track.last_s().has_value());
  EXPECT_TRUE(track.Add(Codes{0, 0.5, 1}).ok());
  EXPECT_TRUE(track.Add(Codes{}).ok());
  EXPECT_TRUE(track.Add(Codes{1.0001}).ok());
  EXPECT_EQ(*track.last_s(), 1.0001);
}

TEST(TrackOrder, NamesFieldIndexAndValueOfARepeatOrAStepBack) {
  TrackOrder track("rotations");
  EXPECT_EQ(Fault(track, {0, 1, 1}),
            "rotations[2].time_code is 1 after 1; time codes of a track must increase strictly");
  EXPECT_THAT(Fault(track, {2, 1}), HasSubstr("rotations[1].time_code is 1 after 2;"));
}

TEST(TrackOrder, MessagesMustNotOverlap) {
  TrackOrder track("scales");
  ASSERT_TRUE(track.Add(Codes{0, 2}).ok());
  EXPECT_THAT(
      Fault(track, {1, 3}),
      HasSubstr("scales[0].time_code is 1, but earlier messages reach 2; messages of a track "
                "must not overlap"));
  EXPECT_THAT(Fault(track, {2}), HasSubstr("must not overlap"));
}

TEST(TrackOrder, CodesAreFiniteAndNotNegative) {
  TrackOrder track("weights");
  EXPECT_THAT(Fault(track, {-0.1}), HasSubstr("at least 0"));
  EXPECT_THAT(Fault(track, {0, std::numeric_limits<double>::quiet_NaN()}), HasSubstr("finite"));
  EXPECT_THAT(Fault(track, {std::numeric_limits<double>::infinity()}), HasSubstr("finite"));
}

TEST(TrackOrder, TheFirstKeyMayBeAnywhereButLaterJumpsAreBounded) {
  TrackOrder track("weights");
  ASSERT_TRUE(track.Add(Codes{1e6}).ok());
  ASSERT_TRUE(track.Add(Codes{1e6 + 300}).ok());
  EXPECT_THAT(Fault(track, {1e6 + 600.5}), HasSubstr("at most 300 s apart"));
}

TEST(TrackOrder, ErrorsTellCloseCodesOfLongStreamsApart) {
  TrackOrder track("weights");
  ASSERT_TRUE(track.Add(Codes{86400.0333}).ok());
  EXPECT_THAT(Fault(track, {86400}), HasSubstr("is 86400, but earlier messages reach 86400.0333"));
}

TEST(CheckTimeCode, TakesZeroToTheBoundAndNothingElse) {
  EXPECT_TRUE(CheckTimeCode("audio", 0).ok());
  EXPECT_TRUE(CheckTimeCode("audio", kMaxCode_s).ok());
  EXPECT_FALSE(CheckTimeCode("audio", std::nextafter(kMaxCode_s, 2e10)).ok());
  EXPECT_EQ(CheckTimeCode("audio", -1).message(),
            "audio.time_code is -1; must be finite seconds, at least 0 and at most 10000000000");
}

TEST(TrackOrder, OneCodeIsTakenExactlyWhenAMessageOfItIs) {
  TrackOrder all("weights"), one("weights");
  const double codes[] = {
      -1,  std::numeric_limits<double>::quiet_NaN(), 5,   5,         4.9, 5.1, 305.2, 305,
      305, std::numeric_limits<double>::infinity(),  306, kMaxCode_s};
  for (const double time_code_s : codes) {
    EXPECT_EQ(one.TryAdd(time_code_s), all.Add(Codes{time_code_s}).ok()) << time_code_s;
    EXPECT_EQ(one.last_s(), all.last_s()) << time_code_s;
  }
}

TEST(TrackOrder, AFaultTakesNothing) {
  TrackOrder track("weights");
  ASSERT_TRUE(track.Add(Codes{1}).ok());
  EXPECT_FALSE(track.Add(Codes{2, 3, 3}).ok());
  EXPECT_EQ(*track.last_s(), 1);
  EXPECT_TRUE(track.Add(Codes{1.5}).ok());
}

}  // namespace
}  // namespace posewire::timecode
