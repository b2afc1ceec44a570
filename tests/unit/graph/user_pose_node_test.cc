#include "libs/graph/user_pose_node.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

// A user who stands before the avatar and faces it, with the head turned from there by `turn`,
// given in the user's own axes.
UserInput FacingWithHands(Quat turn, Vec3 left_hand = {0.3f, -0.6f, 0.1f},
                          Vec3 right_hand = {-0.3f, -0.6f, 0.1f}) {
  const Quat round = skel::FromAxisAngle({0, 1, 0}, 3.0f);
  UserInput user;
  user.name = "ann";
  user.has_head = user.has_left_hand = user.has_right_hand = true;
  user.head = {0.1f, 1.6f, 1.4f};
  user.head_rotation = Mul(round, turn);
  user.left_hand = user.head + Rotate(round, left_hand);
  user.right_hand = user.head + Rotate(round, right_hand);
  return user;
}

struct Mirror {
  explicit Mirror(bool image_wise, bool hands = false, const char* rig_name = "hanim_loa3")
      : rig(BuiltinRig(rig_name)),
        parts(std::make_shared<const BodyParts>(rig)),
        stage(rig, {NumberVariable("tilt", 0), NumberVariable("much", 1)}) {
    UserPoseSettings settings;
    settings.image_wise = image_wise, settings.hands = hands;
    settings.strength = Number::Follow(1);
    settings.tilt_variable = 0;
    node = std::make_unique<UserPoseNode>(parts, settings);
  }
  void Run(const UserInput& user, int ticks) {
    stage.users = {user};
    for (int k = 0; k < ticks; ++k) {
      const AllocationCount allocations;
      stage.Tick(*node);
      EXPECT_EQ(allocations.count(), 0);
    }
  }
  // The head's turn from rest, as a rotation vector in degrees, by plain forward kinematics.
  Vec3 Head() {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    const gesture::Forward rest(*rig, rig->rest(), rig->rest());
    const auto i = static_cast<size_t>(parts->head);
    return Log(Mul(at.turn[i], Conjugate(rest.turn[i]))) * kDegrees;
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  Stage stage;
  std::unique_ptr<UserPoseNode> node;
};

TEST(UserPoseNode, CopiesNodsTurnsAndTiltsRelativeToTheNeutral) {
  for (const char* rig : {"hanim_loa3", "ace_biped", "vrm"}) {
    for (bool image_wise : {false, true}) {
      const float side = image_wise ? -1 : 1;
      for (const Vec3 turn : {Vec3{0.2f, 0, 0}, Vec3{0, 0.25f, 0}, Vec3{0, 0, -0.2f}}) {
        Mirror m(image_wise, false, rig);
        m.Run(FacingWithHands({}), 150);
        EXPECT_LT(Length(m.Head()), 0.5f);
        m.Run(FacingWithHands(skel::Exp(turn)), 15);
        const Vec3 want = Vec3{turn.x, side * turn.y, side * turn.z} * kDegrees;
        EXPECT_LT(Length(m.Head() - want), 2)
            << rig << m.Head().x << " " << m.Head().y << " " << m.Head().z;
        EXPECT_NEAR(m.stage.variables.number(0), -want.z, 2);
      }
    }
  }
}

TEST(UserPoseNode, SaysHeadAndNeckAloneUnlessAskedForHands) {
  Mirror m(false);
  m.Run(FacingWithHands({}), 5);
  for (int j = 0; j < m.rig->joints(); ++j) {
    const bool is_neck =
        std::find(m.parts->neck.begin(), m.parts->neck.end(), j) != m.parts->neck.end();
    EXPECT_EQ(m.stage.pose.view().has_r[j], j == m.parts->head || is_neck);
    EXPECT_EQ(m.stage.pose.view().has_t[j], 0);
  }
}

TEST(UserPoseNode, CopiesHandsToTheSameSideOrAsAMirror) {
  for (bool image_wise : {false, true}) {
    Mirror m(image_wise, true);
    m.Run(FacingWithHands({}), 150);
    const gesture::Forward before(*m.rig, m.stage.pose.view(), m.rig->rest());
    // The user's left hand goes up, forward and out.
    const Vec3 off{0.1f, 0.3f, 0.2f};
    m.Run(FacingWithHands({}, Vec3{0.3f, -0.6f, 0.1f} + off), 12);
    const gesture::Forward after(*m.rig, m.stage.pose.view(), m.rig->rest());
    const char* moved = image_wise ? "r_wrist" : "l_wrist";
    const char* still = image_wise ? "l_wrist" : "r_wrist";
    const Vec3 way = after.place(moved) - before.place(moved);
    EXPECT_GT(way.y, 0.15f);
    EXPECT_GT(way.z, 0.1f);
    EXPECT_GT(image_wise ? -way.x : way.x, 0.03f);
    EXPECT_LT(Length(after.place(still) - before.place(still)), 0.01f);
  }
}

TEST(UserPoseNode, LearnsAnyNeutralAndAgainForAnotherUser) {
  Mirror m(false);
  const Quat slouch = skel::Exp({0.3f, 0.1f, 0.15f});
  m.Run(FacingWithHands(slouch), 200);
  EXPECT_LT(Length(m.Head()), 0.5f);
  UserInput other = FacingWithHands(skel::Exp({-0.2f, 0, -0.2f}));
  other.name = "bob";
  m.Run(other, 40);
  EXPECT_LT(Length(m.Head()), 1.5f);
}

TEST(UserPoseNode, UsersWhoComeGoAndJumpNeverPop) {
  Mirror m(true, true);
  Random rng(4);
  const auto some = [&](float most) {
    return Vec3{rng.Uniform(-most, most), rng.Uniform(-most, most), rng.Uniform(-most, most)};
  };
  for (int k = 0; k < 4000; ++k) {
    if (k % 20 == 0) {
      m.stage.users.clear();
      if (rng.Uniform() < 0.7f) {
        m.stage.users = {FacingWithHands(skel::Exp(some(1)), some(0.7f), some(0.7f))};
        m.stage.users[0].name = rng.Uniform() < 0.9f ? "ann" : "bob";
      }
      if (rng.Uniform() < 0.05f && !m.stage.users.empty()) m.stage.users[0].head.x = NAN;
      m.stage.variables.Set(1, Value{1, {}});
    }
    m.stage.Tick(*m.node);
    if (k == 0) continue;
    for (int j = 0; j < m.rig->joints(); ++j) {
      if (!m.stage.pose.view().has_r[j]) continue;
      const Quat now = m.stage.pose.view().rotation(j), was = m.stage.before.view().rotation(j);
      const bool of_arm = j >= m.parts->arms[0].start;
      ASSERT_LT(AngleBetween(was, now) * kDegrees, of_arm ? 23 : 9) << k << " " << j;
    }
  }
  m.stage.users.clear();
  for (int k = 0; k < 90; ++k) m.stage.Tick(*m.node);
  EXPECT_LT(Length(m.Head()), 0.05f);
  EXPECT_NEAR(m.stage.variables.number(0), 0, 0.05);
}

}  // namespace
}  // namespace posewire::graph
