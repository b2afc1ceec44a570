#include "libs/speech/syllable_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "libs/speech/speech_features.h"
#include "tests/unit/speech/test_sound.h"

namespace posewire::speech {
namespace {

struct Vowel {
  double from_s, to_s;
  float level;
};

// A voice of 120 Hz that hums the vowels, over faint noise.
std::vector<float> Hummed(const std::vector<Vowel>& vowels, double length_s) {
  std::vector<float> sound = Noise(static_cast<size_t>(length_s * 16000), 1e-4f);
  for (const Vowel& vowel : vowels) {
    for (auto n = static_cast<size_t>(vowel.from_s * 16000);
         n < static_cast<size_t>(vowel.to_s * 16000); ++n) {
      const double t = static_cast<double>(n) / 16000;
      const double part = (t - vowel.from_s) / (vowel.to_s - vowel.from_s);
      double voice = 0;
      for (int h = 1; h <= 8; ++h) voice += std::sin(2 * std::numbers::pi * 120 * h * t) / h;
      sound[n] += static_cast<float>(vowel.level * std::sin(std::numbers::pi * part) * voice);
    }
  }
  return sound;
}

std::vector<Syllable> SyllablesOf(const std::vector<float>& sound) {
  SyllableTrack track;
  std::vector<Syllable> out;
  for (size_t at = 0; at + kHopSamples <= sound.size(); at += kHopSamples) {
    const auto syllable = track.Step(absl::MakeConstSpan(sound).subspan(at, kHopSamples));
    if (syllable) out.push_back(*syllable);
  }
  return out;
}

TEST(SyllableTrack, FindsEachVowelWithinTwoHundredthsOfASecond) {
  std::vector<Vowel> vowels;
  for (int i = 0; i < 20; ++i) vowels.push_back({0.3 + 0.25 * i, 0.48 + 0.25 * i, 0.1f});
  const std::vector<Syllable> found = SyllablesOf(Hummed(vowels, 6));
  ASSERT_EQ(found.size(), vowels.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].time_s, (vowels[i].from_s + vowels[i].to_s) / 2, 0.02);
  }
}

TEST(SyllableTrack, LouderAndLongerOnesStandOut) {
  std::vector<Vowel> vowels;
  for (int i = 0; i < 24; ++i) {
    const bool loud = i == 15, stretched = i == 20;
    vowels.push_back({0.3 + 0.3 * i, 0.45 + 0.3 * i + (stretched ? 0.1 : 0), loud ? 0.3f : 0.1f});
  }
  const std::vector<Syllable> found = SyllablesOf(Hummed(vowels, 8));
  ASSERT_EQ(found.size(), vowels.size());
  for (size_t i = 8; i < found.size(); ++i) {
    if (i == 15 || i == 20) {
      EXPECT_GT(found[i].prominence, 1) << i;
    } else {
      EXPECT_LT(found[i].prominence, 0.8f) << i;
    }
  }
}

TEST(SyllableTrack, SilenceHasNoneAndNothingBreaksIt) {
  EXPECT_TRUE(SyllablesOf(std::vector<float>(16000, 0)).empty());
  std::vector<float> odd(16000, std::nanf(""));
  for (size_t i = 0; i < odd.size(); i += 3) odd[i] = 1e30f;
  for (const Syllable& one : SyllablesOf(odd)) EXPECT_TRUE(std::isfinite(one.prominence));
}

}  // namespace
}  // namespace posewire::speech
