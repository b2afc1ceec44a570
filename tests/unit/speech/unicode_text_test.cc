#include "libs/speech/unicode_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ios>
#include <string>

namespace posewire::speech {
namespace {

TEST(UnicodeText, ReadsBackEveryCharacterThatItWrites) {
  for (char32_t c = 0; c < 0x110000; c += c < 0x3000 ? 1 : 37) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string s = "a";
    AppendUtf8(c, s);
    size_t at = 1;
    ASSERT_EQ(DecodeUtf8(s, at), c);
    ASSERT_EQ(at, s.size());
    ASSERT_EQ(CharBefore(s, s.size()), c);
    for (size_t cut = 2; cut < s.size(); ++cut) {
      ASSERT_TRUE(IsUtf8Start(absl::string_view(s).substr(1, cut - 1)));
    }
    ASSERT_FALSE(IsUtf8Start(absl::string_view(s).substr(1)));
  }
}

TEST(UnicodeText, RejectsWhatIsNotUtf8) {
  for (const char* text : {"\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82",
                           "\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80"}) {
    size_t at = 0;
    EXPECT_FALSE(DecodeUtf8(text, at));
    EXPECT_EQ(at, 0u);
  }
  for (const char* start : {"\x80", "\xC1", "\xED\xA0", "\xE0\x80", "\xF0\x80", "\xF4\x90", "a"}) {
    EXPECT_FALSE(IsUtf8Start(start));
  }
}

TEST(UnicodeText, KnowsTheLettersOfManyScripts) {
  constexpr char32_t kLetters[] = U"azAZ09éñßøŁžơệΩώжЙіאشپहिकাतગਪகతಕകසไทຂမកლԱአ漢かカー한Ｘ５";
  for (const char32_t* c = kLetters; *c; ++c)
    EXPECT_TRUE(IsWordChar(*c)) << std::hex << static_cast<uint32_t>(*c);
  constexpr char32_t kOthers[] =
      U" .,!?¿¡。、！？…—-_*@#$%&/|«»“”’()[]{}<>€£°±×÷→☺😀।؟،؛·•\u00A0\u200B";
  for (const char32_t* c = kOthers; *c; ++c)
    EXPECT_FALSE(IsWordChar(*c)) << std::hex << static_cast<uint32_t>(*c);
}

TEST(UnicodeText, KnowsScriptsWithoutSpaces) {
  for (const char32_t c : {U'漢', U'か', U'カ', U'ー'}) EXPECT_TRUE(IsCjk(c) && HasNoSpaces(c));
  for (const char32_t c : {U'ไ', U'မ', U'ក'}) EXPECT_TRUE(!IsCjk(c) && HasNoSpaces(c));
  for (const char32_t c : {U'한', U'a', U'ж', U'。', U' '}) EXPECT_FALSE(HasNoSpaces(c));
  EXPECT_TRUE(IsBreakingSpace(U' ') && IsBreakingSpace(U'\n') && IsBreakingSpace(U'\u3000'));
  EXPECT_FALSE(IsBreakingSpace(U'\u00A0') || IsBreakingSpace(U'\u202F'));
}

TEST(UnicodeText, KnowsUpperAndLowerCase) {
  EXPECT_EQ(ToLowerUtf8("ÀÉÑŁŽŸΆΩЙЁІ ẾƠ ABC 漢"), "àéñłžÿάωйёі ếƠ abc 漢");
  for (const char32_t c : {U'a', U'é', U'ß', U'ł', U'ω', U'й', U'ế'}) EXPECT_TRUE(IsLowerCase(c));
  for (const char32_t c : {U'A', U'É', U'Ł', U'Ω', U'Й', U'漢', U'1', U'×', U'÷'}) {
    EXPECT_FALSE(IsLowerCase(c)) << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(UnicodeText, FindsTheLatinLetterUnderAnAccent) {
  const auto base = [](char32_t c) { return LatinBase(c); };
  EXPECT_EQ(base(U'é'), 'e');
  EXPECT_EQ(base(U'Ñ'), 'N');
  EXPECT_EQ(base(U'ø'), 'o');
  EXPECT_EQ(base(U'ł'), 'l');
  EXPECT_EQ(base(U'ș'), 's');
  EXPECT_EQ(base(U'ệ'), 'e');
  for (const char32_t c : {U'æ', U'ß', U'þ', U'œ', U'ж', U'×', U'1'}) EXPECT_EQ(base(c), '\0');
}

}  // namespace
}  // namespace posewire::speech
