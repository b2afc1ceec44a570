#include "libs/speech/place_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace posewire::speech {
namespace {

// Each word takes a second.
std::vector<Word> Said(const std::vector<std::string>& texts) {
  std::vector<Word> words;
  for (const std::string& text : texts) {
    const auto at = static_cast<double>(words.size());
    words.push_back({text, at, at + 0.9, at + 0.4, true});
  }
  return words;
}

std::vector<std::string> WordsIn(const std::string& text, const std::vector<PlacedWord>& words) {
  std::vector<std::string> texts;
  for (const PlacedWord& w : words) texts.push_back(text.substr(w.begin, w.end - w.begin));
  return texts;
}

TEST(PlaceWords, KeepsWhatIsWritten) {
  const std::string text = "\"Hello,\" said Ann - twice!";
  const auto placed = PlaceWords(text, Said({"hello", "said", "ann", "twice"}));
  EXPECT_EQ(WordsIn(text, placed),
            (std::vector<std::string>{"\"Hello,\"", "said", "Ann -", "twice!"}));
  EXPECT_DOUBLE_EQ(placed[3].start_s, 3);
}

TEST(PlaceWords, SharesWhatIsSaidDifferently) {
  const std::string text = "In 2026 we met.";
  const auto placed = PlaceWords(text, Said({"in", "twenty", "twenty", "six", "we", "met"}));
  ASSERT_EQ(placed.size(), 4u);
  EXPECT_DOUBLE_EQ(placed[1].start_s, 1);
  EXPECT_DOUBLE_EQ(placed[1].end_s, 3.9);
  EXPECT_DOUBLE_EQ(placed[2].start_s, 4);
}

TEST(PlaceWords, GivesTimeToWordsThatAreNotSaid) {
  const auto placed = PlaceWords("a b c", Said({"a", "c"}));
  ASSERT_EQ(placed.size(), 3u);
  EXPECT_DOUBLE_EQ(placed[1].start_s, 0.9);
  EXPECT_DOUBLE_EQ(placed[1].end_s, 1);
}

TEST(PlaceWords, TakesCharactersOfChineseOneByOne) {
  const std::string text = "你好，世界。";
  const auto placed = PlaceWords(text, Said({"你好", "世界"}));
  EXPECT_EQ(WordsIn(text, placed), (std::vector<std::string>{"你", "好，", "世", "界。"}));
  for (size_t i = 1; i < placed.size(); ++i) EXPECT_GE(placed[i].start_s, placed[i - 1].start_s);
}

TEST(PlaceWords, TakesTextsWithoutWordsAndBytesThatAreNoText) {
  EXPECT_TRUE(PlaceWords("Hello", {}).empty());
  EXPECT_TRUE(PlaceWords("...", Said({"a"})).empty());
  EXPECT_TRUE(PlaceWords("", Said({"a"})).empty());
  EXPECT_EQ(PlaceWords("a \xFF\xFE b", Said({"a", "b"})).size(), 2u);
}

TEST(PlaceWords, NeverGoesBack) {
  const std::string text = "The the THE e.g. 3.5 km of 17th-century the";
  const auto placed =
      PlaceWords(text, Said({"the", "for", "example", "the", "three", "point", "five", "the"}));
  for (size_t i = 0; i < placed.size(); ++i) {
    EXPECT_LE(placed[i].start_s, placed[i].end_s) << i;
    if (i > 0) {
      EXPECT_GE(placed[i].start_s, placed[i - 1].start_s) << i;
    }
  }
}

}  // namespace
}  // namespace posewire::speech
