#include "libs/offsets/pixel_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace posewire::offsets {
namespace {

std::vector<Uv> RandomUv(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  // Some share a place, as points at seams do, and many crowd.
  std::uniform_int_distribution<int> any(0, 40);
  std::vector<Uv> out(n);
  for (Uv& uv : out) {
    uv = {static_cast<float>(any(random)) / 40, static_cast<float>(any(random) % 7) / 7};
  }
  return out;
}

// The rank of each coordinate, as a pixel, and the nearest free one of all.
std::vector<uint32_t> SlowByUv(const std::vector<Uv>& uv, uint32_t side) {
  std::vector<bool> taken(size_t{side} * side);
  std::vector<uint32_t> out;
  for (const Uv& at : uv) {
    int64_t place[2];
    for (size_t k = 0; k < 2; ++k) {
      const auto below =
          std::count_if(uv.begin(), uv.end(), [&](const Uv& other) { return other[k] < at[k]; });
      place[k] = below * side / static_cast<int64_t>(uv.size());
    }
    int64_t best = INT64_MAX;
    uint32_t found = 0;
    for (uint32_t pixel = 0; pixel < taken.size(); ++pixel) {
      const int64_t dx = pixel % side - place[0], dy = pixel / side - place[1];
      if (taken[pixel] || dx * dx + dy * dy >= best) continue;
      best = dx * dx + dy * dy;
      found = pixel;
    }
    taken[found] = true;
    out.push_back(found);
  }
  return out;
}

TEST(PixelMap, ByUvTakesTheNearestFreePixelAsASlowSearchFindsIt) {
  for (const size_t points : {1u, 2u, 90u, 700u}) {
    const std::vector<Uv> uv = RandomUv(points, static_cast<unsigned>(points));
    const PixelMap map = PixelMap::ByUv(uv);
    EXPECT_EQ(map.side % 8, 0u);
    EXPECT_GE(size_t{map.side} * map.side, points + points / 8);
    EXPECT_EQ(map.pixels, SlowByUv(uv, map.side)) << points;
  }
}

TEST(PixelMap, ByUvHasRoomForPointsThatAllStandInOnePlace) {
  const std::vector<Uv> uv(3000, Uv{0.5f, 0.5f});
  const PixelMap map = PixelMap::ByUv(uv);
  EXPECT_EQ(std::set<uint32_t>(map.pixels.begin(), map.pixels.end()).size(), uv.size());
}

TEST(PixelMap, ByIndexFillsSquaresOfEight) {
  const PixelMap map = PixelMap::ByIndex(1500);  // 40 by 40
  EXPECT_EQ(map.side, 40u);
  EXPECT_EQ(map.pixels[0], 0u);
  EXPECT_EQ(map.pixels[7], 7u);
  EXPECT_EQ(map.pixels[8], 40u);
  EXPECT_EQ(map.pixels[64], 8u);
  EXPECT_EQ(map.pixels[64 * 5], 8u * 40);
  EXPECT_EQ(std::set<uint32_t>(map.pixels.begin(), map.pixels.end()).size(), 1500u);
}

TEST(PixelMap, IsReadAsItWasWritten) {
  for (const size_t points : {1u, 5u, 600u}) {
    const PixelMap map = PixelMap::ByUv(RandomUv(points, 4));
    ByteWriter out;
    map.Write(out);
    ByteReader in(out.bytes());
    PixelMap read;
    ASSERT_TRUE(read.Read(in, points));
    EXPECT_TRUE(in.Done());
    EXPECT_EQ(read.side, map.side);
    EXPECT_EQ(read.pixels, map.pixels);
    for (size_t size = 0; size < out.bytes().size(); ++size) {
      ByteReader cut(absl::string_view(out.bytes()).substr(0, size));
      EXPECT_FALSE(PixelMap().Read(cut, points));
    }
  }
}

TEST(PixelMap, RejectsPixelsThatAreSharedOrOutside) {
  const auto reads = [](std::initializer_list<int64_t> steps) {
    ByteWriter out;
    for (const int64_t step : steps) out.Signed(step);
    ByteReader in(out.bytes());
    return PixelMap().Read(in, steps.size() / 2);
  };
  EXPECT_TRUE(reads({1, 1, 5, 1}));
  EXPECT_TRUE(reads({39, 0, 39, -39}));
  EXPECT_FALSE(reads({1, 0, 5, 0}));   // the same twice
  EXPECT_FALSE(reads({-1, 1, 5, 1}));  // above
  EXPECT_FALSE(reads({39, 1, 5, 1}));  // below
  EXPECT_FALSE(reads({1, 1, 39, 1}));  // to the right
  EXPECT_FALSE(reads({1, INT64_MAX, 5, 1}));
}

TEST(PixelMap, OrderGoesThroughSquares) {
  PixelMap map;
  map.side = 40;
  map.pixels = {9, 40 + 4, 8 * 40, 7 * 40 + 7, 3};
  EXPECT_EQ(map.Order(), (std::vector<uint32_t>{4, 1, 3, 0, 2}));
  std::vector<uint32_t> all(1500);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(PixelMap::ByIndex(1500).Order(), all);
}

TEST(PixelMap, EmptyPixelsShowAPointThatIsNear) {
  const PixelMap map = PixelMap::ByUv(RandomUv(50, 8));
  const std::vector<uint32_t> shown = map.Shown();
  ASSERT_EQ(shown.size(), size_t{map.side} * map.side);
  const auto way = [&](uint32_t a, uint32_t b) {
    const auto apart = [](uint32_t x, uint32_t y) { return x > y ? x - y : y - x; };
    return apart(a % map.side, b % map.side) + apart(a / map.side, b / map.side);
  };
  for (uint32_t pixel = 0; pixel < shown.size(); ++pixel) {
    uint32_t nearest = UINT32_MAX;
    for (const uint32_t other : map.pixels) nearest = std::min(nearest, way(pixel, other));
    ASSERT_LT(shown[pixel], map.pixels.size());
    EXPECT_EQ(way(pixel, map.pixels[shown[pixel]]), nearest);
  }
}

}  // namespace
}  // namespace posewire::offsets
