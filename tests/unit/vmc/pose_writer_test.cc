#include "libs/vmc/pose_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "libs/shapes/detector.h"
#include "tests/unit/skel/random_pose.h"
#include "tests/unit/vmc/scene.h"

namespace posewire::vmc {
namespace {

using skel::FromAxisAngle;
using skel::Mul;
using skel::Quat;
using ::testing::HasSubstr;

// The messages of one frame; text points into this.
struct Frame {
  explicit Frame(const skel::PoseView& pose, PoseWriterSettings settings = {},
                 FrameParts parts = {}, absl::string_view rig = "hanim_loa3") {
    PoseWriter writer = WriterFor(rig, settings);
    const absl::Status status = writer.Write(pose, parts, packer);
    EXPECT_TRUE(status.ok()) << status;
    messages = MessagesOf(packer);
  }
  // A bone of the wire in our space.
  skel::Placement bone(absl::string_view name) const {
    for (const BonePose& bone : Only<BonePose>(messages)) {
      if (bone.name == name) return FromUnity(bone.pose);
    }
    ADD_FAILURE() << name << " was not sent";
    return {};
  }
  float weight(absl::string_view name) const {
    for (const BlendValue& value : Only<BlendValue>(messages)) {
      if (value.name == name) return value.value;
    }
    return -99;
  }
  DatagramPacker packer;
  std::vector<Message> messages;
};

skel::Pose RestOf(absl::string_view rig) {
  skel::Pose pose(RigOf(rig)->joints(), RigOf(rig)->shapes());
  pose.span().CopyFrom(RigOf(rig)->rest());
  return pose;
}
skel::Pose Turned(absl::string_view joint, Quat q) {
  skel::Pose pose = RestOf("hanim_loa3");
  pose.span().SetRotation(RigOf("hanim_loa3")->FindJoint(joint), q);
  return pose;
}

TEST(PoseWriter, ArmsThatHangAreTurnedDownFromTheTPose) {
  const skel::Pose rest = RestOf("hanim_loa3");
  const Frame frame(rest.view());
  ASSERT_EQ(Only<BonePose>(frame.messages).size(), size_t{kBones});
  const std::vector<BonePose> bones = Only<BonePose>(frame.messages);
  for (const BonePose& bone : bones) {
    Quat expected;
    if (bone.name == "LeftUpperArm") expected = {kHalfRoot, 0, 0, kHalfRoot};
    if (bone.name == "RightUpperArm") expected = {kHalfRoot, 0, 0, -kHalfRoot};
    SCOPED_TRACE(std::string(bone.name));
    ExpectTurn(bone.pose.rotation, expected);
  }
  ExpectPlace(frame.bone("Hips").at, {0, 1.00518f, 0}, 1e-5f);
}

TEST(PoseWriter, MeetsTheKnownVectorsOfTheLeftArm) {
  const Quat t_pose = FromAxisAngle({0, 0, 1}, 1.5707963f);
  ExpectTurn(Frame(Turned("l_shoulder", t_pose).view()).bone("LeftUpperArm").turn, {});
  const Quat bent = FromAxisAngle({-1, 0, 0}, 1.5707963f);
  const skel::Placement elbow = Frame(Turned("l_elbow", bent).view()).bone("LeftLowerArm");
  ExpectTurn(elbow.turn, {kHalfRoot, 0, -kHalfRoot, 0});
}

TEST(PoseWriter, SendsEveryExpressionWithZerosAndAppliesLast) {
  PoseWriterSettings settings;
  settings.presets = PoseWriterSettings::Presets::kBoth;
  FrameParts parts;
  parts.camera.emplace();
  const skel::Pose rest = RestOf("hanim_loa3");
  const Frame frame(rest.view(), settings, parts);
  EXPECT_EQ(Only<BlendValue>(frame.messages).size(), size_t{kArkitShapes + 2 * kPresets});
  EXPECT_EQ(Only<BlendApply>(frame.messages).size(), 1u);
  EXPECT_TRUE(std::holds_alternative<BlendApply>(frame.messages.back()));
  for (const absl::string_view name : ArkitNames()) EXPECT_EQ(frame.weight(name), 0) << name;
  EXPECT_EQ(frame.weight("Joy"), 0);
  EXPECT_EQ(frame.weight("blinkLeft"), 0);
}

TEST(PoseWriter, SendsWhatItsSettingsName) {
  using Presets = PoseWriterSettings::Presets;
  const skel::Pose rest = RestOf("hanim_loa3");
  const auto count = [&](bool arkit, Presets presets) {
    PoseWriterSettings settings;
    settings.arkit = arkit;
    settings.presets = presets;
    const Frame frame(rest.view(), settings);
    return std::make_pair(Only<BlendValue>(frame.messages).size(),
                          Only<BlendApply>(frame.messages).size());
  };
  EXPECT_EQ(count(true, Presets::kNone), std::make_pair(size_t{52}, size_t{1}));
  EXPECT_EQ(count(true, Presets::kVrm0), std::make_pair(size_t{70}, size_t{1}));
  EXPECT_EQ(count(false, Presets::kVrm1), std::make_pair(size_t{18}, size_t{1}));
  EXPECT_EQ(count(false, Presets::kNone), std::make_pair(size_t{0}, size_t{0}));

  PoseWriterSettings settings;
  settings.trackers = false;
  EXPECT_TRUE(Only<DevicePose>(Frame(rest.view(), settings).messages).empty());
  FrameParts parts;
  parts.shapes = parts.bones = parts.root = parts.status = parts.devices = false;
  EXPECT_TRUE(Frame(rest.view(), {}, parts).messages.empty());
}

TEST(PoseWriter, TurnsMouthCloseBackAndKeepsWeightsWithinBounds) {
  const auto rig = RigOf("hanim_loa3");
  skel::Pose pose = RestOf("hanim_loa3");
  pose.span().SetWeight(rig->FindShape("jawOpen"), 0.4f);
  pose.span().SetWeight(rig->FindShape("mouthClose"), 0.3f);
  pose.span().SetWeight(rig->FindShape("eyeBlinkLeft"), 1.5f);
  pose.span().SetWeight(rig->FindShape("tongueOut"), -0.5f);
  const Frame frame(pose.view());
  EXPECT_NEAR(frame.weight("JawOpen"), 0.7f, 1e-6);
  EXPECT_NEAR(frame.weight("A"), 0.4f, 1e-6);  // the lips are no farther apart
  EXPECT_NEAR(frame.weight("MouthClose"), 0.3f, 1e-6);
  EXPECT_EQ(frame.weight("EyeBlinkLeft"), 1);
  EXPECT_EQ(frame.weight("Blink_L"), 1);
  EXPECT_EQ(frame.weight("TongueOut"), 0);
  PoseWriterSettings settings;
  settings.clamp_weights = false;
  EXPECT_EQ(Frame(pose.view(), settings).weight("EyeBlinkLeft"), 1.5f);
}

TEST(PoseWriter, SendsTheShapesOfASetInsteadOfArkitAndPresets) {
  const auto rig = RigOf("hanim_loa3");
  skel::Pose pose = RestOf("hanim_loa3");
  pose.span().SetWeight(rig->FindShape("jawOpen"), 0.4f);
  pose.span().SetWeight(rig->FindShape("mouthClose"), 0.3f);
  pose.span().SetWeight(rig->FindShape("mouthSmileLeft"), 0.6f);
  pose.span().SetWeight(rig->FindShape("mouthSmileRight"), 0.6f);
  for (const shapes::ShapeSet& set : *shapes::BuiltinSets()) {
    PoseWriterSettings settings;
    settings.shape_set = &set;
    const Frame frame(pose.view(), settings);
    shapes::Detector detector;
    for (const BlendValue& value : Only<BlendValue>(frame.messages)) detector.Add(value.name);
    EXPECT_EQ(detector.best().set, &set) << set.id();
    EXPECT_EQ(Only<BlendApply>(frame.messages).size(), 1u);
  }
  PoseWriterSettings settings;
  settings.shape_set = shapes::FindSet("unified");
  const Frame unified(pose.view(), settings);
  EXPECT_NEAR(unified.weight("JawOpen"), 0.7f, 1e-6);  // ARKit's, not ACE's
  EXPECT_NEAR(unified.weight("MouthClosed"), 0.3f, 1e-6);
  EXPECT_NEAR(unified.weight("MouthCornerPullLeft"), 0.6f, 1e-6);
  EXPECT_EQ(unified.weight("MouthSmileLeft"), -99);  // blended shapes are not sent
  settings.shape_set = shapes::FindSet("vrm1");
  const Frame vrm(pose.view(), settings);
  EXPECT_NEAR(vrm.weight("aa"), 0.4f, 1e-6);
  EXPECT_NEAR(vrm.weight("happy"), 0.6f, 1e-6);
  EXPECT_EQ(vrm.weight("surprised"), 0);
  EXPECT_EQ(Only<BlendValue>(vrm.messages).size(), 18u);
}

TEST(PoseWriter, KeepsExpressionsThatAPoseDoesNotHave) {
  PoseWriter writer = WriterFor("hanim_loa3");
  DatagramPacker packer;
  skel::Pose pose = RestOf("hanim_loa3");
  pose.span().SetWeight(0, 0.5f);
  ASSERT_TRUE(writer.Write(pose.view(), {}, packer).ok());
  pose.span().ClearPresence();
  packer.Clear();
  ASSERT_TRUE(writer.Write(pose.view(), {}, packer).ok());
  const std::vector<Message> messages = MessagesOf(packer);
  EXPECT_EQ(Only<BlendValue>(messages)[0].value, 0.5f);
  EXPECT_TRUE(Only<BonePose>(messages).empty());
}

TEST(PoseWriter, SpeaksTheFormsThatReceiversWant) {
  const skel::Pose rest = RestOf("hanim_loa3");
  FrameParts parts;
  parts.time_s = 2.5;
  const Frame frame(rest.view(), {}, parts);
  const Ok ok = Only<Ok>(frame.messages).at(0);
  EXPECT_EQ(ok.loaded, 1);
  EXPECT_EQ(ok.calibration_state, 3);
  EXPECT_EQ(ok.calibration_mode, 0);
  EXPECT_FALSE(ok.tracking_status);
  EXPECT_EQ(Only<Time>(frame.messages).at(0).seconds, 2.5f);
  const RootPose root = Only<RootPose>(frame.messages).at(0);
  EXPECT_EQ(root.name, "root");
  EXPECT_FALSE(root.compositing);
  EXPECT_EQ(root.pose.rotation.w, 1);
  PoseWriterSettings settings;
  settings.root_with_scale = true;
  const RootPose scaled = Only<RootPose>(Frame(rest.view(), settings).messages).at(0);
  ASSERT_TRUE(scaled.compositing);
  EXPECT_EQ(scaled.compositing->scale.x, 1);
  EXPECT_EQ(scaled.compositing->offset.x, 0);

  parts.loaded = parts.status = false;
  const Frame gone(rest.view(), {}, parts);
  ASSERT_EQ(gone.messages.size(), 2u);
  EXPECT_EQ(Only<Ok>(gone.messages).at(0).loaded, 0);
}

TEST(PoseWriter, AnAssistantSendsFaceAndGazeAndThePerformersStateIsKept) {
  skel::RandomPoses random(4);
  const auto rig = RigOf("hanim_loa3");
  FrameParts parts;
  parts.status = parts.root = parts.bones = parts.devices = false;
  parts.eye_target = true;
  const Frame assistant(random.Of(rig->joints(), rig->shapes()).view(), {}, parts);
  EXPECT_TRUE(Only<BonePose>(assistant.messages).empty());
  EXPECT_TRUE(Only<Ok>(assistant.messages).empty());
  ASSERT_EQ(Only<SetEye>(assistant.messages).size(), 1u);
  EXPECT_EQ(Only<SetEye>(assistant.messages)[0].enable, 1);
  EXPECT_GT(Only<SetEye>(assistant.messages)[0].target.z, 0);

  FrameParts waiting;
  waiting.performer = {1, 2, 1, 0};
  const Frame calibrating(rig->rest(), {}, waiting);
  const Ok ok = Only<Ok>(calibrating.messages).at(0);
  EXPECT_EQ(ok.calibration_state, 2);
  EXPECT_EQ(ok.calibration_mode, 1);
  EXPECT_EQ(ok.tracking_status, 0);
}

TEST(PoseWriter, DatagramsPassEverywhere) {
  skel::RandomPoses random(6);
  const auto rig = RigOf("hanim_loa3");
  const Frame frame(random.Of(rig->joints(), rig->shapes()).view());
  EXPECT_LE(frame.packer.Datagrams().size(), 9u);
  for (const std::string& datagram : frame.packer.Datagrams()) {
    EXPECT_LE(datagram.size(), kSafeDatagramBytes);
    EXPECT_EQ(datagram.substr(0, 7), "#bundle");
  }
}

// Where the bones stand in the receiver's world is told from the messages alone.
TEST(PoseWriter, TrackersStandAndTurnWithTheirBones) {
  skel::RandomPoses random(2);
  const auto rig = RigOf("hanim_loa3"), vrm = RigOf("vrm");
  const skel::Pose pose = random.Of(rig->joints(), rig->shapes());
  for (const float height : {0.0f, 2.5f}) {
    PoseWriterSettings settings;
    settings.receiver_hips_height_m = height;
    const Frame frame(pose.view(), settings);
    std::map<std::string, skel::Placement> world;
    for (int j = 0; j < vrm->joints(); ++j) {
      const std::string name = vrm->joint_names()[static_cast<size_t>(j)];
      const int p = vrm->topology().parent(j);
      const skel::Placement above =
          p < 0 ? skel::Placement{} : world[vrm->joint_names()[static_cast<size_t>(p)]];
      const skel::Placement local = frame.bone(name);
      world[name] = {above.at + Rotate(above.turn, local.at), Mul(above.turn, local.turn)};
    }
    const std::vector<DevicePose> devices = Only<DevicePose>(frame.messages);
    ASSERT_EQ(devices.size(), 6u);
    std::vector<std::string> serials;
    for (const DevicePose& device : devices) {
      serials.emplace_back(device.serial);
      EXPECT_EQ(device.kind, DeviceKind::kTracker);
      EXPECT_FALSE(device.local);
      const skel::Placement place = FromUnity(device.pose);
      ExpectPlace(place.at, world[serials.back()].at, 1e-5f);
      ExpectTurn(place.turn, world[serials.back()].turn, 1e-5f);
    }
    EXPECT_THAT(serials, ::testing::ElementsAre("Head", "Spine", "LeftHand", "RightHand",
                                                "LeftFoot", "RightFoot"));
  }
}

TEST(PoseWriter, BonesOfAReceiverOfAnotherSizeAreAsMuchLonger) {
  PoseWriterSettings settings;
  settings.receiver_hips_height_m = 2 * 1.00518f;
  const skel::Pose rest = RestOf("hanim_loa3");
  const Frame twice(rest.view(), settings), once(rest.view());
  for (const absl::string_view name : BoneNames()) {
    ExpectPlace(twice.bone(name).at, once.bone(name).at * 2, 1e-5f);
  }
}

// A receiver without them turns the head and the hands as one that has them.
TEST(PoseWriter, TheTurnOfAMissingBoneGoesIntoThoseBelow) {
  skel::RandomPoses random(11);
  const auto rig = RigOf("hanim_loa3"), vrm = RigOf("vrm");
  const skel::Pose pose = random.Of(rig->joints(), rig->shapes());
  PoseWriterSettings settings;
  const char* const missing[] = {"UpperChest", "Neck", "LeftShoulder", "RightShoulder", "Jaw"};
  for (const char* const name : missing) {
    settings.missing_bones.set(static_cast<size_t>(FindBone(name)));
  }
  const Frame whole(pose.view()), reduced(pose.view(), settings);
  EXPECT_EQ(Only<BonePose>(reduced.messages).size(), size_t{kBones} - 5);
  std::map<std::string, Quat> in_whole, in_reduced;
  for (int j = 0; j < vrm->joints(); ++j) {
    const std::string name = vrm->joint_names()[static_cast<size_t>(j)];
    const int p = vrm->topology().parent(j);
    const std::string above = p < 0 ? "" : vrm->joint_names()[static_cast<size_t>(p)];
    in_whole[name] = Mul(in_whole[above], whole.bone(name).turn);
    const int bone = FindBone(name);
    const bool has = !settings.missing_bones[static_cast<size_t>(bone)];
    // A receiver skips what it lacks: the bone is the one above.
    in_reduced[name] = has ? Mul(in_reduced[above], reduced.bone(name).turn) : in_reduced[above];
    if (has) {
      SCOPED_TRACE(name);
      ExpectTurn(in_reduced[name], in_whole[name], 1e-5f);
    }
  }
}

TEST(PoseWriter, TellsTheCameraInUnitysSpace) {
  FrameParts parts;
  parts.camera.emplace();
  parts.camera->pose = {{0.5f, 1.5f, 2}, {kHalfRoot, 0, kHalfRoot, 0}};
  parts.camera->fov_deg = 28;
  const skel::Pose rest = RestOf("hanim_loa3");
  const Frame frame(rest.view(), {}, parts);
  const CameraPose camera = Only<CameraPose>(frame.messages).at(0);
  ExpectPlace(camera.pose.position, {-0.5f, 1.5f, 2});
  ExpectTurn(camera.pose.rotation, {kHalfRoot, 0, -kHalfRoot, 0});
  EXPECT_EQ(camera.fov_deg, 28);
}

TEST(PoseWriter, RejectsPosesRigsAndSettingsThatMakeNoSense) {
  PoseWriter writer = WriterFor("hanim_loa3");
  DatagramPacker packer;
  const skel::Pose other(3, 2);
  const absl::Status status = writer.Write(other.view(), {}, packer);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("94"));
  EXPECT_TRUE(packer.Datagrams().empty());

  PoseWriterSettings settings;
  settings.missing_bones.set(kHead);
  EXPECT_THAT(
      std::string(PoseWriter::Make(RigOf("vrm"), RigOf("hanim_loa3"), settings).status().message()),
      HasSubstr("Head"));
  settings = {};
  settings.receiver_hips_height_m = 1000;
  EXPECT_FALSE(PoseWriter::Make(RigOf("vrm"), RigOf("hanim_loa3"), settings).ok());
  skel::RigParts parts;
  parts.name = "box";
  parts.joint_paths = {"lid"};
  parts.rest_translations = {{}};
  EXPECT_FALSE(PoseWriter::Make(RigOf("vrm"), *skel::Rig::Make(parts), {}).ok());
}

}  // namespace
}  // namespace posewire::vmc
