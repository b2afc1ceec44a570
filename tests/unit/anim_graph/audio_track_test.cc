#include "services/anim_graph/core/audio_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace posewire::anim_graph {
namespace {

wire::AudioBuffer Buffer(int64_t first, int64_t count, int rate = 16000) {
  wire::AudioBuffer b;
  b.code_s = static_cast<double>(first) / rate;
  for (int64_t n = first; n < first + count; ++n)
    b.samples.push_back(static_cast<int16_t>(n % 9973 + 1));
  return b;
}

std::vector<int16_t> Take(AudioTrack& track, size_t n) {
  std::vector<int16_t> out(n);
  track.Take(absl::MakeSpan(out));
  return out;
}

TEST(AudioTrack, HandsOutWhatCameInWhateverThePieces) {
  std::mt19937 rng(1);
  AudioTrack track(16000, 16000);
  track.StartAt(0);
  int64_t in = 0, out = 0;
  while (out < 200000) {
    const int64_t n = static_cast<int64_t>(rng() % 900);
    track.Append(Buffer(in, n), 0);
    in += n;
    const auto want = static_cast<size_t>(rng() % 900);
    if (track.held() < static_cast<int64_t>(want)) continue;
    for (int16_t s : Take(track, want)) ASSERT_EQ(s, static_cast<int16_t>(out++ % 9973 + 1));
  }
}

TEST(AudioTrack, AGapBecomesSilenceAndARepeatIsDropped) {
  AudioTrack track(16000, 16000);
  track.StartAt(0);
  track.Append(Buffer(0, 1600), 0);
  track.Append(Buffer(3200, 1600), 0);
  track.Append(Buffer(3200, 3200), 0);
  EXPECT_EQ(track.silence_filled(), 1600);
  EXPECT_EQ(track.dropped(), 1600);
  EXPECT_EQ(track.held(), 6400);
  const auto all = Take(track, 6400);
  EXPECT_EQ(all[1599], 1600);
  EXPECT_EQ(all[1600], 0);
  EXPECT_EQ(all[3199], 0);
  EXPECT_EQ(all[3200], 3201);
  EXPECT_EQ(all[6399], 6400);
}

TEST(AudioTrack, CodesWithinTwentyMillisecondsAreContiguous) {
  AudioTrack track(16000, 16000);
  track.StartAt(0);
  track.Append(Buffer(0, 1600), 0);
  auto next = Buffer(1600, 1600);
  next.code_s += 0.019;
  track.Append(next, 0);
  EXPECT_EQ(track.held(), 3200);
  EXPECT_EQ(track.silence_filled(), 0);
}

TEST(AudioTrack, SilenceStandsBeforeALaterFirstSample) {
  AudioTrack track(16000, 16000);
  track.Append(Buffer(1000, 1000), 0);
  track.StartAt(0);
  const auto all = Take(track, 2000);
  EXPECT_EQ(all[999], 0);
  EXPECT_EQ(all[1000], 1001);
}

TEST(AudioTrack, SkipLeavesSamplesOut) {
  AudioTrack track(16000, 16000);
  track.StartAt(0);
  track.Append(Buffer(0, 100), 0);
  track.Skip(40);
  EXPECT_EQ(track.Peek().size(), 60u);
  EXPECT_EQ(Take(track, 1)[0], 41);
}

TEST(AudioTrack, AnotherRateGivesTheRoundedNumberOfSamples) {
  for (int rate : {8000, 11025, 22050, 44100, 48000, 96000}) {
    AudioTrack track(rate, 16000);
    track.StartAt(0);
    const int64_t total = rate * 2 + 3;
    for (int64_t n = 0; n < total; n += 500) {
      track.Append(Buffer(n, std::min<int64_t>(500, total - n), rate), 0);
    }
    track.Finish();
    EXPECT_EQ(track.held(), (2 * total * 16000 + rate) / (2 * rate)) << rate;
  }
}

TEST(AudioTrack, AnotherRateGivesTheSameSamplesWhateverThePieces) {
  std::mt19937 rng(2);
  for (int rate : {8000, 44100, 192000}) {
    AudioTrack whole(rate, 16000), pieces(rate, 16000);
    whole.StartAt(0);
    pieces.StartAt(0);
    const int64_t total = rate * 3 + 11;
    whole.Append(Buffer(0, total, rate), 0);
    for (int64_t n = 0; n < total;) {
      const int64_t size = std::min<int64_t>(1 + static_cast<int64_t>(rng() % 5000), total - n);
      pieces.Append(Buffer(n, size, rate), 0);
      n += size;
    }
    whole.Finish();
    pieces.Finish();
    int64_t made = 0;
    while (whole.held() > 0 && pieces.held() > 0) {
      const auto a = Take(whole, 533), b = Take(pieces, 533);
      for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1) << rate << " at " << made;
      made += 533;
    }
    EXPECT_EQ(whole.held(), pieces.held());
    EXPECT_NEAR(static_cast<double>(made), 48000, 534);
  }
}

TEST(AudioTrack, ConvertsAQuarterOfASecondAheadAndNotAll) {
  AudioTrack track(192000, 16000);
  track.StartAt(0);
  track.Append(Buffer(0, 192000 * 10, 192000), 0);
  EXPECT_EQ(track.held(), 160000);
  for (int i = 0; i < 200; ++i) {
    EXPECT_GE(track.Peek().size(), 4000u - 533);
    EXPECT_LE(track.Peek().size(), 4000u + 16000 / 8);
    Take(track, 533);
  }
}

TEST(AudioTrack, ALongGapTakesNeitherTimeNorMemory) {
  AudioTrack track(192000, 16000);
  track.StartAt(0);
  track.Append(Buffer(0, 192000, 192000), 0);
  track.Append(Buffer(300 * 192000, 192000, 192000), 0);
  track.Finish();
  EXPECT_EQ(track.held(), 301 * 16000);
  EXPECT_LT(track.bytes(), 1u << 20);
  std::vector<int16_t> all;
  while (track.held() > 0) {
    const auto some = Take(track, 1600);
    all.insert(all.end(), some.begin(), some.end());
    ASSERT_LT(track.bytes(), 1u << 20);
  }
  ASSERT_EQ(all.size(), 301u * 16000);
  EXPECT_NE(all[15990], 0);
  EXPECT_NE(all[300 * 16000 + 10], 0);
  const auto silent = [](int16_t s) { return s == 0; };
  EXPECT_TRUE(std::all_of(all.begin() + 16000, all.begin() + 300 * 16000, silent));
}

TEST(AudioTrack, SilenceBeforeTheFirstSampleMayBeSkipped) {
  AudioTrack track(16000, 16000);
  track.StartAt(0);
  track.Append(Buffer(32000, 100), 0);
  while (track.held() > 100) {
    ASSERT_FALSE(track.Peek().empty());
    ASSERT_EQ(track.Peek()[0], 0);
    track.Skip(std::min<int64_t>(track.held() - 100, static_cast<int64_t>(track.Peek().size())));
  }
  EXPECT_EQ(Take(track, 1)[0], 32000 % 9973 + 1);
}

}  // namespace
}  // namespace posewire::anim_graph
