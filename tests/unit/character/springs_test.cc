#include "libs/character/springs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "libs/character/deformer.h"
#include "libs/character_file/builtin.h"
#include "tests/unit/character/reading.h"
#include "tests/unit/character/small_glb.h"

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

// A head with a braid of two joints at its side, 10 cm each, and a ball under its chin.
class SpringsTest : public testing::Test {
 protected:
  SpringsTest() {
    const auto add = [&](int parent, Vec3 at) {
      braid_.order.push_back(static_cast<int>(braid_.nodes.size()));
      braid_.nodes.push_back({"", parent, at, {}, {1, 1, 1}});
    };
    add(-1, {0, 1.6f, 0});
    add(0, {0.1f, 0, 0});
    add(1, {0, -0.1f, 0});
    add(2, {0, -0.1f, 0});
    for (const int node : {1, 2}) {
      SpringJoint joint;
      joint.node = node;
      joint.end = {0, -0.1f, 0};
      joint.hit = 0.01f;
      joint.stiffness = 0.4f;
      joint.colliders = {0};
      braid_.springs.joints.push_back(joint);
    }
    braid_.springs.colliders.push_back({0, {0, -0.15f, 0}, {0, -0.15f, 0}, 0.06f});
  }

  // The nodes with the head turned, as the pose alone puts them.
  std::vector<Affine> Turned(float yaw_rad) const {
    std::vector<Affine> out(braid_.nodes.size());
    for (size_t n = 0; n < out.size(); ++n) {
      const CharacterNode& node = braid_.nodes[n];
      const Quat turn = n == 0 ? skel::FromAxisAngle({0, 1, 0}, yaw_rad) : Quat{};
      out[n] = skel::FromTrs(node.translation, turn, {1, 1, 1});
      if (n > 0) out[n] = skel::Mul(out[n], out[static_cast<size_t>(node.parent)]);
    }
    return out;
  }

  Vec3 EndAt(Springs& springs, double at_s, float yaw_rad) const {
    std::vector<Affine> models = Turned(yaw_rad);
    springs.Move(at_s, absl::MakeSpan(models));
    return models[3].row[3];
  }

  // A turn of a radian within 0.2 s.
  static float Yaw(double at_s) { return static_cast<float>(std::clamp(at_s / 0.2, 0.0, 1.0)); }

  // Where the end is from frame to frame, 3 s.
  std::vector<Vec3> Ends(double rate_hz) const {
    Springs springs(braid_);
    std::vector<Vec3> out;
    for (int k = 0; k < 3 * rate_hz; ++k)
      out.push_back(EndAt(springs, k / rate_hz, Yaw(k / rate_hz)));
    return out;
  }

  Character braid_;
};

TEST_F(SpringsTest, StaysAtRestWhereNothingMoves) {
  Springs springs(braid_);
  for (int k = 0; k < 30; ++k) {
    EXPECT_LT(skel::Length(EndAt(springs, k / 30.0, 0) - Turned(0)[3].row[3]), 1e-5f);
  }
}

TEST_F(SpringsTest, FollowsATurnLateAndSettlesWithoutJitter) {
  const std::vector<Vec3> ends = Ends(30);
  const Vec3 goal = Turned(1)[3].row[3];
  EXPECT_GT(skel::Length(ends[6] - goal), 0.01f);  // when the head has arrived
  EXPECT_LT(skel::Length(ends[45] - goal), 0.002f);
  for (size_t k = 75; k < ends.size(); ++k) {
    EXPECT_LT(skel::Length(ends[k] - ends[k - 1]), 2e-5f) << k;
    EXPECT_LT(skel::Length(ends[k] - goal), 1e-4f) << k;
  }
}

TEST_F(SpringsTest, MovesTheSameForTheSameTimesAndAlikeAtOtherRates) {
  const std::vector<Vec3> ends = Ends(30), again = Ends(30), fine = Ends(60);
  for (size_t k = 0; k < ends.size(); ++k) {
    EXPECT_EQ(skel::Length(ends[k] - again[k]), 0) << k;
    EXPECT_LT(skel::Length(ends[k] - fine[2 * k]), 0.02f) << k;
  }
}

TEST_F(SpringsTest, KeepsItsLengthAndStaysOutOfColliders) {
  Springs springs(braid_);
  for (int k = 0; k < 90; ++k) {
    // Shaken hard, to and fro.
    const float yaw = 1.5f * std::sin(static_cast<float>(k) * 0.5f);
    std::vector<Affine> models = Turned(yaw);
    springs.Move(k / 30.0, absl::MakeSpan(models));
    const Vec3 ball = skel::TransformPoint(models[0], {0, -0.15f, 0});
    for (const size_t node : {2, 3}) {
      EXPECT_NEAR(skel::Length(models[node].row[3] - models[node - 1].row[3]), 0.1f, 1e-4f);
      EXPECT_GT(skel::Length(models[node].row[3] - ball), 0.0695f) << k;
    }
  }
}

TEST_F(SpringsTest, BeginsAtRestAfterAGapAndWhenTimeGoesBack) {
  Springs springs(braid_);
  EndAt(springs, 0, 0);
  EndAt(springs, 0.03, 1);
  EXPECT_LT(skel::Length(EndAt(springs, 0.5, 1) - Turned(1)[3].row[3]), 1e-4f);
  EXPECT_LT(skel::Length(EndAt(springs, 0.4, 0) - Turned(0)[3].row[3]), 1e-4f);
}

TEST_F(SpringsTest, AFrameThatIsDrawnAgainIsTheSame) {
  Springs springs(braid_);
  EndAt(springs, 0, 0);
  const Vec3 end = EndAt(springs, 0.03, 1);
  EXPECT_LT(skel::Length(EndAt(springs, 0.03, 1) - end), 1e-6f);
}

std::string WithSprings(const std::string& joints) {
  SmallPerson person;
  person.extensions = R"({"VRMC_springBone":{"specVersion":"1.0","colliders":[{"node":4,"shape":)"
                      R"({"sphere":{"offset":[0,0.1,0],"radius":0.08}}}],)"
                      R"("colliderGroups":[{"colliders":[0]}],"springs":[{"colliderGroups":[0],)"
                      R"("joints":[)" +
                      joints + "]}]}}";
  return person.Glb();
}

TEST(ReadSprings, ReadsChainsWithTheirColliders) {
  const auto person = Good(WithSprings(
      R"({"node":3,"stiffness":0.5,"hitRadius":0.02,"dragForce":0.3,"gravityPower":0.1},{"node":4})"));
  ASSERT_NE(person, nullptr);
  ASSERT_EQ(person->springs.joints.size(), 1u);
  const SpringJoint& joint = person->springs.joints[0];
  EXPECT_EQ(joint.node, 3);
  EXPECT_EQ(joint.stiffness, 0.5f);
  EXPECT_EQ(joint.drag, 0.3f);
  EXPECT_EQ(joint.gravity.y, -0.1f);
  EXPECT_EQ(joint.colliders, std::vector<int>{0});
  EXPECT_EQ(person->springs.colliders[0].radius, 0.08f);
}

TEST(ReadSprings, RejectsWhatIsNoChain) {
  EXPECT_NE(WhyNot(WithSprings(R"({"node":3},{"node":7})")).find("expected a node below node 3"),
            std::string::npos);
  EXPECT_NE(WhyNot(WithSprings(R"({"node":3},{"node":7000})")).find("7000"), std::string::npos);
}

// The hair of the woman in a quick turn of her head.
TEST(BuiltinHair, FollowsAHeadTurnAndSettlesOutsideOfHeadAndShoulders) {
  if (character_file::BuiltinFile("woman").empty())
    GTEST_SKIP() << "the build had no data to make her of";
  const auto woman = *character_file::OpenCharacter("woman", Rigs());
  Deformer moving(woman), still(woman);
  ASSERT_GT(woman->springs.joints.size(), 6u);
  const int head = woman->rig->FindJoint("skullbase");
  float lag = 0, last = 0, before = 0;
  for (int k = 0; k < 60; ++k) {
    skel::Pose pose(woman->rig->joints(), woman->rig->shapes());
    pose.span().SetRotation(
        head, skel::FromAxisAngle({0, 1, 0}, std::min(static_cast<float>(k) / 8, 1.0f) * 0.6f));
    moving.SetTime(k / 30.0);
    ASSERT_TRUE(moving.PoseJoints(pose.view()).ok());
    ASSERT_TRUE(still.PoseJoints(pose.view()).ok());
    before = std::exchange(last, 0);
    for (const SpringJoint& joint : woman->springs.joints) {
      const auto node = static_cast<size_t>(joint.node);
      const Vec3 tail = skel::TransformPoint(moving.nodes()[node], joint.end);
      last =
          std::max(last, skel::Length(tail - skel::TransformPoint(still.nodes()[node], joint.end)));
      for (const int c : joint.colliders) {
        const SpringCollider& ball = woman->springs.colliders[static_cast<size_t>(c)];
        const Affine& space = moving.nodes()[static_cast<size_t>(ball.node)];
        const float gap = skel::Length(tail - skel::TransformPoint(space, ball.offset));
        EXPECT_GT(gap, ball.radius + joint.hit - 0.004f) << k << ": " << woman->nodes[node].name;
      }
    }
    lag = std::max(lag, last);
  }
  EXPECT_GT(lag, 0.01f);
  EXPECT_LT(lag, 0.19f);
  EXPECT_LT(last, 0.05f);  // neck and shoulders push some of it aside
  EXPECT_LT(std::fabs(last - before), 1e-4f);
}

}  // namespace
}  // namespace posewire::character
