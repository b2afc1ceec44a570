#include "libs/speech/flite_voice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "libs/speech/speech_text.h"
#include "libs/speech/viseme_table.h"
#include "tests/unit/speech/speak_whole.h"
#include "tests/unit/speech/split_speech_text.h"

namespace posewire::speech {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Voice> Flite(absl::string_view voice = "slt") {
  absl::StatusOr<std::unique_ptr<Voice>> flite = MakeFliteVoice(voice);
  return flite.ok() ? *std::move(flite) : nullptr;
}

TEST(FliteVoice, GivesPhonemesThatCoverTheSound) {
  const SpeechPiece p = SpeakWhole(*Flite(), {"My name is Ada Lovelace, and who are you?"}).value();
  EXPECT_GE(p.rate_hz, 16000);
  ASSERT_FALSE(p.phonemes.empty());
  double at_s = 0;
  for (const Phoneme& s : p.phonemes) {
    EXPECT_EQ(s.start_s, at_s);
    EXPECT_GE(s.end_s, s.start_s);
    EXPECT_EQ(FindVisemes(s.phone, p.phone_set).phone, s.phone)
        << "a phoneme that the table does not know";
    at_s = s.end_s;
  }
  EXPECT_NEAR(at_s, p.duration_s(), 1e-9);
  EXPECT_EQ(p.phonemes.front().phone, "pau");
  EXPECT_EQ(p.phonemes.back().phone, "pau");
}

TEST(FliteVoice, NamesTheWordsAndTheirAccents) {
  const SpeechPiece p = SpeakWhole(*Flite(), {"The museum of flight is open."}).value();
  ASSERT_EQ(p.words.size(), 6u);
  EXPECT_EQ(p.words[1].text, "museum");
  EXPECT_TRUE(p.words[1].accented);
  EXPECT_FALSE(p.words[0].accented);
  for (const Word& w : p.words) {
    EXPECT_TRUE(w.start_s <= w.beat_s && w.beat_s <= w.end_s) << w.text;
    EXPECT_LT(w.end_s - w.start_s, 1.0) << w.text;
  }
  EXPECT_LT(p.words[0].end_s, p.words[5].start_s);
}

TEST(FliteVoice, SpeaksAtAHumanPaceAndLoudness) {
  const SpeechPiece p =
      SpeakWhole(*Flite(), {"We spent the whole day in the garden and talked about old times."})
          .value();
  const double words_a_minute = 60 * static_cast<double>(p.words.size()) / p.duration_s();
  EXPECT_GT(words_a_minute, 110);
  EXPECT_LT(words_a_minute, 240);
  int peak = 0;
  double square = 0;
  for (const int16_t s : p.samples) {
    peak = std::max(peak, std::abs(static_cast<int>(s)));
    square += static_cast<double>(s) * s;
  }
  const double rms = std::sqrt(square / static_cast<double>(p.samples.size()));
  EXPECT_LT(peak, 32000) << "clipped";
  EXPECT_GT(rms, 1000);
  EXPECT_LT(rms, 10000);
}

TEST(FliteVoice, SaysTheSameTwice) {
  const auto flite = Flite();
  const SpeechPiece a = SpeakWhole(*flite, {"Twice the same."}).value();
  const SpeechPiece between = SpeakWhole(*flite, {"Something else."}).value();
  const SpeechPiece b = SpeakWhole(*flite, {"Twice the same."}).value();
  EXPECT_TRUE(a.samples == b.samples);
  EXPECT_TRUE(a.samples != between.samples);
}

TEST(FliteVoice, HasSeveralVoicesAndSpeeds) {
  const std::string text = "This is how I sound.";
  const size_t usual = SpeakWhole(*Flite(), {text})->samples.size();
  for (const std::string& voice : FliteVoices()) {
    EXPECT_GT(SpeakWhole(*Flite(voice), {text})->samples.size(), 8000u) << voice;
  }
  const auto fast =
      static_cast<double>(SpeakWhole(*Flite(), {.text = text, .speed = 2})->samples.size());
  EXPECT_NEAR(fast / static_cast<double>(usual), 0.5, 0.1);
  EXPECT_EQ(SpeakWhole(*Flite(), {text})->samples.size(), usual)
      << "the speed of one voice is its own";
}

TEST(FliteVoice, RejectsVoicesAndSpeedsThatItLacks) {
  EXPECT_THAT(std::string(MakeFliteVoice("hal").status().message()), HasSubstr("slt, rms, awb"));
  for (const double speed : {0.1, 2.1, static_cast<double>(NAN)}) {
    EXPECT_THAT(std::string(Flite()->Begin({.text = "a", .speed = speed}).status().message()),
                HasSubstr("0.5 to 2 is right"));
  }
}

TEST(FliteVoice, SurvivesOddTexts) {
  const auto flite = Flite();
  for (const char* text : {"",
                           " ",
                           ".",
                           "...",
                           "?!",
                           "$",
                           "$3.5 million",
                           "1999 1,234,567 -5 3.14159 007 12:30 5%",
                           "1234567890123456789012345678901234567890",
                           "e.g. i.e. etc. Dr. St. Mt. Prof.",
                           "http://www.example.com/a?b=c&d=e#f",
                           "name@example.com",
                           "a",
                           "I",
                           "XIV",
                           "USA NATO mp3",
                           "#hashtag @user",
                           "((((",
                           "\"",
                           "'",
                           "''''",
                           "-",
                           "--",
                           "- - -",
                           "% & + = / : ;",
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                           "bcdfghjklmnpqrstvwxz",
                           "%s%n%d",
                           "it's 'em o'clock y'all",
                           "1/2 3/4 10-20 555-1234",
                           "$1.005 $.5 5$",
                           "0 00 000"}) {
    const absl::StatusOr<SpeechPiece> p = SpeakWhole(*flite, {text});
    EXPECT_TRUE(p.ok()) << text << ": " << p.status();
  }
}

TEST(FliteVoice, SurvivesRandomCleanTexts) {
  const auto flite = Flite();
  std::mt19937 rng(17);
  const std::string likely = "abcdefghijklmnopqrstuvwxyz ABCD 0123456789 .,!?-'\"$%&()/:;@#+= ";
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (size_t n = 1 + rng() % 16; n > 0; --n) text += likely[rng() % likely.size()];
    for (const TextPiece& p : SplitSpeechText(text)) {
      const absl::StatusOr<SpeechPiece> spoken = SpeakWhole(*flite, {p.text});
      ASSERT_TRUE(spoken.ok()) << p.text << ": " << spoken.status();
    }
  }
}

TEST(FliteVoice, SpeaksOnSeveralThreads) {
  const SpeechPiece want = SpeakWhole(*Flite(), {"All at once."}).value();
  std::vector<std::thread> threads;
  std::vector<std::vector<int16_t>> got(4);
  for (size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 5; ++n) got[i] = SpeakWhole(*Flite(), {"All at once."})->samples;
    });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& samples : got) EXPECT_TRUE(samples == want.samples);
}

}  // namespace
}  // namespace posewire::speech
