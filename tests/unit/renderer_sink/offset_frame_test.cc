#include "services/renderer_sink/core/offset_frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "tests/unit/renderer_sink/field_reader.h"

namespace posewire::renderer_sink {
namespace {

using skel::Vec3;

struct DecodedFrame {
  std::vector<Vec3> offsets, turns;
  Vec3 step;
  float turn_step = 0;
  size_t moved = 0, bytes = 0;
};

Vec3 TakeVec(FieldReader& in) {
  const auto x = in.Take<float>(), y = in.Take<float>(), z = in.Take<float>();
  return {x, y, z};
}

DecodedFrame Decode(const std::string& bytes, size_t points, const ViewFrameTag& tag,
                    double time_code_s) {
  DecodedFrame out;
  FieldReader in(bytes);
  EXPECT_EQ(in.Take<uint8_t>(), 2);
  EXPECT_EQ(in.Take<uint8_t>(), tag.avatar);
  EXPECT_EQ(in.Take<uint16_t>(), 0);
  EXPECT_EQ(in.Take<uint32_t>(), tag.layout);
  EXPECT_EQ(in.Take<double>(), time_code_s);
  EXPECT_EQ(in.Take<uint32_t>(), tag.number);
  out.moved = in.Take<uint32_t>();
  const Vec3 low = TakeVec(in);
  out.step = TakeVec(in);
  out.turn_step = in.Take<float>();
  std::vector<bool> is_moved;
  for (size_t i = 0; i < (points + 31) / 32; ++i) {
    const auto word = in.Take<uint32_t>();
    for (int bit = 0; bit < 32; ++bit) is_moved.push_back((word >> bit & 1) != 0);
  }
  out.offsets.resize(points);
  out.turns.resize(points);
  for (size_t i = 0; i < points; ++i) {
    if (!is_moved[i]) continue;
    const auto x = in.Take<uint16_t>(), y = in.Take<uint16_t>(), z = in.Take<uint16_t>();
    out.offsets[i] = {low.x + out.step.x * x, low.y + out.step.y * y, low.z + out.step.z * z};
  }
  for (size_t i = 0; i < points; ++i) {
    if (!is_moved[i]) continue;
    const auto x = in.Take<int8_t>(), y = in.Take<int8_t>(), z = in.Take<int8_t>();
    out.turns[i] =
        Vec3{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)} * out.turn_step;
  }
  out.bytes = in.at();
  EXPECT_EQ(out.bytes, bytes.size());
  return out;
}

constexpr ViewFrameTag kTag{3, 7, 1234};

struct Points {
  std::vector<Vec3> offsets, turns;
  PointOffsets All() const { return {offsets, turns}; }
};

// `moving` of them by up to 4 cm; the others by less than is told.
Points RandomPoints(size_t n, double moving, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> from(-1, 1);
  Points out;
  for (size_t i = 0; i < n; ++i) {
    const float size = std::abs(from(random)) < moving ? 0.023f : 1e-5f;
    out.offsets.push_back(Vec3{from(random), from(random), from(random)} * size);
    const float turn = size > 1e-3f ? 0.4f : 0.01f;
    out.turns.push_back(Vec3{from(random), from(random), from(random)} * turn);
  }
  return out;
}

TEST(OffsetFrame, IsWithinHalfAStepOfWhatWasWritten) {
  OffsetFrameWriter writer;
  for (const size_t n : {1u, 31u, 32u, 33u, 1000u, 18000u}) {
    const Points points = RandomPoints(n, 0.4, static_cast<uint32_t>(n));
    const auto bytes = writer.Write(points.All(), kTag, 12.5);
    const DecodedFrame read = Decode(*bytes, n, kTag, 12.5);
    EXPECT_LT(read.step.x, 0.047f / 65535);
    for (size_t i = 0; i < n; ++i) {
      const Vec3 o = points.offsets[i], t = points.turns[i];
      if (skel::Length(o) < OffsetFrameWriter::kLeast_m) {
        EXPECT_EQ(skel::Length(read.offsets[i]), 0);
        continue;
      }
      EXPECT_NEAR(read.offsets[i].x, o.x, read.step.x / 2 + 1e-8f);
      EXPECT_NEAR(read.offsets[i].y, o.y, read.step.y / 2 + 1e-8f);
      EXPECT_NEAR(read.offsets[i].z, o.z, read.step.z / 2 + 1e-8f);
      EXPECT_NEAR(read.turns[i].x, t.x, read.turn_step / 2 + 1e-6f);
      EXPECT_NEAR(read.turns[i].z, t.z, read.turn_step / 2 + 1e-6f);
    }
  }
}

TEST(OffsetFrame, ANormalThatTurnsIsToldOfAPointThatStays) {
  Points points = RandomPoints(100, 0, 3);
  points.turns[40] = {0.3f, 0, -0.1f};
  OffsetFrameWriter writer;
  const DecodedFrame read = Decode(*writer.Write(points.All(), kTag, 0), 100, kTag, 0);
  EXPECT_EQ(read.moved, 1u);
  EXPECT_NEAR(read.turns[40].x, 0.3f, 1e-6f);
  EXPECT_NEAR(skel::Length(read.offsets[40] - points.offsets[40]), 0, 1e-6f);
}

TEST(OffsetFrame, OfOneThatStandsStillIsSmall) {
  const Points points = RandomPoints(18000, 0, 1);
  OffsetFrameWriter writer;
  const auto bytes = writer.Write(points.All(), kTag, 0);
  EXPECT_EQ(Decode(*bytes, 18000, kTag, 0).moved, 0u);
  EXPECT_LT(bytes->size(), 18000u / 8 + 100);
}

TEST(OffsetFrame, HasABoundAndLeavesOutWhatMovesLeast) {
  const size_t n = 200000;
  Points points = RandomPoints(n, 1, 2);
  points.turns.assign(n, {});
  OffsetFrameWriter writer;
  const auto bytes = writer.Write(points.All(), kTag, 0);
  EXPECT_LT(bytes->size(), 9 * OffsetFrameWriter::kMostPoints + n / 8 + 100);
  const DecodedFrame read = Decode(*bytes, n, kTag, 0);
  EXPECT_EQ(read.moved, OffsetFrameWriter::kMostPoints);
  float least_told = 1, most_left = 0;
  for (size_t i = 0; i < n; ++i) {
    const float size = skel::Length(points.offsets[i]);
    if (skel::Length(read.offsets[i]) > 0) {
      least_told = std::min(least_told, size);
    } else {
      most_left = std::max(most_left, size);
    }
  }
  EXPECT_LE(most_left, least_told);
}

}  // namespace
}  // namespace posewire::renderer_sink
