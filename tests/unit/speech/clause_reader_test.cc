#include "libs/speech/clause_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/unit/speech/gated_voice.h"

namespace posewire::speech {
namespace {

struct Reader {
  explicit Reader(ClausePauses pauses = {0.1, 0.1, 0}, int rate_hz = 0)
      : clause(text, pauses, rate_hz, [this](SpokenPiece p) { pieces.push_back(std::move(p)); }) {}

  double TotalLength_s() const {
    double total_s = 0;
    for (const SpokenPiece& p : pieces) total_s += p.speech.duration_s();
    return total_s;
  }

  TextPiece text{"one two", SpeechEnding::kQuestion, false};
  std::vector<SpokenPiece> pieces;
  ClauseReader clause;
};

SpeechPart Silence(double length_s, int rate_hz = 16000) { return Tone(length_s, rate_hz, 0); }

TEST(ClauseReader, GivesAClauseWithoutPhonemesWhileItComes) {
  Reader r;
  for (int i = 0; i < 10; ++i) r.clause.Add(Tone(0.1));
  ASSERT_GE(r.pieces.size(), 2u);
  r.clause.Finish();
  EXPECT_TRUE(r.pieces.front().begins_clause);
  EXPECT_EQ(r.pieces.front().text, "one two");
  EXPECT_EQ(r.pieces.front().ending, SpeechEnding::kQuestion);
  for (size_t i = 0; i < r.pieces.size(); ++i) {
    EXPECT_EQ(r.pieces[i].begins_clause, i == 0);
    EXPECT_EQ(r.pieces[i].ends_clause, i + 1 == r.pieces.size());
  }
  EXPECT_NEAR(r.TotalLength_s(), 1, 1e-9);
  EXPECT_NEAR(r.clause.given_s(), 1, 1e-9);
}

TEST(ClauseReader, GivesAClauseInOnePartAsOnePiece) {
  Reader r;
  r.clause.Add(Tone(3));
  EXPECT_TRUE(r.pieces.empty());
  r.clause.Finish();
  ASSERT_EQ(r.pieces.size(), 1u);
  EXPECT_TRUE(r.pieces[0].begins_clause && r.pieces[0].ends_clause);
}

TEST(ClauseReader, ShortensSilenceAroundTheSoundAndKeepsItWithin) {
  Reader r({0.1, 0.2, 0.5});
  r.clause.Add(Silence(1));
  SpeechPart speech = Tone(0.5);
  speech.words.push_back({"one", 1.0, 1.5, 1.25, true});
  r.clause.Add(std::move(speech));
  r.clause.Add(Silence(1));
  r.clause.Add(Tone(0.5));
  r.clause.Add(Silence(3));
  r.clause.Finish();
  EXPECT_NEAR(r.TotalLength_s(), 0.1 + 0.5 + 1 + 0.5 + 0.2 + 0.5, 0.011);
}

TEST(ClauseReader, ShiftsWordsByTheSilenceThatItCuts) {
  Reader r({0.1, 0.2, 0});
  SpeechPart part = Silence(1);
  const SpeechPart tone = Tone(0.5);
  part.samples.insert(part.samples.end(), tone.samples.begin(), tone.samples.end());
  part.words.push_back({"one", 1.0, 1.5, 1.25, true});
  r.clause.Add(std::move(part));
  r.clause.Finish();
  ASSERT_EQ(r.pieces.size(), 1u);
  ASSERT_EQ(r.pieces[0].speech.words.size(), 1u);
  EXPECT_NEAR(r.pieces[0].speech.words[0].start_s, 0.1, 0.011);
  EXPECT_NEAR(r.pieces[0].speech.words[0].beat_s, 0.35, 0.011);
}

TEST(ClauseReader, GivesNothingOfSilence) {
  Reader r;
  r.clause.Add(Silence(5));
  r.clause.Finish();
  EXPECT_TRUE(r.pieces.empty());
}

TEST(ClauseReader, FillsTheGapsBetweenPhonemes) {
  Reader r({0.05, 0.1, 0});
  SpeechPart part = Tone(1);
  part.phonemes = {{"m", 0.2, 0.3}, {"aa", 0.3, 0.5}, {"p", 0.7, 0.8}};
  r.clause.Add(std::move(part));
  r.clause.Finish();
  ASSERT_EQ(r.pieces.size(), 1u);
  const SpeechPiece& p = r.pieces[0].speech;
  std::vector<std::string> phones;
  double until_s = 0;
  for (const Phoneme& phoneme : p.phonemes) {
    phones.push_back(phoneme.phone);
    EXPECT_NEAR(phoneme.start_s, until_s, 1e-9) << phoneme.phone;
    until_s = phoneme.end_s;
  }
  EXPECT_EQ(phones, (std::vector<std::string>{"pau", "m", "aa", "pau", "p", "pau"}));
  EXPECT_NEAR(until_s, p.duration_s(), 1e-9);
  EXPECT_NEAR(p.duration_s(), 0.05 + 0.6 + 0.1, 1e-3);
}

// The length to the sample, the pitch, and no jump where parts meet, whatever the cut.
TEST(ClauseReader, ChangesTheRateToTheSample) {
  for (const int from_hz : {8000, 22050, 44100, 48000, 192000}) {
    Reader whole({9, 9, 0}, 24000), cut({9, 9, 0}, 24000);
    const SpeechPart tone = Tone(1.337, from_hz);
    whole.clause.Add(tone);
    whole.clause.Finish();
    for (size_t at = 0; at < tone.samples.size(); at += 777) {
      SpeechPart part;
      part.rate_hz = from_hz;
      part.samples.assign(tone.samples.begin() + static_cast<std::ptrdiff_t>(at),
                          tone.samples.begin() +
                              static_cast<std::ptrdiff_t>(std::min(at + 777, tone.samples.size())));
      cut.clause.Add(std::move(part));
    }
    cut.clause.Finish();
    std::vector<int16_t> joined;
    for (const SpokenPiece& p : cut.pieces) {
      joined.insert(joined.end(), p.speech.samples.begin(), p.speech.samples.end());
    }
    ASSERT_EQ(whole.pieces.size(), 1u);
    EXPECT_EQ(joined, whole.pieces[0].speech.samples) << from_hz;
    EXPECT_EQ(static_cast<long>(joined.size()),
              std::lround(static_cast<double>(tone.samples.size()) * 24000 / from_hz));
  }
}

}  // namespace
}  // namespace posewire::speech
