// Skeletons of anybody's: other names, axes, sizes and stances than ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "tests/unit/skel/foreign_body.h"

namespace posewire::skel {
namespace {

TEST(ForeignSkeleton, ItsBonesAreKnownByTheNamesOfSixConventions) {
  std::mt19937 random(1);
  for (const Convention& convention : kConventions) {
    const auto rig = Make(convention, 0, 1, random);
    for (size_t i = 0; i < kParts; ++i) {
      EXPECT_EQ(rig->humanoid().joint(kBody[i].bone), static_cast<int>(i))
          << convention.name << " " << convention.joints[i];
    }
  }
}

// In any pose, from any stance, on any axes: the limbs lie as they did.
TEST(ForeignSkeleton, LimbsOfAllRigsHaveItsDirections) {
  std::mt19937 random(2);
  std::normal_distribution<float> some;
  const auto catalog = RigCatalog::Builtin();
  ASSERT_TRUE(catalog.ok());
  for (const Convention& convention : kConventions) {
    for (const float below_deg : {0.0f, 45.0f, 80.0f}) {
      const auto from = Make(convention, below_deg, 0.4f + below_deg / 50, random);
      for (const char* name : {"hanim_loa3", "ace_biped", "vrm"}) {
        const auto to = *catalog->Find(name);
        const auto map = RigMap::Make(from, to);
        ASSERT_TRUE(map.ok()) << map.status();
        for (int round = 0; round < 8; ++round) {
          Pose in(from->joints(), from->shapes()), out(to->joints(), to->shapes());
          in.span().CopyFrom(from->rest());
          for (int j = 0; round > 0 && j < from->joints(); ++j) {
            const Vec3 bend{some(random) / 2, some(random) / 2, some(random) / 2};
            in.span().SetRotation(j, Mul(from->rest().rotation(j), Exp(bend)));
          }
          Pose whole(to->joints(), to->shapes());
          map->Apply(in.view(), out.span());
          whole.span().CopyFrom(to->rest());
          for (int j = 0; j < to->joints(); ++j) {
            if (out.view().has_r[j]) whole.span().SetRotation(j, out.view().rotation(j));
            if (out.view().has_t[j]) whole.span().SetTranslation(j, out.view().translation(j));
          }
          const auto at_from = PlacesOf(*from, in.view()), at_to = PlacesOf(*to, whole.view());
          for (const auto& limb : kLimbs) {
            EXPECT_LT(AngleOfLimb(*from, at_from, *to, at_to, limb), 0.1f)
                << convention.name << " " << below_deg << " " << name << " " << NameOf(limb.first);
          }
          if (round > 0) continue;
          // Who stands on the ground there, stands on it here.
          for (const Bone foot : {Bone::kLeftFoot, Bone::kRightFoot}) {
            const float is = at_to[static_cast<size_t>(to->humanoid().joint(foot))].y;
            const float rest =
                PlacesOf(*to, to->rest())[static_cast<size_t>(to->humanoid().joint(foot))].y;
            EXPECT_NEAR(is, rest, 0.01f) << convention.name << " " << name;
          }
        }
      }
    }
  }
}

TEST(ForeignSkeleton, ARigFileOfOtherNamesHasItsBonesToo) {
  std::mt19937 random(4);
  const auto made = Make(kConventions[2], 0, 1, random);
  RigParts parts;
  parts.name = "unreal";
  parts.stance = Stance::kTPose;
  for (int j = 0; j < made->joints(); ++j) {
    parts.joint_paths.push_back(made->joint_paths()[static_cast<size_t>(j)]);
    parts.rest_translations.push_back(made->rest().translation(j));
    parts.rest_rotations.push_back(made->rest().rotation(j));
  }
  const auto rig = Rig::Make(std::move(parts));
  ASSERT_TRUE(rig.ok());
  EXPECT_GE((*rig)->humanoid().joint(Bone::kLeftLowerArm), 0);
  const auto map = RigMap::Make(*RigCatalog::Builtin()->Find("hanim_loa3"), *rig);
  ASSERT_TRUE(map.ok());
  Pose out((*rig)->joints(), (*rig)->shapes());
  map->Apply(map->from()->rest(), out.span());
  for (int j = 0; j < (*rig)->joints(); ++j) {
    EXPECT_TRUE(out.view().has_r[j]) << (*rig)->joint_names()[static_cast<size_t>(j)];
  }
}

TEST(ForeignSkeleton, TheSameStanceIsTheSamePose) {
  std::mt19937 random(3);
  const auto catalog = RigCatalog::Builtin();
  const auto ours = *catalog->Find("vrm");  // stands in a T, too
  const auto map = RigMap::Make(Make(kConventions[2], 0, 1.2f, random), ours);
  ASSERT_TRUE(map.ok());
  Pose out(ours->joints(), ours->shapes());
  map->Apply(map->from()->rest(), out.span());
  for (int j = 0; j < ours->joints(); ++j) {
    if (!out.view().has_r[j]) continue;
    EXPECT_LT(AngleBetween(out.view().rotation(j), ours->rest().rotation(j)), 12 * kDegree)
        << ours->joint_names()[static_cast<size_t>(j)];
  }
}

}  // namespace
}  // namespace posewire::skel
