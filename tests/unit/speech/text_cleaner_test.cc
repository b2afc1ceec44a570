#include "libs/speech/text_cleaner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "libs/speech/unicode_text.h"
#include "tests/unit/speech/writings.h"

namespace posewire::speech {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Cleaned(absl::string_view text) {
  TextCleaner cleaner;
  std::string out = cleaner.Add(text);
  return out + cleaner.Flush();
}

std::vector<std::string> Notes(absl::string_view text) {
  TextCleaner cleaner;
  cleaner.Add(text);
  cleaner.Flush();
  return cleaner.notes();
}

void ExpectClean(const std::vector<std::pair<const char*, const char*>>& cases) {
  for (const auto& [text, clean] : cases) EXPECT_EQ(Cleaned(text), clean) << text;
}

TEST(TextCleaner, KeepsTheLettersOfEveryLanguage) {
  for (const Writing& w : kWritings) {
    EXPECT_EQ(Cleaned(w.text), w.text) << w.language;
    EXPECT_THAT(Notes(w.text), IsEmpty()) << w.language;
  }
  ExpectClean({{"El año de la piñata", "El año de la piñata"},
               {"e\u0301te\u0301", "e\u0301te\u0301"},
               {"می\u200Cخواهم", "می\u200Cخواهم"},
               {"क्\u200Dष", "क्\u200Dष"}});
}

TEST(TextCleaner, LeavesASmallerThanAlone) {
  ExpectClean({{"Let a<b hold. Then c>d.", "Let a b hold. Then c d."},
               {"x<y, z>w", "x y, z w"},
               {"one <b>two</b> three", "one two three"}});
  EXPECT_EQ(Cleaned("Let a<b hold.\n\nThen c>d."), "Let a b hold.\n\nThen c d.");
}

TEST(TextCleaner, TakesOffEmphasisAndCodeMarks) {
  ExpectClean({{"This is **very** *good* and __so__ _on_.", "This is very good and so on."},
               {"un**believ**able ~~not~~", "unbelievable not"},
               {"Call `print(x)` or ```ls```.", "Call print(x) or ls."},
               {"snake_case 2*3 2 * 3 3~5", "snake case 2 3 2 3 3 5"},
               {"***All*** of **it**", "All of it"},
               {"**重要**です", "重要です"},
               {"\\*not\\* 5\\. x\\_y", "not 5. x y"},
               {"C# #tag 50%", "C# #tag 50%"}});
}

TEST(TextCleaner, MakesASentenceOfHeadingsItemsAndRows) {
  ExpectClean({{"# Title\nText", "Title.\u2028Text"},
               {"## Title ##\n\nText", "Title.\n\nText"},
               {"Is it?\n===\nYes", "Is it?\u2028Yes"},
               {"Take:\n- eggs\n- milk\n\nGo", "Take:\u2028eggs.\u2028milk.\n\nGo"},
               {"* one\n  more\n* two!", "one\nmore.\u2028two!"},
               {"• eins\n• zwei", "eins.\u2028zwei."},
               {"1. Go\n2. Stay", "1. Go.\u20282. Stay."},
               {"- [ ] wash\n- [x] iron", "wash.\u2028iron."},
               {"见下:\n- 鸡蛋\n- 牛奶", "见下:\u2028鸡蛋。\u2028牛奶。"},
               {"# हिन्दी\nपाठ", "हिन्दी।\u2028पाठ"},
               {"| a | b |\n|---|:-:|\n| 1 | 2 |\nend", "a, b.\u20281, 2.\u2028end"},
               {"> quoted\n> text\n\nmine", "quoted\ntext\n\nmine"},
               {"one\n\n---\n\ntwo", "one\n\ntwo"},
               {"A title\n\nSome\ntext", "A title\n\nSome\ntext"}});
}

TEST(TextCleaner, DoesNotMistakeProseForLists) {
  ExpectClean({{"It was in\n2024. Then", "It was in\n2024. Then"},
               {"-5 degrees", "-5 degrees"},
               {"3.5 is\n3.5", "3.5 is\n3.5"},
               {"well - so", "well - so"},
               {"#1 of 3", "#1 of 3"}});
}

TEST(TextCleaner, SaysTheTextOfLinksAndImages) {
  ExpectClean({{"See [the docs](https://a.b/c_d \"t\") now.", "See the docs now."},
               {"![a cat](cat.png) sits", "a cat sits"},
               {"[a][1] and [b][]", "a and b"},
               {"[A_(b)](https://a.b/A_(b)).", "A(b)."},
               {"He said [sic] (as ever) so.", "He said sic (as ever) so."},
               {"true[^1].", "true."},
               {"[1](he said so)", "1 (he said so)"}});
}

TEST(TextCleaner, LeavesOutAddressesWithANote) {
  ExpectClean({{"Go to https://example.com/a?b=c#d, please.", "Go to, please."},
               {"WWW.example.com is up", "is up"},
               {"(see http://a.b/c)", "(see)"},
               {"mail me@example.co.uk or first.last+x@a.de.", "mail or."},
               {"<https://a.b> and <me@a.de>", "and"},
               {"请看https://a.cn/b。谢谢", "请看。谢谢"},
               {"a@b is none, nor is http", "a@b is none, nor is http"},
               {"[https://a.b](https://a.b) x", "x"}});
  EXPECT_THAT(Notes("http://a.b me@a.de [x](http://c.d)"),
              ElementsAre("text: 2 web or e-mail addresses left out"));
}

TEST(TextCleaner, LeavesOutBlocksOfCodeWithANote) {
  ExpectClean({{"Run:\n```sh\nrm -rf /\n```\nDone", "Run:\u2028Done"},
               {"~~~\na\n```\nb\n~~~\nc", "c"},
               {"```\nnever closed", ""}});
  EXPECT_THAT(Notes("```\na\n```\n\n```\nb"), ElementsAre("text: 2 blocks of code left out"));
}

TEST(TextCleaner, LeavesOutEmojiWithANote) {
  ExpectClean({{"Hi 😀 there", "Hi there"},
               {"👩‍👩‍👧‍👦 family", "family"},
               {"👍🏽 ok ❤️", "ok"},
               {"🇩🇪 Hallo 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "Hallo"},
               {"1️⃣ first #️⃣", "first"},
               {"A → B ✓", "A B"},
               {"① eins ⑳ zwanzig", "1 eins 20 zwanzig"},
               {"What⁉ No‼", "What!? No!!"}});
  EXPECT_THAT(
      Notes("👩‍👩‍👧‍👦 1️⃣ →"),
      ElementsAre("text: 3 characters left out that cannot be spoken (the first is U+1F469)"));
}

TEST(TextCleaner, LeavesOutTagsAndComments) {
  ExpectClean({{"<speak>Hi <break time=\"1s\"/>you</speak>", "Hi you"},
               {"one<br>two<p>three", "one\ntwo\nthree"},
               {"<b>bo</b>ld <!-- a > b --> x", "bold x"},
               {"a < b, 3 <4 and c > d", "a b, 3 4 and c d"},
               {"Tom &amp; Jerry &lt;3 &quot;x&quot; R&D", "Tom & Jerry 3 \"x\" R&D"},
               {"<never closed", "never closed"}});
}

TEST(TextCleaner, CutsEndlessWordsButNotScriptsWithoutSpaces) {
  EXPECT_EQ(Cleaned(std::string(120, 'a')),
            absl::StrJoin({std::string(50, 'a'), std::string(50, 'a'), std::string(20, 'a')}, " "));
  std::string chinese;
  for (int i = 0; i < 120; ++i) chinese += "漢";
  EXPECT_EQ(Cleaned(chinese), chinese);
}

TEST(TextCleaner, LeavesOutBytesThatAreNotUtf8WithANote) {
  EXPECT_EQ(Cleaned("ab\xFFgh \xE2\x82"), "abgh");
  EXPECT_THAT(Notes("ab\xFFgh \xE2\x82"),
              ElementsAre("text: 3 bytes left out that are not UTF-8 (the first is byte 2)"));
}

TEST(TextCleaner, GivesBackWordsAsTheyCome) {
  TextCleaner cleaner;
  EXPECT_EQ(cleaner.Add("Hello **wor"), "Hello");
  EXPECT_EQ(cleaner.Add("ld** and"), " world");
  EXPECT_EQ(cleaner.Add(" more"), " and");
  EXPECT_EQ(cleaner.Flush(), " more");
  EXPECT_EQ(cleaner.Add("- next"), "") << "a new paragraph";
  EXPECT_EQ(cleaner.Flush(), "\n\nnext.");
}

// However a text is cut into calls, the same comes out, and the same notes.
TEST(TextCleaner, CutsOfTheInputChangeNothing) {
  std::mt19937 rng(29);
  for (int i = 0; i < 6000; ++i) {
    const std::string text = RandomMarkup(rng, 30);
    TextCleaner cleaner;
    std::string got;
    for (size_t at = 0; at < text.size();) {
      const size_t size = 1 + rng() % (i % 3 == 0 ? 1 : 9);
      got += cleaner.Add(absl::string_view(text).substr(at, size));
      at += size;
    }
    got += cleaner.Flush();
    ASSERT_EQ(got, Cleaned(text)) << text;
    ASSERT_EQ(cleaner.notes(), Notes(text)) << text;
    for (size_t at = 0; at < got.size();) ASSERT_TRUE(DecodeUtf8(got, at)) << text;
  }
}

TEST(TextCleaner, TakesConstructsThatNeverEnd) {
  for (const char* bit :
       {"[",    "<a ", "](",   "`", "*",    "&amp", "a@", "www.", "> ", "- ", "|", "1.",
        "```x", "\\",  "<!--", "_", "[x](", "h",    "#",  "~",    " ",  "(",  "."}) {
    std::string text, got;
    while (text.size() < 10000) text += bit;
    TextCleaner cleaner;
    for (const char c : text) got += cleaner.Add(std::string(1, c));
    got += cleaner.Flush();
    EXPECT_EQ(got, Cleaned(text)) << bit;
    EXPECT_EQ(cleaner.notes(), Notes(text)) << bit;
  }
}

}  // namespace
}  // namespace posewire::speech
