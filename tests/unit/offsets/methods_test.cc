#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "libs/offsets/offsets_file.h"
#include "libs/offsets/principal.h"
#include "tests/unit/offsets/have_ffmpeg.h"
#include "tests/unit/offsets/moving_points.h"

namespace posewire::offsets {
namespace {

using skel::Vec3;
using testing::HasSubstr;

struct Outcome {
  double ratio, worst_m;
};

// What codecs of pictures, sound and films make of points in boxes of 4 cm at their defaults.
double StatedError(Method method) { return method >= Method::kJpeg ? 4e-3 : 1e-3; }

// Films take their time: carried_methods_test.cc tries them.
bool IsTriedHere(Method method) { return !IsFilm(method); }

Outcome Try(Method method, const std::vector<Vec3>& values, size_t points,
            const Settings& settings = {}) {
  OffsetsHeader header;
  header.method = method;
  header.points = static_cast<uint32_t>(points);
  header.frames = static_cast<uint32_t>(values.size() / points);
  const auto bytes = WriteOffsets(header, settings, values);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  const auto file = OffsetsFile::Parse(*bytes);
  EXPECT_TRUE(file.ok()) << file.status();
  return {static_cast<double>(values.size() * 12) / static_cast<double>(bytes->size()),
          WorstError(*file, values)};
}

TEST(Methods, KeepWhatTheyPromiseOnPointsThatMoveTogether) {
  const size_t points = 600;
  const std::vector<Vec3> values = MovingPoints(points, 270);  // two chunks
  std::map<Method, Outcome> got;
  for (const MethodEntry& entry : Methods()) {
    if (!IsTriedHere(entry.method)) continue;
    // A cluster's motions cost as much for few points as for many.
    got[entry.method] = Try(entry.method, values, points, {.clusters = 3});
    EXPECT_LT(got[entry.method].worst_m, StatedError(entry.method)) << entry.name;
  }
  EXPECT_EQ(got[Method::kFloat].worst_m, 0);
  EXPECT_LT(got[Method::kBox16].worst_m, 2e-6);
  EXPECT_LT(got[Method::kSpline].worst_m, 5e-4);
  EXPECT_GT(got[Method::kBox8].ratio, 4);
  EXPECT_GT(got[Method::kMinifloat].ratio, 4);
  EXPECT_GT(got[Method::kSpline].ratio, 4);
  EXPECT_GT(got[Method::kPca].ratio, 20);
  EXPECT_GT(got[Method::kClusters].ratio, 20);
  // What deltas and pictures hold are the codes of boxes.
  EXPECT_EQ(got[Method::kDelta8].worst_m, got[Method::kBox8].worst_m);
  EXPECT_EQ(got[Method::kDelta16].worst_m, got[Method::kBox16].worst_m);
  EXPECT_EQ(got[Method::kPng16].worst_m, got[Method::kBox16].worst_m);
  EXPECT_GT(got[Method::kDelta8].ratio, got[Method::kBox8].ratio);
}

TEST(Methods, TakeAnyNumbersOfPointsAndFrames) {
  for (const MethodEntry& entry : Methods()) {
    if (!IsTriedHere(entry.method)) continue;
    for (const size_t points : {1u, 2u, 7u}) {
      for (const size_t frames : {1u, 2u, 256u, 257u}) {
        const std::vector<Vec3> values = MovingPoints(points, frames);
        EXPECT_LT(Try(entry.method, values, points).worst_m, StatedError(entry.method))
            << entry.name << ", " << points << " points, " << frames << " frames";
      }
    }
    EXPECT_EQ(Try(entry.method, std::vector<Vec3>(50), 10).worst_m, 0) << entry.name;
  }
}

TEST(Methods, MoreOfTheVarianceIsMoreExactAndMoreBytes) {
  const std::vector<Vec3> values = MovingPoints(300, 120);
  for (const Method method : {Method::kPca, Method::kClusters}) {
    const Outcome rough = Try(method, values, 300, {.variance = 0.9});
    const Outcome fine = Try(method, values, 300, {.variance = 0.999999, .tolerance_m = 1e-5});
    EXPECT_GT(rough.worst_m, 2 * fine.worst_m);
    EXPECT_GT(rough.ratio, fine.ratio);
  }
}

TEST(Methods, AreFoundByName) {
  for (const MethodEntry& entry : Methods()) EXPECT_EQ(*FindMethod(entry.name), entry.method);
  for (size_t i = 0; i < Methods().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(Methods()[i].method), i);
  }
  EXPECT_THAT(std::string(FindMethod("zip").status().message()),
              HasSubstr("method \"zip\" is not known, expected one of float, box8"));
}

TEST(FindPrincipal, PutsRowsTogetherAgainByEitherMatrix) {
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>{8, 40}, {40, 8}}) {
    Matrix m(rows, columns);
    std::mt19937 random(9);
    std::uniform_real_distribution<float> any(-1, 1);
    // Three motions and no more.
    std::vector<float> motions(3 * columns);
    for (float& x : motions) x = any(random);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t k = 0; k < 3; ++k) {
        const float share = any(random);
        for (size_t c = 0; c < columns; ++c) m.row(r)[c] += share * motions[k * columns + c];
      }
    }
    const Principal p = FindPrincipal(m, 1e-9 * VarianceOf(m));
    EXPECT_EQ(p.components.rows, 3u);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) {
        float sum = p.mean[c];
        for (size_t k = 0; k < p.components.rows; ++k) {
          sum += p.shares.row(r)[k] * p.components.row(k)[c];
        }
        EXPECT_NEAR(sum, m.row(r)[c], 1e-4);
      }
    }
    // What is left out is what was allowed.
    const Principal two = FindPrincipal(m, 1.001 * VarianceOf(m));
    EXPECT_EQ(two.components.rows, 0u);
  }
}

TEST(FindClusters, PartsWhatLiesApart) {
  Matrix m(60, 2);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(-1, 1);
  for (size_t r = 0; r < 60; ++r) {
    m.row(r)[0] = static_cast<float>(r % 3) * 20 + any(random);
    m.row(r)[1] = any(random);
  }
  const std::vector<size_t> found = FindClusters(m, 3);
  for (size_t r = 3; r < 60; ++r) EXPECT_EQ(found[r], found[r % 3]);
  EXPECT_NE(found[0], found[1]);
  EXPECT_NE(found[1], found[2]);
  EXPECT_NE(found[0], found[2]);
}

}  // namespace
}  // namespace posewire::offsets
