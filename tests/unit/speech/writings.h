// Texts in many languages, and random ones, for the tests of what becomes of text.
#ifndef POSEWIRE_TESTS_UNIT_SPEECH_WRITINGS_H_
#define POSEWIRE_TESTS_UNIT_SPEECH_WRITINGS_H_

#include <cstddef>
#include <iterator>
#include <random>
#include <string>

#include "libs/speech/unicode_text.h"

namespace posewire::speech {

struct Writing {
  const char* language;
  const char* text;  // two sentences
};

inline constexpr Writing kWritings[] = {
    {"en", "The weather is fine today. Shall we go?"},
    {"de", "Die Straße ist größer, als man denkt. Übermorgen gehen wir los!"},
    {"es", "El año pasado llovió mucho. ¿Quieres más piñata?"},
    {"fr", "L'été dernier, nous étions à Besançon. Où êtes-vous allés ?"},
    {"it", "Perché la città è così bella? Non lo so più."},
    {"pt", "Não há pão no sótão. Você quer maçãs?"},
    {"pl", "Zażółć gęślą jaźń, proszę. Czy to łódź?"},
    {"cs", "Příliš žluťoučký kůň úpěl ďábelské ódy. Že ano?"},
    {"tr", "Şu ılık çay güzel. İğne nerede?"},
    {"vi", "Hôm nay trời đẹp quá. Bạn có muốn đi không?"},
    {"ru", "Сегодня хорошая погода, ёлки. Пойдём гулять?"},
    {"uk", "Її ґанок дуже гарний. Чи є їжа?"},
    {"el", "Ο καιρός είναι ωραίος. Πάμε βόλτα;"},
    {"ar", "الطقس جميل اليوم. هل نذهب؟"},
    {"he", "מזג האוויר יפה היום. האם נלך?"},
    {"fa", "هوا خوب است. آیا می\u200Cآیید؟"},
    {"hi", "आज मौसम अच्छा है। क्या हम चलें?"},
    {"bn", "আজ আবহাওয়া ভালো। আমরা কি যাব?"},
    {"ta", "இன்று வானிலை நன்றாக உள்ளது. நாம் போகலாமா?"},
    {"th", "วันนี้อากาศดี! ไปเที่ยวกันไหม?"},
    {"ko", "오늘은 날씨가 좋아요. 나갈까요?"},
    {"ja", "今日はとても天気がいいです。散歩に行きませんか？"},
    {"zh", "今天天气很好。我们去散步吧！"},
};

// The letters, digits and vowel signs of a text, in order.
inline std::string WordCharsOf(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto c = DecodeUtf8(text, at);
    if (!c) {
      ++at;
    } else if (IsWordChar(*c)) {
      AppendUtf8(*c, out);
    }
  }
  return out;
}

// Markdown, tags, emoji, scripts and broken bytes in any order.
inline std::string RandomMarkup(std::mt19937& rng, size_t most) {
  constexpr const char* kBits[] = {
      "word",   "a",       " ",      " ",        "\n",   "\n\n",
      "**",     "*",       "_",      "`",        "```",  "\n- ",
      "\n# ",   "\n> ",    "\n1. ",  "|",        "[",    "](",
      ")",      "![",      "<b>",    "<",        ">",    "https://a.b/c",
      "www.",   "me@a.de", "@",      ".",        ", ",   "! ",
      "?",      "...",     "Dr. ",   "3.5",      "12",   "\xF0\x9F\x98\x80",
      "\u200D", "\uFE0F",  "\u20E3", "é",        "漢字", "。",
      "、",     "かな",    "हिन्दी",  "।",        "؟",    "¿",
      "»",      "\u00A0",  "\u2028", "\xFF",     "\xE6", "&amp;",
      "&",      "\\",      "~~",     "---",      "\r\n", "\t",
      "#",      "<!--",    "-->",    "\n```x\n", "“",    "z. B. ",
      "und ",   "e.g. ",   "to the "};
  std::string text;
  for (size_t n = rng() % most; n > 0; --n) text += kBits[rng() % std::size(kBits)];
  return text;
}

}  // namespace posewire::speech

#endif  // POSEWIRE_TESTS_UNIT_SPEECH_WRITINGS_H_
