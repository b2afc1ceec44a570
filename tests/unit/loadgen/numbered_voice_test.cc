#include "tools/loadgen/numbered_voice.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace posewire::loadgen {
namespace {

std::vector<uint8_t> Bytes(const std::vector<int16_t>& samples) {
  std::vector<uint8_t> bytes;
  for (int16_t s : samples) {
    const auto u = static_cast<uint16_t>(s);
    bytes.push_back(static_cast<uint8_t>(u & 0xffu));
    bytes.push_back(static_cast<uint8_t>(u >> 8u));
  }
  return bytes;
}

std::vector<int16_t> Voice(int64_t from, int64_t to) {
  std::vector<int16_t> samples;
  for (int64_t n = from; n < to; ++n) samples.push_back(VoiceSample(n));
  return samples;
}

TEST(NumberedVoice, IsNeverSilent) {
  for (int64_t n = 0; n < 3 * kVoicePeriod; ++n) EXPECT_GT(VoiceSample(n), 0);
}

TEST(VoiceListener, HearsNoBreakInAWholeVoice) {
  VoiceListener listener;
  for (int64_t n = 0; n < 3 * kVoicePeriod; n += 533) listener.Hear(Bytes(Voice(n, n + 533)));
  EXPECT_EQ(listener.breaks(), 0);
  EXPECT_EQ(listener.silent(), 0);
  EXPECT_GE(listener.spoken(), 3 * kVoicePeriod);
}

TEST(VoiceListener, CountsSilenceOnlyAfterTheFirstWord) {
  VoiceListener listener;
  listener.Hear(Bytes({0, 0, 0}));
  EXPECT_EQ(listener.silent(), 0);
  listener.Hear(Bytes({5, 6, 0, 0, 7}));
  EXPECT_EQ(listener.silent(), 2);
  EXPECT_EQ(listener.breaks(), 0);
  EXPECT_EQ(listener.spoken(), 3);
}

TEST(VoiceListener, CountsLostAndDoubledSamples) {
  VoiceListener lost, doubled;
  lost.Hear(Bytes({5, 6, 8, 9}));
  EXPECT_EQ(lost.breaks(), 1);
  doubled.Hear(Bytes({5, 6, 6, 7}));
  EXPECT_EQ(doubled.breaks(), 1);
}

// Sample by sample.
struct SlowListener {
  int last = 0;
  int64_t spoken = 0, silent = 0, breaks = 0;
  void Hear(int value) {
    if (value == 0) {
      silent += spoken > 0;
      return;
    }
    breaks += last != 0 && value != (last == kVoicePeriod ? 1 : last + 1);
    last = value;
    ++spoken;
  }
};

TEST(VoiceListener, AgreesWithAListenerSampleBySample) {
  std::mt19937 rng(3);
  for (int round = 0; round < 200; ++round) {
    VoiceListener listener;
    SlowListener slow;
    int64_t at = kVoicePeriod - static_cast<int64_t>(rng() % 2000);
    for (int message = 0; message < 20; ++message) {
      const int64_t count = rng() % 700;
      std::vector<int16_t> samples = Voice(at, at + count);
      at += count;
      if (rng() % 4 == 0) at += rng() % 3;  // some are lost
      if (rng() % 4 == 0) samples.insert(samples.begin(), rng() % 5, 0);
      if (rng() % 4 == 0 && !samples.empty()) {
        samples[rng() % samples.size()] = static_cast<int16_t>(rng());
      }
      listener.Hear(Bytes(samples));
      for (int16_t s : samples) slow.Hear(static_cast<uint16_t>(s));
      ASSERT_EQ(listener.spoken(), slow.spoken);
      ASSERT_EQ(listener.silent(), slow.silent);
      ASSERT_EQ(listener.breaks(), slow.breaks);
    }
  }
}

}  // namespace
}  // namespace posewire::loadgen
