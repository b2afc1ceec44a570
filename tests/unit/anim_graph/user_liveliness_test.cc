#include "services/anim_graph/core/user_liveliness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tests/support/allocation_count.h"

namespace posewire::anim_graph {
namespace {

using graph::UserInput;
using skel::Vec3;

UserInput Standing() {
  UserInput user;
  user.has_head = user.has_left_hand = user.has_right_hand = true;
  user.head = {0, 1.6f, 1.4f};
  user.left_hand = {0.3f, 1, 1.3f};
  user.right_hand = {-0.3f, 1, 1.3f};
  return user;
}

// Liveliness after `seconds` of what `at` shows at each time, reported `hz` times a second.
float After(double seconds, double hz, const std::function<UserInput(double)>& at,
            UserLiveliness liveliness = {}) {
  double t = 0;
  for (; t < seconds; t += 1 / hz) {
    const AllocationCount allocations;
    liveliness.Note(at(t), t);
    EXPECT_EQ(allocations.count(), 0);
    EXPECT_GE(liveliness.At(t), 0);
    EXPECT_LE(liveliness.At(t), 1);
  }
  return liveliness.At(t);
}

UserInput Waving(double t) {
  UserInput user = Standing();
  user.right_hand.x += 0.15f * static_cast<float>(std::sin(9 * t));
  user.right_hand.y += 0.5f;
  return user;
}

TEST(UserLiveliness, IsZeroForWhoIsStillAndHighForWhoGestures) {
  EXPECT_EQ(After(5, 30, [](double) { return Standing(); }), 0);
  const float waves = After(5, 30, Waving);
  EXPECT_GT(waves, 0.5f);
  const float dances = After(5, 30, [](double t) {
    UserInput user = Waving(t);
    user.left_hand.y += 0.3f * static_cast<float>(std::sin(8 * t));
    user.head.x += 0.2f * static_cast<float>(std::sin(4 * t));
    return user;
  });
  EXPECT_GT(dances, 0.9f);
  const float nods = After(5, 30, [](double t) {
    UserInput user = Standing();
    user.head_rotation =
        skel::FromAxisAngle({1, 0, 0}, 0.25f * static_cast<float>(std::sin(10 * t)));
    return user;
  });
  EXPECT_GT(nods, 0.15f);
  EXPECT_LT(nods, waves);
}

TEST(UserLiveliness, IsZeroForAStillHeadWhoseRotationIsNotQuiteOfUnitLength) {
  for (const float square : {0.985f, 0.99f, 1.01f, 1.015f}) {
    UserInput user = Standing();
    user.head_rotation = skel::FromAxisAngle({0, 1, 0}, 0.7f);
    for (float* v : {&user.head_rotation.w, &user.head_rotation.y}) *v *= std::sqrt(square);
    EXPECT_EQ(After(5, 30, [&](double) { return user; }), 0) << square;
  }
}

TEST(UserLiveliness, DoesNotDependOnTheRateOfReports) {
  const float slow = After(6, 12, Waving);
  for (const double hz : {25.0, 60.0, 90.0, 300.0}) EXPECT_NEAR(After(6, hz, Waving), slow, 0.1f);
}

TEST(UserLiveliness, ATrackersNoiseIsNoMotion) {
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.001f);
  EXPECT_LT(After(10, 90,
                  [&](double) {
                    UserInput user = Standing();
                    for (Vec3* p : {&user.head, &user.left_hand, &user.right_hand}) {
                      *p = *p + Vec3{noise(random), noise(random), noise(random)};
                    }
                    return user;
                  }),
            0.03f);
}

TEST(UserLiveliness, FallsWithoutReportsAndAfterABreakNothingJumps) {
  UserLiveliness liveliness;
  for (double t = 0; t < 5; t += 1.0 / 30) liveliness.Note(Waving(t), t);
  const float before = liveliness.At(5);
  EXPECT_GT(before, 0.5f);
  EXPECT_NEAR(liveliness.At(5.2), before, 1e-6f);
  EXPECT_LT(liveliness.At(7), 0.5f * before);
  EXPECT_LT(liveliness.At(60), 1e-6f);
  UserInput elsewhere = Standing();
  elsewhere.head.x += 5;
  liveliness.Note(elsewhere, 60);
  EXPECT_LT(liveliness.At(60), 1e-6f);
  // A hand that is tracked again is no motion either.
  UserInput without = elsewhere;
  without.has_left_hand = without.has_right_hand = false;
  without.left_hand = without.right_hand = {};
  liveliness.Note(without, 60.2);
  liveliness.Note(elsewhere, 60.4);
  EXPECT_LT(liveliness.At(60.4), 1e-6f);
}

}  // namespace
}  // namespace posewire::anim_graph
