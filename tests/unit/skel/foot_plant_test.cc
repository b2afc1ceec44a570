#include "libs/skel/foot_plant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "libs/skel/model_place.h"
#include "libs/skel/rig_map.h"
#include "libs/skel/two_bone_ik_job.h"
#include "tests/unit/skel/foreign_body.h"

namespace posewire::skel {
namespace {

constexpr int kFrames = 60;  // two steps in a second each

struct Side {
  Bone upper, lower, foot, toes, arm, elbow, hand;
  float sign, phase;
};
constexpr Side kSides[] = {
    {Bone::kLeftUpperLeg, Bone::kLeftLowerLeg, Bone::kLeftFoot, Bone::kLeftToes,
     Bone::kLeftUpperArm, Bone::kLeftLowerArm, Bone::kLeftHand, 1, 0},
    {Bone::kRightUpperLeg, Bone::kRightLowerLeg, Bone::kRightFoot, Bone::kRightToes,
     Bone::kRightUpperArm, Bone::kRightLowerArm, Bone::kRightHand, -1, 0.5f},
};

// Turns a limb so that it points along `way`, in model space.
void Point(const Rig& rig, const PoseSpan& pose, Bone limb, Bone end, Vec3 way) {
  const int a = rig.humanoid().joint(limb), b = rig.humanoid().joint(end);
  const Vec3 is = PlaceOf(rig, pose, b).at - PlaceOf(rig, pose, a).at;
  TurnInModel(rig, a, BetweenDirections(Normalized(is), Normalized(way)), pose);
}

// Of a walk towards +Z: the foot stands for the first half of its cycle, at last on its ball, and
// swings in the other.
constexpr float kHeelRises = 0.4f, kFootRises = 0.5f;

float PartOf(const Side& side, int frame) {
  return std::fmod(static_cast<float>(frame) / kFrames + side.phase, 1.0f);
}

// The body walks; its feet slide by nothing and its arms hang, or do what `arms` does.
template <typename Arms>
Pose Walk(const Rig& rig, float size, int frame, Arms arms) {
  Pose pose(rig.joints(), rig.shapes());
  pose.span().CopyFrom(rig.rest());
  const float time = static_cast<float>(frame) / kFrames, stride = 1.2f * size;
  const int hips = rig.humanoid().joint(Bone::kHips);
  pose.span().SetTranslation(
      hips, rig.rest().translation(hips) +
                Vec3{0, (-0.08f + 0.01f * std::cos(4 * kPi * time)) * size, stride * time});
  for (const Side& side : kSides) {
    const float cycle = time + side.phase, part = cycle - std::floor(cycle);
    const float swing = std::max(0.0f, 2 * part - 1);
    const int foot = rig.humanoid().joint(side.foot);
    TwoBoneIkJob leg;
    leg.rig = &rig;
    leg.start = rig.humanoid().joint(side.upper);
    leg.middle = rig.humanoid().joint(side.lower);
    leg.end = foot;
    leg.hinge = HingeOf(rig, leg.start, leg.middle, leg.end);
    const Vec3 rest = PlaceOf(rig, rig.rest(), foot).at;
    const Vec3 ball = PlaceOf(rig, rig.rest(), rig.humanoid().joint(side.toes)).at;
    const float rise = std::clamp((part - kHeelRises) / (kFootRises - kHeelRises), 0.0f, 1.0f);
    const Quat roll = FromAxisAngle({1, 0, 0}, 25 * kDegree * rise * (1 - swing));
    const float at = stride * (std::floor(cycle) + swing - side.phase + 0.25f);
    leg.target =
        ball + Rotate(roll, rest - ball) + Vec3{0, 0.1f * size * std::sin(kPi * swing), at};
    leg.keep_end = false;
    leg.pose = pose.span();
    EXPECT_TRUE(leg.Run());
    const Quat was = TurnOf(rig, rig.rest(), foot);
    const Quat above = TurnOf(rig, pose.view(), rig.topology().parent(foot));
    pose.span().SetRotation(foot, Normalized(Mul(Conjugate(above), Mul(roll, was))));
    arms(rig, pose.span(), side, time);
  }
  return pose;
}

void Hang(const Rig& rig, const PoseSpan& pose, const Side& side, float time) {
  const float swing = 0.4f * std::sin(2 * kPi * (time + side.phase));
  Point(rig, pose, side.arm, side.elbow, {0.15f * side.sign, -1, swing});
  Point(rig, pose, side.elbow, side.hand, {0.1f * side.sign, -1, swing + 0.2f});
}

void Wave(const Rig& rig, const PoseSpan& pose, const Side& side, float time) {
  if (side.sign > 0) return Hang(rig, pose, side, time);
  Point(rig, pose, side.arm, side.elbow, {-1, 0.1f, 0.2f});
  Point(rig, pose, side.elbow, side.hand, {0.4f * std::sin(6 * kPi * time), 1, 0.2f});
}

void PointAhead(const Rig& rig, const PoseSpan& pose, const Side& side, float time) {
  if (side.sign < 0) return Hang(rig, pose, side, time);
  Point(rig, pose, side.arm, side.elbow, {0.3f, -0.1f, 1});
  Point(rig, pose, side.elbow, side.hand, {0.2f, 0.05f, 1});
}

Vec3 At(const Rig& rig, const std::vector<Vec3>& places, Bone bone) {
  return places[static_cast<size_t>(rig.humanoid().joint(bone))];
}

struct Found {
  float slide_m = 0, ball_slide_m = 0, off_ground_m = 0, arms_deg = 0;  // flat, and on the ball
  float flat_deg = 0, rolling_deg = 0;  // of legs with the sole on the ground, and others
  bool crossed = false;
};

template <typename Arms>
Found Measure(const RigMap& map, const FootPlant* plant, float size, Arms arms) {
  Found found;
  const Rig &from = *map.from(), &to = *map.to();
  const std::vector<Vec3> rest = PlacesOf(to, to.rest());
  std::vector<std::vector<Vec3>> stood(2);  // where each foot was when it came down
  for (int frame = 0; frame < 2 * kFrames; ++frame) {
    const Pose in = Walk(from, size, frame, arms);
    const Pose out = Carried(map, plant, in.view());
    const auto was = PlacesOf(from, in.view()), is = PlacesOf(to, out.view());
    for (size_t s = 0; s < 2; ++s) {
      const Side& side = kSides[s];
      const bool has_ball = to.humanoid().joint(side.toes) >= 0;
      const Bone point = has_ball ? side.toes : side.foot;
      const Vec3 foot = At(to, is, point);
      if (PartOf(side, frame) < (has_ball ? kFootRises : kHeelRises)) {
        if (stood[s].empty()) stood[s].push_back(foot);
        float& slide_m = PartOf(side, frame) < kHeelRises ? found.slide_m : found.ball_slide_m;
        slide_m = std::max(slide_m, Length(foot - stood[s][0]));
        found.off_ground_m =
            std::max(found.off_ground_m, std::fabs(foot.y - At(to, rest, point).y));
      } else {
        stood[s].clear();
      }
    }
    for (const auto& limb : kLimbs) {
      if (to.humanoid().joint(limb.second) < 0) continue;
      float* most = &found.arms_deg;
      for (const Side& side : kSides) {
        if (limb.first != side.upper && limb.first != side.lower) continue;
        most = PartOf(side, frame) < kHeelRises ? &found.flat_deg : &found.rolling_deg;
      }
      *most = std::max(*most, AngleOfLimb(from, was, to, is, limb));
    }
    const float middle = At(to, is, Bone::kHips).x;
    found.crossed = found.crossed || At(to, is, Bone::kLeftHand).x < middle ||
                    At(to, is, Bone::kRightHand).x > middle;
  }
  return found;
}

// Six conventions of three stances, walking, waving and pointing, on six of our rigs.
TEST(FootPlant, FeetStayPlantedWhileWavingAndPointing) {
  std::mt19937 random(5);
  const auto catalog = RigCatalog::Builtin();
  ASSERT_TRUE(catalog.ok());
  Found with, without;
  const auto add = [](Found& all, const Found& one) {
    all.slide_m = std::max(all.slide_m, one.slide_m);
    all.ball_slide_m = std::max(all.ball_slide_m, one.ball_slide_m);
    all.off_ground_m = std::max(all.off_ground_m, one.off_ground_m);
    all.arms_deg = std::max(all.arms_deg, one.arms_deg);
    all.flat_deg = std::max(all.flat_deg, one.flat_deg);
    all.rolling_deg = std::max(all.rolling_deg, one.rolling_deg);
    all.crossed = all.crossed || one.crossed;
  };
  for (const Convention& convention : kConventions) {
    for (const float below_deg : {0.0f, 45.0f, 80.0f}) {
      const float size = 0.7f + below_deg / 100;
      // Knees as ours, and 4 cm higher.
      const float knee_m = below_deg == 80 ? 0.54f : 0.5f;
      const auto from = Make(convention, below_deg, size, random, knee_m);
      for (const char* name : kOurs) {
        const auto map = RigMap::Make(from, *catalog->Find(name));
        ASSERT_TRUE(map.ok()) << map.status();
        const FootPlant plant(*map);
        for (const auto& arms : {Hang, Wave, PointAhead}) {
          const Found one = Measure(*map, &plant, size, arms);
          EXPECT_LT(one.slide_m, 0.01f) << convention.name << " " << name;
          EXPECT_LT(one.ball_slide_m, 0.032f) << convention.name << " " << name;
          EXPECT_LT(one.off_ground_m, 0.01f) << convention.name << " " << name;
          EXPECT_LT(one.arms_deg, 1) << convention.name << " " << name;
          EXPECT_LT(one.flat_deg, 1) << convention.name << " " << name;
          EXPECT_LT(one.rolling_deg, 1) << convention.name << " " << name;
          EXPECT_FALSE(one.crossed) << convention.name << " " << name;
          add(with, one);
          add(without, Measure(*map, nullptr, size, arms));
        }
      }
    }
  }
  std::cout << "slides " << 1000 * with.slide_m << " and on the ball " << 1000 * with.ball_slide_m
            << " mm, off the ground " << 1000 * with.off_ground_m << " mm ("
            << 1000 * without.slide_m << ", " << 1000 * without.off_ground_m << " without); arms "
            << with.arms_deg << ", legs " << with.flat_deg << " and on the ball "
            << with.rolling_deg << " degrees\n";
  EXPECT_GT(without.slide_m, 0.02f) << "there was something to hold";
}

// Of a clip that moves the upper body alone, the legs stay absent.
TEST(FootPlant, LeavesLegsThatNobodyMoves) {
  std::mt19937 random(6);
  const auto from = Make(kConventions[0], 0, 1, random);
  const auto to = *RigCatalog::Builtin()->Find("vrm");
  const auto map = RigMap::Make(from, to);
  ASSERT_TRUE(map.ok());
  const FootPlant plant(*map);
  Pose in(from->joints(), from->shapes()), out(to->joints(), to->shapes());
  const int hips = from->humanoid().joint(Bone::kHips);
  in.span().SetTranslation(hips, from->rest().translation(hips));
  in.span().SetRotation(hips, from->rest().rotation(hips));
  map->Apply(in.view(), out.span());
  plant.Apply(in.view(), out.span());
  EXPECT_FALSE(out.view().has_r[to->humanoid().joint(Bone::kLeftLowerLeg)]);
}

}  // namespace
}  // namespace posewire::skel
