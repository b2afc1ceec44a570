#include "libs/offsets/boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/unit/offsets/moving_points.h"

namespace posewire::offsets {
namespace {

using skel::Vec3;
using testing::ElementsAre;

TEST(Deltas, OfTheDocumentsExample) {
  std::vector<uint8_t> series = {1, 2, 5, 4};
  ToDeltas(absl::MakeSpan(series));
  EXPECT_THAT(series, ElementsAre(1, 1, 3, static_cast<uint8_t>(-1)));
  FromDeltas(absl::MakeSpan(series));
  EXPECT_THAT(series, ElementsAre(1, 2, 5, 4));
}

TEST(Deltas, ComeBackWhateverTheyAre) {
  std::mt19937 random(1);
  std::vector<uint16_t> series(1000);
  for (uint16_t& x : series) x = static_cast<uint16_t>(random());
  std::vector<uint16_t> same = series;
  ToDeltas(absl::MakeSpan(series));
  FromDeltas(absl::MakeSpan(series));
  EXPECT_EQ(series, same);
}

TEST(Minifloat, HasOneSignFiveMantissaAndTwoExponentBits) {
  const Minifloat m;
  EXPECT_EQ(m.Value(0), 0);
  EXPECT_FLOAT_EQ(m.Value(0b0'00001'00), 1.0f / 32 / 7.875f);   // the least there is
  EXPECT_FLOAT_EQ(m.Value(0b0'11111'00), 31.0f / 32 / 7.875f);  // and the next range begins there
  EXPECT_FLOAT_EQ(m.Value(0b0'00000'01), 1.0f / 7.875f);
  EXPECT_FLOAT_EQ(m.Value(0b0'10000'10), 3.0f / 7.875f);
  EXPECT_FLOAT_EQ(m.Value(0b0'11111'11), 1);
  EXPECT_FLOAT_EQ(m.Value(0b1'11111'11), -1);
}

TEST(Minifloat, TakesTheNearestCode) {
  const Minifloat m;
  std::mt19937 random(2);
  std::uniform_real_distribution<float> any(-1.2f, 1.2f);
  for (int round = 0; round < 5000; ++round) {
    const float x = any(random);
    float least = 10;
    for (uint32_t code = 0; code < 256; ++code) {
      least = std::min(least, std::fabs(m.Value(code) - x));
    }
    EXPECT_EQ(std::fabs(m.Value(m.Nearest(x)) - x), least) << x;
  }
}

TEST(Minifloat, IsTwiceAsFineInTheMiddleAsEvenCodesAndCoarserAtTheSides) {
  const Minifloat m;
  const EvenCodes even{255};
  const auto worst = [](const auto& codes, float from, float to) {
    float out = 0;
    for (float x = from; x < to; x += 1e-4f) {
      out = std::max(out, std::fabs(codes.Place(codes.Code(x)) - x));
    }
    return out;
  };
  EXPECT_LT(worst(m, 0.45f, 0.55f), 0.55f * worst(even, 0.45f, 0.55f));
  EXPECT_GT(worst(m, 0.9f, 1), worst(even, 0.9f, 1));
}

TEST(Boxes, AreTightAndHoldEveryOffset) {
  const size_t points = 30, frames = 50;
  const std::vector<Vec3> values = MovingPoints(points, frames);
  const Boxes boxes = Boxes::Round({points, values});
  for (size_t side = 0; side < boxes.sides.size(); ++side) {
    float low = INFINITY, high = -INFINITY;
    for (size_t f = 0; f < frames; ++f) {
      const Vec3 o = values[f * points + side / 3];
      const float x = side % 3 == 0 ? o.x : side % 3 == 1 ? o.y : o.z;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    const Boxes::Side box = boxes.sides[side];
    const float box_low = static_cast<float>(box.low) * boxes.step_m,
                box_high = static_cast<float>(box.high) * boxes.step_m;
    EXPECT_LE(box_low, low + 1e-9f);
    EXPECT_GE(box_high, high - 1e-9f);
    EXPECT_LT(low - box_low, 1.01f * boxes.step_m);
    EXPECT_LT(box_high - high, 1.01f * boxes.step_m);
  }
}

TEST(Boxes, OfStillPointsAreFlatAndExact) {
  const std::vector<Vec3> values(40);
  const Boxes boxes = Boxes::Round({4, values});
  EXPECT_EQ(boxes.flexible, 0u);
  EXPECT_EQ(boxes.step_m, 0);
}

TEST(Boxes, OfOneSizeHoldEveryPointAndAreAlike) {
  const size_t points = 40, frames = 60;
  std::mt19937 random(2);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<skel::Vec3> values(points * frames);
  for (size_t k = 0; k < values.size(); ++k) {
    // From 40 cm down to half a micrometre, some far from zero.
    const float size = 0.4f * std::pow(0.7f, static_cast<float>(k % points));
    const float away = k % points % 5 == 0 ? 0.3f : 0;
    values[k] = {away + size * any(random), size * any(random), size * any(random)};
  }
  const Offsets offsets = {points, values};
  for (const int codes : {256, 65536}) {
    const Boxes boxes = Boxes::OfOneSize(offsets, codes);
    int widest = 0;
    for (const Boxes::Side& side : boxes.sides) widest = std::max(widest, side.high - side.low);
    const float step = static_cast<float>(widest) * boxes.step_m / static_cast<float>(codes - 1);
    size_t flexible = 0;
    for (size_t k = 0; k < boxes.sides.size(); ++k) {
      const Boxes::Side side = boxes.sides[k];
      EXPECT_TRUE(side.low == side.high || side.high - side.low == widest);
      flexible += side.low < side.high;
      const float slack = side.low < side.high ? 1e-6f : step / 2 + boxes.step_m;
      for (size_t f = 0; f < frames; ++f) {
        const skel::Vec3 o = offsets.at(f, k / 3);
        const float x = k % 3 == 0 ? o.x : k % 3 == 1 ? o.y : o.z;
        EXPECT_GE(x, static_cast<float>(side.low) * boxes.step_m - slack);
        EXPECT_LE(x, static_cast<float>(side.high) * boxes.step_m + slack);
      }
    }
    EXPECT_EQ(flexible, boxes.flexible);
    // At 8 bits the smallest are left out.
    EXPECT_EQ(boxes.flexible < 3 * points, codes == 256);
  }
}

}  // namespace
}  // namespace posewire::offsets
