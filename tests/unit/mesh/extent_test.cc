#include "libs/mesh/extent.h"

#include <gtest/gtest.h>

#include <vector>

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Vec3;

void ExpectSame(Vec3 got, Vec3 expected) {
  EXPECT_NEAR(got.x, expected.x, 1e-6);
  EXPECT_NEAR(got.y, expected.y, 1e-6);
  EXPECT_NEAR(got.z, expected.z, 1e-6);
}

TEST(Extent, SpansTheJoints) {
  const std::vector<Affine> joints = {Affine{}, skel::FromTrs({0, 1, 0}, {}, {1, 1, 1})};
  const Extent e = JointExtent(joints);
  ExpectSame(e.low, {0, 0, 0});
  ExpectSame(e.high, {0, 1, 0});
  ExpectSame(JointExtent({}).high, {0, 0, 0});
}

TEST(Extent, PaddingIsTheFarthestReachOfTheMesh) {
  const Extent joints{{0, 0, 0}, {0, 1, 0}}, mesh{{-.5f, 0, -.25f}, {.5f, 2.5f, .25f}};
  const float pad = ExtentPadding(joints, mesh);
  EXPECT_FLOAT_EQ(pad, 1.5f);
  const Extent grown = Padded(joints, pad);
  ExpectSame(grown.low, {-1.5f, -1.5f, -1.5f});
  ExpectSame(grown.high, {1.5f, 2.5f, 1.5f});
  EXPECT_EQ(ExtentPadding(mesh, joints), 0);
}

TEST(Extent, TurningABoxKeepsItAligned) {
  const Extent box{{0, 0, 0}, {2, 1, 1}};
  const Extent turned =
      Transformed(box, skel::FromTrs({5, 0, 0}, {0.70710678f, 0, 0, 0.70710678f}, {1, 1, 1}));
  ExpectSame(turned.low, {4, 0, 0});
  ExpectSame(turned.high, {5, 2, 1});
}

}  // namespace
}  // namespace posewire::mesh
