#include "libs/timecode/smpte.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"

namespace posewire::timecode {
namespace {

using ::testing::HasSubstr;

constexpr FrameRate kNtsc{30000, 1001};
constexpr FrameRate kNtsc60{60000, 1001};

std::string Fault(absl::string_view text, const FrameRate& rate) {
  const absl::StatusOr<int64_t> frame = ParseSmpte(text, rate);
  EXPECT_EQ(frame.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(frame.status().message());
}

TEST(Smpte, CountsWholeFrames) {
  EXPECT_EQ(ToSmpte(0, {30, 1}, false), "00:00:00:00");
  EXPECT_EQ(ToSmpte(30 * 3723 + 4, {30, 1}, false), "01:02:03:04");
  EXPECT_EQ(ToSmpte(119, {120, 1}, false), "00:00:00:119");
  EXPECT_EQ(ToSmpte(25 * 3600 * 30, {25, 1}, false), "30:00:00:00");
  EXPECT_EQ(ToSmpte(-31, {30, 1}, false), "-00:00:01:01");
  EXPECT_EQ(ToSmpte(24, {24000, 1001}, false), "00:00:01:00");
  EXPECT_EQ(ToSmpte(1800, {30, 1}, true), "00:01:00:00");  // no drop-frame at 30
}

TEST(Smpte, DropsLabelsAtTheMinuteButNotAtTheTenth) {
  EXPECT_EQ(ToSmpte(1799, kNtsc, true), "00:00:59;29");
  EXPECT_EQ(ToSmpte(1800, kNtsc, true), "00:01:00;02");
  EXPECT_EQ(ToSmpte(17981, kNtsc, true), "00:09:59;29");
  EXPECT_EQ(ToSmpte(17982, kNtsc, true), "00:10:00;00");
  EXPECT_EQ(ToSmpte(107892, kNtsc, true), "01:00:00;00");
  EXPECT_EQ(ToSmpte(3600, kNtsc60, true), "00:01:00;04");
  EXPECT_EQ(ToSmpte(215784, kNtsc60, true), "01:00:00;00");
}

// The slow reference writes one label after another and skips by the rule.
TEST(Smpte, AgreesWithCountingLabelsOneByOneOverTwoHours) {
  for (const FrameRate& rate : {kNtsc, kNtsc60}) {
    const int labels = rate == kNtsc ? 30 : 60, drops = labels / 15;
    int h = 0, m = 0, s = 0, f = 0;
    for (int64_t frame = 0; frame < labels * 7300; ++frame) {
      const std::string want = absl::StrFormat("%02d:%02d:%02d;%02d", h, m, s, f);
      if (frame % 37 == 0 || f < 6) {
        ASSERT_EQ(ToSmpte(frame, rate, true), want);
        ASSERT_EQ(*ParseSmpte(want, rate), frame);
      }
      if (++f == labels) f = 0, ++s;
      if (s == 60) s = 0, ++m;
      if (m == 60) m = 0, ++h;
      if (s == 0 && f == 0 && m % 10 != 0) f = drops;
    }
  }
}

TEST(Smpte, DropFrameKeepsUpWithTheClock) {
  // After a day the label is within 0.1 s of the time of the frame; without drops it is 86 s off.
  const int64_t frame = 30000LL * 86400 / 1001;
  EXPECT_EQ(ToSmpte(frame, kNtsc, true), "24:00:00;02");
  EXPECT_EQ(ToSmpte(frame, kNtsc, false), "23:58:33:20");
}

TEST(Smpte, ReadsBackWhatItWrites) {
  for (const FrameRate& rate : {FrameRate{24, 1}, {25, 1}, {30, 1}, {60, 1}, {120, 1}, kNtsc}) {
    for (const int64_t frame : {0, 1, 1799, 1800, 17982, 99999, 12345678, -5}) {
      for (const bool drop : {false, true}) {
        EXPECT_EQ(*ParseSmpte(ToSmpte(frame, rate, drop), rate), frame);
      }
    }
  }
}

TEST(Smpte, ReadsTimesAsUsersWriteThem) {
  EXPECT_EQ(*ParseTime("1.25", std::nullopt), 1.25);
  EXPECT_EQ(*ParseTime("-3", FrameRate{30, 1}), -3);
  EXPECT_EQ(*ParseTime("00:00:01:06", FrameRate{24, 1}), 1.25);
  EXPECT_EQ(*ParseTime("00:01:00;02", kNtsc), kNtsc.SecondsAt(1800));
  for (const char* text : {"", "soon", "1.2.3", "nan", "inf", "1s"}) {
    EXPECT_THAT(std::string(ParseTime(text, kNtsc).status().message()),
                HasSubstr("write seconds, or HH:MM:SS:FF"));
  }
  EXPECT_THAT(std::string(ParseTime("00:00:01:06", std::nullopt).status().message()),
              HasSubstr("there is no one frame rate; write seconds"));
}

TEST(Smpte, RejectsWhatIsNoTimeCode) {
  for (const char* text :
       {"", "1:2:3", "00:00:00", "00:00:00:", "a0:00:00:00", "00:00;00:00", "00;00:00:00",
        "00:00:00:0x", "00:00:-1:00", "00:00:00:00:00", "--1:0:0:0"}) {
    EXPECT_THAT(Fault(text, kNtsc), HasSubstr("write HH:MM:SS:FF")) << text;
  }
  EXPECT_THAT(Fault("00:60:00:00", {30, 1}), HasSubstr("0..59"));
  EXPECT_THAT(Fault("00:00:60:00", {30, 1}), HasSubstr("0..59"));
  EXPECT_THAT(Fault("00:00:00:30", {30, 1}), HasSubstr("frames 0..29 at 30"));
  EXPECT_THAT(Fault("00:01:00;01", kNtsc), HasSubstr("the minute begins with frame 2"));
  EXPECT_THAT(Fault("00:00:00;00", {30, 1}), HasSubstr("rate 30 has no drop-frame"));
}

}  // namespace
}  // namespace posewire::timecode
