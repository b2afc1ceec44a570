#include "libs/speech/clause_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "libs/speech/cut_point.h"
#include "libs/speech/text_cleaner.h"
#include "tests/unit/speech/writings.h"

namespace posewire::speech {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Texts = std::vector<std::string>;

std::vector<TextPiece> Split(absl::string_view text, absl::string_view language,
                             const ClauseLimits& limits = {}) {
  ClauseSplitter splitter(language, limits);
  std::vector<TextPiece> pieces = splitter.Add(text);
  for (TextPiece& p : splitter.Flush()) pieces.push_back(std::move(p));
  return pieces;
}

Texts TextsOf(const std::vector<TextPiece>& pieces) {
  Texts texts;
  for (const TextPiece& p : pieces) texts.push_back(p.text);
  return texts;
}

Texts Sentences(absl::string_view text, absl::string_view language) {
  return TextsOf(Split(text, language));
}

size_t WordsOf(const std::string& text) {
  return 1 + static_cast<size_t>(std::count(text.begin(), text.end(), ' '));
}

TEST(ClauseSplitter, FindsTheSentencesOfEveryLanguage) {
  for (const Writing& w : kWritings) {
    const std::vector<TextPiece> p = Split(w.text, w.language);
    ASSERT_EQ(p.size(), 2u) << w.language;
    EXPECT_EQ(WordCharsOf(p[0].text + p[1].text), WordCharsOf(w.text)) << w.language;
  }
}

TEST(ClauseSplitter, NeedsNoSpacesInJapaneseAndChinese) {
  EXPECT_THAT(Sentences("你好。我是小明！你呢？", "zh"),
              ElementsAre("你好。", "我是小明！", "你呢？"));
  EXPECT_THAT(Sentences("「行こう。」と言った。はい!次", "ja"),
              ElementsAre("「行こう。」", "と言った。", "はい!", "次"));
  EXPECT_THAT(Sentences("你好.我在.net用v2.0吧", "zh"), ElementsAre("你好.", "我在.net用v2.0吧"));
  EXPECT_THAT(Sentences("第一行\n第二行", "ja"), ElementsAre("第一行第二行"));
}

TEST(ClauseSplitter, KnowsOpeningsQuotesAndEndings) {
  EXPECT_THAT(Sentences("Hola.¿Qué tal? ¡Bien!", "es"),
              ElementsAre("Hola.", "¿Qué tal?", "¡Bien!"));
  EXPECT_THAT(Sentences("« Viens ! » Puis il dort.", "fr"),
              ElementsAre("« Viens ! »", "Puis il dort."));
  EXPECT_THAT(Sentences("„Geh!“ Er ging. »Wohin?« Fort.", "de"),
              ElementsAre("„Geh!“", "Er ging.", "»Wohin?«", "Fort."));
  EXPECT_THAT(Sentences("Wait… what…ever. No…", "en"), ElementsAre("Wait…", "what…ever.", "No…"));
  const std::vector<TextPiece> greek = Split("Πάμε; Ναι.", "el");
  ASSERT_EQ(greek.size(), 2u);
  EXPECT_EQ(greek[0].ending, SpeechEnding::kQuestion);
  for (const auto& [text, ending] : {std::pair{"走？", SpeechEnding::kQuestion},
                                     {"هل؟", SpeechEnding::kQuestion},
                                     {"走！", SpeechEnding::kExclamation},
                                     {"है।", SpeechEnding::kStatement}}) {
    EXPECT_EQ(Split(text, "").at(0).ending, ending) << text;
  }
}

TEST(ClauseSplitter, KeepsAbbreviationsOfTheLanguageWhole) {
  const std::pair<const char*, const char*> whole[] = {
      {"de", "Hr. Dr. Maier kommt z.B. am 3. Mai bzw. am 12. Juni."},
      {"de", "Das kostet ca. 3,50 Euro, z. B. in Bonn."},
      {"es", "El Sr. García y la Dra. Ruiz viven en EE. UU. desde 3.5 años, p. ej. aquí."},
      {"fr", "M. Dupont et Mme. Roy, p. ex. au 5 bd. Hugo, etc. sont là."},
      {"it", "Il dott. Rossi, la sig.ra Bianchi, ecc. sono a pag. 5."},
      {"pt", "O Sr. Silva e a Dra. Costa moram na av. Brasil, p. ex. aqui."},
      {"en", "\"Dr. Smith,\" she said, \"is e.g. here at 3.5 p.m. or so.\""},
      {"cs", "Je to 3. května."},
      {"ru", "Это А. С. Пушкин."}};
  for (const auto& [language, text] : whole) {
    EXPECT_THAT(Sentences(text, language), ElementsAre(text)) << language;
  }
  EXPECT_THAT(Sentences("Ich bin es. Wer?", "de-AT"), ElementsAre("Ich bin es.", "Wer?"));
  EXPECT_THAT(Sentences("It was 12. Then we left.", "en"),
              ElementsAre("It was 12.", "Then we left."));
}

TEST(ClauseSplitter, MakesAPieceOfItemsAndParagraphs) {
  EXPECT_THAT(Sentences("1. Buy milk.\u20282. Go home.\u2028eggs", ""),
              ElementsAre("1. Buy milk.", "2. Go home.", "eggs"));
  const std::vector<TextPiece> p = Split("One.\n\nTwo", "");
  EXPECT_TRUE(p[0].ends_paragraph);
}

TEST(ClauseSplitter, StartsShortAndGrowsForSlowVoices) {
  const std::string text =
      "Well, to be quite frank, the whole of the old town was flooded in a single night, and those "
      "who lived near the river had to leave their houses with what they could carry, while the "
      "others looked on from the hill, and nobody knew when it would end or what would be left of "
      "it all when the water went back to where it had come from in the first days of that spring";
  const std::vector<TextPiece> p = Split(text, "en", kSlowVoiceLimits);
  ASSERT_GT(p.size(), 4u);
  EXPECT_EQ(p[0].text, "Well, to be quite frank,") << "the first comma after two words";
  EXPECT_EQ(p[0].ending, SpeechEnding::kClause);
  for (size_t i = 1; i < p.size(); ++i) {
    EXPECT_LE(p[i].text.size(), std::max<size_t>(36, p[i - 1].text.size() * 3 / 2)) << p[i].text;
    EXPECT_LE(p[i].text.size(), 160u);
    EXPECT_LE(WordsOf(p[i].text), 14u) << p[i].text;
  }
  const std::vector<TextPiece> greeting =
      Split("Good morning! Maybe Bob may move the big blue box, before the baby wakes up.", "en",
            kSlowVoiceLimits);
  EXPECT_LE(greeting[1].text.size(), 36u) << "ready when the greeting is over";
  EXPECT_THAT(TextsOf(Split("Yes, of course it is.", "en", kSlowVoiceLimits)),
              ElementsAre("Yes, of course it is."))
      << "one word is too short";
  EXPECT_THAT(TextsOf(Split("今天下午，我们去散步。", "zh", kSlowVoiceLimits)),
              ElementsAre("今天下午，", "我们去散步。"));
}

TEST(ClauseSplitter, CutsLongSentencesWithoutSpaces) {
  std::string japanese;
  for (int i = 0; i < 40; ++i) japanese += "私は本をゆっくり読みます";
  std::string all;
  for (const TextPiece& p : Split(japanese, "ja")) {
    EXPECT_LE(LettersOf(p.text), 300u);
    all += p.text;
  }
  EXPECT_EQ(all, japanese);
  const std::vector<TextPiece> comma = Split(
      "今日はとても天気がいいので家族みんなで近くの公園へ行って、"
      "お弁当を食べたり写真を撮ったりして夕方まで過ごしました。",
      "ja");
  ASSERT_EQ(comma.size(), 2u);
  EXPECT_EQ(comma[0].ending, SpeechEnding::kClause);
}

TEST(ClauseSplitter, UsesTheJoiningWordsOfTheLanguage) {
  const std::vector<TextPiece> p = Split(
      "der alte Mann ging ganz langsam die lange staubige Straße entlang und dachte dabei fast "
      "unaufhörlich an seine längst vergangene Jugendzeit",
      "de");
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[1].text.rfind("und dachte", 0), 0u) << p[1].text;
}

TEST(ClauseSplitter, GivesASentenceWhenTheNextCharacterIsSeen) {
  ClauseSplitter splitter("en");
  EXPECT_THAT(splitter.Add("It is 3."), IsEmpty());
  EXPECT_THAT(splitter.Add("5. "), IsEmpty());
  EXPECT_THAT(TextsOf(splitter.Add("S")), ElementsAre("It is 3.5."));
  EXPECT_THAT(TextsOf(splitter.Flush()), ElementsAre("S"));
  EXPECT_THAT(splitter.Flush(), IsEmpty());
}

// However a text is cut into calls, within characters too, cleaner and splitter give the same
// pieces.
TEST(ClauseSplitter, CutsOfTheInputChangeNothing) {
  std::mt19937 rng(31);
  const ClauseLimits limits[] = {{}, kSlowVoiceLimits, {60, 80}};
  constexpr const char* kLanguages[] = {"en", "de", "fr", "ja", "el"};
  for (int i = 0; i < 5000; ++i) {
    std::string text = RandomMarkup(rng, 80);
    if (i % 4 == 0) text += kWritings[rng() % std::size(kWritings)].text;
    const ClauseLimits& limit = limits[rng() % 3];
    const char* language = kLanguages[rng() % 5];
    TextCleaner cleaner, whole;
    ClauseSplitter splitter(language, limit), direct(language, limit);
    std::vector<TextPiece> got, raw;
    const auto add = [](std::vector<TextPiece> from, std::vector<TextPiece>& to) {
      for (TextPiece& p : from) to.push_back(std::move(p));
    };
    for (size_t at = 0; at < text.size();) {
      const size_t size = 1 + rng() % (i % 3 == 0 ? 1 : 12);
      const absl::string_view part = absl::string_view(text).substr(at, size);
      add(splitter.Add(cleaner.Add(part)), got);
      add(direct.Add(part), raw);
      at += size;
    }
    add(splitter.Add(cleaner.Flush()), got);
    add(splitter.Flush(), got);
    add(direct.Flush(), raw);
    std::string clean = whole.Add(text);
    clean += whole.Flush();
    for (const auto& [pieces, want] :
         {std::pair{got, Split(clean, language, limit)}, {raw, Split(text, language, limit)}}) {
      ASSERT_EQ(pieces.size(), want.size()) << text;
      for (size_t k = 0; k < pieces.size(); ++k) {
        ASSERT_EQ(pieces[k].text, want[k].text) << text;
        ASSERT_EQ(pieces[k].ending, want[k].ending) << text;
        ASSERT_EQ(pieces[k].ends_paragraph, want[k].ends_paragraph) << text;
      }
    }
  }
}

TEST(ClauseSplitter, TakesRunsThatNeverEnd) {
  for (const char* bit : {" ", ".", ")", "\n", "。", "a", "漢", ",", "?) "}) {
    std::string text = "a";
    while (text.size() < 10000) text += bit;
    ClauseSplitter splitter("en", kSlowVoiceLimits);
    Texts got;
    for (const char c : text) {
      for (const TextPiece& p : splitter.Add(std::string(1, c))) got.push_back(p.text);
    }
    for (const TextPiece& p : splitter.Flush()) got.push_back(p.text);
    EXPECT_EQ(got, TextsOf(Split(text, "en", kSlowVoiceLimits))) << bit;
  }
}

// Every letter comes out, in order, in pieces of one line that keep to their limits.
TEST(ClauseSplitter, LosesNoLetterAndKeepsToItsLimits) {
  std::mt19937 rng(37);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = RandomMarkup(rng, 200);
    std::string got;
    for (const TextPiece& p : Split(text, "en", kSlowVoiceLimits)) {
      ASSERT_LE(LettersOf(p.text), 160u);
      ASSERT_EQ(p.text.find('\n'), std::string::npos);
      ASSERT_FALSE(p.text.front() == ' ' || p.text.back() == ' ');
      got += WordCharsOf(p.text);
    }
    ASSERT_EQ(got, WordCharsOf(text));
  }
}

TEST(ClauseSplitter, GivesTheStartOfASentenceInAHurry) {
  ClauseSplitter splitter("en");
  EXPECT_TRUE(splitter.Add("One two three fo").empty());
  EXPECT_TRUE(splitter.Hurry().empty()) << "three words are too few, and the last may go on";
  EXPECT_TRUE(splitter.Add("ur five, six se").empty());
  std::vector<TextPiece> pieces = splitter.Hurry();
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].text, "One two three four five,");
  EXPECT_EQ(pieces[0].ending, SpeechEnding::kClause);
  EXPECT_TRUE(splitter.Hurry().empty());
  splitter.Add("ven eight.");
  pieces = splitter.Flush();
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].text, "six seven eight.");
}

}  // namespace
}  // namespace posewire::speech
