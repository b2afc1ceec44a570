#include "services/anim_graph/core/audio_track.h"

#include <gtest/gtest.h>

#include <random>

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

}  // namespace
}  // namespace posewire::anim_graph
