#include "libs/vmc/pose_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/skel/random_pose.h"
#include "tests/unit/vmc/scene.h"

namespace posewire::vmc {
namespace {

using skel::FromAxisAngle;
using skel::Mul;
using skel::Quat;
using skel::Vec3;
using ::testing::HasSubstr;

// The bones of the standard rig, by the table of Unity's bones.
struct Partner {
  const char* bone;
  const char* joint;
  char rest;  // n: none, s: the shoulder's, b: below it
};
constexpr Partner kPartners[] = {
    {"LeftUpperLeg", "l_hip", 'n'},
    {"RightUpperLeg", "r_hip", 'n'},
    {"LeftLowerLeg", "l_knee", 'n'},
    {"RightLowerLeg", "r_knee", 'n'},
    {"LeftFoot", "l_ankle", 'n'},
    {"RightFoot", "r_ankle", 'n'},
    {"Spine", "vl5", 'n'},
    {"Chest", "vt12", 'n'},
    {"UpperChest", "vt6", 'n'},
    {"Neck", "vc7", 'n'},
    {"Head", "skullbase", 'n'},
    {"LeftShoulder", "l_sternoclavicular", 'n'},
    {"RightShoulder", "r_sternoclavicular", 'n'},
    {"LeftUpperArm", "l_shoulder", 's'},
    {"RightUpperArm", "r_shoulder", 's'},
    {"LeftLowerArm", "l_elbow", 'b'},
    {"RightLowerArm", "r_elbow", 'b'},
    {"LeftHand", "l_wrist", 'b'},
    {"RightHand", "r_wrist", 'b'},
    {"LeftToes", "l_midtarsal", 'n'},
    {"RightToes", "r_midtarsal", 'n'},
    {"LeftEye", "l_eyeball_joint", 'n'},
    {"RightEye", "r_eyeball_joint", 'n'},
    {"Jaw", "temporomandibular", 'n'},
    {"LeftThumbProximal", "l_thumb1", 'b'},
    {"LeftThumbIntermediate", "l_thumb2", 'b'},
    {"LeftThumbDistal", "l_thumb3", 'b'},
    {"LeftIndexProximal", "l_index1", 'b'},
    {"LeftIndexIntermediate", "l_index2", 'b'},
    {"LeftIndexDistal", "l_index3", 'b'},
    {"LeftMiddleProximal", "l_middle1", 'b'},
    {"LeftRingIntermediate", "l_ring2", 'b'},
    {"LeftLittleDistal", "l_pinky3", 'b'},
    {"RightThumbProximal", "r_thumb1", 'b'},
    {"RightIndexProximal", "r_index1", 'b'},
    {"RightMiddleIntermediate", "r_middle2", 'b'},
    {"RightRingDistal", "r_ring3", 'b'},
    {"RightLittleProximal", "r_pinky1", 'b'},
};

// The rules, as they are written: A is a quarter turn about Z, to the other side on the right.
Quat ByTheRules(const Partner& partner, Quat turn) {
  const Quat a = FromAxisAngle({0, 0, 1}, partner.bone[0] == 'L' ? kHalfPi : -kHalfPi);
  if (partner.rest == 's') return Mul(turn, a);
  if (partner.rest == 'b') return Mul(Mul(Conjugate(a), turn), a);
  return turn;
}

TEST(PoseReader, MeetsTheKnownVectorsOfTheLeftArm) {
  const skel::Pose t_pose = PoseOf({BoneTurned("LeftUpperArm", {0, 0, 0, 1})});
  ExpectTurn(RotationOf(t_pose, "l_shoulder"), FromAxisAngle({0, 0, 1}, 1.5707963f));
  const skel::Pose down = PoseOf({BoneTurned("LeftUpperArm", {0, 0, kHalfRoot, kHalfRoot})});
  ExpectTurn(RotationOf(down, "l_shoulder"), {});
  // Ours Ry(-90): Unity's y has the other sign.
  const skel::Pose bent = PoseOf({BoneTurned("LeftLowerArm", {0, kHalfRoot, 0, kHalfRoot})});
  ExpectTurn(RotationOf(bent, "l_elbow"), FromAxisAngle({-1, 0, 0}, 1.5707963f));
}

TEST(PoseReader, TurnsEveryJointByTheRules) {
  skel::RandomPoses random(3);
  PoseReaderSettings settings;
  settings.face_bones = PoseReaderSettings::FaceBones::kAlways;
  for (int round = 0; round < 20; ++round) {
    std::vector<Message> messages;
    std::vector<Quat> turns;
    for (const Partner& partner : kPartners) {
      turns.push_back(random.Rotation());
      messages.push_back(Turned(partner.bone, turns.back()));
    }
    const skel::Pose pose = PoseOf(messages, "hanim_loa3", settings);
    for (size_t i = 0; i < turns.size(); ++i) {
      SCOPED_TRACE(kPartners[i].bone);
      ExpectTurn(RotationOf(pose, kPartners[i].joint), ByTheRules(kPartners[i], turns[i]), 2e-6f);
    }
  }
}

TEST(PoseReader, JointsWithoutABoneStayAtRest) {
  const skel::Pose pose = PoseOf({Turned("Spine", {kHalfRoot, kHalfRoot, 0, 0}),
                                  Turned("Head", {kHalfRoot, 0, kHalfRoot, 0})});
  const auto rig = RigOf("hanim_loa3");
  const std::set<std::string> moved = {"vl5", "skullbase"};
  for (int j = 0; j < rig->joints(); ++j) {
    const std::string& name = rig->joint_names()[static_cast<size_t>(j)];
    if (moved.count(name) != 0 || pose.view().has_r[j] == 0) continue;
    ExpectTurn(pose.view().rotation(j), rig->rest().rotation(j));
  }
  // The model lacks chest and neck: the head is turned by all that was sent, and by no more.
  const ModelPose model = ModelOf(*rig, pose.view());
  ExpectTurn(model.turn[static_cast<size_t>(rig->FindJoint("skullbase"))],
             Mul(Quat{kHalfRoot, kHalfRoot, 0, 0}, Quat{kHalfRoot, 0, kHalfRoot, 0}));
  EXPECT_EQ(pose.view().has_r[rig->FindJoint("l_hip")], 0);
  EXPECT_EQ(pose.view().has_t[rig->FindJoint("HumanoidRoot")], 0);
}

// A body as tall as that of the rig, and its hips: the rig's own translation moves by as much.
std::vector<Message> Body(float size, Vec3 hips_moved) {
  const auto vrm = RigOf("vrm");
  std::vector<Message> out;
  for (const absl::string_view name : BoneNames()) {
    const int j = vrm->FindJoint(name);
    Vec3 at = vrm->rest().translation(j);
    if (name == "Hips") at = at + hips_moved;
    out.push_back(BonePose{name, {MirrorX(at * size), {}}});
  }
  return out;
}
Vec3 HipsOf(const skel::Pose& pose) {
  const auto rig = RigOf("hanim_loa3");
  const int j = rig->FindJoint("HumanoidRoot");
  EXPECT_EQ(pose.view().has_t[j], 1);
  return pose.view().translation(j) - rig->rest().translation(j);
}

TEST(PoseReader, HipsMoveInProportionToTheirHeight) {
  ExpectPlace(HipsOf(PoseOf(Body(1, {}))), {}, 1e-5f);
  const Vec3 moved = HipsOf(PoseOf(Body(1, {0.2f, -0.1f, 0.4f})));
  EXPECT_LT(moved.y, -0.05f);
  EXPECT_NEAR(moved.x / moved.y, -2, 1e-3);
  EXPECT_NEAR(moved.z / moved.x, 2, 1e-3);
  for (const float size : {0.5f, 1.7f, 4.0f}) {
    ExpectPlace(HipsOf(PoseOf(Body(size, {0.2f, -0.1f, 0.4f}))), moved, 2e-5f);
  }
  // A height that is told counts more than the legs.
  PoseReaderSettings settings;
  settings.sender_hips_height_m = 1.00518f * 3;
  ExpectPlace(HipsOf(PoseOf({BoneMessage("Hips", {0, 1.00518f * 3, 0}, {0, 0, 0, 1})}, "hanim_loa3",
                            settings)),
              {}, 1e-5f);
}

TEST(PoseReader, HipsAtNothingStayWhereTheyAre) {
  const skel::Pose pose = PoseOf({BoneMessage("Hips", {0, 0, 0}, {0, kHalfRoot, 0, kHalfRoot})});
  const auto rig = RigOf("hanim_loa3");
  ExpectTurn(RotationOf(pose, "HumanoidRoot"), {kHalfRoot, 0, -kHalfRoot, 0});
  EXPECT_NEAR(pose.view().translation(rig->FindJoint("HumanoidRoot")).y, 0.824f, 0.02f);
}

TEST(PoseReader, TheRootMovesAndTurnsTheHips) {
  std::vector<Message> messages = Body(1, {0, 0, 0.5f});
  RootPose root;
  root.name = "root";
  root.pose = {{2, 0, 0}, {kHalfRoot, 0, kHalfRoot, 0}};  // two to the right, and turned that way
  messages.push_back(root);
  const skel::Pose turned = PoseOf(messages);
  const auto rig = RigOf("hanim_loa3");
  const ModelPose model = ModelOf(*rig, turned.view());
  // Half a metre ahead is now half a metre more to the right, at the size of the standard rig.
  const float half = HipsOf(PoseOf(Body(1, {0, 0, 0.5f}))).z;
  const Vec3 hip = (model.at[static_cast<size_t>(rig->FindJoint("l_hip"))] +
                    model.at[static_cast<size_t>(rig->FindJoint("r_hip"))]) *
                   0.5f;
  EXPECT_NEAR(hip.x, -half * 5, 0.05);
  ExpectTurn(RotationOf(turned, "HumanoidRoot"), {kHalfRoot, 0, -kHalfRoot, 0});

  PoseReaderSettings settings;
  settings.use_root = false;
  ExpectTurn(RotationOf(PoseOf(messages, "hanim_loa3", settings), "HumanoidRoot"), {});
}

// A sender whose skeleton is turned at rest, as VRM 1 allows, sends other numbers for the same.
TEST(PoseReader, TakesTheRestOfARawSkeletonOut) {
  skel::RandomPoses random(8);
  const auto vrm = RigOf("vrm");
  for (int round = 0; round < 10; ++round) {
    PoseReaderSettings raw;
    raw.face_bones = PoseReaderSettings::FaceBones::kAlways;
    const PoseReaderSettings plain = raw;
    raw.sender_rest.emplace();
    for (Quat& rest : *raw.sender_rest) rest = random.Rotation();
    std::vector<Message> normalized, sent;
    for (int b = 0; b < kBones; ++b) {
      const auto at = static_cast<size_t>(b);
      // W: the rests of the bones above and its own, from the root down.
      Quat world;
      std::vector<int> way;
      for (int j = vrm->FindJoint(BoneNames()[at]); j >= 0; j = vrm->topology().parent(j)) {
        way.push_back(FindBone(vrm->joint_names()[static_cast<size_t>(j)]));
      }
      for (size_t k = way.size(); k-- > 0;) {
        world = Mul(world, (*raw.sender_rest)[static_cast<size_t>(way[k])]);
      }
      const Quat turn = random.Rotation();
      const Quat local = Mul(Mul((*raw.sender_rest)[at], Conjugate(world)), Mul(turn, world));
      normalized.push_back(Turned(BoneNames()[at], turn));
      sent.push_back(Turned(BoneNames()[at], local));
    }
    const skel::Pose expected = PoseOf(normalized, "hanim_loa3", plain);
    const skel::Pose actual = PoseOf(sent, "hanim_loa3", raw);
    for (int j = 0; j < expected.joints(); ++j) {
      ASSERT_EQ(actual.view().has_r[j], expected.view().has_r[j]);
      if (expected.view().has_r[j] == 0) continue;
      ExpectTurn(actual.view().rotation(j), expected.view().rotation(j), 1e-5f);
    }
  }
}

TEST(PoseReader, APerformersTPoseCanBeTakenAsItsRest) {
  Performer performer;
  skel::RandomPoses random(4);
  for (const absl::string_view name : BoneNames())
    performer.Take(Turned(name, random.Rotation()), 0);
  PoseReader reader = ReaderFor("hanim_loa3");
  reader.SetSenderRest(RestOf(performer));
  skel::Pose pose(94, 52);
  reader.Write(performer, pose.span());
  ExpectTurn(RotationOf(pose, "l_shoulder"), FromAxisAngle({0, 0, 1}, kHalfPi), 1e-5f);
  ExpectTurn(RotationOf(pose, "l_index2"), {}, 1e-5f);
  ExpectTurn(RotationOf(pose, "HumanoidRoot"), {}, 1e-5f);
}

float WeightOf(const skel::Pose& pose, absl::string_view name) {
  const int s = RigOf("hanim_loa3")->FindShape(name);
  return pose.view().has_w[s] ? pose.view().weights[s] : -99;
}

TEST(PoseReader, TakesArkitShapesBeforePresets) {
  const skel::Pose pose =
      PoseOf({BlendValue{"Blink_L", 1}, BlendValue{"eyeBlinkLeft", 0.25f},
              BlendValue{"Blink_R", 0.75f}, BlendValue{"O", 0.5f}, BlendApply()});
  EXPECT_FLOAT_EQ(WeightOf(pose, "eyeBlinkLeft"), 0.25f);
  EXPECT_FLOAT_EQ(WeightOf(pose, "eyeBlinkRight"), 0.75f);
  EXPECT_FLOAT_EQ(WeightOf(pose, "mouthFunnel"), 0.5f);
  EXPECT_EQ(WeightOf(pose, "tongueOut"), -99);  // nobody spoke of it
}

TEST(PoseReader, TurnsMouthCloseIntoThatOfAce) {
  const std::vector<Message> sent = {BlendValue{"JawOpen", 0.7f}, BlendValue{"MouthClose", 0.3f},
                                     BlendApply()};
  EXPECT_NEAR(WeightOf(PoseOf(sent), "jawOpen"), 0.4f, 1e-6);
  EXPECT_NEAR(WeightOf(PoseOf(sent), "mouthClose"), 0.3f, 1e-6);
  PoseReaderSettings plain;
  plain.mouth_close_jaw = 0;
  EXPECT_NEAR(WeightOf(PoseOf(sent, "hanim_loa3", plain), "jawOpen"), 0.7f, 1e-6);
  EXPECT_NEAR(WeightOf(PoseOf({BlendValue{"MouthClose", 0.3f}, BlendApply()}), "jawOpen"), -0.3f,
              1e-6);
}

TEST(PoseReader, DoesNotShowEyesAndJawTwice) {
  const Quat turn = FromAxisAngle({1, 0, 0}, 0.3f);
  std::vector<Message> messages = {Turned("LeftEye", turn), Turned("Jaw", turn),
                                   BlendValue{"EyeLookUpLeft", 0}, BlendApply()};
  ExpectTurn(RotationOf(PoseOf(messages), "l_eyeball_joint"), turn);
  messages.push_back(BlendValue{"EyeLookUpLeft", 0.5f});
  messages.push_back(BlendApply());
  ExpectTurn(RotationOf(PoseOf(messages), "l_eyeball_joint"), {});
  ExpectTurn(RotationOf(PoseOf(messages), "temporomandibular"), turn);
  messages.push_back(BlendValue{"JawOpen", 0.5f});
  messages.push_back(BlendApply());
  ExpectTurn(RotationOf(PoseOf(messages), "temporomandibular"), {});

  PoseReaderSettings settings;
  settings.face_bones = PoseReaderSettings::FaceBones::kAlways;
  ExpectTurn(RotationOf(PoseOf(messages, "hanim_loa3", settings), "l_eyeball_joint"), turn);
}

TEST(PoseReader, SaysNothingWithoutAModel) {
  Ok gone;
  const skel::Pose pose =
      PoseOf({BoneTurned("Head", {0, 0, 0, 1}), BlendValue{"A", 1}, BlendApply(), gone});
  for (int j = 0; j < pose.joints(); ++j) EXPECT_EQ(pose.view().has_r[j], 0);
  for (int s = 0; s < pose.shapes(); ++s) EXPECT_EQ(pose.view().has_w[s], 0);
}

TEST(PoseReader, RejectsRigsAndSettingsThatMakeNoSense) {
  skel::RigParts parts;
  parts.name = "box";
  parts.joint_paths = {"lid"};
  parts.rest_translations = {{}};
  const auto box = *skel::Rig::Make(parts);
  EXPECT_FALSE(PoseReader::Make(RigOf("vrm"), box, {}).ok());
  EXPECT_FALSE(PoseReader::Make(RigOf("vrm"), nullptr, {}).ok());
  EXPECT_THAT(
      std::string(PoseReader::Make(RigOf("hanim_loa1"), RigOf("vrm"), {}).status().message()),
      HasSubstr("Chest"));
  PoseReaderSettings settings;
  settings.sender_hips_height_m = -1;
  EXPECT_THAT(
      std::string(PoseReader::Make(RigOf("vrm"), RigOf("hanim_loa3"), settings).status().message()),
      HasSubstr("sender_hips_height_m -1"));
  settings.sender_hips_height_m = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(PoseReader::Make(RigOf("vrm"), RigOf("hanim_loa3"), settings).ok());
}

}  // namespace
}  // namespace posewire::vmc
