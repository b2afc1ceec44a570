#include "libs/speech/voice_mood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "libs/random/random.h"
#include "libs/speech/pitch_track.h"
#include "libs/speech/speech_features.h"

namespace posewire::speech {
namespace {

// A buzz like that of vocal cords: harmonics whose energy falls by `fall_db` an octave. Its pitch
// moves up and down by `swing` semitones, `rate_hz` times a second.
std::vector<float> Buzz(double seconds, double pitch_hz, double fall_db, double swing = 0,
                        double rate_hz = 2) {
  std::vector<float> sound(static_cast<size_t>(seconds * 16000));
  double phase = 0;
  for (size_t n = 0; n < sound.size(); ++n) {
    const double t_s = static_cast<double>(n) / 16000;
    const double hz =
        pitch_hz * std::exp2(swing * std::sin(2 * std::numbers::pi * rate_hz * t_s) / 12);
    phase += 2 * std::numbers::pi * hz / 16000;
    double sum = 0;
    for (int k = 1; k * hz < 7000; ++k) {
      sum += std::pow(10, -fall_db * std::log2(k) / 20) * std::sin(k * phase);
    }
    sound[n] = static_cast<float>(0.1 * sum);
  }
  return sound;
}

template <typename Call>
void EachHop(const std::vector<float>& sound, Call call) {
  for (size_t at = 0; at + kHopSamples <= sound.size(); at += kHopSamples) {
    call(absl::MakeConstSpan(sound).subspan(at, kHopSamples));
  }
}

Mood MoodOf(const std::vector<float>& sound) {
  VoiceMood mood;
  EachHop(sound, [&](absl::Span<const float> hop) { mood.Step(hop, true); });
  return mood.mood();
}

TEST(PitchTrack, FindsThePitchOfVoices) {
  for (const double hz : {65.0, 90.0, 120.0, 200.0, 310.0, 450.0}) {
    for (const double fall_db : {3.0, 12.0}) {
      PitchTrack track;
      int found = 0, steps = 0;
      EachHop(Buzz(0.5, hz, fall_db), [&](absl::Span<const float> hop) {
        const auto pitch = track.Step(hop);
        if (++steps <= 6) return;  // until its window is full
        if (!pitch) return;
        EXPECT_NEAR(pitch->semitones, 12 * std::log2(hz / 100), 0.3) << hz << " " << fall_db;
        EXPECT_GT(pitch->periodicity, 0.9);
        ++found;
      });
      EXPECT_EQ(found, steps - 6) << hz;
    }
  }
}

TEST(PitchTrack, SilenceAndNoiseHaveNone) {
  PitchTrack track;
  EachHop(std::vector<float>(8000),
          [&](absl::Span<const float> hop) { EXPECT_FALSE(track.Step(hop).has_value()); });
  Random random(1);
  std::vector<float> noise(32000);
  for (float& sample : noise) sample = random.Uniform(-0.2F, 0.2F);
  int periodic = 0, steps = 0;
  EachHop(noise, [&](absl::Span<const float> hop) {
    const auto pitch = track.Step(hop);
    periodic += pitch && pitch->periodicity > 0.6F;
    ++steps;
  });
  EXPECT_LT(periodic, steps / 10);
}

TEST(VoiceMood, HighBrightMovingVoicesAreExcited) {
  const Mood plain = MoodOf(Buzz(3, 150, 5, 2));
  EXPECT_GT(MoodOf(Buzz(3, 260, 5, 2)).arousal, plain.arousal + 0.1);
  EXPECT_GT(MoodOf(Buzz(3, 150, 2, 2)).arousal, plain.arousal + 0.1);
  EXPECT_GT(MoodOf(Buzz(3, 150, 5, 5, 3)).arousal, plain.arousal + 0.1);
  EXPECT_LT(MoodOf(Buzz(3, 95, 5, 0.5)).arousal, plain.arousal - 0.1);
}

TEST(VoiceMood, WhoSpeaksIsUsualAfterAWhile) {
  const std::vector<float> high = Buzz(40, 350, 1, 4);
  const float first = MoodOf({high.begin(), high.begin() + 48000}).arousal;
  EXPECT_LT(std::abs(MoodOf(high).arousal), std::abs(first) - 0.1F);
}

TEST(VoiceMood, PausesLeadBackToNeutral) {
  VoiceMood mood;
  EachHop(Buzz(3, 260, 4, 4), [&](absl::Span<const float> hop) { mood.Step(hop, true); });
  EXPECT_GT(mood.mood().arousal, 0.4F);
  const std::vector<float> silence(16000 * 6);
  EachHop(silence, [&](absl::Span<const float> hop) { mood.Step(hop, false); });
  EXPECT_NEAR(mood.mood().arousal, 0, 0.01);
  EXPECT_NEAR(mood.mood().valence, 0, 0.01);
}

TEST(VoiceMood, GoesOnFromNeutralAfterALongPause) {
  VoiceMood mood;
  EachHop(Buzz(3, 260, 4, 4), [&](absl::Span<const float> hop) { mood.Step(hop, true); });
  const std::vector<float> silence(16000 * 6);
  EachHop(silence, [&](absl::Span<const float> hop) { mood.Step(hop, false); });
  float last = mood.mood().arousal;
  EachHop(Buzz(1, 260, 4, 4), [&](absl::Span<const float> hop) {
    mood.Step(hop, true);
    EXPECT_LT(std::abs(mood.mood().arousal - last), 0.1F);
    last = mood.mood().arousal;
  });
}

TEST(VoiceMood, OddSoundsStayInRange) {
  Random random(2);
  for (const float odd : {0.0F, 1.0F, -1.0F, std::nanf(""), INFINITY}) {
    VoiceMood mood;
    std::vector<float> sound(kHopSamples * 300, odd);
    for (size_t i = 0; i < sound.size(); i += 7) sound[i] = random.Uniform(-1, 1);
    EachHop(sound, [&](absl::Span<const float> hop) {
      mood.Step(hop, true);
      ASSERT_LE(std::abs(mood.mood().arousal), 1) << odd;
      ASSERT_LE(std::abs(mood.mood().valence), 1) << odd;
    });
  }
}

}  // namespace
}  // namespace posewire::speech
