#include "libs/skel/hand_contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "libs/skel/model_place.h"
#include "libs/skel/rig_map.h"
#include "libs/skel/two_bone_ik_job.h"
#include "tests/unit/skel/foreign_body.h"

namespace posewire::skel {
namespace {

float Trunk(const Rig& rig) {
  const PoseView rest = rig.rest();
  return Length((At(rig, rest, kLeft.upper) + At(rig, rest, kRight.upper)) * 0.5f -
                At(rig, rest, Bone::kHips));
}

// A person who does something with their hands, of whatever proportions: `pose` sets it up, and
// `off` is how far it fails on a body, in metres.
struct Deed {
  const char* name;
  std::function<void(const Rig&, float size, const PoseSpan&)> pose;
  std::function<float(const Rig& from, const PoseView& in, const Rig& to, const PoseView& out)> off;
  float most_m = 0.01f;
};

// How far a palm is along a bone, and how far off it.
struct Beside {
  float along, off_m;
};
Beside BesideBone(const Rig& rig, const PoseView& pose, const Hand& hand, Bone bone, Bone end) {
  const Vec3 start = At(rig, pose, bone), way = At(rig, pose, end) - start;
  const Vec3 palm = PalmAt(rig, pose, hand);
  const float along = Dot(palm - start, way) / Dot(way, way);
  return {along, Length(palm - start - way * along)};
}

float OffBone(const Rig& from, const PoseView& in, const Rig& to, const PoseView& out,
              const Hand& hand, Bone bone, Bone end) {
  const Beside was = BesideBone(from, in, hand, bone, end),
               is = BesideBone(to, out, hand, bone, end);
  const float length = Length(At(to, out, end) - At(to, out, bone));
  return std::hypot((is.along - was.along) * length,
                    is.off_m - was.off_m * Trunk(to) / Trunk(from));
}

const Deed kDeeds[] = {
    {"clap",
     [](const Rig& rig, float size, const PoseSpan& pose) {
       Reach(rig, pose, kLeft, Vec3{0.02f, 1.25f, 0.38f} * size);
       Reach(rig, pose, kRight, Vec3{-0.02f, 1.25f, 0.38f} * size);
     },
     [](const Rig& from, const PoseView& in, const Rig& to, const PoseView& out) {
       const Vec3 was = PalmAt(from, in, kLeft) - PalmAt(from, in, kRight);
       const Vec3 is = PalmAt(to, out, kLeft) - PalmAt(to, out, kRight);
       return Length(is - was * (Trunk(to) / Trunk(from)));
     }},
    {"hand on the hip",
     [](const Rig& rig, float size, const PoseSpan& pose) {
       Reach(rig, pose, kRight, Vec3{-0.17f, 1.02f, 0.06f} * size);
     },
     [](const Rig& from, const PoseView& in, const Rig& to, const PoseView& out) {
       return OffBone(from, in, to, out, kRight, Bone::kHips, Bone::kHead);
     }},
    {"hand on the heart",
     [](const Rig& rig, float size, const PoseSpan& pose) {
       Reach(rig, pose, kRight, Vec3{0.05f, 1.3f, 0.14f} * size);
     },
     [](const Rig& from, const PoseView& in, const Rig& to, const PoseView& out) {
       return OffBone(from, in, to, out, kRight, Bone::kHips, Bone::kHead);
     }},
    {"arms folded",
     [](const Rig& rig, float size, const PoseSpan& pose) {
       Reach(rig, pose, kLeft, Vec3{-0.1f, 1.15f, 0.2f} * size);
       const Vec3 elbow = At(rig, pose, kLeft.lower), wrist = At(rig, pose, kLeft.hand);
       Reach(rig, pose, kRight, elbow + (wrist - elbow) * 0.6f + Vec3{0, 0.03f, 0.05f} * size);
     },
     [](const Rig& from, const PoseView& in, const Rig& to, const PoseView& out) {
       return OffBone(from, in, to, out, kRight, kLeft.lower, kLeft.hand);
     },
     0.015f},
    {"hand on the knee of who sits",
     [](const Rig& rig, float size, const PoseSpan& pose) {
       for (const Bone thigh : {Bone::kLeftUpperLeg, Bone::kRightUpperLeg}) {
         TurnInModel(rig, rig.humanoid().joint(thigh), FromAxisAngle({1, 0, 0}, -80 * kDegree),
                     pose);
       }
       TurnInModel(rig, rig.humanoid().joint(Bone::kSpine), FromAxisAngle({1, 0, 0}, 20 * kDegree),
                   pose);
       const Vec3 knee = At(rig, pose, Bone::kLeftLowerLeg);
       Reach(rig, pose, kLeft, knee + Vec3{0, 0.08f, -0.1f} * size);
     },
     [](const Rig& from, const PoseView& in, const Rig& to, const PoseView& out) {
       return OffBone(from, in, to, out, kLeft, Bone::kLeftUpperLeg, Bone::kLeftLowerLeg);
     }},
};

TEST(HandContact, WhatHandsTouchThereTheyTouchHere) {
  std::mt19937 random(7);
  const auto catalog = RigCatalog::Builtin();
  ASSERT_TRUE(catalog.ok());
  for (const Deed& deed : kDeeds) {
    float with_m = 0, without_m = 0;
    for (const Convention& convention : kConventions) {
      for (const float arms : {0.9f, 1.0f, 1.15f}) {
        const float size = 0.7f + 0.4f * arms;
        const auto from = Make(convention, 30, size, random, 0.5f, arms);
        Pose in(from->joints(), from->shapes());
        in.span().CopyFrom(from->rest());
        deed.pose(*from, size, in.span());
        for (const char* name : kOurs) {
          const auto map = RigMap::Make(from, *catalog->Find(name));
          ASSERT_TRUE(map.ok()) << map.status();
          if (map->to()->humanoid().joint(Bone::kLeftMiddleProximal) < 0) continue;
          const HandContact contact(*map);
          const auto off = [&](const HandContact* c) {
            return deed.off(*from, in.view(), *map->to(), Carried(*map, c, in.view()).view());
          };
          with_m = std::max(with_m, off(&contact));
          without_m = std::max(without_m, off(nullptr));
        }
      }
    }
    std::cout << deed.name << ": " << 1000 * with_m << " mm off, " << 1000 * without_m
              << " without\n";
    EXPECT_LT(with_m, deed.most_m) << deed.name;
    EXPECT_GT(without_m, 0.04f) << deed.name << ": there was something to keep";
  }
}

// Palms that come near each other and part again, slowly: nothing jumps.
TEST(HandContact, BeginsAndEndsSmoothly) {
  std::mt19937 random(8);
  const auto from = Make(kConventions[0], 30, 1.1f, random, 0.5f, 1.15f);
  const auto map = RigMap::Make(from, *RigCatalog::Builtin()->Find("hanim_loa3"));
  ASSERT_TRUE(map.ok());
  const HandContact contact(*map);
  Pose last;
  float most_deg = 0;
  constexpr int kSteps = 400;
  for (int k = 0; k <= kSteps; ++k) {
    const float apart = 0.02f + 0.3f * static_cast<float>(k) / kSteps;
    Pose in(from->joints(), from->shapes());
    in.span().CopyFrom(from->rest());
    Reach(*from, in.span(), kLeft, {apart, 1.35f, 0.42f});
    Reach(*from, in.span(), kRight, {-apart, 1.35f, 0.42f});
    Pose out = Carried(*map, &contact, in.view());
    for (int j = 0; k > 0 && j < map->to()->joints(); ++j) {
      const float dot = std::fabs(Dot(out.view().rotation(j), last.view().rotation(j)));
      most_deg = std::max(most_deg, 2 * std::acos(std::min(1.0f, dot)) / kDegree);
    }
    last = std::move(out);
  }
  EXPECT_LT(most_deg, 2) << "for 0.75 mm of the source's hands";
}

// Arms that hang, and the rest pose, keep their directions to the bit.
TEST(HandContact, LeavesHandsThatTouchNothing) {
  std::mt19937 random(9);
  const auto from = Make(kConventions[2], 45, 1, random, 0.5f, 1.1f);
  const auto map = RigMap::Make(from, *RigCatalog::Builtin()->Find("vrm"));
  ASSERT_TRUE(map.ok());
  const HandContact contact(*map);
  Pose in(from->joints(), from->shapes());
  in.span().CopyFrom(from->rest());
  for (const float below_deg : {0.0f, 40.0f}) {
    for (const Hand& hand : {kLeft, kRight}) {
      TurnInModel(*from, from->humanoid().joint(hand.upper),
                  FromAxisAngle({0, 0, 1}, -hand.sign * below_deg * kDegree), in.span());
    }
    const Pose with = Carried(*map, &contact, in.view()),
               without = Carried<HandContact>(*map, nullptr, in.view());
    for (int j = 0; j < map->to()->joints(); ++j) {
      EXPECT_EQ(with.view().rotation(j).w, without.view().rotation(j).w) << below_deg;
      EXPECT_EQ(with.view().rotation(j).x, without.view().rotation(j).x) << below_deg;
    }
  }
}

}  // namespace
}  // namespace posewire::skel
