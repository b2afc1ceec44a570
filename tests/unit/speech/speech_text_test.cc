#include "libs/speech/speech_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/speech/split_speech_text.h"

namespace posewire::speech {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Clean(absl::string_view text) {
  const absl::StatusOr<SpokenText> clean = CleanSpeechText(text);
  return clean.ok() ? clean->text : clean.status().ToString();
}

std::vector<std::string> Split(absl::string_view text) {
  std::vector<std::string> out;
  for (const TextPiece& p : SplitSpeechText(text)) out.push_back(p.text);
  return out;
}

TEST(CleanSpeechText, KeepsLettersAndNotesWhatItLeavesOut) {
  const absl::StatusOr<SpokenText> clean = CleanSpeechText("**Año** 😀 日本, see https://a.b");
  ASSERT_TRUE(clean.ok());
  EXPECT_EQ(clean->text, "Año 日本, see");
  EXPECT_THAT(clean->notes,
              ElementsAre(HasSubstr("1 character left out"), HasSubstr("1 web or e-mail address")));
  EXPECT_THAT(CleanSpeechText("plain").value().notes, IsEmpty());
}

TEST(CleanSpeechText, RejectsTextWithoutAWord) {
  for (const char* text :
       {"", "   ", "!?...", "😀", "\n\n", "()", "https://a.b", "```\ncode\n```"}) {
    const absl::Status s = CleanSpeechText(text).status();
    EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(s.message()), HasSubstr("text: ")) << text;
  }
}

TEST(CleanSpeechText, RejectsBytesThatAreNotUtf8AndNamesThem) {
  EXPECT_THAT(Clean("ab\xFFgh"), HasSubstr("byte 2 (0xFF) is not UTF-8"));
  for (const char* text : {"a\xC3", "a\xC0\xAF", "a\xED\xA0\x80", "a\xF5\x80\x80\x80", "a\xE2\x82",
                           "a\x80", "a\xF0\x80\x80\x80"}) {
    EXPECT_EQ(CleanSpeechText(text).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(CleanSpeechText, TakesAtMost64KiB) {
  EXPECT_TRUE(CleanSpeechText(std::string(64 * 1024, 'a')).ok());
  EXPECT_THAT(Clean(std::string(64 * 1024 + 1, 'a')), HasSubstr("65537 bytes"));
}

TEST(SplitSpeechText, CutsAtSentences) {
  EXPECT_THAT(Split("One. Two! Three? Four"), ElementsAre("One.", "Two!", "Three?", "Four"));
  EXPECT_THAT(Split("He said \"stop.\" Then he left."),
              ElementsAre("He said \"stop.\"", "Then he left."));
  EXPECT_THAT(Split("What?! No..."), ElementsAre("What?!", "No..."));
}

TEST(SplitSpeechText, KeepsAbbreviationsInitialsAndNumbersWhole) {
  for (const char* text : {"Dr. Smith met Mr. J. Jones.", "It costs $3.50 at most.",
                           "Use tea, e.g. Assam.", "See No. 5 on p. 7.", "Go to a.b.com now.",
                           "It is 5 p.m. and late.", "Eggs, milk etc. are here."}) {
    EXPECT_THAT(Split(text), ElementsAre(text));
  }
  EXPECT_THAT(Split("hello there. how are you?"), ElementsAre("hello there.", "how are you?"));
  EXPECT_THAT(Split("So do I. You know."), ElementsAre("So do I.", "You know."));
}

TEST(SplitSpeechText, CutsAtBlankLinesAndListItems) {
  EXPECT_THAT(Split("A title\n\nSome\ntext"), ElementsAre("A title", "Some text"));
  EXPECT_THAT(Split("Take\n- eggs\n- milk"), ElementsAre("Take", "- eggs", "- milk"));
}

TEST(SplitSpeechText, TellsHowAPieceEnds) {
  const std::vector<TextPiece> p = SplitSpeechText("Is it? It is!\n\nFine.");
  ASSERT_EQ(p.size(), 3u);
  EXPECT_EQ(p[0].ending, SpeechEnding::kQuestion);
  EXPECT_FALSE(p[0].ends_paragraph);
  EXPECT_EQ(p[1].ending, SpeechEnding::kExclamation);
  EXPECT_TRUE(p[1].ends_paragraph);
  EXPECT_EQ(p[2].ending, SpeechEnding::kStatement);
}

TEST(SplitSpeechText, CutsLongSentencesAtClausesAndJoiningWords) {
  const std::string clause =
      "when the long and rather dull speech about the state of the roads had ended at last, "
      "everyone in the hall stood up and went home";
  const std::vector<TextPiece> p = SplitSpeechText(clause);
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[0].text.back(), ',');
  EXPECT_EQ(p[0].ending, SpeechEnding::kClause);
  EXPECT_EQ(p[1].ending, SpeechEnding::kStatement);
  const std::vector<TextPiece> joined = SplitSpeechText(
      "the old man walked slowly down the road that leads past the mill and the church to the "
      "small green house beside the river bank");
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].ending, SpeechEnding::kCut);
  EXPECT_EQ(joined[1].text.rfind("to the small", 0), 0u) << joined[1].text;
}

// Every letter and digit of the text comes out, in order, in pieces that keep to their limits.
TEST(SplitSpeechText, LosesNothingAndKeepsToItsLimits) {
  std::mt19937 rng(5);
  const std::vector<std::string> bits = {"a",   "word", "Dr.", ". ", "! ",  "? ",
                                         ", ",  " ",    " ",   " ",  "\n",  "\n\n",
                                         "and", "12.5", "\"",  "- ", "...", "tomorrow"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (size_t n = rng() % 120; n > 0; --n) text += bits[rng() % bits.size()];
    const absl::StatusOr<SpokenText> clean = CleanSpeechText(text);
    if (!clean.ok()) continue;
    std::string want, got;
    for (const char c : clean->text) {
      if (std::isalnum(static_cast<unsigned char>(c))) want += c;
    }
    for (const TextPiece& p : SplitSpeechText(clean->text, 80, 200)) {
      ASSERT_LE(p.text.size(), got.size() < 20 ? 80u : 200u);
      ASSERT_EQ(p.text.find('\n'), std::string::npos);
      for (const char c : p.text) {
        if (std::isalnum(static_cast<unsigned char>(c))) got += c;
      }
    }
    ASSERT_EQ(got, want) << text;
  }
}

}  // namespace
}  // namespace posewire::speech
