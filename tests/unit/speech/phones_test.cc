#include "libs/speech/phones.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "libs/speech/viseme_table.h"
#include "libs/speech/viseme_track.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/speech/fake_voice.h"

namespace posewire::speech {
namespace {

using Strings = std::vector<std::string>;

PhoneVisemes Ipa(absl::string_view phone) { return FindVisemes(phone, PhoneSet::kIpa); }
PhoneVisemes Arpabet(absl::string_view phone) { return FindVisemes(phone, PhoneSet::kArpabet); }

bool LooksAlike(const PhoneVisemes& a, const PhoneVisemes& b) {
  return a.first == b.first && a.second == b.second && a.vowel == b.vowel;
}

// What Kokoro's vocabulary (config.json, 114 symbols) holds, by what the mouth must do.
const Strings& KokoroPauses() {
  static const Strings all = {";", ":",  ",", ".", "!", "?", "—",
                              "…", "\"", "(", ")", "“", "”", " "};
  return all;
}
const Strings& KokoroMarks() {
  static const Strings all = {"\u0303", "ᵝ", "ˈ", "ˌ", "ː", "ʰ", "ʲ", "↓", "→", "↗", "↘"};
  return all;
}
const Strings& KokoroGlides() {
  static const Strings all = {"A", "I", "O", "Q", "W", "Y"};
  return all;
}
const Strings& KokoroVowels() {
  static const Strings all = {"ᵊ", "a", "e", "i", "o", "u", "y", "ɑ", "ɐ", "ɒ", "æ", "ɔ", "ə",
                              "ɚ", "ɛ", "ɜ", "ɨ", "ɪ", "ɯ", "ø", "œ", "ʊ", "ʌ", "ɤ", "ᵻ"};
  return all;
}
const Strings& KokoroBilabials() {
  static const Strings all = {"b", "m", "p", "β"};
  return all;
}
const Strings& KokoroLabiodentals() {
  static const Strings all = {"f", "v", "ʋ"};
  return all;
}
const Strings& KokoroOtherConsonants() {
  static const Strings all = {"ʣ", "ʥ", "ʦ", "ʨ", "ꭧ", "S", "T", "c", "d", "h", "j", "k", "l",
                              "n", "q", "r", "s", "t",   "w", "x", "z", "ɕ", "ç", "ɖ", "ð", "ʤ",
                              "ɟ", "ɡ", "ɥ", "ʝ", "ɰ",   "ŋ", "ɳ", "ɲ", "ɴ", "ɸ", "θ", "ɹ", "ɾ",
                              "ɻ", "ʁ", "ɽ", "ʂ", "ʃ",   "ʈ", "ʧ", "ɣ", "χ", "ʎ", "ʒ", "ʔ"};
  return all;
}

TEST(Phones, MapEverySymbolOfKokoroOnPurpose) {
  size_t symbols = 0;
  const auto each = [&](const Strings& all, auto check) {
    symbols += all.size();
    for (const std::string& s : all) check(s, Ipa(s));
  };
  each(KokoroPauses(), [](const std::string& s, const PhoneVisemes&) {
    EXPECT_TRUE(IsPause(s, PhoneSet::kIpa)) << s;
  });
  each(KokoroMarks(), [](const std::string& s, const PhoneVisemes& p) {
    EXPECT_EQ(p.phone, "mark") << s;
    EXPECT_FALSE(IsPause(s, PhoneSet::kIpa)) << s;
  });
  each(KokoroGlides(), [](const std::string& s, const PhoneVisemes& p) {
    EXPECT_EQ(p.phone, s);
    EXPECT_TRUE(p.vowel && p.second) << s;
  });
  each(KokoroVowels(), [](const std::string& s, const PhoneVisemes& p) {
    EXPECT_EQ(p.phone, s);
    EXPECT_TRUE(p.vowel && !p.second) << s;
    EXPECT_GT(p.first->pose[kJawOpen], 0.1f) << s;
  });
  const auto consonants = [&](const Strings& all, LipContact contact) {
    each(all, [&](const std::string& s, const PhoneVisemes& p) {
      EXPECT_EQ(p.phone, s);
      EXPECT_FALSE(p.vowel || p.second) << s;
      EXPECT_EQ(p.first->contact, contact) << s;
      EXPECT_FALSE(IsPause(s, PhoneSet::kIpa)) << s;
    });
  };
  consonants(KokoroBilabials(), LipContact::kBothLips);
  consonants(KokoroLabiodentals(), LipContact::kLipToTeeth);
  consonants(KokoroOtherConsonants(), LipContact::kNone);
  EXPECT_EQ(symbols, 114u);
}

TEST(Phones, LookAsInArpabet) {
  const std::pair<const char*, const char*> same[] = {
      {"ɑ", "aa"},  {"æ", "ae"},  {"ʌ", "ah"},  {"ɔ", "ao"},  {"ə", "ax"}, {"ɚ", "er"},
      {"ɛ", "eh"},  {"ɪ", "ih"},  {"i", "iy"},  {"ʊ", "uh"},  {"u", "uw"}, {"aʊ", "aw"},
      {"aɪ", "ay"}, {"eɪ", "ey"}, {"oʊ", "ow"}, {"ɔɪ", "oy"}, {"A", "ey"}, {"I", "ay"},
      {"O", "ow"},  {"W", "aw"},  {"Y", "oy"},  {"p", "p"},   {"b", "b"},  {"m", "m"},
      {"f", "f"},   {"v", "v"},   {"w", "w"},   {"ɹ", "r"},   {"θ", "th"}, {"ð", "dh"},
      {"t", "t"},   {"n", "n"},   {"l", "l"},   {"s", "s"},   {"ʃ", "sh"}, {"ʒ", "zh"},
      {"tʃ", "ch"}, {"dʒ", "jh"}, {"j", "y"},   {"k", "k"},   {"ŋ", "ng"}, {"h", "hh"}};
  for (const auto& [ipa, arpabet] : same) {
    EXPECT_TRUE(LooksAlike(Ipa(ipa), Arpabet(arpabet))) << ipa << " and " << arpabet;
    EXPECT_EQ(Ipa(ipa).split, Arpabet(arpabet).split) << ipa;
  }
}

TEST(Phones, AreNotMistakenForArpabet) {
  EXPECT_TRUE(Ipa("y").vowel);
  EXPECT_FALSE(Arpabet("y").vowel);
  EXPECT_GT(Ipa("y").first->pose[kMouthPucker], 0.4f);
  EXPECT_EQ(Arpabet("y").first->pose[kMouthPucker], 0);
  EXPECT_GT(Arpabet("r").first->pose[kMouthPucker], 0.2f);
  EXPECT_EQ(Ipa("r").first->pose[kMouthPucker], 0) << "the trill of the tongue";
}

TEST(Phones, TakeOffMarksAndTies) {
  const std::pair<const char*, const char*> same[] = {
      {"ˈɑː", "ɑ"}, {"ˌe", "e"},  {"t͡ʃ", "tʃ"}, {"d͜ʒ", "ʤ"},      {"t͡s", "ʦ"},
      {"pʰ", "p"},  {"tʲ", "t"},  {"n̩", "n"},   {"ɑ̃", "ɑ"},       {"ɔ̃ː", "ɔ"},
      {"œ̃", "œ"},   {"ã", "a"},   {"õ", "o"},   {"a˥˩", "a"},     {"ma5", "ma"},
      {"ɯᵝ", "ɯ"},  {"aɪ̯", "aɪ"}, {"a͡ʊ", "aʊ"}, {"c\u0327", "ç"}, {"ˈʔ", "ʔ"},
      {"a↗", "a"},  {"b̥", "b"},   {"é", "e"},   {"ɟ͡ʝ", "ɟ"},      {"t͡ɕʰ", "ʨ"}};
  for (const auto& [marked, plain] : same) {
    EXPECT_TRUE(LooksAlike(Ipa(marked), Ipa(plain))) << marked;
  }
}

TEST(Phones, GlideBetweenTheirSigns) {
  for (const char* phone : {"eə", "ɪə", "ui", "ɛʏ", "aw", "əɹ", "ɜ˞", "kʷ", "pf", "aɪə"}) {
    const PhoneVisemes p = Ipa(phone);
    EXPECT_TRUE(p.second && p.second != p.first) << phone;
    EXPECT_TRUE(p.split > 0.4f && p.split < 0.7f) << phone;
  }
  EXPECT_EQ(Ipa("pf").first->contact, LipContact::kBothLips);
  EXPECT_EQ(Ipa("pf").second->contact, LipContact::kLipToTeeth);
  EXPECT_GT(Ipa("kʷ").second->pose[kMouthPucker], 0.5f);
}

TEST(Phones, UnknownOnesNeverCloseTheMouth) {
  for (const PhoneVisemes& p : {Ipa("ж"), Ipa("漢"), Ipa("ˈж"), Arpabet("xq"), Ipa("viseme:22"),
                                Ipa("viseme:"), Arpabet("viseme:-1")}) {
    EXPECT_EQ(p.phone, "consonant");
    EXPECT_EQ(p.first->contact, LipContact::kNone);
    EXPECT_GT(p.first->pose[kJawOpen], 0.1f);
    EXPECT_LT(p.first->lip_strength, 0.3f);
  }
  EXPECT_TRUE(LooksAlike(Ipa("ɷ"), Ipa("ə")));
  EXPECT_TRUE(LooksAlike(Arpabet("axh"), Arpabet("ax")));
  EXPECT_TRUE(LooksAlike(Arpabet("eɪ"), Arpabet("ax"))) << "of the other set";
}

TEST(Phones, OnlyPausesAreSilence) {
  for (const char* pause : {"", " ", "pau", "sil", "sp", "...", "?", "。", "|", "viseme:0"}) {
    EXPECT_TRUE(IsPause(pause, PhoneSet::kIpa)) << pause;
  }
  for (const char* pause : {"", " ", "pau", "sil", "?", "viseme:0"}) {
    EXPECT_TRUE(IsPause(pause, PhoneSet::kArpabet)) << pause;
  }
}

TEST(Phones, TakeAzuresVisemeIdsInBothSets) {
  const std::pair<const char*, const char*> same[] = {
      {"1", "ah"},  {"2", "aa"},  {"3", "ao"},  {"4", "eh"},  {"5", "er"}, {"6", "iy"}, {"7", "uw"},
      {"9", "aw"},  {"10", "oy"}, {"11", "ay"}, {"12", "hh"}, {"13", "r"}, {"14", "l"}, {"15", "s"},
      {"16", "sh"}, {"17", "th"}, {"18", "f"},  {"19", "t"},  {"20", "k"}, {"21", "p"}};
  for (const auto& [id, arpabet] : same) {
    for (const PhoneSet set : {PhoneSet::kArpabet, PhoneSet::kIpa}) {
      const std::string name = std::string("viseme:") + id;
      EXPECT_TRUE(LooksAlike(FindVisemes(name, set), Arpabet(arpabet))) << id;
    }
  }
  EXPECT_GT(Ipa("viseme:8").first->pose[kMouthFunnel], 0.4f);
}

TEST(Phones, TakeAnyBytesWithoutAllocating) {
  std::mt19937 rng(17);
  for (int i = 0; i < 5000; ++i) {
    std::string phone;
    for (size_t n = rng() % 100; n > 0; --n) {
      phone += rng() % 3 == 0 ? "ɑ̃ː" : std::string(1, static_cast<char>(rng() % 256));
    }
    const AllocationCount since;
    const PhoneVisemes p = Ipa(phone);
    ASSERT_EQ(since.count(), 0);
    ASSERT_TRUE(p.first);
  }
}

// The same words as a voice with IPA and one with ARPAbet tell them: the same mouth.
TEST(Phones, MoveTheMouthAsArpabetDoes) {
  PieceBuilder arpabet, ipa;
  const auto both = [&](const char* a, const char* i) {
    arpabet.Say(a, 0.09, true);
    ipa.Say(i, 0.09, true);
  };
  for (const auto& [a, i] : {std::pair{"pau", "pau"},
                             {"b", "b"},
                             {"oy", "ˈɔɪ"},
                             {"z", "z"},
                             {"m", "m"},
                             {"ey", "eɪ"},
                             {"ch", "t͡ʃ"},
                             {"pau", "…"}}) {
    both(a, i);
  }
  SpeechPiece in_ipa = ipa.Build();
  in_ipa.phone_set = PhoneSet::kIpa;
  in_ipa.samples = arpabet.Build().samples;
  VisemeTrack one, other;
  one.Add(arpabet.Build(), 0);
  other.Add(in_ipa, 0);
  for (double t = 0; t < 0.8; t += 0.01) EXPECT_EQ(one.At(t), other.At(t)) << t;
}

}  // namespace
}  // namespace posewire::speech
