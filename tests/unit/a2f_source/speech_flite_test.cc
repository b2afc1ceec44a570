#include "services/a2f_source/core/speech_flite.h"

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

#include "services/a2f_source/core/speech_text.h"
#include "services/a2f_source/core/viseme_table.h"

namespace posewire::a2f_source {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<SpeechEngine> Engine(absl::string_view voice = "slt", double speed = 1) {
  absl::StatusOr<std::unique_ptr<SpeechEngine>> engine = MakeFliteEngine(voice, speed);
  return engine.ok() ? *std::move(engine) : nullptr;
}

TEST(FliteEngine, GivesPhonemesThatCoverTheSound) {
  const SpeechPiece p = Engine()->Speak("My name is Ada Lovelace, and who are you?").value();
  EXPECT_GE(p.rate_hz, 16000);
  ASSERT_FALSE(p.segments.empty());
  double at_s = 0;
  for (const SpeechSegment& s : p.segments) {
    EXPECT_EQ(s.start_s, at_s);
    EXPECT_GE(s.end_s, s.start_s);
    EXPECT_EQ(FindVisemes(s.phone).phone, s.phone) << "a phoneme that the table does not know";
    at_s = s.end_s;
  }
  EXPECT_NEAR(at_s, p.duration_s(), 1e-9);
  EXPECT_EQ(p.segments.front().phone, "pau");
  EXPECT_EQ(p.segments.back().phone, "pau");
}

TEST(FliteEngine, NamesTheWordsAndTheirAccents) {
  const SpeechPiece p = Engine()->Speak("The museum of flight is open.").value();
  ASSERT_EQ(p.words.size(), 6u);
  EXPECT_EQ(p.words[1].text, "museum");
  EXPECT_TRUE(p.words[1].accented);
  EXPECT_FALSE(p.words[0].accented);
  for (const SpeechWord& w : p.words) {
    EXPECT_TRUE(w.start_s <= w.beat_s && w.beat_s <= w.end_s) << w.text;
    EXPECT_LT(w.end_s - w.start_s, 1.0) << w.text;
  }
  EXPECT_LT(p.words[0].end_s, p.words[5].start_s);
}

TEST(FliteEngine, SpeaksAtAHumanPaceAndLoudness) {
  const SpeechPiece p =
      Engine()->Speak("We spent the whole day in the garden and talked about old times.").value();
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

TEST(FliteEngine, SaysTheSameTwice) {
  const auto engine = Engine();
  const SpeechPiece a = engine->Speak("Twice the same.").value();
  const SpeechPiece between = engine->Speak("Something else.").value();
  const SpeechPiece b = engine->Speak("Twice the same.").value();
  EXPECT_TRUE(a.samples == b.samples);
  EXPECT_TRUE(a.samples != between.samples);
}

TEST(FliteEngine, HasSeveralVoicesAndSpeeds) {
  const std::string text = "This is how I sound.";
  const size_t usual = Engine()->Speak(text)->samples.size();
  for (const std::string& voice : FliteVoices()) {
    EXPECT_GT(Engine(voice)->Speak(text)->samples.size(), 8000u) << voice;
  }
  const auto fast = static_cast<double>(Engine("slt", 2)->Speak(text)->samples.size());
  EXPECT_NEAR(fast / static_cast<double>(usual), 0.5, 0.1);
  EXPECT_EQ(Engine()->Speak(text)->samples.size(), usual) << "the speed of one engine is its own";
}

TEST(FliteEngine, RejectsVoicesAndSpeedsThatItLacks) {
  EXPECT_THAT(std::string(MakeFliteEngine("hal").status().message()), HasSubstr("slt, rms, awb"));
  EXPECT_EQ(MakeFliteEngine("slt", 0.1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeFliteEngine("slt", NAN).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(FliteEngine, SurvivesOddTexts) {
  const auto engine = Engine();
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
    const absl::StatusOr<SpeechPiece> p = engine->Speak(text);
    EXPECT_TRUE(p.ok()) << text << ": " << p.status();
  }
}

TEST(FliteEngine, SurvivesRandomCleanTexts) {
  const auto engine = Engine();
  std::mt19937 rng(17);
  const std::string likely = "abcdefghijklmnopqrstuvwxyz ABCD 0123456789 .,!?-'\"$%&()/:;@#+= ";
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (size_t n = 1 + rng() % 16; n > 0; --n) text += likely[rng() % likely.size()];
    for (const TextPiece& p : SplitSpeechText(text)) {
      const absl::StatusOr<SpeechPiece> spoken = engine->Speak(p.text);
      ASSERT_TRUE(spoken.ok()) << p.text << ": " << spoken.status();
    }
  }
}

TEST(FliteEngine, SpeaksOnSeveralThreads) {
  const SpeechPiece want = Engine()->Speak("All at once.").value();
  std::vector<std::thread> threads;
  std::vector<std::vector<int16_t>> got(4);
  for (size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 5; ++n) got[i] = Engine()->Speak("All at once.")->samples;
    });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& samples : got) EXPECT_TRUE(samples == want.samples);
}

}  // namespace
}  // namespace posewire::a2f_source
