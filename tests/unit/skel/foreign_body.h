// A human body on skeletons of anybody's: other names, axes, sizes and stances than ours.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_FOREIGN_BODY_H_
#define POSEWIRE_TESTS_UNIT_SKEL_FOREIGN_BODY_H_

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "libs/skel/local_to_model_job.h"
#include "libs/skel/model_place.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "libs/skel/two_bone_ik_job.h"
#include "tests/unit/skel/helpers.h"

namespace posewire::skel {

using Bone = HumanBone;

struct Part {
  Bone bone;
  int parent;  // in kBody
  Vec3 at;     // of a body 1.7 m tall that stands in a T, in the model
};
inline constexpr Part kBody[] = {
    {Bone::kHips, -1, {0, .95f, 0}},
    {Bone::kSpine, 0, {0, 1.05f, -.01f}},
    {Bone::kChest, 1, {0, 1.17f, -.01f}},
    {Bone::kNeck, 2, {0, 1.43f, -.02f}},
    {Bone::kHead, 3, {0, 1.52f, 0}},
    {Bone::kLeftShoulder, 2, {.03f, 1.38f, 0}},
    {Bone::kLeftUpperArm, 5, {.17f, 1.38f, 0}},
    {Bone::kLeftLowerArm, 6, {.44f, 1.38f, -.01f}},
    {Bone::kLeftHand, 7, {.69f, 1.38f, 0}},
    {Bone::kLeftIndexProximal, 8, {.78f, 1.38f, .03f}},
    {Bone::kLeftMiddleProximal, 8, {.79f, 1.38f, 0}},
    {Bone::kLeftLittleProximal, 8, {.77f, 1.37f, -.04f}},
    {Bone::kRightShoulder, 2, {-.03f, 1.38f, 0}},
    {Bone::kRightUpperArm, 12, {-.17f, 1.38f, 0}},
    {Bone::kRightLowerArm, 13, {-.44f, 1.38f, -.01f}},
    {Bone::kRightHand, 14, {-.69f, 1.38f, 0}},
    {Bone::kRightIndexProximal, 15, {-.78f, 1.38f, .03f}},
    {Bone::kRightMiddleProximal, 15, {-.79f, 1.38f, 0}},
    {Bone::kRightLittleProximal, 15, {-.77f, 1.37f, -.04f}},
    {Bone::kLeftUpperLeg, 0, {.09f, .92f, 0}},
    {Bone::kLeftLowerLeg, 19, {.1f, .5f, .02f}},
    {Bone::kLeftFoot, 20, {.1f, .09f, -.02f}},
    {Bone::kLeftToes, 21, {.11f, .02f, .11f}},
    {Bone::kRightUpperLeg, 0, {-.09f, .92f, 0}},
    {Bone::kRightLowerLeg, 23, {-.1f, .5f, .02f}},
    {Bone::kRightFoot, 24, {-.1f, .09f, -.02f}},
    {Bone::kRightToes, 25, {-.11f, .02f, .11f}},
};
inline constexpr size_t kParts = std::size(kBody);

struct Convention {
  const char* name;
  const char* joints[kParts];
};
inline constexpr Convention kConventions[] = {
    {"Mixamo",
     {"mixamorig:Hips",
      "mixamorig:Spine",
      "mixamorig:Spine1",
      "mixamorig:Neck",
      "mixamorig:Head",
      "mixamorig:LeftShoulder",
      "mixamorig:LeftArm",
      "mixamorig:LeftForeArm",
      "mixamorig:LeftHand",
      "mixamorig:LeftHandIndex1",
      "mixamorig:LeftHandMiddle1",
      "mixamorig:LeftHandPinky1",
      "mixamorig:RightShoulder",
      "mixamorig:RightArm",
      "mixamorig:RightForeArm",
      "mixamorig:RightHand",
      "mixamorig:RightHandIndex1",
      "mixamorig:RightHandMiddle1",
      "mixamorig:RightHandPinky1",
      "mixamorig:LeftUpLeg",
      "mixamorig:LeftLeg",
      "mixamorig:LeftFoot",
      "mixamorig:LeftToeBase",
      "mixamorig:RightUpLeg",
      "mixamorig:RightLeg",
      "mixamorig:RightFoot",
      "mixamorig:RightToeBase"}},
    {"Ready Player Me",
     {"Hips",
      "Spine",
      "Spine1",
      "Neck",
      "Head",
      "LeftShoulder",
      "LeftArm",
      "LeftForeArm",
      "LeftHand",
      "LeftHandIndex1",
      "LeftHandMiddle1",
      "LeftHandPinky1",
      "RightShoulder",
      "RightArm",
      "RightForeArm",
      "RightHand",
      "RightHandIndex1",
      "RightHandMiddle1",
      "RightHandPinky1",
      "LeftUpLeg",
      "LeftLeg",
      "LeftFoot",
      "LeftToeBase",
      "RightUpLeg",
      "RightLeg",
      "RightFoot",
      "RightToeBase"}},
    {"Unreal",
     {"pelvis",     "spine_01",   "spine_02",   "neck_01",    "head",        "clavicle_l",
      "upperarm_l", "lowerarm_l", "hand_l",     "index_01_l", "middle_01_l", "pinky_01_l",
      "clavicle_r", "upperarm_r", "lowerarm_r", "hand_r",     "index_01_r",  "middle_01_r",
      "pinky_01_r", "thigh_l",    "calf_l",     "foot_l",     "ball_l",      "thigh_r",
      "calf_r",     "foot_r",     "ball_r"}},
    {"VRoid", {"J_Bip_C_Hips",     "J_Bip_C_Spine",    "J_Bip_C_Chest",    "J_Bip_C_Neck",
               "J_Bip_C_Head",     "J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm",
               "J_Bip_L_Hand",     "J_Bip_L_Index1",   "J_Bip_L_Middle1",  "J_Bip_L_Little1",
               "J_Bip_R_Shoulder", "J_Bip_R_UpperArm", "J_Bip_R_LowerArm", "J_Bip_R_Hand",
               "J_Bip_R_Index1",   "J_Bip_R_Middle1",  "J_Bip_R_Little1",  "J_Bip_L_UpperLeg",
               "J_Bip_L_LowerLeg", "J_Bip_L_Foot",     "J_Bip_L_ToeBase",  "J_Bip_R_UpperLeg",
               "J_Bip_R_LowerLeg", "J_Bip_R_Foot",     "J_Bip_R_ToeBase"}},
    {"Unity",
     {"Hips",
      "Spine",
      "Chest",
      "Neck",
      "Head",
      "LeftShoulder",
      "LeftUpperArm",
      "LeftLowerArm",
      "LeftHand",
      "LeftIndexProximal",
      "LeftMiddleProximal",
      "LeftLittleProximal",
      "RightShoulder",
      "RightUpperArm",
      "RightLowerArm",
      "RightHand",
      "RightIndexProximal",
      "RightMiddleProximal",
      "RightLittleProximal",
      "LeftUpperLeg",
      "LeftLowerLeg",
      "LeftFoot",
      "LeftToes",
      "RightUpperLeg",
      "RightLowerLeg",
      "RightFoot",
      "RightToes"}},
    {"Blender",
     {"hips",         "spine",       "chest",     "neck",         "head",          "shoulder.L",
      "upper_arm.L",  "forearm.L",   "hand.L",    "f_index.01.L", "f_middle.01.L", "f_pinky.01.L",
      "shoulder.R",   "upper_arm.R", "forearm.R", "hand.R",       "f_index.01.R",  "f_middle.01.R",
      "f_pinky.01.R", "thigh.L",     "shin.L",    "foot.L",       "toe.L",         "thigh.R",
      "shin.R",       "foot.R",      "toe.R"}},
};

inline bool IsBelow(size_t part, size_t above) {
  for (int at = static_cast<int>(part); at >= 0; at = kBody[at].parent) {
    if (static_cast<size_t>(at) == above) return true;
  }
  return false;
}

// The body with its arms so far below the level, of this size, on bones with axes of any kind. Its
// knees may be higher or lower than kBody's, and its arms longer or shorter.
inline std::shared_ptr<const Rig> Make(const Convention& convention, float below_deg, float size,
                                       std::mt19937& random, float knee_m = 0.5f, float arms = 1) {
  std::normal_distribution<float> any;
  std::vector<Vec3> at;
  std::vector<Quat> turn;
  RigParts parts;
  parts.name = "foreign";
  parts.stance = Stance::kAsItStands;
  for (size_t i = 0; i < kParts; ++i) {
    Vec3 p = kBody[i].at;
    if (kBody[i].bone == Bone::kLeftLowerLeg || kBody[i].bone == Bone::kRightLowerLeg) p.y = knee_m;
    for (const auto& [shoulder, side] : {std::pair<size_t, float>{6, 1}, {13, -1}}) {
      if (!IsBelow(i, shoulder)) continue;
      const Vec3 pivot = kBody[shoulder].at;
      const Quat down = FromAxisAngle({0, 0, 1}, -side * below_deg * kDegree);
      p = pivot + Rotate(down, p - pivot) * arms;
    }
    at.push_back(p * size);
    turn.push_back(Normalized(Quat{any(random), any(random), any(random), any(random)}));
    const int parent = kBody[i].parent;
    const auto above = static_cast<size_t>(parent);
    parts.joint_paths.push_back(parent < 0 ? convention.joints[i]
                                           : parts.joint_paths[above] + "/" + convention.joints[i]);
    parts.rest_translations.push_back(
        parent < 0 ? at[i] : Rotate(Conjugate(turn[above]), at[i] - at[above]));
    parts.rest_rotations.push_back(parent < 0 ? turn[i] : Mul(Conjugate(turn[above]), turn[i]));
  }
  auto rig = Rig::Make(std::move(parts));
  EXPECT_TRUE(rig.ok()) << rig.status();
  return *rig;
}

inline constexpr const char* kOurs[] = {"hanim_loa1", "hanim_loa2", "hanim_loa3",
                                        "hanim_loa4", "ace_biped",  "vrm"};

// What a map makes of a pose, and `correction`, a FootPlant or HandContact, of that; at rest where
// they say nothing.
template <typename Correction>
Pose Carried(const RigMap& map, const Correction* correction, const PoseView& in) {
  Pose out(map.to()->joints(), map.to()->shapes()), whole(map.to()->joints(), map.to()->shapes());
  map.Apply(in, out.span());
  if (correction != nullptr) correction->Apply(in, out.span());
  whole.span().CopyFrom(map.to()->rest());
  for (int j = 0; j < map.to()->joints(); ++j) {
    if (out.view().has_r[j]) whole.span().SetRotation(j, out.view().rotation(j));
    if (out.view().has_t[j]) whole.span().SetTranslation(j, out.view().translation(j));
  }
  return whole;
}

inline std::vector<Vec3> PlacesOf(const Rig& rig, const PoseView& pose) {
  std::vector<Vec3> places(static_cast<size_t>(rig.joints()));
  LocalToModelJob walk;
  walk.rig = &rig;
  walk.local = pose;
  walk.positions = absl::MakeSpan(places);
  EXPECT_TRUE(walk.Run());
  return places;
}

inline constexpr std::pair<Bone, Bone> kLimbs[] = {
    {Bone::kLeftUpperArm, Bone::kLeftLowerArm},   {Bone::kLeftLowerArm, Bone::kLeftHand},
    {Bone::kLeftHand, Bone::kLeftMiddleProximal}, {Bone::kRightUpperArm, Bone::kRightLowerArm},
    {Bone::kRightLowerArm, Bone::kRightHand},     {Bone::kRightHand, Bone::kRightMiddleProximal},
    {Bone::kLeftUpperLeg, Bone::kLeftLowerLeg},   {Bone::kLeftLowerLeg, Bone::kLeftFoot},
    {Bone::kRightUpperLeg, Bone::kRightLowerLeg}, {Bone::kRightLowerLeg, Bone::kRightFoot},
};

inline float AngleOfLimb(const Rig& a, const std::vector<Vec3>& at_a, const Rig& b,
                         const std::vector<Vec3>& at_b, std::pair<Bone, Bone> limb) {
  const auto way = [&](const Rig& rig, const std::vector<Vec3>& at) {
    return Normalized(at[static_cast<size_t>(rig.humanoid().joint(limb.second))] -
                      at[static_cast<size_t>(rig.humanoid().joint(limb.first))]);
  };
  const Vec3 x = way(a, at_a), y = way(b, at_b);
  return std::atan2(Length(Cross(x, y)), Dot(x, y)) / kDegree;
}

struct Hand {
  Bone upper, lower, hand, knuckle;
  float sign;
};
inline constexpr Hand kLeft{Bone::kLeftUpperArm, Bone::kLeftLowerArm, Bone::kLeftHand,
                            Bone::kLeftMiddleProximal, 1};
inline constexpr Hand kRight{Bone::kRightUpperArm, Bone::kRightLowerArm, Bone::kRightHand,
                             Bone::kRightMiddleProximal, -1};

inline Vec3 At(const Rig& rig, const PoseView& pose, Bone bone) {
  return PlaceOf(rig, pose, rig.humanoid().joint(bone)).at;
}

// Seven tenths of the way to the knuckles.
inline Vec3 PalmAt(const Rig& rig, const PoseView& pose, const Hand& hand) {
  const Vec3 wrist = At(rig, pose, hand.hand);
  return wrist + (At(rig, pose, hand.knuckle) - wrist) * 0.7f;
}

// Puts a palm to a place, with the hand turned along the forearm.
inline void Reach(const Rig& rig, const PoseSpan& pose, const Hand& hand, Vec3 to) {
  const auto joint = [&](Bone bone) { return rig.humanoid().joint(bone); };
  // From arms to the front, where elbows bend.
  const Vec3 arm = At(rig, pose, hand.lower) - At(rig, pose, hand.upper);
  TurnInModel(rig, joint(hand.upper),
              BetweenDirections(Normalized(arm), Normalized(Vec3{hand.sign * 0.4f, -0.5f, 0.8f})),
              pose);
  const Vec3 fore = At(rig, pose, hand.hand) - At(rig, pose, hand.lower);
  TurnInModel(rig, joint(hand.lower),
              BetweenDirections(Normalized(fore), Normalized(Vec3{hand.sign * -0.5f, 0.3f, 0.8f})),
              pose);
  const Placement wrist = PlaceOf(rig, pose, joint(hand.hand));
  TwoBoneIkJob job;
  job.rig = &rig;
  job.start = joint(hand.upper), job.middle = joint(hand.lower), job.end = joint(hand.hand);
  job.hinge = HingeOf(rig, job.start, job.middle, job.end);
  job.offset = Rotate(Conjugate(wrist.turn), PalmAt(rig, pose, hand) - wrist.at);
  job.target = to;
  job.pose = pose;
  ASSERT_TRUE(job.Run());
  EXPECT_LT(Length(PalmAt(rig, pose, hand) - to), 0.02f) << "the test's own arm is too short";
}

}  // namespace posewire::skel

#endif  // POSEWIRE_TESTS_UNIT_SKEL_FOREIGN_BODY_H_
