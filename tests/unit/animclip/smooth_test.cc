#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/smooth_values.h"

namespace posewire::animclip {
namespace {

using ::testing::HasSubstr;

std::vector<double> Even(size_t n) {
  std::vector<double> codes;
  for (size_t i = 0; i < n; ++i) codes.push_back(static_cast<double>(i) / 30);
  return codes;
}

TEST(Smoothed, ASlopeAndItsEndsStayAndAreNotLate) {
  const std::vector<double> codes = {0, 0.02, 0.05, 0.1, 0.13, 0.2, 0.22, 0.3};
  std::vector<float> slope;
  for (const double c : codes) slope.push_back(static_cast<float>(3 * c));
  const std::vector<float> even = Smoothed(Even(8), {0, 1, 2, 3, 4, 5, 6, 7}, 1, false, 0.2);
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(even[i], static_cast<float>(i), 1e-5);
  const std::vector<float> out = Smoothed(codes, slope, 1, false, 0.1);
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(out[i], slope[i], 1e-5) << "uneven keys too";
  const std::vector<float> ends = Smoothed(codes, {9, 0, 1, 2, 5, 4, 3, 7}, 1, false, 0.2);
  EXPECT_EQ(ends.front(), 9);
  EXPECT_EQ(ends.back(), 7);
}

TEST(Smoothed, TakesNoiseAwayAndKeepsASlowMotion) {
  std::vector<float> noisy, clean;
  for (int i = 0; i < 120; ++i) {
    clean.push_back(std::sin(static_cast<float>(i) / 30));
    noisy.push_back(clean.back() + (i % 2 == 0 ? 0.05f : -0.05f));
  }
  const std::vector<float> out = Smoothed(Even(120), noisy, 1, false, 0.2);
  for (size_t i = 10; i < 110; ++i) EXPECT_NEAR(out[i], clean[i], 0.01) << i;
}

TEST(Smoothed, TheSignOfARotationDoesNotMatterAndItsLengthStaysOne) {
  std::vector<float> plain, flipped;
  for (int i = 0; i < 40; ++i) {
    const float half = static_cast<float>(i) / 20, sign = i % 3 == 0 ? -1.0f : 1.0f;
    const float w = std::cos(half), x = std::sin(half);
    plain.insert(plain.end(), {w, x, 0, 0});
    flipped.insert(flipped.end(), {sign * w, sign * x, 0, 0});
  }
  const auto a = Smoothed(Even(40), plain, 4, true, 0.3);
  const auto b = Smoothed(Even(40), flipped, 4, true, 0.3);
  for (size_t i = 0; i < 40; ++i) {
    float dot = 0, square = 0;
    for (size_t c = 0; c < 4; ++c) {
      dot += a[4 * i + c] * b[4 * i + c];
      square += b[4 * i + c] * b[4 * i + c];
    }
    EXPECT_NEAR(std::fabs(dot), 1, 1e-5);
    EXPECT_NEAR(square, 1, 1e-5);
  }
}

TEST(SmoothCommand, SmoothsThePartsThatAreNamedAndNothingElse) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  TestConsole c;
  WriteClipFile(in, MakeTalk());
  ASSERT_EQ(RunSmooth({.in = in, .out = out, .parts = {"right_arm", "jawOpen"}}, c.console), kDone)
      << c.err.str();
  ASSERT_EQ(RunValidate({out}, c.console), kDone) << c.err.str();
  Messages was = ReadClipFile(in), is = ReadClipFile(out);
  ASSERT_EQ(is.size(), was.size());
  int changed = 0;
  for (size_t i = 0; i < is.size(); ++i) {
    if (!is[i].has_animation_data()) continue;
    auto& a = *was[i].mutable_animation_data()->mutable_skel_animation();
    auto& b = *is[i].mutable_animation_data()->mutable_skel_animation();
    changed += a.rotations(0).values(2).SerializeAsString() !=
               b.rotations(0).values(2).SerializeAsString();
    *b.mutable_rotations(0)->mutable_values(2) = a.rotations(0).values(2);
    *b.mutable_translations(0)->mutable_values(2) = a.translations(0).values(2);
    b.mutable_blend_shape_weights(0)->set_values(0, a.blend_shape_weights(0).values(0));
    EXPECT_EQ(is[i].SerializeAsString(), was[i].SerializeAsString()) << i;
  }
  EXPECT_EQ(changed, 29) << "all but the first and the last";
  EXPECT_EQ(RunSmooth({.in = in, .out = out, .window_s = 0}, c.console), kUsage);
  EXPECT_THAT(c.err.str(), HasSubstr("--window is 0"));
}

}  // namespace
}  // namespace posewire::animclip
