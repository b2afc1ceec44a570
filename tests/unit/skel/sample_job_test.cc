#include "libs/skel/sample_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

using Interpolation = SampleJob::Interpolation;

std::vector<float> Sample(const std::vector<double>& times, const std::vector<float>& values,
                          size_t width, Interpolation interpolation, double at_s) {
  std::vector<float> out(width);
  EXPECT_TRUE((SampleJob{times, values, interpolation, at_s, absl::MakeSpan(out)}.Run()));
  return out;
}

TEST(SampleJobValidity, WantsKeysAndSizesThatFit) {
  const std::vector<double> times = {0, 1};
  std::vector<float> values(6), out(3);
  SampleJob job{{}, values, Interpolation::kLinear, 0, absl::MakeSpan(out)};
  EXPECT_FALSE(job.Run());
  job.times_s = times;
  EXPECT_TRUE(job.Run());
  job.interpolation = Interpolation::kSlerp;
  EXPECT_FALSE(job.Run());
  job.interpolation = Interpolation::kLinear;
  job.values = absl::MakeConstSpan(values).first(5);
  EXPECT_EQ(job.Validate().message(), "values has 5 floats, expected 2 keys of 3");
}

TEST(SampleJob, InterpolatesBetweenKeysAndHoldsOutside) {
  const std::vector<double> times = {1, 2, 4};
  const std::vector<float> values = {0, 10, 1, 20, 5, 0};
  const auto at = [&](double t) { return Sample(times, values, 2, Interpolation::kLinear, t); };
  EXPECT_EQ(at(-3), (std::vector<float>{0, 10}));
  EXPECT_EQ(at(1), (std::vector<float>{0, 10}));
  EXPECT_EQ(at(1.5), (std::vector<float>{0.5f, 15}));
  EXPECT_EQ(at(2), (std::vector<float>{1, 20}));
  EXPECT_EQ(at(3), (std::vector<float>{3, 10}));
  EXPECT_EQ(at(4), (std::vector<float>{5, 0}));
  EXPECT_EQ(at(9), (std::vector<float>{5, 0}));
  EXPECT_EQ(Sample(times, values, 2, Interpolation::kHeld, 3.9), (std::vector<float>{1, 20}));
}

TEST(SampleJob, SlerpsQuaternionsTheShortWay) {
  const float s = std::sqrt(0.5f);
  for (const float sign : {1.0f, -1.0f}) {
    const std::vector<float> values = {1, 0, 0, 0, sign * s, 0, 0, sign * s};
    const std::vector<float> half = Sample({0, 1}, values, 4, Interpolation::kSlerp, 0.5);
    EXPECT_NEAR(half[0], 0.9238795f, 1e-6);
    EXPECT_NEAR(half[3], 0.3826834f, 1e-6);
    const std::vector<float> quarter = Sample({0, 1}, values, 4, Interpolation::kSlerp, 0.25);
    EXPECT_NEAR(quarter[0], 0.9807853f, 1e-6);
    EXPECT_NEAR(quarter[3], 0.1950903f, 1e-6);
  }
}

TEST(SampleJob, ATimeOnAKeyGivesItsVeryValues) {
  RandomPoses random(26);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> values;
    for (int key = 0; key < 3; ++key) {
      const Quat q = random.Rotation();
      values.insert(values.end(), {q.w, q.x, q.y, q.z});
    }
    const std::vector<float> got = Sample({0, 1, 2}, values, 4, Interpolation::kSlerp, 1);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(got[i], values[4 + i]);
  }
}

}  // namespace
}  // namespace posewire::skel
