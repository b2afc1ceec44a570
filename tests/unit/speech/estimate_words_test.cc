#include "libs/speech/estimate_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "libs/speech/flite_voice.h"
#include "tests/unit/speech/speak_whole.h"
#include "tests/unit/speech/writings.h"

namespace posewire::speech {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> EstimatedTexts(absl::string_view text, absl::string_view language) {
  std::vector<std::string> texts;
  for (const Word& w : EstimateWords(text, language, 0, 1)) texts.push_back(w.text);
  return texts;
}

std::vector<std::string> AccentedTexts(absl::string_view text, absl::string_view language) {
  std::vector<std::string> texts;
  for (const Word& w : EstimateWords(text, language, 0, 1)) {
    if (w.accented) texts.push_back(w.text);
  }
  return texts;
}

TEST(EstimateWords, FindsTheWordsOfTheText) {
  EXPECT_THAT(EstimatedTexts("\"I don’t know,\" said ÉMILE: 3.5 well-known (A+B)!", "en"),
              ElementsAre("i", "don't", "know", "said", "émile", "3.5", "well-known", "a", "b"));
  EXPECT_THAT(EstimatedTexts("क्या हम चलें?", "hi"), ElementsAre("क्या", "हम", "चलें"));
  EXPECT_THAT(EstimatedTexts("오늘은 날씨가", "ko"), ElementsAre("오늘은", "날씨가"));
  EXPECT_THAT(EstimatedTexts("今天天气很好，我们去", "zh"),
              ElementsAre("今天", "天气", "很好", "我", "们", "去"));
  EXPECT_THAT(EstimatedTexts("今日はとても天気がいいです。", "ja"),
              ElementsAre("今日はとても", "天気がいいです"));
  EXPECT_THAT(EstimatedTexts("用iPhone吧", "zh"), ElementsAre("用", "iphone", "吧"));
  EXPECT_THAT(EstimateWords("?! ...", "en", 0, 1), IsEmpty());
  EXPECT_THAT(EstimateWords("", "", 0, 1), IsEmpty());
}

TEST(EstimateWords, AccentsAllButLittleWords) {
  EXPECT_THAT(AccentedTexts("The house is on the hill", ""), ElementsAre("house", "hill"));
  EXPECT_THAT(AccentedTexts("Das Haus ist auf dem Berg", "de-DE"), ElementsAre("haus", "berg"));
  EXPECT_THAT(AccentedTexts("La casa está en el monte", "es"), ElementsAre("casa", "monte"));
  EXPECT_THAT(AccentedTexts("La maison est sur la colline", "fr"),
              ElementsAre("maison", "colline"));
  EXPECT_THAT(AccentedTexts("La casa è sul monte", "it"), ElementsAre("casa", "monte"));
  EXPECT_THAT(AccentedTexts("A casa está no monte", "pt-BR"), ElementsAre("casa", "monte"));
  EXPECT_THAT(AccentedTexts("Is it?", "en"), ElementsAre("it")) << "one at least";
}

TEST(EstimateWords, SharesTheTimeOutInOrder) {
  std::mt19937 rng(41);
  for (int i = 0; i < 500; ++i) {
    std::string text = RandomMarkup(rng, 40) + kWritings[rng() % std::size(kWritings)].text;
    const std::vector<Word> words = EstimateWords(text, i % 2 == 0 ? "ja" : "en", 0.2, 3.2);
    ASSERT_FALSE(words.empty());
    EXPECT_EQ(words.front().start_s, 0.2);
    EXPECT_NEAR(words.back().end_s, 3.2, 1e-9);
    double last_s = 0.2;
    for (const Word& w : words) {
      ASSERT_GE(w.start_s, last_s);
      ASSERT_GT(w.end_s, w.start_s);
      ASSERT_DOUBLE_EQ(w.beat_s, (w.start_s + w.end_s) / 2);
      last_s = w.end_s;
    }
  }
}

TEST(EstimateWords, GivesLongWordsAndPausesTheirTime) {
  const std::vector<Word> w = EstimateWords("Extraordinary, is it", "en", 0, 1);
  ASSERT_EQ(w.size(), 3u);
  EXPECT_GT(w[0].end_s - w[0].start_s, 3 * (w[1].end_s - w[1].start_s));
  EXPECT_GT(w[1].start_s, w[0].end_s + 0.05);
  EXPECT_EQ(w[2].start_s, w[1].end_s);
}

TEST(EstimateWords, ComesNearToTheTimesOfAVoice) {
  const auto flite = MakeFliteVoice().value();
  double off_s = 0;
  int count = 0;
  for (const char* text : {"The weather in the mountains was unusually pleasant that afternoon.",
                           "She opened the window, looked at the garden and called her brother.",
                           "Nobody remembered who had left the old piano in the hall."}) {
    const std::vector<Word> want = SpeakWhole(*flite, {text})->words;
    const std::vector<Word> got =
        EstimateWords(text, "en", want.front().start_s, want.back().end_s);
    ASSERT_EQ(got.size(), want.size()) << text;
    for (size_t i = 0; i < got.size(); ++i) {
      off_s += std::abs(got[i].start_s - want[i].start_s);
      ++count;
    }
  }
  EXPECT_LT(off_s / count, 0.12);
}

}  // namespace
}  // namespace posewire::speech
