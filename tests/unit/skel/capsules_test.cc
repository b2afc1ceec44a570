#include "libs/skel/capsules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"
#include "tests/unit/skel/helpers.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

constexpr const char* kRigs[] = {"hanim_loa3", "hanim_loa4", "ace_biped", "vrm"};

TEST(NearestOfLines, AreAsNearAsASearchFinds) {
  RandomPoses random(3);
  for (int i = 0; i < 200; ++i) {
    std::array<Vec3, 2> a{random.Vector(), random.Vector()}, b{random.Vector(), random.Vector()};
    if (i % 5 == 1) a[1] = a[0];
    if (i % 7 == 1) b[1] = b[0];
    if (i % 11 == 1) b[1] = b[0] + (a[1] - a[0]) * 0.5f;
    float least = 1e9f;
    for (int s = 0; s <= 100; ++s) {
      for (int t = 0; t <= 100; ++t) {
        least = std::min(least, Length(Lerp(a[0], a[1], static_cast<float>(s) / 100) -
                                       Lerp(b[0], b[1], static_cast<float>(t) / 100)));
      }
    }
    const NearestPoints nearest = NearestOfLines(a, b);
    const float distance = Length(nearest.a - nearest.b);
    EXPECT_LE(distance, least + 1e-5f) << i;
    EXPECT_GT(distance, least - 0.03f) << i;
  }
}

TEST(Capsules, NothingOverlapsAtRest) {
  for (const char* name : kRigs) {
    const auto rig = BuiltinRig(name);
    const Capsules capsules(rig);
    EXPECT_EQ(capsules.all().size(), 9) << name;
    std::vector<float> depth(Capsules::Pairs().size());
    ASSERT_TRUE(capsules.Depths(rig->rest(), absl::MakeSpan(depth)));
    for (size_t p = 0; p < depth.size(); ++p) {
      EXPECT_TRUE(std::isfinite(depth[p]));
      EXPECT_LE(depth[p], 0.01f) << name << ": " << NameOf(Capsules::Pairs()[p].a) << " in "
                                 << NameOf(Capsules::Pairs()[p].b);
    }
  }
}

// A wrist in the middle of the trunk is as deep as trunk and hand are thick, or nearly.
TEST(Capsules, SeeAHandInTheChest) {
  for (const char* name : kRigs) {
    const auto rig = BuiltinRig(name);
    const Humanoid& human = rig->humanoid();
    Pose pose(rig->joints(), rig->shapes());
    pose.span().CopyFrom(rig->rest());
    const auto at = [&](HumanBone bone) {
      return PlaceOf(*rig, pose.view(), human.joint(bone)).at;
    };
    const Vec3 shoulders = (at(HumanBone::kLeftUpperArm) + at(HumanBone::kRightUpperArm)) * 0.5f;
    TwoBoneIkJob job;
    job.rig = rig.get();
    job.start = human.joint(HumanBone::kLeftUpperArm);
    job.middle = human.joint(HumanBone::kLeftLowerArm);
    job.end = human.joint(HumanBone::kLeftHand);
    job.hinge = HingeOf(*rig, job.start, job.middle, job.end);
    job.target = Lerp(at(HumanBone::kHips), shoulders, 0.6f);
    job.pose = pose.span();
    ASSERT_TRUE(job.Run());
    const Capsules capsules(rig);
    std::vector<float> depth(Capsules::Pairs().size());
    ASSERT_TRUE(capsules.Depths(pose.view(), absl::MakeSpan(depth)));
    EXPECT_EQ(Capsules::Pairs()[0].a, BodyVolume::kLeftHand);
    EXPECT_EQ(Capsules::Pairs()[0].b, BodyVolume::kTrunk);
    EXPECT_GT(depth[0], 0.05f) << name;
    EXPECT_LT(depth[1], 0.01f) << name << ": the right hand hangs as it did";
  }
}

TEST(Capsules, RejectOtherSizes) {
  const auto rig = BuiltinRig("vrm");
  const Capsules capsules(rig);
  std::vector<float> depth(Capsules::Pairs().size() - 1);
  EXPECT_FALSE(capsules.Depths(rig->rest(), absl::MakeSpan(depth)));
  depth.resize(Capsules::Pairs().size());
  EXPECT_FALSE(capsules.Depths(BuiltinRig("ace_biped")->rest(), absl::MakeSpan(depth)));
}

}  // namespace
}  // namespace posewire::skel
