#include "libs/graph/camera_node.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Vec3;

struct Studio {
  explicit Studio(double transition_s = 1)
      : rig(BuiltinRig()),
        parts(std::make_shared<const BodyParts>(rig)),
        stage(rig, {ChoiceVariable("shot", {"full", "close", "side", "eyes"}),
                    ChoiceVariable("position", {"left", "center", "right"}),
                    ChoiceVariable("motion", {"none", "sway", "push", "orbit"})}) {
    CameraSettings s;
    const int head = rig->FindJoint("skullbase");
    CameraSettings::Shot full;
    full.look_at = {rig->FindJoint("vl3"), {}};
    full.distance_m = 3, full.focal_length_mm = 35;
    CameraSettings::Shot close = full, side = full, eyes;
    close.look_at = {head, {0, 0.03f, 0}};
    close.distance_m = 1, close.height_m = 0.1, close.focal_length_mm = 85;
    side.left_deg = 90;
    eyes.look_at = {head, {0, 0.05f, 0.1f}};
    eyes.is_viewpoint = true;
    s.shots = {full, close, side, eyes};
    s.right_m = {-0.4, 0, 0.4};
    s.motions = {{2, 0.2, 0, 0}, {0, 0, 0.2, 0}, {0, 0, 0, 20}};
    s.shot_variable = 0, s.position_variable = 1, s.motion_variable = 2;
    s.shot_of_choice = {0, 1, 2, 3};
    s.position_of_choice = {0, 1, 2};
    s.motion_of_choice = {-1, 0, 1, 2};
    s.transition_s = Number(transition_s);
    auto below = std::make_unique<FixedNode>(*rig);
    below->pose.span().CopyFrom(rig->rest());
    fixed = below.get();
    node = std::make_unique<CameraNode>(parts, std::move(below), s);
  }
  const CameraView& Run(int ticks) {
    for (int k = 0; k < ticks; ++k) {
      last = stage.outputs.camera;
      const AllocationCount allocations;
      stage.Tick(*node);
      EXPECT_EQ(allocations.count(), 0);
    }
    return stage.outputs.camera;
  }
  void Set(int variable, int choice) {
    stage.variables.Set(variable, Value{static_cast<double>(choice), {}});
  }
  // Where a place is in the camera's space: X right, Y up, -Z ahead.
  Vec3 Seen(Vec3 at) {
    const CameraView& c = stage.outputs.camera;
    return Rotate(Conjugate(c.rotation), at - c.position);
  }
  Vec3 PlaceOf(const char* joint) {
    return gesture::Forward(*rig, stage.pose.view(), rig->rest()).place(joint);
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  Stage stage;
  FixedNode* fixed;
  std::unique_ptr<CameraNode> node;
  CameraView last;
};

TEST(CameraNode, SaysNothingUntilOneOfItsVariablesWasSet) {
  Studio s;
  s.Run(10);
  EXPECT_FALSE(s.stage.outputs.has_camera);
  EXPECT_TRUE(SameBytes(s.stage.pose.view(), s.rig->rest()));
  // Setting the value that it has is enough.
  s.Set(1, 0);
  s.Run(1);
  EXPECT_TRUE(s.stage.outputs.has_camera);
  EXPECT_EQ(s.stage.outputs.camera.focal_length_mm, 35);
}

TEST(CameraNode, LooksAtThePlaceFromWhereTheShotSays) {
  Studio s(0);
  s.Set(0, 0), s.Set(1, 1);
  s.Run(1);
  Vec3 seen = s.Seen(s.PlaceOf("vl3"));
  EXPECT_LT(Length(seen - Vec3{0, 0, -3}), 1e-3f);
  // Upright, and the avatar's left is on the right of the picture.
  EXPECT_GT(s.Seen(s.PlaceOf("skullbase")).y, 0.3f);
  EXPECT_GT(s.Seen(s.PlaceOf("l_shoulder")).x, 0.1f);
  s.Set(0, 1);
  s.Run(1);
  seen = s.Seen(s.PlaceOf("skullbase") + Vec3{0, 0.03f, 0});
  EXPECT_LT(std::hypot(seen.x, seen.y), 1e-3f);
  EXPECT_NEAR(seen.z, -std::hypot(1.0f, 0.1f), 1e-3f);
  EXPECT_EQ(s.stage.outputs.camera.focal_length_mm, 85);
  s.Set(0, 2);
  s.Run(1);
  EXPECT_NEAR(s.stage.outputs.camera.position.x, s.PlaceOf("vl3").x + 3, 1e-3f);
}

TEST(CameraNode, PositionsMoveTheAvatarInThePicture) {
  Studio s(0);
  for (int position : {0, 1, 2}) {
    s.Set(1, position);
    s.Run(2);
    EXPECT_NEAR(s.Seen(s.PlaceOf("vl3")).x, 0.4f * static_cast<float>(position - 1), 1e-3f);
  }
}

TEST(CameraNode, AViewpointStandsAtItsSiteAndLooksWhereThatLooks) {
  Studio s(0);
  const int head = s.rig->FindJoint("skullbase");
  s.fixed->pose.span().SetRotation(head, skel::Exp({0, 0.5f, 0}));
  s.Set(0, 3);
  s.Run(1);
  const CameraView& c = s.stage.outputs.camera;
  EXPECT_LT(Length(Rotate(c.rotation, {0, 0, -1}) - Rotate(skel::Exp({0, 0.5f, 0}), {0, 0, 1})),
            1e-4f);
  EXPECT_LT(Length(Rotate(c.rotation, {0, 1, 0}) - Vec3{0, 1, 0}), 1e-4f);
}

TEST(CameraNode, AViewpointLooksAlongThePlusZOfASiteThatHasARotation) {
  Studio s(0);
  CameraSettings settings;
  CameraSettings::Shot back;
  back.is_viewpoint = true;
  const int head = s.rig->FindJoint("skullbase");
  // Half a turn: out of the back of the head, and tilted with the site.
  const skel::Quat site = Mul(skel::Exp({0, 3.1416f, 0}), skel::Exp({0.15f, 0, 0}));
  back.look_at = {head, {0, 0.1f, -0.1f}, site};
  settings.shots = {back};
  settings.shot_variable = 0, settings.shot_of_choice = {0};
  settings.transition_s = Number(0);
  auto below = std::make_unique<FixedNode>(*s.rig);
  below->pose.span().CopyFrom(s.rig->rest());
  below->pose.span().SetRotation(head, skel::Exp({0, 0.25f, 0}));
  s.node = std::make_unique<CameraNode>(s.parts, std::move(below), settings);
  s.Set(0, 0);
  s.Run(1);
  const CameraView& c = s.stage.outputs.camera;
  const skel::Quat front = Mul(skel::Exp({0, 0.25f, 0}), site);
  EXPECT_LT(Length(Rotate(c.rotation, {0, 0, -1}) - Rotate(front, {0, 0, 1})), 1e-4f);
  EXPECT_LT(Length(Rotate(c.rotation, {0, 1, 0}) - Rotate(front, {0, 1, 0})), 1e-4f);
  EXPECT_LT(Rotate(c.rotation, {0, 0, -1}).z, -0.8f);
}

TEST(CameraNode, AChangeOfShotTakesItsTimeAndNeitherJumpsNorPassesThroughTheAvatar) {
  Studio s(1.5);
  s.Set(0, 0), s.Set(1, 1);
  s.Run(30);
  Random rng(3);
  for (int round = 0; round < 60; ++round) {
    s.Set(0, static_cast<int>(rng.Uniform(0, 4)));
    s.Set(1, static_cast<int>(rng.Uniform(0, 3)));
    s.Set(2, static_cast<int>(rng.Uniform(0, 4)));
    // Some are taken back half way.
    const int ticks = round % 3 == 0 ? 60 : 17;
    for (int k = 0; k < ticks; ++k) {
      const CameraView& now = s.Run(1);
      ASSERT_LT(Length(now.position - s.last.position), 0.4f);
      ASSERT_LT(AngleBetween(now.rotation, s.last.rotation) * kDegrees, 14) << round << " " << k;
      ASSERT_LT(std::fabs(now.focal_length_mm - s.last.focal_length_mm), 4);
    }
  }
  Studio round(1.5);
  round.Set(0, 0), round.Set(1, 1);
  round.Run(3);
  round.Set(0, 2);
  for (int k = 0; k < 60; ++k) {
    round.Run(1);
    ASSERT_GT(Length(round.stage.outputs.camera.position - round.PlaceOf("vl3")), 2.99f);
  }
  EXPECT_NEAR(round.stage.outputs.camera.position.x, round.PlaceOf("vl3").x + 3, 1e-2f);
}

TEST(CameraNode, MotionsSwayPushAndOrbitAndGoBack) {
  Studio s(0);
  s.Set(1, 1);
  const Vec3 home = s.Run(1).position;
  s.Set(2, 1);
  float widest = 0;
  for (int k = 0; k < 300; ++k) {
    widest = std::max(widest, std::fabs(s.Run(1).position.x - home.x));
  }
  EXPECT_NEAR(widest, 3 * std::sin(2 / kDegrees), 0.02f);
  s.Set(2, 2);
  EXPECT_NEAR(Length(s.Run(150).position - s.PlaceOf("vl3")), 2, 0.05f);
  EXPECT_NEAR(Length(s.Run(300).position - s.PlaceOf("vl3")), 1.2f, 0.05f) << "comes no nearer";
  s.Set(2, 3);
  const Vec3 before = s.Run(90).position;
  const Vec3 after = s.Run(30).position;
  EXPECT_NEAR(
      (AnglesOf(after - s.PlaceOf("vl3")) - AnglesOf(before - s.PlaceOf("vl3"))).left * kDegrees,
      20, 2);
  s.Set(2, 0);
  EXPECT_LT(Length(s.Run(240).position - home), 0.02f);
}

TEST(CameraNode, ANewGraphGoesOnWithTheSameView) {
  Studio old(1), fresh(1);
  old.Set(0, 1);
  old.Run(60);
  fresh.node->Adopt(*old.node);
  fresh.stage.variables.Adopt(old.stage.variables);
  fresh.Run(1);
  ASSERT_TRUE(fresh.stage.outputs.has_camera);
  EXPECT_LT(Length(fresh.stage.outputs.camera.position - old.stage.outputs.camera.position), 1e-3f);
}

}  // namespace
}  // namespace posewire::graph
