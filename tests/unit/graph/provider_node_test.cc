#include "libs/graph/provider_node.h"

#include "gtest/gtest.h"
#include "libs/graph/ease_stage.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

using skel::FromAxisAngle;
using skel::Quat;

class ProviderNodeTest : public testing::Test {
 protected:
  ProviderNodeTest() { Build(/*ease=*/true); }

  void Build(bool ease) {
    auto below = std::make_unique<FixedNode>(*rig_);
    below_ = below.get();
    below_->pose.span().CopyFrom(rig_->rest());
    Put(std::make_unique<ProviderNode>(rig_, std::move(below), ease));
    if (ease) top_ = std::make_unique<EaseStage>(rig_, std::move(top_));
  }
  void Put(std::unique_ptr<ProviderNode> node) {
    node_ = node.get();
    top_ = std::move(node);
  }
  // A source that turns one joint and sets one shape; either may be left out ("").
  ProviderInput& Add(uint64_t id, const char* joint, float angle, const char* shape, float weight) {
    auto& pose = *poses_.emplace_back(std::make_unique<skel::Pose>(rig_->joints(), rig_->shapes()));
    if (*joint != 0) {
      pose.span().SetRotation(rig_->FindJoint(joint), FromAxisAngle({1, 0, 0}, angle));
    }
    if (*shape != 0) pose.span().SetWeight(rig_->FindShape(shape), weight);
    ProviderInput input;
    input.playback_id = id;
    input.pose = pose.view();
    inputs_.push_back(input);
    return inputs_.back();
  }
  void Tick(int times = 1) {
    for (int i = 0; i < times; ++i, ++tick_) {
      const Inputs in{inputs_};
      const TickContext ctx{tick_,  static_cast<double>(tick_) * kTick_s, kTick_s, &rng_, &in,
                            nullptr};
      top_->Update(ctx, 1);
      top_->Evaluate(ctx, out_.span());
    }
  }
  float Turn(const char* joint) {
    return AngleBetween(out_.view().rotation(rig_->FindJoint(joint)), {});
  }
  float Weight(const char* shape) { return out_.view().weights[rig_->FindShape(shape)]; }

  std::shared_ptr<const skel::Rig> rig_ = BuiltinRig();
  FixedNode* below_ = nullptr;
  ProviderNode* node_ = nullptr;
  std::unique_ptr<Node> top_;
  std::vector<std::unique_ptr<skel::Pose>> poses_;
  std::vector<ProviderInput> inputs_;
  skel::Pose out_{rig_->joints(), rig_->shapes()};
  Random rng_{1};
  int64_t tick_ = 0;
};

TEST_F(ProviderNodeTest, LaysSourcesInOrderEachOverOnlyWhatItHas) {
  Add(1, "l_elbow", -1.0f, "jawOpen", 0.5f);
  Add(2, "l_elbow", -0.5f, "", 0);
  Tick();
  EXPECT_NEAR(Turn("l_elbow"), 0.5f, 1e-5);
  EXPECT_FLOAT_EQ(Weight("jawOpen"), 0.5f);
  EXPECT_NEAR(Turn("r_elbow"), 0, 1e-6);
}

TEST_F(ProviderNodeTest, EasesANewSourceInOverThreeTenthsOfASecond) {
  Tick(3);
  Add(1, "l_elbow", -1.5f, "jawOpen", 0.8f);
  float last = 0;
  for (int i = 0; i < 9; ++i) {
    Tick();
    EXPECT_GE(Turn("l_elbow"), last - 1e-5f);
    EXPECT_LT(Turn("l_elbow") - last, 0.35f);
    last = Turn("l_elbow");
  }
  EXPECT_NEAR(last, 1.5f, 0.02);
  Tick();
  EXPECT_NEAR(Turn("l_elbow"), 1.5f, 1e-5);
  EXPECT_FLOAT_EQ(Weight("jawOpen"), 0.8f);
}

TEST_F(ProviderNodeTest, EasesOverEveryKindOfDiscontinuity) {
  for (int kind = 0; kind < 4; ++kind) {
    inputs_.clear();
    Build(true);
    Add(10, "l_elbow", -1.5f, "", 0);
    Tick(3);
    if (kind == 0) inputs_.clear();              // gone
    if (kind == 1) inputs_[0].suspended = true;  // starved
    if (kind >= 2) {
      poses_.back()->span().SetRotation(rig_->FindJoint("l_elbow"), Quat{});
      if (kind == 2) ++inputs_[0].discontinuities;  // the stream jumped
      if (kind == 3) inputs_[0].playback_id = 11;   // another request
    }
    Tick();
    EXPECT_GT(Turn("l_elbow"), 1.1f) << kind;
    Tick(12);
    EXPECT_NEAR(Turn("l_elbow"), 0, 1e-5) << kind;
  }
}

TEST_F(ProviderNodeTest, TheMouthIsBackWithinATenthOfASecondAfterStarving) {
  Add(1, "l_elbow", -1.5f, "jawOpen", 0.6f).owns_mouth = true;
  Tick(3);
  inputs_[0].suspended = true;
  Tick(15);
  EXPECT_NEAR(Weight("jawOpen"), 0, 1e-5);
  inputs_[0].suspended = false;
  Tick();
  EXPECT_LT(Weight("jawOpen"), 0.45f) << "eased";
  Tick(2);
  EXPECT_NEAR(Weight("jawOpen"), 0.6f, 1e-5);
  EXPECT_LT(Turn("l_elbow"), 1.2f) << "joints take 0.3 s";
  Tick(7);
  EXPECT_NEAR(Turn("l_elbow"), 1.5f, 1e-5);
}

TEST_F(ProviderNodeTest, PassesAJumpOfTheInputItselfUnchanged) {
  Add(1, "l_elbow", -1.5f, "", 0);
  Tick(3);
  poses_.back()->span().SetRotation(rig_->FindJoint("l_elbow"), FromAxisAngle({1, 0, 0}, 0.5f));
  Tick();
  EXPECT_NEAR(Turn("l_elbow"), 0.5f, 1e-5);
}

TEST_F(ProviderNodeTest, WithoutEasingNothingIsAddedAndTheRestStaysAbsent) {
  Put(std::make_unique<ProviderNode>(rig_, nullptr, /*ease=*/false));
  Tick(2);
  Add(1, "l_elbow", -1.5f, "", 0);
  Tick();
  EXPECT_NEAR(Turn("l_elbow"), 1.5f, 1e-5);
  EXPECT_EQ(out_.view().has_r[rig_->FindJoint("r_elbow")], 0);
  inputs_[0].suspended = true;
  Tick();
  EXPECT_EQ(out_.view().has_r[rig_->FindJoint("l_elbow")], 0);
}

TEST_F(ProviderNodeTest, BelowLendsNoMouthShapeWhileASourceOwnsTheMouth) {
  below_->pose.span().SetWeight(rig_->FindShape("mouthSmileLeft"), 0.4f);
  below_->pose.span().SetWeight(rig_->FindShape("browInnerUp"), 0.4f);
  Add(1, "", 0, "jawOpen", 0.3f).owns_mouth = true;
  Tick(2);
  EXPECT_FLOAT_EQ(Weight("mouthSmileLeft"), 0);
  EXPECT_FLOAT_EQ(Weight("browInnerUp"), 0.4f);
  EXPECT_FLOAT_EQ(Weight("jawOpen"), 0.3f);
  inputs_[0].owns_mouth = false;
  Tick();
  EXPECT_LT(Weight("mouthSmileLeft"), 0.15f) << "eased in";
  Tick(12);
  EXPECT_FLOAT_EQ(Weight("mouthSmileLeft"), 0.4f);
}

TEST_F(ProviderNodeTest, EyeJointsAndEyeShapesNeverBothMoveTheEyes) {
  below_->pose.span().SetWeight(rig_->FindShape("eyeLookUpLeft"), 0.4f);
  Add(1, "l_eyeball_joint", 0, "", 0);
  Tick(2);
  EXPECT_FLOAT_EQ(Weight("eyeLookUpLeft"), 0.4f) << "named but at rest: the shapes keep the eyes";
  poses_.back()->span().SetRotation(rig_->FindJoint("l_eyeball_joint"),
                                    FromAxisAngle({0, 1, 0}, 0.1f));
  Tick(14);
  EXPECT_FLOAT_EQ(Weight("eyeLookUpLeft"), 0);
  // Back at rest for a moment, the joints still have the eyes.
  poses_.back()->span().SetRotation(rig_->FindJoint("l_eyeball_joint"), Quat{});
  Tick(14);
  EXPECT_FLOAT_EQ(Weight("eyeLookUpLeft"), 0);
  EXPECT_FALSE(node_->joints_drive_lids());
  poses_.back()->span().SetRotation(rig_->FindJoint("l_eyelid_joint"),
                                    FromAxisAngle({1, 0, 0}, 0.3f));
  Tick();
  EXPECT_TRUE(node_->joints_drive_lids());
}

// As SMPL-X and VRoid call them, and with Mixamo's prefix.
TEST_F(ProviderNodeTest, KnowsEyesAndJawByWhateverNameTheRigHas) {
  const std::vector<std::string> namings[] = {{"left_eye_smplhf", "right_eye_smplhf", "jaw"},
                                              {"J_Adj_L_FaceEye", "J_Adj_R_FaceEye", "Jaw"},
                                              {"mixamorig:LeftEye", "mixamorig:RightEye", "Jaw"}};
  for (const std::vector<std::string>& naming : namings) {
    for (size_t i = 0; i < naming.size(); ++i) {
      skel::RigParts parts;
      parts.name = "rig";
      parts.joint_paths = {"head"};
      for (const std::string& name : naming) parts.joint_paths.push_back("head/" + name);
      parts.rest_translations.resize(4);
      parts.rest_rotations.resize(4);
      parts.shapes = {"eyeLookUpLeft", "jawOpen"};
      const std::shared_ptr<const skel::Rig> rig = *skel::Rig::Make(std::move(parts));
      auto below = std::make_unique<FixedNode>(*rig);
      below->pose.span().CopyFrom(rig->rest());
      for (int s = 0; s < 2; ++s) below->pose.span().SetWeight(s, 0.4f);
      ProviderNode node(rig, std::move(below), true);
      skel::Pose said(4, 2), out(4, 2);
      said.span().SetRotation(static_cast<int>(i) + 1, FromAxisAngle({1, 0, 0}, 0.2f));
      const ProviderInput input{1, "", said.view()};
      const Inputs in{absl::MakeConstSpan(&input, 1)};
      const TickContext ctx{0, 0, kTick_s, &rng_, &in, nullptr};
      node.Update(ctx, 1);
      node.Evaluate(ctx, out.span());
      EXPECT_FLOAT_EQ(out.view().weights[0], i < 2 ? 0 : 0.4f) << naming[i];
      EXPECT_FLOAT_EQ(out.view().weights[1], i < 2 ? 0.4f : 0) << naming[i];
      EXPECT_EQ(node.joints_drive_eyes_or_lids(), i < 2) << naming[i];
    }
  }
}

TEST_F(ProviderNodeTest, APoseOfAnotherSizeIsLeftOut) {
  const skel::Pose small(3, 2);
  ProviderInput input;
  input.playback_id = 1;
  input.pose = small.view();
  inputs_.push_back(input);
  Tick(2);
  EXPECT_NEAR(Turn("l_elbow"), 0, 1e-6);
}

TEST_F(ProviderNodeTest, EasesWhatTheNodeBelowBeginsOrCeasesToSay) {
  const int elbow = rig_->FindJoint("l_elbow");
  below_->pose.span().SetRotation(elbow, FromAxisAngle({1, 0, 0}, -1.5f));
  Add(1, "skullbase", 0.4f, "", 0);
  Tick(5);
  EXPECT_NEAR(Turn("l_elbow"), 1.5f, 1e-5f);
  float last = 1.5f;
  for (int k = 0; k < 20; ++k) {
    below_->pose.span().has_r[elbow] = 0;
    Tick();
    EXPECT_LT(last - Turn("l_elbow"), 0.6f);
    last = Turn("l_elbow");
    EXPECT_NEAR(Turn("skullbase"), 0.4f, 1e-5f) << "is not touched";
  }
  EXPECT_NEAR(last, 0, 1e-3f);
}

}  // namespace
}  // namespace posewire::graph
