#include "libs/skel/affine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/skel/helpers.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

void ExpectNear(Vec3 got, Vec3 want, float tolerance = 1e-5f) {
  EXPECT_NEAR(got.x, want.x, tolerance);
  EXPECT_NEAR(got.y, want.y, tolerance);
  EXPECT_NEAR(got.z, want.z, tolerance);
}

TEST(Affine, ScalesThenTurnsThenMoves) {
  const Affine m = FromTrs({1, 2, 3}, {kRootOfHalf, 0, 0, kRootOfHalf}, {2, 3, 4});
  ExpectNear(m.row[0], {0, 2, 0});
  ExpectNear(m.row[1], {-3, 0, 0});
  ExpectNear(m.row[2], {0, 0, 4});
  ExpectNear(m.row[3], {1, 2, 3});
  ExpectNear(TransformPoint(m, {1, 1, 1}), {-2, 4, 7});
}

TEST(Affine, RotationRowsFollowTheQuaternion) {
  RandomPoses random(1);
  for (int i = 0; i < 100; ++i) {
    const Quat q = random.Rotation();
    const float w = q.w, x = q.x, y = q.y, z = q.z;
    const Affine m = FromTrs({}, q, {1, 1, 1});
    ExpectNear(m.row[0], {1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)});
    ExpectNear(m.row[1], {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)});
    ExpectNear(m.row[2], {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)});
  }
}

TEST(Affine, ComposesChildThenParent) {
  const Affine parent = FromTrs({5, 0, 0}, {kRootOfHalf, 0, 0, kRootOfHalf}, {1, 1, 1});
  const Affine child = FromTrs({1, 0, 0}, {}, {1, 1, 1});
  const Affine model = Mul(child, parent);
  ExpectNear(model.row[0], {0, 1, 0});
  ExpectNear(model.row[1], {-1, 0, 0});
  ExpectNear(model.row[2], {0, 0, 1});
  ExpectNear(model.row[3], {5, 1, 0});
}

TEST(Affine, RestRelativeIsLocalTimesInverseRest) {
  const Affine local = FromTrs({0, 1, 0}, {kRootOfHalf, 0, 0, kRootOfHalf}, {1, 1, 1});
  const Affine rest = FromTrs({0, 1, 0}, {}, {1, 1, 1});
  const Affine relative = Mul(local, *Inverse(rest));
  ExpectNear(relative.row[0], {0, 1, 0});
  ExpectNear(relative.row[1], {-1, 0, 0});
  ExpectNear(relative.row[2], {0, 0, 1});
  ExpectNear(relative.row[3], {0, 0, 0});
}

// Bind transforms are of the world, so that inverse(bind) * model moves points of the bind pose.
TEST(Affine, SkinningTransformTakesBindPointsToThePose) {
  const Affine bind = FromTrs({0, 1, 0}, {}, {1, 1, 1});
  const Affine posed = FromTrs({0, 1, 0}, {kRootOfHalf, 0, 0, kRootOfHalf}, {1, 1, 1});
  const Affine skinning = Mul(*Inverse(bind), posed);
  ExpectNear(skinning.row[0], {0, 1, 0});
  ExpectNear(skinning.row[1], {-1, 0, 0});
  ExpectNear(skinning.row[3], {1, 1, 0});
  ExpectNear(TransformPoint(skinning, {0, 2, 0}), {-1, 1, 0});
}

TEST(Affine, InverseUndoesRandomTransforms) {
  RandomPoses random(2);
  for (int i = 0; i < 200; ++i) {
    const Affine m = Mul(FromTrs(random.Vector(), random.Rotation(), {2, 0.5f, -1}),
                         FromTrs(random.Vector(), random.Rotation(), {1, 3, 1}));
    const Vec3 p = random.Vector(10);
    ExpectNear(TransformPoint(*Inverse(m), TransformPoint(m, p)), p, 1e-3f);
  }
}

TEST(Affine, ASingularMatrixHasNoInverse) {
  EXPECT_FALSE(Inverse(FromTrs({1, 2, 3}, {}, {1, 0, 1})).has_value());
}

}  // namespace
}  // namespace posewire::skel
