#include "libs/graph/self_collision_node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

using skel::Capsules;
using skel::HumanBone;
using skel::Vec3;

constexpr const char* kRigs[] = {"hanim_loa3", "ace_biped", "vrm"};

// A person whose left wrist is somewhere.
class Person {
 public:
  explicit Person(const char* rig)
      : rig_(BuiltinRig(rig)), capsules_(rig_), parts_(std::make_shared<BodyParts>(rig_)) {
    auto below = std::make_unique<FixedNode>(*rig_);
    below_ = below.get();
    below_->pose.span().CopyFrom(rig_->rest());
    node_ = std::make_unique<SelfCollisionNode>(std::make_shared<const SelfCollisionBody>(parts_),
                                                std::move(below));
  }

  // Its place between the hips and the shoulders, that many metres in front of them and to its
  // left.
  void PutLeftHand(float up, float in_front_m, float left_m = 0) {
    const skel::Humanoid& human = rig_->humanoid();
    const auto at = [&](HumanBone bone) {
      return PlaceOf(*rig_, rig_->rest(), human.joint(bone)).at;
    };
    const Vec3 shoulders = (at(HumanBone::kLeftUpperArm) + at(HumanBone::kRightUpperArm)) * 0.5f;
    below_->pose.span().CopyFrom(rig_->rest());
    skel::TwoBoneIkJob job;
    job.rig = rig_.get();
    job.start = human.joint(HumanBone::kLeftUpperArm);
    job.middle = human.joint(HumanBone::kLeftLowerArm);
    job.end = human.joint(HumanBone::kLeftHand);
    job.hinge = skel::HingeOf(*rig_, job.start, job.middle, job.end);
    job.target = Lerp(at(HumanBone::kHips), shoulders, up) + Vec3{left_m, 0, in_front_m};
    job.pose = below_->pose.span();
    ASSERT_TRUE(job.Run());
  }

  void Tick(const Inputs& inputs = {}) {
    last_ = shown_;
    ctx_.dt_s = 1.0 / 30;
    ctx_.inputs = &inputs;
    const AllocationCount allocations;
    node_->Update(ctx_, 1);
    node_->Evaluate(ctx_, shown_.span());
    EXPECT_EQ(allocations.count(), 0);
    ++ctx_.tick;
  }
  float Depth(const skel::Pose& pose) const {
    std::vector<float> depth(Capsules::Pairs().size());
    EXPECT_TRUE(capsules_.Depths(pose.view(), absl::MakeSpan(depth)));
    return *std::max_element(depth.begin(), depth.end());
  }
  const skel::Pose& wanted() const { return below_->pose; }
  const skel::Pose& shown() const { return shown_; }
  float step_deg() const { return LargestStep(last_.view(), shown_.view()).degrees; }
  // How far the correction turns the left arm.
  float turned_deg() const {
    return AngleBetween(shown_.view().rotation(shoulder()), wanted().view().rotation(shoulder())) /
           skel::kDeg;
  }
  int shoulder() const { return parts_->arms[0].start; }
  const skel::Rig& rig() const { return *rig_; }

  bool Same(int joint) const {
    const skel::Quat a = shown().view().rotation(joint), b = wanted().view().rotation(joint);
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
  }
  bool Untouched() const {
    for (int j = 0; j < rig_->joints(); ++j) {
      if (!Same(j)) return false;
    }
    return true;
  }

 private:
  std::shared_ptr<const skel::Rig> rig_;
  Capsules capsules_;
  std::shared_ptr<const BodyParts> parts_;
  FixedNode* below_;
  std::unique_ptr<SelfCollisionNode> node_;
  TickContext ctx_;
  skel::Pose shown_{rig_->joints(), rig_->shapes()}, last_ = shown_;
};

TEST(SelfCollisionNode, TurnsOnlyTheShoulderOfAnArmThatIsTooDeep) {
  for (const char* name : kRigs) {
    for (const float up : {0.1f, 0.3f, 0.5f}) {
      Person person(name);
      person.PutLeftHand(up, 0.08f);
      ASSERT_GT(person.Depth(person.wanted()), 0.02f) << name << " " << up;
      for (int k = 0; k < 10; ++k) person.Tick();
      EXPECT_LT(person.Depth(person.shown()), 0.006f) << name << " " << up;
      for (int j = 0; j < person.rig().joints(); ++j) {
        const float turned =
            AngleBetween(person.shown().view().rotation(j), person.wanted().view().rotation(j));
        if (j == person.shoulder()) {
          EXPECT_GT(turned, 0.02f) << name << " " << up;
          EXPECT_LT(turned, 0.7f) << name << " " << up;
        } else {
          EXPECT_TRUE(person.Same(j)) << name << " joint " << j;
        }
      }
    }
  }
}

TEST(SelfCollisionNode, LeavesWhoeverIsNotTooDeepToTheBit) {
  for (const char* name : kRigs) {
    Person person(name);
    person.PutLeftHand(0.5f, 0.3f);
    ASSERT_LT(person.Depth(person.wanted()), 0.004f);
    for (int k = 0; k < 5; ++k) {
      person.Tick();
      EXPECT_TRUE(person.Untouched()) << name;
    }
  }
}

// In through the belly and out again: it waits at the skin, and nothing jumps. Once it is out, the
// correction fades.
TEST(SelfCollisionNode, HoldsAHandThatGoesThroughTheBodyAtItsFront) {
  for (const char* name : kRigs) {
    Person person(name);
    for (int k = 0; k <= 150; ++k) {
      const float phase = static_cast<float>(k) / 150;
      person.PutLeftHand(0.35f, 0.1f + 0.2f * std::cos(6.2831853f * phase));
      person.Tick();
      EXPECT_LT(person.Depth(person.shown()), 0.008f) << name << " " << k;
      if (k > 0) {
        EXPECT_LT(person.step_deg(), 20) << name << " " << k;
      }
    }
    for (int k = 0; k < 60; ++k) person.Tick();
    EXPECT_TRUE(person.Untouched()) << name;
  }
}

// From before the belly into the hip, and on to where the arm hangs: it gives way to the front and
// to its own side, and so comes to hang there.
TEST(SelfCollisionNode, LetsAnArmThatGoesThroughTheHipComeRoundIt) {
  for (const char* name : kRigs) {
    Person person(name);
    const auto at = [&](float share) {
      person.PutLeftHand(0, 0.25f - 0.2f * share, 0.3f * share - 0.02f);
      person.Tick();
    };
    for (int k = 0; k < 30; ++k) at(0);
    for (int k = 0; k < 150; ++k) {
      at(std::min(static_cast<float>(k) / 45, 1.0f));
      EXPECT_LT(person.Depth(person.shown()), 0.008f) << name << " " << k;
      EXPECT_LT(person.step_deg(), 12) << name << " " << k;
    }
    EXPECT_LT(person.turned_deg(), 1) << name;
  }
}

TEST(SelfCollisionNode, LeavesAnArmThatASourcePushes) {
  Person person("hanim_loa3");
  person.PutLeftHand(0.3f, 0.05f);
  skel::Pose pushed(person.rig().joints(), person.rig().shapes());
  ProviderInput input;
  pushed.span().SetRotation(person.shoulder(), person.wanted().view().rotation(person.shoulder()));
  input.pose = pushed.view();
  Inputs inputs;
  inputs.providers = absl::MakeConstSpan(&input, 1);
  person.Tick(inputs);
  EXPECT_TRUE(person.Untouched());
  EXPECT_GT(person.Depth(person.shown()), 0.02f);
}

}  // namespace
}  // namespace posewire::graph
