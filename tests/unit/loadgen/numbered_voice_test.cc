#include "tools/loadgen/numbered_voice.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace posewire::loadgen
