#include "libs/graph/face_joints_node.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using Direction = FaceJointsNode::Direction;
using skel::Quat;
using skel::Vec3;

struct Face {
  explicit Face(Direction direction, const char* rig_name = "hanim_loa3")
      : rig(BuiltinRig(rig_name)), parts(std::make_shared<const BodyParts>(rig)), stage(rig) {
    auto below = std::make_unique<FixedNode>(*rig);
    below->pose.span().CopyFrom(rig->rest());
    fixed = below.get();
    node = std::make_unique<FaceJointsNode>(parts, std::move(below), direction);
  }
  void Set(const char* shape, float w) { fixed->pose.span().SetWeight(rig->FindShape(shape), w); }
  float Weight(const char* shape) { return stage.pose.view().weights[rig->FindShape(shape)]; }
  // The joint's turn from rest in the head's axes.
  Vec3 Turn(int joint) {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    const gesture::Forward rest(*rig, rig->rest(), rig->rest());
    const auto i = static_cast<size_t>(joint);
    return Log(Mul(at.turn[i], Conjugate(rest.turn[i]))) * kDegrees;
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  FixedNode* fixed;
  Stage stage;
  std::unique_ptr<FaceJointsNode> node;
};

TEST(FaceJointsNode, JointsFollowShapesAndTheShapesRest) {
  for (const char* rig : {"hanim_loa3", "ace_biped", "vrm"}) {
    Face face(Direction::kShapesToJoints, rig);
    face.Set("jawOpen", 0.5f), face.Set("eyeLookOutLeft", 0.6f), face.Set("eyeLookInRight", 0.6f);
    face.Set("eyeBlinkLeft", 1), face.Set("mouthSmileLeft", 0.3f);
    // What the joints say themselves does not count beside it.
    if (face.parts->jaw >= 0) face.fixed->pose.span().SetRotation(face.parts->jaw, {0, 0, 1, 0});
    const AllocationCount allocations;
    face.stage.Tick(*face.node);
    EXPECT_EQ(allocations.count(), 0);
    EXPECT_NEAR(face.Turn(face.parts->jaw).x, kJawOpenDegrees / 2, 0.01);
    for (int eye : face.parts->eyes) {
      EXPECT_NEAR(face.Turn(eye).y, 0.6f * kLookAcrossDegrees, 0.01) << rig;
    }
    for (const char* shape : {"jawOpen", "eyeLookOutLeft", "eyeLookInRight"}) {
      EXPECT_EQ(face.Weight(shape), 0) << shape;
    }
    EXPECT_EQ(face.Weight("mouthSmileLeft"), 0.3f);
    if (face.parts->lids[0] >= 0) {
      EXPECT_NEAR(face.Turn(face.parts->lids[0]).x, kLidClosedDegrees, 0.01);
      EXPECT_EQ(face.Weight("eyeBlinkLeft"), 0);
    } else {
      EXPECT_EQ(face.Weight("eyeBlinkLeft"), 1) << "there is no joint that could follow";
    }
  }
}

TEST(FaceJointsNode, ThereAndBackIsTheSame) {
  for (const char* rig : {"hanim_loa3", "ace_biped", "vrm"}) {
    Random rng(7);
    for (int round = 0; round < 200; ++round) {
      Face there(Direction::kShapesToJoints, rig), back(Direction::kJointsToShapes, rig);
      const char* pairs[][2] = {{"jawLeft", "jawRight"},
                                {"eyeLookOutLeft", "eyeLookInLeft"},
                                {"eyeLookUpLeft", "eyeLookDownLeft"},
                                {"eyeLookInRight", "eyeLookOutRight"},
                                {"eyeLookUpRight", "eyeLookDownRight"},
                                {"eyeWideLeft", "eyeBlinkLeft"},
                                {"eyeWideRight", "eyeBlinkRight"},
                                {"jawOpen", "jawOpen"}};
      for (const auto& pair : pairs) {
        there.Set(pair[rng.Uniform() < 0.5f ? 0 : 1], rng.Uniform(0, 0.95f));
      }
      there.stage.Tick(*there.node);
      back.fixed->pose.span().CopyFrom(there.stage.pose.view());
      back.stage.Tick(*back.node);
      for (int s = 0; s < there.rig->shapes(); ++s) {
        ASSERT_NEAR(back.stage.pose.view().weights[s], there.fixed->pose.view().weights[s], 2e-3f)
            << rig << " " << there.rig->shape_names()[static_cast<size_t>(s)];
      }
      for (int j : {there.parts->jaw, there.parts->eyes[0], there.parts->eyes[1]}) {
        ASSERT_LT(AngleBetween(back.stage.pose.view().rotation(j), there.rig->rest().rotation(j)),
                  1e-4f);
      }
    }
  }
}

}  // namespace
}  // namespace posewire::graph
