#include "libs/vmc/coordinates.h"

#include <gtest/gtest.h>

#include "tests/unit/skel/random_pose.h"
#include "tests/unit/vmc/scene.h"

namespace posewire::vmc {
namespace {

using skel::Quat;
using skel::Vec3;

TEST(Coordinates, MeetTheKnownVectors) {
  ExpectPlace(MirrorX(Vec3{1, 2, 3}), {-1, 2, 3});
  const skel::Placement right = FromUnity({{}, {kHalfRoot, 0, kHalfRoot, 0}});
  EXPECT_FLOAT_EQ(right.turn.w, kHalfRoot);
  EXPECT_FLOAT_EQ(right.turn.y, -kHalfRoot);
  ExpectPlace(Rotate(right.turn, {0, 0, 1}), {-1, 0, 0});
  const Quat halves = MirrorX(Quat{0.5f, 0.5f, 0.5f, 0.5f});
  EXPECT_EQ(halves.w, 0.5f);
  EXPECT_EQ(halves.x, 0.5f);
  EXPECT_EQ(halves.y, -0.5f);
  EXPECT_EQ(halves.z, -0.5f);
  ExpectTurn(MirrorX(Quat{}), {});
}

// Whether a point is turned and then mirrored, or mirrored and then turned, is the same.
TEST(Coordinates, TurnsAreMirroredWithTheSpaceTheyTurn) {
  skel::RandomPoses random(1);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random.Rotation();
    const Vec3 p = random.Vector(3);
    ExpectPlace(MirrorX(Rotate(q, p)), Rotate(MirrorX(q), MirrorX(p)), 1e-5f);
    const skel::Placement back = FromUnity(ToUnity({p, q}));
    ExpectPlace(back.at, p, 0);
    EXPECT_EQ(back.turn.y, q.y);
  }
}

}  // namespace
}  // namespace posewire::vmc
