#include "services/anim_graph/core/audio_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <vector>

namespace posewire::anim_graph {
namespace {

wire::AudioBuffer Buffer(int64_t first, int64_t count, int rate = 16000) {
  wire::AudioBuffer b;
  b.time_code_s = static_cast<double>(first) / rate;
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
  next.time_code_s += 0.019;
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
  EXPECT_EQ(track.sound().size(), 60u);
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
    EXPECT_GE(track.sound().size(), 4000u - 533);
    EXPECT_LE(track.sound().size(), 4000u + 16000 / 8);
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
  EXPECT_EQ(track.silence(), 32000);
  EXPECT_TRUE(track.sound().empty());
  track.Skip(31000);
  EXPECT_EQ(track.silence(), 1000);
  track.Skip(1000);
  EXPECT_EQ(track.silence(), 0);
  EXPECT_EQ(Take(track, 1)[0], 32000 % 9973 + 1);
}

TEST(AudioTrack, AGapOfThreeCenturiesIsARunOfSilence) {
  constexpr int64_t kLate_s = 9'999'999'999;
  for (int rate : {8000, 16000, 44100, 48000, 192000}) {
    AudioTrack track(rate, 16000);
    track.StartAt(0);
    track.Append(Buffer(0, rate, rate), 0);
    track.Append(Buffer(kLate_s * rate, rate, rate), 0);
    track.Finish();
    EXPECT_EQ(track.held(), (kLate_s + 1) * 16000) << rate;
    EXPECT_EQ(track.silence_filled(), (kLate_s - 1) * rate);
    EXPECT_EQ(track.end_s(), kLate_s + 1);
    EXPECT_LT(track.bytes(), 2u << 20);
    const auto before = Take(track, 16100);
    EXPECT_NE(before[15990], 0);
    EXPECT_EQ(before[16000], 0);
    EXPECT_EQ(track.silence(), (kLate_s - 1) * 16000 - 100) << rate;
    EXPECT_TRUE(track.sound().empty());
    track.Skip(track.silence() - 100);
    const auto behind = Take(track, 16100);
    EXPECT_EQ(behind[99], 0);
    EXPECT_NE(behind[110], 0);
    EXPECT_NE(behind[16090], 0);
    EXPECT_EQ(track.held(), 0);
    EXPECT_LT(track.bytes(), 64u);
  }
}

TEST(AudioTrack, ManyShortBuffersBetweenGapsAreCountedWithWhatTheyTake) {
  for (int rate : {16000, 48000}) {
    AudioTrack track(rate, 16000);
    track.StartAt(0);
    for (int64_t i = 0; i < 1000; ++i) track.Append(Buffer(i * rate, 1, rate), 0);
    EXPECT_GT(track.bytes(), 1000 * 10u) << rate;
    EXPECT_LT(track.bytes(), 1000 * 100u) << rate;
  }
}

// The same rules, slow and plain: every sample is written down.
class PlainTrack {
 public:
  explicit PlainTrack(int rate) : rate_(rate) {}

  void Append(const wire::AudioBuffer& buffer) {
    const auto at = std::llround(buffer.time_code_s * rate_);
    if (first_ < 0) first_ = at;
    const int64_t apart = at - end();
    size_t drop = 0;
    if (apart > rate_ / 50) samples_.resize(samples_.size() + static_cast<size_t>(apart));
    if (apart < -rate_ / 50) drop = std::min(static_cast<size_t>(-apart), buffer.samples.size());
    samples_.insert(samples_.end(), buffer.samples.begin() + static_cast<ptrdiff_t>(drop),
                    buffer.samples.end());
  }
  int64_t end() const { return first_ + static_cast<int64_t>(samples_.size()); }
  int64_t held() const { return first_ < 0 ? 0 : std::max<int64_t>(0, end() - read); }
  int16_t At(int64_t position) const {
    if (first_ < 0 || position < first_ || position >= end()) return 0;
    return samples_[static_cast<size_t>(position - first_)];
  }
  int64_t read = 0;

 private:
  const int rate_;
  int64_t first_ = -1;
  std::vector<int16_t> samples_;
};

// A buffer near the end of what was pushed: on it, a little or far behind it, or before it.
wire::AudioBuffer NextBuffer(int64_t end, int rate, std::mt19937& rng) {
  int64_t at = end;
  switch (rng() % 8) {
    case 0:
      at += static_cast<int64_t>(rng() % static_cast<unsigned>(rate / 8));
      break;
    case 1:
      at += static_cast<int64_t>(rng() % static_cast<unsigned>(3 * rate));
      break;
    case 2:
      at -= static_cast<int64_t>(rng() % static_cast<unsigned>(rate / 4));
      break;
    case 3:
      at += static_cast<int64_t>(rng() % 100) - 50;
      break;
    default:
      break;
  }
  return Buffer(std::max<int64_t>(0, at), static_cast<int64_t>(rng() % 900), rate);
}

TEST(AudioTrack, AgreesWithPlainSamplesOnRandomScripts) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 rng(seed);
    AudioTrack track(16000, 16000);
    PlainTrack plain(16000);
    int64_t end = static_cast<int64_t>(rng() % 3) * 5000;
    const auto append = [&] {
      const auto buffer = NextBuffer(end, 16000, rng);
      track.Append(buffer, 0);
      plain.Append(buffer);
      end = plain.end();
    };
    for (unsigned i = rng() % 4; i > 0; --i) append();
    plain.read = static_cast<int64_t>(rng() % 8000);
    track.StartAt(static_cast<double>(plain.read) / 16000);
    for (int step = 0; step < 400; ++step) {
      const unsigned what = rng() % 16;
      if (what < 6) {
        append();
      } else if (what < 14) {
        const auto out = Take(track, rng() % 1500);
        for (int16_t s : out) ASSERT_EQ(s, plain.At(plain.read++)) << seed << " at " << plain.read;
      } else if (what == 14) {
        const auto skip = static_cast<int64_t>(rng() % 3000);
        track.Skip(skip);
        plain.read += std::min(skip, plain.held());
      } else {
        track.Finish();  // what comes later goes on behind it
      }
      ASSERT_EQ(track.held(), plain.held()) << seed;
      ASSERT_EQ(track.silence() > 0 || !track.sound().empty(), plain.held() > 0) << seed;
      for (int64_t i = 0; i < track.silence(); ++i) ASSERT_EQ(plain.At(plain.read + i), 0) << seed;
      int64_t at = plain.read;
      for (int16_t s : track.sound()) ASSERT_EQ(s, plain.At(at++)) << seed;
    }
  }
}

TEST(AudioTrack, AgreesAtOtherRatesWithEachStretchOfSoundConvertedByItself) {
  for (int rate : {8000, 44100, 48000, 192000}) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      std::mt19937 rng(seed);
      AudioTrack track(rate, 16000);
      track.StartAt(0);
      // Positions in the pushed rate; the converter's state ends where a silence is long.
      struct Stretch {
        int64_t begin;
        std::vector<int16_t> samples;
      };
      std::vector<Stretch> stretches;
      int64_t end = 0;
      std::vector<int16_t> got;
      const auto take = [&] {
        for (int16_t s : Take(track, 533)) got.push_back(s);
      };
      for (int i = 0; i < 60; ++i) {
        auto buffer = NextBuffer(end, rate, rng);
        if (buffer.samples.empty()) continue;
        track.Append(buffer, 0);
        const int64_t at = std::llround(buffer.time_code_s * rate);
        if (stretches.empty()) {
          stretches.push_back({at, {}});
          end = at;
        }
        int64_t apart = at - end;
        if (std::abs(apart) <= rate / 50) apart = 0;
        auto from = buffer.samples.begin();
        if (apart < 0) from += std::min<ptrdiff_t>(-apart, std::ssize(buffer.samples));
        if (apart >= rate / 4) {
          stretches.push_back({end + apart, {}});
        } else if (apart > 0) {
          stretches.back().samples.resize(stretches.back().samples.size() +
                                          static_cast<size_t>(apart));
        }
        stretches.back().samples.insert(stretches.back().samples.end(), from, buffer.samples.end());
        end += std::max<int64_t>(0, apart) + (buffer.samples.end() - from);
        while (track.held() > 16000 && rng() % 2 == 0) take();
      }
      track.Finish();
      const auto size = static_cast<size_t>(static_cast<int64_t>(got.size()) + track.held());
      EXPECT_NEAR(static_cast<double>(size), static_cast<double>(end) * 16000 / rate, 1);
      while (track.held() > 0) take();
      std::vector<int16_t> expected(got.size());
      for (const Stretch& stretch : stretches) {
        Resampler resampler(rate, 16000);
        SampleQueue made;
        resampler.Process(stretch.samples, made);
        resampler.Flush(made);
        const auto begin = (2 * stretch.begin * 16000 + rate) / (2 * rate);
        ASSERT_LE(begin + made.size(), std::ssize(expected));
        made.Read(absl::MakeSpan(expected).subspan(static_cast<size_t>(begin),
                                                   static_cast<size_t>(made.size())));
      }
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i], 1) << rate << ", seed " << seed << ", at " << i;
      }
    }
  }
}

}  // namespace
}  // namespace posewire::anim_graph
