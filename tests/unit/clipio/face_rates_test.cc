// Tables of Live Link Face at each rate that it and others offer, which the tables do not say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/formats/csv/face_time.h"
#include "libs/timecode/smpte.h"
#include "tests/unit/clipio/clips.h"
#include "tests/unit/wire/status_matchers.h"

namespace posewire::clipio {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr DoubtfulFile kPhone{"phone.csv"};
constexpr char kPhoneHead[] = "Timecode,BlendShapeCount,EyeBlinkLeft,JawOpen,HeadYaw\n";

// Rows from this frame of the day on, every `step` frames.
std::string Rows(const timecode::FrameRate& rate, int64_t first, int64_t count, int64_t step = 1,
                 const std::string& fraction = ".000", bool drop_frame = false) {
  std::string text;
  const int64_t labels = csv::LabelsASecond(rate) * 86400;
  for (int64_t k = 0; k < count; ++k) {
    int64_t frame = first + k * step;
    if (!drop_frame && frame >= labels) frame -= labels;
    const std::string label = timecode::ToSmpte(frame, rate, drop_frame);
    absl::StrAppend(&text, label, fraction, ",61,0.25,0.5,0\n");
  }
  return text;
}

TEST(FaceRates, AreFoundByWhereSecondsEnd) {
  const struct {
    const char* rate;
    bool drop_frame;
  } cases[] = {{"24", false}, {"25", false},   {"30", false},    {"29.97", true},
               {"50", false}, {"59.94", true}, {"60", false},    {"48", false},
               {"90", false}, {"120", false},  {"100/1", false}, {"240/1", false}};
  for (const auto& c : cases) {
    const timecode::FrameRate rate = *timecode::ParseFrameRate(c.rate);
    for (const int64_t first : {int64_t{0}, int64_t{1000017}}) {
      const DoubtedClip read =
          kPhone.Read(kPhoneHead + Rows(rate, first, 400, 1, ".000", c.drop_frame));
      ASSERT_THAT(read.end, IsOk()) << c.rate;
      EXPECT_THAT(read.warnings, IsEmpty()) << c.rate;
      ASSERT_EQ(read.frames(), 400u);
      for (const size_t k : {1u, 100u, 399u}) {
        EXPECT_NEAR(read.weights(k).time_code(), rate.SecondsAt(static_cast<int64_t>(k)), 1e-9)
            << c.rate << " row " << k;
      }
    }
  }
}

TEST(FaceRates, RowsAtHalfTheRateOfTheirTimeCodes) {
  const DoubtedClip read = kPhone.Read(kPhoneHead + Rows({60, 1}, 7, 90, 2));
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_NEAR(read.weights(89).time_code(), 89 / 30.0, 1e-9);
}

// The phone's clock is not quite the recording's, and a row is lost now and then.
TEST(FaceRates, FractionsAndLostRowsDoNotChangeTheRate) {
  std::mt19937 random(2);
  for (const int64_t hz : {24, 25, 30, 50, 60, 120}) {
    std::string text = kPhoneHead;
    std::vector<double> wanted;
    for (int64_t k = 0; k < 12 * hz; ++k) {
      if (random() % 40 == 0) continue;
      const double frame = static_cast<double>(k) + static_cast<double>(random() % 200) / 1000;
      wanted.push_back(frame / static_cast<double>(hz));
      absl::StrAppendFormat(&text, "00:00:%02d:%06.3f,61,0.1,0.2,0\n", k / hz,
                            frame - static_cast<double>(k / hz * hz));
    }
    const DoubtedClip read = kPhone.Read(text);
    ASSERT_THAT(read.end, IsOk());
    EXPECT_THAT(read.warnings, IsEmpty()) << hz;
    ASSERT_EQ(read.frames(), wanted.size());
    EXPECT_NEAR(read.weights(read.frames() - 1).time_code(), wanted.back() - wanted.front(), 2e-3);
  }
}

TEST(FaceRates, GoOnOverMidnight) {
  for (const char* text : {"24", "30", "60"}) {
    const timecode::FrameRate rate = *timecode::ParseFrameRate(text);
    const int64_t day = 86400 * rate.num;
    const DoubtedClip read = kPhone.Read(kPhoneHead + Rows(rate, day - 200, 400));
    ASSERT_THAT(read.end, IsOk());
    EXPECT_NEAR(read.weights(399).time_code(), rate.SecondsAt(399), 1e-6) << text;
    EXPECT_THAT(read.warnings, IsEmpty());
  }
}

TEST(FaceRates, WhatDoesNotSettleThemIsSaidOnce) {
  const DoubtedClip brief = kPhone.Read(kPhoneHead + Rows({60, 1}, 60, 12));
  EXPECT_NEAR(brief.weights(11).time_code(), 11 / 60.0, 1e-9);
  EXPECT_THAT(brief.warnings,
              ElementsAre(AllOf(HasSubstr("phone.csv: its time codes, with frames up to 11"),
                                HasSubstr("taken for 60 (--fps of"))));
  const DoubtedClip second = kPhone.Read(kPhoneHead + Rows({25, 1}, 0, 25));
  EXPECT_NEAR(second.weights(24).time_code(), 24 / 25.0, 1e-9);
  EXPECT_THAT(second.warnings, ElementsAre(HasSubstr("taken for 25 (--fps")));
  // One second, with an unknown part lost at its end.
  const DoubtedClip torn = kPhone.Read(kPhoneHead + Rows({30, 1}, 0, 26) + Rows({30, 1}, 30, 5));
  EXPECT_THAT(torn.warnings, ElementsAre(HasSubstr("--fps of")));
}

TEST(FaceRates, FpsGoesBeforeWhatIsFound) {
  const std::string text = kPhoneHead + Rows({30, 1}, 0, 90);
  for (const char* fps : {"30", "29.97", "59.94", "120"}) {
    const timecode::FrameRate rate = *timecode::ParseFrameRate(fps);
    const DoubtedClip read = kPhone.Read(text, fps);
    ASSERT_THAT(read.end, IsOk()) << fps;
    EXPECT_THAT(read.warnings, IsEmpty());
    EXPECT_NEAR(read.weights(29).time_code(), rate.SecondsAt(29), 1e-9);
  }
  EXPECT_THAT(kPhone.Read(text, "25").end,
              Invalid(AllOf(HasSubstr("line 27: Timecode \"00:00:00:25.000\""),
                            HasSubstr("with FF below 25 at 25 frames a second (--fps"))));
}

TEST(FaceRates, TimesWithoutFramesNeedNone) {
  const DoubtedClip read = kPhone.Read(absl::StrCat(
      kPhoneHead, "10:00:00.900,61,0,0,0\n10:00:01,61,0,0,0\n10:00:01.250,61,0,0,0\n"));
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_NEAR(read.weights(1).time_code(), 0.1, 1e-9);
  EXPECT_NEAR(read.weights(2).time_code(), 0.35, 1e-9);
}

TEST(FaceRates, OddTimeCodesAreRejectedByTheirLine) {
  for (const char* code :
       {"24:00:00:00", "00:00:00:-1", "00:00:00:1e1", "00:60:00:00", "", "00:00:00:00:00",
        "a:b:c:d", "00:00:00:", "00:00:03:60", "00:00:1.2.3"}) {
    const DoubtedClip read =
        kPhone.Read(kPhoneHead + Rows({60, 1}, 0, 180) + absl::StrCat(code, ",61,0,0,0\n"));
    EXPECT_THAT(read.end, Invalid(HasSubstr("phone.csv: line 182: Timecode "))) << code;
  }
}

// The clip does not depend on how a spreadsheet or another system saved the table.
TEST(FaceTables, OneTableSavedInAHundredWaysIsTheSameClip) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    const bool phone = round % 2 == 0;
    const int shapes = 1 + static_cast<int>(random() % 5);
    std::vector<std::vector<std::string>> cells(1);
    cells[0].push_back(phone ? "Timecode" : "timeCode");
    if (phone) cells[0].push_back("BlendShapeCount");
    for (int s = 0; s < shapes; ++s) {
      cells[0].push_back(absl::StrCat(phone ? "" : "blendShapes.", "Shape", s));
    }
    for (int k = 0; k < 70; ++k) {
      std::vector<std::string>& row = cells.emplace_back();
      row.push_back(phone ? absl::StrFormat("00:00:%02d:%02d.000", k / 30, k % 30)
                          : absl::StrFormat("%.6f", k / 30.0));
      if (phone) row.push_back("61");
      for (int s = 0; s < shapes; ++s)
        row.push_back(absl::StrCat(0.125 * static_cast<double>(random() % 9)));
    }
    const auto text = [&](bool plain) {
      const auto may = [&] { return !plain && random() % 2 == 0; };
      const std::string end =
          plain ? "\n" : std::vector<std::string>{"\n", "\r\n", "\r"}[random() % 3];
      const bool quoted = may(), blanks = may(), angles = may(), rows_without_face = may();
      std::string out = may() ? "\xef\xbb\xbf" : "";
      for (size_t r = 0; r < cells.size(); ++r) {
        std::vector<std::string> row = cells[r];
        if (r == 0 && may()) row[0] = absl::AsciiStrToUpper(row[0]);
        if (r == 0 && phone && may()) row[1] = "blendshapecount";
        if (r > 0 && may()) row.back() += "0000";
        if (r > 0 && row.back().find('.') == std::string::npos) {
          row.back() = absl::StrCat(std::stod(cells[r].back()), ".0");
        }
        if (angles) row.push_back(r == 0 ? (phone ? "HeadYaw" : "note") : "3");
        if (rows_without_face && phone && r > 0 && random() % 8 == 0) {
          absl::StrAppend(&out, row[0], ",0", std::string(row.size() - 2, ','), end);
        }
        for (std::string& cell : row) {
          if (quoted && random() % 2 == 0) cell = absl::StrCat("\"", cell, "\"");
          if (blanks && random() % 3 == 0) cell = absl::StrCat(" ", cell, "\t");
        }
        absl::StrAppend(&out, absl::StrJoin(row, ","), end);
        if (may() && random() % 8 == 0) absl::StrAppend(&out, end, " ", end);
      }
      if (may()) out = std::string(absl::StripTrailingAsciiWhitespace(out));
      return out;
    };
    const DoubtedClip wanted = kPhone.Read(text(true));
    ASSERT_THAT(wanted.end, IsOk());
    ASSERT_EQ(wanted.frames(), 70u);
    for (int way = 0; way < 4; ++way) {
      const std::string other = text(false);
      const DoubtedClip read = kPhone.Read(other);
      ASSERT_THAT(read.end, IsOk()) << other;
      EXPECT_THAT(read.warnings, IsEmpty()) << other;
      ASSERT_EQ(read.messages.size(), wanted.messages.size()) << other;
      for (size_t i = 0; i < read.messages.size(); ++i) {
        ASSERT_EQ(read.messages[i].SerializeAsString(), wanted.messages[i].SerializeAsString())
            << i << "\n"
            << other;
      }
    }
  }
}

}  // namespace
}  // namespace posewire::clipio
