#include "libs/skel/math.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/skel/helpers.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

TEST(Quat, LogAndExpUndoEachOther) {
  RandomPoses random(23);
  for (int i = 0; i < 300; ++i) {
    const Quat q = random.Rotation();
    EXPECT_LT(AngleBetween(Exp(Log(q)), q), 1e-5f);
    EXPECT_LE(Length(Log(q)), 3.1415928f);
  }
  EXPECT_EQ(Length(Log(Quat{})), 0);
  EXPECT_NEAR(Length(Log(FromAxisAngle({0, 1, 0}, 1e-4f))), 1e-4f, 1e-9);
}

TEST(Quat, BetweenDirectionsTakesOneToTheOther) {
  RandomPoses random(24);
  for (int i = 0; i < 300; ++i) {
    const Vec3 a = Normalized(random.Vector()), b = Normalized(random.Vector());
    EXPECT_LT(Length(Rotate(BetweenDirections(a, b), a) - b), 1e-5f);
    EXPECT_LT(Length(Rotate(BetweenDirections(a, a * -1), a) + a), 1e-5f);
  }
}

TEST(Slerp, NearRotationsAreLerpedWithoutRenormalising) {
  const Quat a, b = FromAxisAngle({1, 0, 0}, 0.002f);
  const Quat mid = Slerp(a, b, 0.5f);
  const double length = std::sqrt(double(mid.w) * double(mid.w) + double(mid.x) * double(mid.x));
  EXPECT_NEAR(length, 1 - 1.25e-7, 6e-8);
  EXPECT_EQ(mid.x, b.x / 2);
}

// The slow reference turns by a part of the whole angle.
// The formula in double precision; turns up to half a circle of the quaternion's quarter.
TEST(Slerp, IsRightToAMillionthOfARadian) {
  for (int i = 1; i <= 400; ++i) {
    for (int k = 0; k <= 20; ++k) {
      const double half = 1.5707963 * i / 400, t = k / 20.0;
      const Quat b = {static_cast<float>(std::cos(half)), 0, static_cast<float>(std::sin(half)), 0};
      const Quat got = Slerp({}, b, static_cast<float>(t));
      EXPECT_NEAR(2 * std::atan2(double{got.y}, double{got.w}), 2 * t * half, 1e-6) << half;
      EXPECT_NEAR(std::hypot(double{got.w}, double{got.y}), 1, 3e-6) << half << " " << t;
    }
  }
}

TEST(Slerp, TurnsAtAConstantRate) {
  RandomPoses random(20);
  for (int i = 0; i < 300; ++i) {
    const Quat a = random.Rotation(), b = random.Rotation();
    const float t = random.Number(0, 1);
    const Quat want = Mul(a, Exp(Log(Mul(Conjugate(a), b)) * t));
    EXPECT_LT(AngleBetween(Slerp(a, b, t), want), 1e-4f);
    EXPECT_LT(AngleBetween(Slerp(a, -b, t), want), 1e-4f);
    EXPECT_NEAR(Dot(Slerp(a, b, t), Slerp(a, b, t)), 1, 1e-5);
    EXPECT_LT(AngleBetween(Nlerp(a, b, 0.5f), Slerp(a, b, 0.5f)), 1e-4f);
  }
}

TEST(SwingTwist, TakesTheTwistOutAndPutsItBack) {
  RandomPoses random(31);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random.Rotation();
    const Vec3 parts = SwingTwist(q);
    const Quat swing = Exp({parts.x, 0, parts.z}), twist = Exp({0, parts.y, 0});
    EXPECT_LT(AngleBetween(Mul(swing, twist), q), 2e-3f);
    EXPECT_LE(std::fabs(parts.y), kPi + 1e-5f);
    EXPECT_LE(std::hypot(parts.x, parts.z), kPi + 1e-5f);
    // The sign of a quaternion means nothing.
    const Vec3 again = SwingTwist(-q);
    EXPECT_NEAR(again.x, parts.x, 1e-3f);
    EXPECT_NEAR(again.z, parts.z, 1e-3f);
  }
}

TEST(SwingTwist, KeepsTheAngleOfAHingeWhateverTheBoneTurns) {
  for (float bend = -2.5f; bend <= 0; bend += 0.25f) {
    for (float turn = -1.5f; turn <= 1.5f; turn += 0.25f) {
      const Vec3 parts =
          SwingTwist(Mul(FromAxisAngle({1, 0, 0}, bend), FromAxisAngle({0, 1, 0}, turn)));
      EXPECT_NEAR(parts.x, bend, 1e-5f);
      EXPECT_NEAR(parts.y, turn, 1e-5f);
      EXPECT_NEAR(parts.z, 0, 1e-5f);
    }
  }
}

}  // namespace
}  // namespace posewire::skel
