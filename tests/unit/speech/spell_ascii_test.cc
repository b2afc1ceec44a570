#include "libs/speech/spell_ascii.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace posewire::speech {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Spell(absl::string_view text) {
  const absl::StatusOr<SpokenText> spelled = SpellAscii(text);
  return spelled.ok() ? spelled->text : spelled.status().ToString();
}

TEST(SpellAscii, SpellsTypographicSigns) {
  EXPECT_EQ(Spell("“It’s”…"), "\"It's\"...");
  EXPECT_EQ(Spell("a — b"), "a ,  b");
  EXPECT_EQ(Spell("1–2"), "1 - 2");
  EXPECT_EQ(Spell("20 °C"), "20  degrees C");
  EXPECT_EQ(Spell("5 €"), "5  euros ");
  EXPECT_EQ(Spell("2×3÷4"), "2 times 3 divided by 4");
  EXPECT_EQ(Spell("ﬁne Ｈｉ"), "fine Hi");
}

TEST(SpellAscii, TakesAccentsOffLatinLetters) {
  EXPECT_EQ(Spell("Café Müller, Łódź, Þór, straße, œuvre, Ærø, Việt"),
            "Cafe Muller, Lodz, Thor, strasse, oeuvre, AEro, Viet");
  EXPECT_EQ(Spell("e\xCC\x81"), "e");
}

TEST(SpellAscii, LeavesOutWhatCannotBeSpokenAndSaysSo) {
  const absl::StatusOr<SpokenText> spelled = SpellAscii("Hi 😀 there 日本");
  ASSERT_TRUE(spelled.ok());
  EXPECT_EQ(spelled->text, "Hi   there   ");
  ASSERT_EQ(spelled->notes.size(), 1u);
  EXPECT_THAT(spelled->notes[0], HasSubstr("3 characters left out"));
  EXPECT_THAT(spelled->notes[0], HasSubstr("U+1F600"));
  EXPECT_THAT(SpellAscii("plain").value().notes, IsEmpty());
}

TEST(SpellAscii, RejectsTextInWhichItCanSpellNothing) {
  for (const char* text : {"😀", "日本語!", "Привет"}) {
    EXPECT_THAT(Spell(text), HasSubstr("at least one Latin letter or digit")) << text;
  }
  EXPECT_EQ(Spell("!?..."), "!?...") << "nothing was left out";
  EXPECT_THAT(Spell("ab\xFFgh"), HasSubstr("byte 2 (0xFF) is not UTF-8"));
}

TEST(SpellAscii, RandomBytesGiveAsciiOrAnError) {
  std::mt19937 rng(3);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t n = rng() % 12; n > 0; --n) text += static_cast<char>(rng() % 256);
    const absl::StatusOr<SpokenText> spelled = SpellAscii(text);
    if (!spelled.ok()) continue;
    for (const char c : spelled->text) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F));
  }
}

}  // namespace
}  // namespace posewire::speech
