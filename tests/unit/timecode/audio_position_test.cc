#include "libs/timecode/audio_position.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace posewire::timecode {
namespace {

TEST(FirstSampleOfTick, Carries533Or534SamplesAt16kHzAnd30Fps) {
  const FrameRate fps{30, 1};
  int64_t total = 0;
  for (int64_t k = 0; k < 3 * 1000; ++k) {
    const int64_t n = FirstSampleOfTick(k + 1, 16000, fps) - FirstSampleOfTick(k, 16000, fps);
    EXPECT_TRUE(n == 533 || n == 534);
    total += n;
  }
  EXPECT_EQ(total, 1600 * 1000);
}

// floor(k den rate / num) in 128 bits, at the ends of a day too.
TEST(FirstSampleOfTick, IsExactOverHoursAtEveryRate) {
  std::mt19937_64 rng(2);
  for (const FrameRate fps : {FrameRate{24, 1}, {30000, 1001}, {30, 1}, {60000, 1001}, {120, 1}}) {
    for (const int64_t rate : {8000, 11025, 16000, 22050, 44100, 48000, 192000}) {
      for (int i = 0; i < 300; ++i) {
        const auto k = static_cast<int64_t>(rng() % (120ull * 3600 * 24 * 365)) - 1000;
        const __int128 product = static_cast<__int128>(k) * fps.den * rate;
        __int128 want = product / fps.num;
        if (product % fps.num < 0) --want;
        EXPECT_EQ(FirstSampleOfTick(k, rate, fps), static_cast<int64_t>(want));
      }
    }
  }
}

TEST(FirstSampleOfTick, AnHourOfTicksIsAnHourOfSamples) {
  EXPECT_EQ(FirstSampleOfTick(30 * 3600, 16000, {30, 1}), 16000 * 3600);
  EXPECT_EQ(FirstSampleOfTick(30000, 48000, {30000, 1001}), 48000 * 1001);
  EXPECT_EQ(FirstSampleOfTick(-1, 16000, {30, 1}), -534);
}

TEST(SampleAt, RoundsToTheNearestSample) {
  EXPECT_EQ(SampleAt(0.1, 16000), 1600);
  EXPECT_EQ(SampleAt(1.0 / 30, 16000), 533);
  EXPECT_EQ(SampleAt(7200.0001, 48000), 345600005);
  EXPECT_GT(SampleAt(1e300, 48000), 0);
}

TEST(AudioPlacer, TakesBuffersWithin20MillisecondsAsContiguous) {
  AudioPlacer placer(16000);
  EXPECT_FALSE(placer.started());
  placer.Place(1.0, 1600);
  EXPECT_EQ(placer.position(), 17600);
  const auto late = placer.Place(1.1 + 0.02, 1600);  // 320 samples: still contiguous
  EXPECT_EQ(late.first_sample, 17600);
  EXPECT_EQ(late.silence_before, 0);
  EXPECT_EQ(late.drop, 0);
  const auto early = placer.Place(1.2 - 0.02, 1600);
  EXPECT_EQ(early.first_sample, 19200);
  EXPECT_EQ(early.drop, 0);
  EXPECT_EQ(placer.position(), 20800);
}

TEST(AudioPlacer, FillsAGapWithSilence) {
  AudioPlacer placer(16000);
  placer.Place(0, 1600);
  const auto gap = placer.Place(0.5, 800);
  EXPECT_EQ(gap.silence_before, 6400);
  EXPECT_EQ(gap.first_sample, 8000);
  EXPECT_EQ(placer.position(), 8800);
  // One sample beyond the tolerance is a gap.
  const auto next = placer.Place((8800 + 321) / 16000.0, 10);
  EXPECT_EQ(next.silence_before, 321);
}

TEST(AudioPlacer, DropsWhatItAlreadyHolds) {
  AudioPlacer placer(16000);
  placer.Place(0, 16000);
  const auto part = placer.Place(0.5, 10000);
  EXPECT_EQ(part.drop, 8000);
  EXPECT_EQ(part.first_sample, 16000);
  EXPECT_EQ(placer.position(), 18000);
  const auto all = placer.Place(0.25, 100);
  EXPECT_EQ(all.drop, 100);
  EXPECT_EQ(placer.position(), 18000);
}

TEST(AudioPlacer, AnEmptyBufferMovesNothing) {
  AudioPlacer placer(16000);
  placer.Place(0, 160);
  placer.Place(0.01, 0);
  EXPECT_EQ(placer.position(), 160);
}

// Buffers of a frame each, coded by time in doubles, stay one run over two hours.
TEST(AudioPlacer, FramesOf533Point33SamplesStayContiguousForHours) {
  const FrameRate fps{30, 1};
  AudioPlacer placer(16000);
  for (int64_t k = 0; k < 30 * 3600 * 2; ++k) {
    const int64_t first = FirstSampleOfTick(k, 16000, fps);
    const int64_t count = FirstSampleOfTick(k + 1, 16000, fps) - first;
    const auto placement = placer.Place(fps.SecondsAt(k), count);
    ASSERT_EQ(placement.silence_before, 0);
    ASSERT_EQ(placement.drop, 0);
    ASSERT_EQ(placement.first_sample, first);
  }
  EXPECT_EQ(placer.position(), 16000 * 7200);
}

// The slow reference holds every sample of the line in an array and marks who wrote it.
TEST(AudioPlacer, AgreesWithASlowReferenceOnRandomBuffers) {
  std::mt19937 rng(4);
  for (int round = 0; round < 100; ++round) {
    const int64_t rate = 1000;
    AudioPlacer placer(rate);
    std::vector<int> line;  // 0: silence; else the buffer that wrote it
    for (int buffer = 1; buffer <= 20; ++buffer) {
      const double time_code_s = static_cast<double>(rng() % 2000) / 1000 + buffer * 0.05;
      const auto samples = static_cast<int64_t>(rng() % 200);
      const int64_t held = static_cast<int64_t>(line.size()), at = std::llround(time_code_s * 1000);
      int64_t drop = 0;
      if (buffer == 1 || at - held > 20) {
        line.resize(static_cast<size_t>(at), 0);
      } else if (held - at > 20) {
        drop = std::min(held - at, samples);
      }
      const auto first = static_cast<int64_t>(line.size());
      line.resize(line.size() + static_cast<size_t>(samples - drop), buffer);
      const auto got = placer.Place(time_code_s, samples);
      ASSERT_EQ(got.first_sample, first);
      ASSERT_EQ(got.drop, drop);
      ASSERT_EQ(got.silence_before, buffer == 1 ? 0 : first - held);
      ASSERT_EQ(placer.position(), static_cast<int64_t>(line.size()));
    }
  }
}

// A sender of 10 ms buffers, whose codes are off by up to 1 ms, breaks off and begins again.
TEST(AudioPlacer, DropsRepeatedSamplesWithin20MsOfThePosition) {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> off_s(-0.001, 0.001);
  for (int round = 0; round < 200; ++round) {
    AudioPlacer placer(1000);
    std::vector<double> time_codes_s;
    for (int k = 0; k < 100; ++k) time_codes_s.push_back(2 + k * 0.01 + off_s(rng));
    const size_t held = 1 + rng() % 99, from = held - rng() % std::min<size_t>(held, 7);
    for (size_t k = 0; k < held; ++k) placer.Place(time_codes_s[k], 10);
    const int64_t position = placer.position();
    placer.BeginsAgain();
    for (size_t k = from; k < 100; ++k) {
      const auto got = placer.Place(time_codes_s[k], 10);
      ASSERT_EQ(got.drop, k < held ? 10 : 0) << "buffer " << k << " of " << held;
      ASSERT_EQ(got.silence_before, 0);
    }
    ASSERT_EQ(placer.position(), position + static_cast<int64_t>(100 - held) * 10);
  }
}

TEST(AudioPlacer, ABufferThatReachesBeyondWhatIsHeldKeepsItsRest) {
  AudioPlacer placer(1000);
  placer.Place(1, 100);
  placer.BeginsAgain();
  auto got = placer.Place(1.09, 30);
  EXPECT_EQ(got.drop, 10);
  EXPECT_EQ(got.first_sample, 1100);
  EXPECT_EQ(placer.position(), 1120);
  // From then on a buffer within 20 ms is contiguous again.
  got = placer.Place(1.11, 30);
  EXPECT_EQ(got.drop, 0);
  EXPECT_EQ(placer.position(), 1150);
}

TEST(AudioPlacer, AGapBehindAResumptionIsSilence) {
  AudioPlacer placer(1000);
  placer.BeginsAgain();  // before anything: nothing can come again
  placer.Place(1, 100);
  placer.BeginsAgain();
  const auto got = placer.Place(1.5, 10);
  EXPECT_EQ(got.silence_before, 400);
  EXPECT_EQ(got.drop, 0);
}

}  // namespace
}  // namespace posewire::timecode
