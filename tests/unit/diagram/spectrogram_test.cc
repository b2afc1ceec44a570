#include "libs/diagram/spectrogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace posewire::diagram {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST(Transform, AgreesWithTheSumOfItsDefinition) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 1);
  for (size_t n : {1u, 2u, 4u, 8u, 64u, 512u}) {
    std::vector<std::complex<double>> values(n);
    for (auto& v : values) v = {normal(random), normal(random)};
    std::vector<std::complex<double>> fast = values;
    Transform(fast);
    for (size_t k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (size_t i = 0; i < n; ++i) {
        const double turn = -2 * kPi * static_cast<double>(i * k % n) / static_cast<double>(n);
        sum += values[i] * std::polar(1.0, turn);
      }
      EXPECT_LT(std::abs(fast[k] - sum), 1e-9) << "size " << n << " bin " << k;
    }
  }
}

TEST(Spectrogram, FollowsATonePerHalfAtAnyRate) {
  for (int rate : {8000, 16000, 22050, 48000}) {
    const auto sample = [&](int64_t at) -> absl::StatusOr<int> {
      const double hz = at < rate ? 500 : 3000;
      return static_cast<int>(8000 * std::sin(2 * kPi * hz * static_cast<double>(at) / rate));
    };
    const auto s = MakeSpectrogram({rate, 0, 2, 40}, sample);
    ASSERT_TRUE(s.ok()) << s.status();
    EXPECT_EQ(s->top_hz, std::min(8000.0, rate / 2.0));
    for (int column : {3, 16, 23, 36}) {
      int best = 0;
      for (int row = 0; row < s->rows; ++row) {
        if (s->at(column, row) > s->at(column, best)) best = row;
      }
      EXPECT_NEAR(s->row_hz(best), column < 20 ? 500 : 3000, 45) << rate << " Hz";
    }
  }
}

TEST(Spectrogram, SpansSixtyDecibelsUnderThePeak) {
  // The second half is 40 dB under the first: a third of the scale is left.
  const auto sample = [](int64_t at) -> absl::StatusOr<int> {
    const double loud = at < 16000 ? 20000 : 200;
    return static_cast<int>(std::lround(loud * std::sin(2 * kPi * static_cast<double>(at) / 16)));
  };
  const auto s = MakeSpectrogram({16000, 0, 2, 20}, sample);
  ASSERT_TRUE(s.ok());
  EXPECT_NEAR(s->at(4, 16), 1, 0.01);
  EXPECT_NEAR(s->at(14, 16), 1.0 / 3, 0.01);
  EXPECT_EQ(s->at(14, 100), 0);
}

TEST(Spectrogram, SilenceIsEmptyAndABadSpanIsRejected) {
  const auto silent = [](int64_t) -> absl::StatusOr<int> { return 0; };
  const auto s = MakeSpectrogram({16000, 0, 1, 10}, silent);
  ASSERT_TRUE(s.ok());
  for (float level : s->level) EXPECT_EQ(level, 0);
  EXPECT_EQ(MakeSpectrogram({16000, 1, 1, 10}, silent).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace posewire::diagram
