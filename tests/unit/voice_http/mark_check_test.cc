#include "libs/voice_http/mark_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace posewire::voice_http {
namespace {

using speech::SpeechPart;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SpeechPart Loud(double seconds) {
  SpeechPart part;
  part.rate_hz = 8000;
  part.samples.assign(static_cast<size_t>(seconds * 8000), 3000);
  return part;
}

std::vector<std::string> Texts(const SpeechPart& part) {
  std::vector<std::string> out;
  for (const auto& p : part.phonemes) {
    out.push_back(absl::StrCat(p.phone, p.stressed ? "!" : "", " ", p.start_s, " ", p.end_s));
  }
  for (const auto& w : part.words) {
    out.push_back(
        absl::StrCat(w.text, w.accented ? "!" : "", " ", w.start_s, " ", w.end_s, " @", w.beat_s));
  }
  return out;
}

// All at once, for a second of voice.
SpeechPart Check(MarkBatch batch) {
  MarkCheck check(40);
  SpeechPart part = Loud(1);
  check.Take({std::move(batch)}, part);
  check.Finish(part);
  return part;
}

TEST(MarkCheck, FillsGapsSortsAndCutsSmallOverlaps) {
  const SpeechPart part = Check(
      {.phonemes = {{"b", 0.5, 0.9, false}, {"a", 0.25, 0.53, true}, {"m", 0.125, 0.25, false}},
       .words = {{"“Mab,” ", 0.125, 0.9}},
       .end_s = 1});
  EXPECT_THAT(Texts(part), ElementsAre("pau 0 0.125", "m 0.125 0.25", "a! 0.25 0.53", "b 0.53 0.9",
                                       "pau 0.9 1", "“mab,”! 0.125 0.9 @0.39"));
  EXPECT_EQ(part.marks_until_s, 1);
  EXPECT_THAT(part.notes, IsEmpty());
}

TEST(MarkCheck, WordsAloneHaveTheirBeatInTheMiddle) {
  const SpeechPart part =
      Check({.words = {{"The", 0, 0.25}, {"Weather!", 0.25, 0.75}, {".", 0.75, 0.8}}});
  EXPECT_THAT(Texts(part), ElementsAre("the 0 0.25 @0.125", "weather! 0.25 0.75 @0.5"));
  EXPECT_EQ(part.marks_until_s, 0.8);
}

TEST(MarkCheck, BatchesFollowEachOther) {
  MarkCheck check(40);
  SpeechPart first = Loud(0.5), second = Loud(0.5);
  check.Take({{.phonemes = {{"a", 0, 0.5, false}}, .words = {}, .end_s = 0.5}}, first);
  check.Take({{.phonemes = {{"o", 0.6, 1, false}}, .words = {}, .end_s = 1}}, second);
  check.Finish(second);
  EXPECT_THAT(Texts(first), ElementsAre("a 0 0.5"));
  EXPECT_THAT(Texts(second), ElementsAre("pau 0.5 0.6", "o 0.6 1"));
  EXPECT_EQ(second.marks_until_s, 1);
}

TEST(MarkCheck, DropsAllWithOneNote) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto pair = [](double start, double end) {
    return MarkBatch{.phonemes = {{"a", 0, 0.5, false}, {"b", start, end, false}}};
  };
  for (const auto& [batch, why] : std::vector<std::pair<MarkBatch, const char*>>{
           {pair(nan, 1), "lasts from nan to 1 s"},
           {pair(0.5, inf), "to inf s"},
           {pair(-0.2, 1), "before the sound"},
           {pair(0.4, 1), "the one before it to 0.5 s"},
           {pair(0.9, 0.6), "backwards"},
           {pair(0.5, 1e6), "beyond the longest sound of 40 s"},
           {pair(0.5, 1.3), "go on to 1.3 s, and the sound ends at 1 s"},
           {{.phonemes = {{"a", 0, 0.3, false}}}, "cover 0.32 s of 1 s of voice"},
           {{.phonemes = {{"a", 0, 1, false}}, .words = {{"x", 0, nan}}, .end_s = {}},
            "a word lasts"},
           {{.phonemes = {{"a", 0, 1, false}}, .words = {}, .end_s = nan},
            "a stretch ends at nan s"},
           {{.phonemes = std::vector<RawPhoneme>(10001)}, "more than 10000"},
       }) {
    const SpeechPart part = Check(batch);
    EXPECT_THAT(Texts(part), IsEmpty()) << why;
    EXPECT_EQ(part.marks_until_s, 0) << why;
    EXPECT_THAT(part.notes, ElementsAre(HasSubstr(why)));
    EXPECT_EQ(part.samples.size(), 8000u);
  }
}

TEST(MarkCheck, TakesMarksBackThatTurnOutToCoverTooLittle) {
  MarkCheck check(40);
  SpeechPart part = Loud(0.1);
  check.Take({{.phonemes = {{"a", 0, 0.2, false}}, .words = {}, .end_s = 2}}, part);
  EXPECT_EQ(part.marks_until_s, 2);
  SpeechPart later = Loud(1.5);
  check.Take({}, later);
  EXPECT_EQ(later.marks_until_s, 0);
  EXPECT_EQ(later.notes.size(), 1u);
  SpeechPart last;
  check.Take({{.phonemes = {{"a", 2, 3, false}}}}, last);
  check.Finish(last);
  EXPECT_THAT(Texts(last), IsEmpty());
  EXPECT_THAT(last.notes, IsEmpty());
}

TEST(MarkCheck, AllowsALittleBeyondTheEndAndSilenceWithoutMarks) {
  MarkCheck check(40);
  SpeechPart part = Loud(1);
  part.samples.insert(part.samples.end(), 32000, 3);
  check.Take({{.phonemes = {{"a", 0, 0.9, false}, {"pau", 0.9, 5.2, false}}}}, part);
  check.Finish(part);
  EXPECT_THAT(part.notes, IsEmpty());
  EXPECT_EQ(part.marks_until_s, 5.2);
}

}  // namespace
}  // namespace posewire::voice_http
