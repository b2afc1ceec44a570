#include "libs/mesh/tangent_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "libs/skel/math.h"

namespace posewire::mesh {
namespace {

using skel::Vec3;
using testing::HasSubstr;

constexpr float kHalfCircle_rad = 3.14159265f;

struct Textured {
  std::vector<Vec3> points, normals, along;  // and the way in which U grows, at each point
  std::vector<std::array<float, 2>> uv;
  std::vector<uint32_t> triangles;

  TangentSurface Surface() const { return {points, normals, uv, triangles}; }
};

struct Posed {
  std::vector<Vec3> points, normals, tangents;
};
Posed PosedBy(const TangentFrames& frames, absl::Span<const Vec3> points,
              absl::Span<const Vec3> normals) {
  Posed out;
  out.points.resize(frames.points());
  out.normals.resize(frames.points());
  out.tangents.resize(frames.points());
  const absl::Status s = frames.Run(points, normals, absl::MakeSpan(out.points),
                                    absl::MakeSpan(out.normals), absl::MakeSpan(out.tangents));
  EXPECT_TRUE(s.ok()) << s;
  return out;
}

float DegreesApart(Vec3 a, Vec3 b) {
  return std::acos(std::clamp(skel::Dot(skel::Normalized(a), skel::Normalized(b)), -1.0f, 1.0f)) *
         180 / kHalfCircle_rad;
}

// A globe without its poles, with U from 0 to 1 around it: its first and last columns are at one
// place. V is 0 in the north.
Textured Globe(int columns, int rows) {
  Textured s;
  for (int r = 0; r <= rows; ++r) {
    for (int c = 0; c <= columns; ++c) {
      const float u = static_cast<float>(c) / static_cast<float>(columns),
                  v = static_cast<float>(r) / static_cast<float>(rows);
      const float at = 2 * kHalfCircle_rad * u, up = (0.5f - v) * 0.8f * kHalfCircle_rad;
      const Vec3 p{std::cos(up) * std::sin(at), std::sin(up), std::cos(up) * std::cos(at)};
      s.points.push_back(p);
      s.normals.push_back(p);
      s.along.push_back({std::cos(at), 0, -std::sin(at)});
      s.uv.push_back({u, v});
    }
  }
  const auto place = [&](int r, int c) { return static_cast<uint32_t>(r * (columns + 1) + c); };
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const uint32_t a = place(r + 1, c), b = place(r + 1, c + 1), d = place(r, c + 1),
                     e = place(r, c);
      s.triangles.insert(s.triangles.end(), {a, b, d, a, d, e});
    }
  }
  return s;
}

// Two squares side by side in the plane z = 0, which share their edge and their picture: U grows
// away from the edge on both sides.
Textured Face(int columns = 2) {
  Textured s;
  for (int r = 0; r <= 2; ++r) {
    for (int c = -columns; c <= columns; ++c) {
      const float x = static_cast<float>(c) / static_cast<float>(columns);
      s.points.push_back({x, 1 - static_cast<float>(r) / 2, 0});
      s.normals.push_back({0, 0, 1});
      s.uv.push_back({std::abs(x), static_cast<float>(r) / 2});
    }
  }
  const int wide = 2 * columns + 1;
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < wide - 1; ++c) {
      const auto e = static_cast<uint32_t>(r * wide + c), d = e + 1,
                 a = e + static_cast<uint32_t>(wide), b = a + 1;
      s.triangles.insert(s.triangles.end(), {a, b, d, a, d, e});
    }
  }
  return s;
}

TEST(TangentFrames, FollowUAroundAGlobeAndAtItsSeam) {
  const Textured globe = Globe(32, 16);
  const auto frames = *TangentFrames::Make(globe.Surface());
  EXPECT_TRUE(frames.repeats().empty());
  const Posed out = PosedBy(frames, globe.points, globe.normals);
  float worst = 0, sum = 0;
  for (size_t i = 0; i < globe.points.size(); ++i) {
    EXPECT_EQ(frames.signs()[i], 1);
    EXPECT_NEAR(skel::Length(out.tangents[i]), 1, 1e-5f);
    EXPECT_NEAR(skel::Dot(out.tangents[i], globe.normals[i]), 0, 1e-5f);
    const float apart = DegreesApart(out.tangents[i], globe.along[i]);
    worst = std::max(worst, apart);
    sum += apart;
  }
  EXPECT_LT(worst, 6);
  EXPECT_LT(sum / static_cast<float>(globe.points.size()), 1.5f);
}

TEST(TangentFrames, RepeatThePointsOfAMirroredSeam) {
  const Textured face = Face();
  const auto frames = *TangentFrames::Make(face.Surface());
  EXPECT_EQ(frames.repeats().size(), 3u);
  EXPECT_EQ(frames.points(), face.points.size() + 3);
  const Posed out = PosedBy(frames, face.points, face.normals);
  for (size_t t = 0; t < frames.triangles().size(); t += 3) {
    float x = 0;
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(out.points[frames.triangles()[t + k]].x, face.points[face.triangles[t + k]].x);
      EXPECT_EQ(out.points[frames.triangles()[t + k]].y, face.points[face.triangles[t + k]].y);
      x += out.points[frames.triangles()[t + k]].x;
    }
    const float right = x > 0 ? 1.0f : -1.0f;
    for (size_t k = 0; k < 3; ++k) {
      const size_t p = frames.triangles()[t + k];
      EXPECT_EQ(frames.signs()[p], right);
      EXPECT_NEAR(out.tangents[p].x, right, 1e-6f);
      const Vec3 up = skel::Cross(out.normals[p], out.tangents[p]) * frames.signs()[p];
      EXPECT_NEAR(up.y, 1, 1e-6f) << "up the picture";
    }
  }
}

TEST(TangentFrames, KeepThoseOfTheFileInEveryPose) {
  const Textured globe = Globe(24, 12);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<std::array<float, 4>> file;
  for (size_t i = 0; i < globe.points.size(); ++i) {
    const Vec3 n = globe.normals[i];
    Vec3 t = {any(random), any(random), any(random)};
    t = skel::Normalized(t - n * skel::Dot(n, t));
    file.push_back({t.x, t.y, t.z, i % 3 == 0 ? -1.0f : 1.0f});
  }
  file[5] = {0, 0, 0, 1};
  file[6] = {std::numeric_limits<float>::quiet_NaN(), 0, 1, 1};
  TangentSurface surface = globe.Surface();
  surface.tangents = file;
  const auto frames = *TangentFrames::Make(surface);
  const auto computed = PosedBy(*TangentFrames::Make(globe.Surface()), globe.points, globe.normals);
  const Vec3 turns[] = {{0, 0, 1}, {0, 1, 0}};
  for (const Vec3 axis : turns) {
    const skel::Quat turn = skel::FromAxisAngle(axis, 1.1f);
    std::vector<Vec3> points, normals;
    for (const Vec3& p : globe.points) points.push_back(skel::Rotate(turn, p));
    for (const Vec3& n : globe.normals) normals.push_back(skel::Rotate(turn, n));
    const Posed out = PosedBy(frames, points, normals);
    for (size_t i = 0; i < globe.points.size(); ++i) {
      const Vec3 rest =
          i == 5 || i == 6 ? computed.tangents[i] : Vec3{file[i][0], file[i][1], file[i][2]};
      EXPECT_LT(skel::Length(out.tangents[i] - skel::Rotate(turn, rest)), 1e-4f) << i;
      if (i != 5 && i != 6) {
        EXPECT_EQ(frames.signs()[i], file[i][3]);
      }
    }
  }
}

TEST(TangentFrames, FollowADeformation) {
  const Textured face = Face(8);
  const auto frames = *TangentFrames::Make(face.Surface());
  // Bent around the Y axis: the tangent lies in the surface.
  std::vector<Vec3> points, normals;
  for (const Vec3& p : face.points) {
    points.push_back({std::sin(p.x), p.y, std::cos(p.x)});
    normals.push_back({std::sin(p.x), 0, std::cos(p.x)});
  }
  const Posed out = PosedBy(frames, points, normals);
  for (size_t i = 0; i < out.tangents.size(); ++i) {
    const Vec3 n = out.normals[i];
    const Vec3 along = Vec3{n.z, 0, -n.x} * frames.signs()[i];
    EXPECT_LT(DegreesApart(out.tangents[i], along), 0.1f);
  }
}

// As a file from elsewhere may have it; each face at a point was once compared with each other.
TEST(TangentFrames, TakeAPointOfVeryManyFaces) {
  constexpr uint32_t kFaces = 300000;
  Textured fan;
  fan.points.push_back({0, 0, 0});
  fan.uv.push_back({0.5f, 0.5f});
  for (uint32_t k = 0; k < kFaces; ++k) {
    const float at = 2 * kHalfCircle_rad * static_cast<float>(k) / kFaces;
    fan.points.push_back({std::cos(at), std::sin(at), 0});
    fan.uv.push_back({0.5f + std::cos(at) / 2, 0.5f - std::sin(at) / 2});
    fan.triangles.insert(fan.triangles.end(), {0, k + 1, (k + 1) % kFaces + 1});
  }
  fan.normals.assign(fan.points.size(), {0, 0, 1});
  const auto frames = TangentFrames::Make(fan.Surface());
  ASSERT_TRUE(frames.ok()) << frames.status();
  EXPECT_EQ(PosedBy(*frames, fan.points, fan.normals).tangents.size(),
            fan.points.size() + frames->repeats().size());
}

TEST(TangentFrames, AreZeroWhereThePictureHasNoArea) {
  Textured face = Face();
  for (auto& uv : face.uv) uv = {0.5f, 0.5f};
  const auto frames = *TangentFrames::Make(face.Surface());
  for (const Vec3& t : PosedBy(frames, face.points, face.normals).tangents) {
    EXPECT_EQ(skel::Length(t), 0);
  }
}

TEST(TangentFrames, RejectWhatDoesNotMatch) {
  Textured face = Face();
  face.triangles.insert(face.triangles.end(), {0, 0, 1});  // no triangle, and no error
  EXPECT_TRUE(TangentFrames::Make(face.Surface()).ok());
  const auto why = [&](const TangentSurface& surface) {
    return std::string(TangentFrames::Make(surface).status().message());
  };
  TangentSurface surface = face.Surface();
  surface.normals = surface.normals.subspan(1);
  EXPECT_THAT(why(surface), HasSubstr("normals has 14 entries, expected 15"));
  surface = face.Surface();
  surface.uv = {};
  EXPECT_THAT(why(surface), HasSubstr("uv has 0"));
  surface = face.Surface();
  const std::array<float, 4> one{1, 0, 0, 1};
  surface.tangents = {&one, 1};
  EXPECT_THAT(why(surface), HasSubstr("tangents has 1"));
  surface = face.Surface();
  surface.triangles = surface.triangles.subspan(1);
  EXPECT_THAT(why(surface), HasSubstr("three for each"));
  face.triangles[4] = 15;
  EXPECT_THAT(why(face.Surface()), HasSubstr("triangles[4] is 15, expected below 15"));
  const auto frames = *TangentFrames::Make(Face().Surface());
  std::vector<Vec3> some(3);
  EXPECT_FALSE(
      frames.Run(some, some, absl::MakeSpan(some), absl::MakeSpan(some), absl::MakeSpan(some))
          .ok());
}

}  // namespace
}  // namespace posewire::mesh
