#include "libs/speech/sound_resampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "tests/unit/speech/test_sound.h"

namespace posewire::speech {
namespace {

const std::vector<int>& Rates() {
  static const std::vector<int> rates = {8000,  11025, 16000, 22050, 24000,
                                         44100, 48000, 96000, 192000};
  return rates;
}

// A click comes out where it went in, to the sample.
TEST(SoundResampler, KeepsTheTime) {
  for (const int rate_hz : Rates()) {
    std::vector<float> sound(static_cast<size_t>(rate_hz));
    const size_t at = sound.size() / 2;
    // As long as some samples of 16 kHz, so that every rate has it.
    for (size_t i = 0; i < sound.size(); ++i) {
      const double t = (static_cast<double>(i) - static_cast<double>(at)) / rate_hz;
      sound[i] = static_cast<float>(std::exp(-t * t / (2 * 0.0003 * 0.0003)));
    }
    std::vector<float> out;
    SoundResampler(rate_hz).Process(sound, out);
    const auto top = std::max_element(out.begin(), out.end()) - out.begin();
    EXPECT_NEAR(static_cast<double>(top), 16000.0 * static_cast<double>(at) / rate_hz, 0.51)
        << rate_hz;
    EXPECT_NEAR(*std::max_element(out.begin(), out.end()), 1, 0.05) << rate_hz;
  }
}

// Its place in the sound is added up from sample to sample, and is still right after ten minutes.
TEST(SoundResampler, KeepsTheTimeForLong) {
  constexpr int kRate_hz = 11025, kSeconds = 600, kAt = 5000;
  SoundResampler resampler(kRate_hz);
  std::vector<float> second(kRate_hz), out;
  int64_t before = 0;
  for (int s = 1; s < kSeconds; ++s) {
    before += static_cast<int64_t>(out.size());
    out.clear();
    resampler.Process(second, out);
  }
  before += static_cast<int64_t>(out.size());
  out.clear();
  for (int i = -20; i <= 20; ++i) {
    second[static_cast<size_t>(kAt + i)] = static_cast<float>(std::exp(-i * i / 20.0));
  }
  resampler.Process(second, out);
  const auto top = before + (std::max_element(out.begin(), out.end()) - out.begin());
  const double at_s = kSeconds - 1 + static_cast<double>(kAt) / kRate_hz;
  EXPECT_NEAR(static_cast<double>(top), 16000 * at_s, 0.51);
}

TEST(SoundResampler, HoldsLittleBack) {
  for (const int rate_hz : Rates()) {
    std::vector<float> out;
    SoundResampler(rate_hz).Process(Noise(static_cast<size_t>(rate_hz), 0.1f), out);
    // 2.5 ms, and 1.3 from 16 kHz on.
    EXPECT_GE(out.size(), rate_hz < 16000 ? 16000u - 40 : 16000u - 21) << rate_hz;
    EXPECT_LE(out.size(), 16000u) << rate_hz;
  }
}

TEST(SoundResampler, GivesTheSameBitsForAnyCuts) {
  std::mt19937 rng(3);
  for (const int rate_hz : Rates()) {
    const std::vector<float> sound = Noise(static_cast<size_t>(rate_hz) / 4, 0.2f);
    std::vector<float> whole, cut;
    SoundResampler(rate_hz).Process(sound, whole);
    SoundResampler resampler(rate_hz);
    for (size_t i = 0; i < sound.size();) {
      const size_t most = rng() % 5 == 0 ? 2000 : 7;
      const size_t count = std::min(sound.size() - i, 1 + rng() % most);
      resampler.Process(absl::MakeConstSpan(sound).subspan(i, count), cut);
      i += count;
    }
    EXPECT_TRUE(whole == cut) << rate_hz;
  }
}

TEST(SoundResampler, KeepsATone) {
  for (const int rate_hz : Rates()) {
    std::vector<float> sound(static_cast<size_t>(rate_hz));
    for (size_t i = 0; i < sound.size(); ++i) {
      sound[i] = 0.5f * static_cast<float>(std::sin(2 * std::numbers::pi * 1000 *
                                                    static_cast<double>(i) / rate_hz));
    }
    std::vector<float> out;
    SoundResampler(rate_hz).Process(sound, out);
    for (size_t i = 200; i + 200 < out.size(); ++i) {
      const double t = static_cast<double>(i) / 16000;
      ASSERT_NEAR(out[i], 0.5 * std::sin(2 * std::numbers::pi * 1000 * t), 0.005) << rate_hz;
    }
  }
}

}  // namespace
}  // namespace posewire::speech
