#include "libs/mesh/vertex_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/mesh/surfaces.h"

namespace posewire::mesh {
namespace {

using skel::Vec3;
using testing::ElementsAre;
using testing::HasSubstr;

struct Frames {
  std::vector<Vec3> normals, tangents;
};

Frames FramesOf(const Surface& s) {
  const auto neighbours = FindNeighbours(s.faces, s.points);
  const auto tangents = FindTangents(s.faces, s.points, s.uv);
  EXPECT_TRUE(neighbours.ok() && tangents.ok());
  Frames out{std::vector<Vec3>(s.points.size()), std::vector<Vec3>(s.points.size())};
  VertexFramesJob job;
  job.points = s.points;
  job.neighbours = *neighbours;
  job.tangents = *tangents;
  job.out_normals = absl::MakeSpan(out.normals);
  job.out_tangents = absl::MakeSpan(out.tangents);
  EXPECT_TRUE(job.Run().ok());
  return out;
}

// The widest angle between unit vectors, in degrees; places without one are left out.
float WorstDegrees(const std::vector<Vec3>& got, const std::vector<Vec3>& expected) {
  float worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (skel::Length(expected[i]) < 0.5f) continue;
    const float cos = skel::Dot(got[i], expected[i]);
    worst = std::max(worst, std::acos(std::clamp(cos, -1.0f, 1.0f)) * 360 / kWholeTurn);
  }
  return worst;
}

TEST(VertexFrames, OnATorusOfQuadsNormalsAreExactAndSoAreTangentsOffTheSeam) {
  const Surface s = Torus(48, 32, false);
  const Frames frames = FramesOf(s);
  EXPECT_LT(WorstDegrees(frames.normals, s.normals), 0.1f);
  // On the seam the chart ends, and a one-sided difference is half a step off: 360 / 48 / 2.
  EXPECT_LT(WorstDegrees(frames.tangents, s.tangents), 4.0f);
  std::vector<Vec3> inner = s.tangents;
  for (int k = 0; k < 32; ++k) inner[static_cast<size_t>(k)] = {};
  EXPECT_LT(WorstDegrees(frames.tangents, inner), 0.1f);
}

TEST(VertexFrames, OnATorusOfTrianglesTheyAreNearlyRight) {
  const Surface s = Torus(48, 32, true);
  const Frames frames = FramesOf(s);
  EXPECT_LT(WorstDegrees(frames.normals, s.normals), 3.0f);
  // A triangle's side runs half a step on, so that on the seam it is a whole one.
  EXPECT_LT(WorstDegrees(frames.tangents, s.tangents), 7.5f);
  std::vector<Vec3> inner = s.tangents;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (i < 32 || i % 32 == 0) inner[i] = {};
  }
  EXPECT_LT(WorstDegrees(frames.tangents, inner), 3.0f);
}

TEST(VertexFrames, OnASphereTheyAreRightAtThePolesToo) {
  const Surface s = Sphere(32, 16);  // of 32 neighbours of a pole, each eighth
  const Frames frames = FramesOf(s);
  EXPECT_LT(WorstDegrees(frames.normals, s.normals), 0.1f);
  EXPECT_LT(WorstDegrees(FramesOf(Sphere(8, 16)).normals, Sphere(8, 16).normals), 0.1f);
  EXPECT_LT(WorstDegrees(FramesOf(Sphere(7, 16)).normals, Sphere(7, 16).normals), 2.0f);
  EXPECT_LT(WorstDegrees(frames.tangents, s.tangents), 6.0f);
}

// A fan of triangles round point 0, its neighbours at these angles (degrees).
Surface Fan(const std::vector<float>& degrees, bool closed) {
  Surface s;
  s.points.push_back({0, 0, 0});
  for (const float d : degrees) {
    const float a = d * kWholeTurn / 360;
    s.points.push_back({std::cos(a), std::sin(a), 0});
  }
  const int n = static_cast<int>(degrees.size());
  for (int i = 1; i < n + (closed ? 1 : 0); ++i) {
    const int b = i % n + 1;
    const auto uv = [&](int p) {
      return std::array{s.points[static_cast<size_t>(p)].x, s.points[static_cast<size_t>(p)].y};
    };
    s.Add({0, i, b}, {uv(0), uv(i), uv(b)});
  }
  return s;
}

TEST(FindNeighbours, OfEightTakesEveryOther) {
  const Surface s = Fan({0, 45, 90, 135, 180, 225, 270, 315}, true);
  EXPECT_THAT((*FindNeighbours(s.faces, s.points))[0], ElementsAre(1, 3, 5, 7));
}

TEST(FindNeighbours, OfOthersTakesThoseNearestToRightAngles) {
  const Surface s = Fan({0, 20, 95, 130, 185, 280}, true);
  EXPECT_THAT((*FindNeighbours(s.faces, s.points))[0], ElementsAre(1, 3, 5, 6));
}

TEST(FindNeighbours, OfFewerFillsTheGapWithTheVertex) {
  const Surface border = Fan({0, 90, 180}, false);
  EXPECT_THAT((*FindNeighbours(border.faces, border.points))[0], ElementsAre(1, 2, 3, 0));
  const Surface corner = Fan({0, 90}, false);
  EXPECT_THAT((*FindNeighbours(corner.faces, corner.points))[0], ElementsAre(1, 2, 0, 0));
  const Surface three = Fan({0, 120, 240}, true);
  EXPECT_THAT((*FindNeighbours(three.faces, three.points))[0], ElementsAre(1, 2, 3, 0));
  for (const Surface& s : {border, corner, three}) {
    EXPECT_NEAR(FramesOf(s).normals[0].z, 1, 1e-6);
    EXPECT_NEAR(FramesOf(s).tangents[0].x, 1, 1e-6);
  }
}

TEST(FindTangents, MirroredUvsTurnTheTangentAlong) {
  Surface s = Fan({0, 90, 180, 270}, true);
  for (auto& uv : s.uv) uv[0] = -uv[0];
  EXPECT_NEAR(FramesOf(s).tangents[0].x, -1, 1e-6);
}

TEST(FindTangents, StayInOneChartWhereTwoMeet) {
  Surface s = Fan({0, 90, 180, 270}, true);
  // The last quarter lies elsewhere in the picture, turned round.
  for (size_t k = 9; k < 12; ++k) s.uv[k] = {10 - 3 * s.uv[k][1], 10 + 3 * s.uv[k][0]};
  EXPECT_NEAR(FramesOf(s).tangents[0].x, 1, 1e-6);
}

TEST(VertexFrames, APointWithoutFacesHasNone) {
  Surface s = Fan({0, 90, 180, 270}, true);
  s.points.push_back({5, 5, 5});
  s.faces.points = s.points.size();
  EXPECT_EQ(skel::Length(FramesOf(s).normals.back()), 0);
}

TEST(FindNeighbours, ErrorsNameWhatIsInvalid) {
  Surface s = Fan({0, 90, 180, 270}, true);
  s.faces.corners[4] = 9;
  EXPECT_THAT(std::string(FindNeighbours(s.faces, s.points).status().message()),
              HasSubstr("corners[4] is 9, expected 0 to 5 - 1"));
  s.faces.corners[4] = 0;
  EXPECT_THAT(std::string(FindNeighbours(s.faces, s.points).status().message()),
              HasSubstr("face 1 has point 0 twice"));
  s = Fan({0, 90, 180, 270}, true);
  s.uv.pop_back();
  EXPECT_THAT(std::string(FindTangents(s.faces, s.points, s.uv).status().message()),
              HasSubstr("uv has 11 entries, expected 12"));
  s.faces.sizes[3] = 2;
  EXPECT_THAT(std::string(FindNeighbours(s.faces, s.points).status().message()),
              HasSubstr("sizes[3] is 2"));
  s.faces.sizes[3] = 4;
  EXPECT_THAT(std::string(FindNeighbours(s.faces, s.points).status().message()),
              HasSubstr("corners has 12 entries, expected 13"));
}

}  // namespace
}  // namespace posewire::mesh
