// Phrases of known words for the tests of what moves with them.
#ifndef POSEWIRE_TESTS_UNIT_SPEECH_TALK_H_
#define POSEWIRE_TESTS_UNIT_SPEECH_TALK_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "libs/speech/phrase.h"

namespace posewire::speech {

// A frame of a face.
inline constexpr double kFrame_s = 1.0 / 30;

// Words of 0.4 s, each accented, from 0.2 s after the start to 0.3 s before the end.
inline Phrase MakePhrase(double start_s, const std::vector<std::string>& words,
                         SpeechEnding ending) {
  Phrase p;
  p.start_s = start_s;
  p.ending = ending;
  double t = start_s + 0.2;
  p.speech_start_s = t;
  for (const std::string& w : words) {
    p.words.push_back({w, t, t + 0.4, t + 0.2, true});
    t += 0.4;
  }
  p.speech_end_s = t;
  p.end_s = t + 0.3;
  return p;
}

inline std::vector<Phrase> Talk(uint32_t seed, int sentences) {
  std::mt19937 rng(seed);
  std::vector<Phrase> phrases;
  double t = 0;
  for (int i = 0; i < sentences; ++i) {
    std::vector<std::string> words(2 + rng() % 12, "word");
    if (rng() % 4 == 0) words[rng() % words.size()] = "never";
    const auto ending = static_cast<SpeechEnding>(rng() % 5);
    phrases.push_back(MakePhrase(t, words, ending));
    t = phrases.back().end_s;
  }
  return phrases;
}

}  // namespace posewire::speech

#endif  // POSEWIRE_TESTS_UNIT_SPEECH_TALK_H_
