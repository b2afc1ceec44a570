#include "libs/diagram/waveform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace posewire::diagram {
namespace {

TEST(Waveform, AgreesWithAScanOfAllSamplesOnBucketBorders) {
  std::mt19937 random(7);
  for (int rate : {8000, 16000, 44100, 48000}) {
    const int bucket = rate / 200;
    std::vector<int16_t> voice(static_cast<size_t>(bucket) * 40);
    for (int16_t& s : voice) s = static_cast<int16_t>(static_cast<int>(random() % 65536) - 32768);
    Waveform wave(rate);
    // In pieces of random length, as a stream brings them.
    for (size_t at = 0; at < voice.size();) {
      const size_t n = std::min<size_t>(1 + random() % 700, voice.size() - at);
      wave.Add(static_cast<int64_t>(at), absl::MakeConstSpan(voice).subspan(at, n));
      at += n;
    }
    for (int trial = 0; trial < 50; ++trial) {
      int a = static_cast<int>(random() % 40), b = static_cast<int>(random() % 40);
      if (a == b) continue;
      if (a > b) std::swap(a, b);
      int low = 0, high = 0;
      for (int i = a * bucket; i < b * bucket; ++i) {
        low = std::min<int>(low, voice[static_cast<size_t>(i)]);
        high = std::max<int>(high, voice[static_cast<size_t>(i)]);
      }
      const double margin = 0.25 * bucket / rate;
      const auto [got_low, got_high] = wave.Range(static_cast<double>(a * bucket) / rate + margin,
                                                  static_cast<double>(b * bucket) / rate - margin);
      EXPECT_FLOAT_EQ(got_low, static_cast<float>(low) / 32768.0f);
      EXPECT_FLOAT_EQ(got_high, static_cast<float>(high) / 32768.0f);
    }
  }
}

TEST(Waveform, IsSilentWhereNothingWasSaid) {
  Waveform wave(16000);
  EXPECT_TRUE(wave.empty());
  EXPECT_EQ(wave.Range(0, 10), (std::pair<float, float>(0, 0)));
  const std::vector<int16_t> loud(160, 16384);
  wave.Add(16000, loud);
  EXPECT_EQ(wave.Range(0, 0.9), (std::pair<float, float>(0, 0)));
  EXPECT_EQ(wave.Range(1.0, 1.01), (std::pair<float, float>(0, 0.5f)));
  EXPECT_EQ(wave.Range(1.5, 9), (std::pair<float, float>(0, 0)));
}

TEST(Waveform, ARangeShorterThanABucketStillSeesIt) {
  Waveform wave(16000);
  const std::vector<int16_t> loud(1600, -32768);
  wave.Add(0, loud);
  EXPECT_EQ(wave.Range(0.0501, 0.0502).first, -1.0f);
}

}  // namespace
}  // namespace posewire::diagram
