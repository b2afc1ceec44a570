#include "libs/vmc/performer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/vmc/bones.h"
#include "tests/unit/vmc/scene.h"

namespace posewire::vmc {
namespace {

Ok OkOf(int32_t loaded) {
  Ok ok;
  ok.loaded = loaded;
  return ok;
}

TEST(Performer, KnowsEveryBoneByItsNameAndIgnoresLastBone) {
  Performer performer;
  EXPECT_FALSE(performer.heard());
  EXPECT_FALSE(performer.any_bone());
  double now = 0;
  for (const absl::string_view name : BoneNames()) {
    performer.Take(BoneMessage(name, {1, 2, 3}, {0, 0, 0, 1}), ++now);
  }
  for (int b = 0; b < kBones; ++b) {
    EXPECT_TRUE(performer.bone(b).known);
    EXPECT_EQ(performer.bone(b).at_s, b + 1);
    ExpectPlace(performer.bone(b).pose.at, {-1, 2, 3});
  }
  performer.Take(BoneTurned("LastBone", {0, 0, 0, 1}), 99);
  performer.Take(BoneTurned("Tail", {0, 0, 0, 1}), 99);
  EXPECT_EQ(performer.counts().unknown_bones, 2u);
  EXPECT_THAT(performer.unknown_bones(), ::testing::ElementsAre("Tail"));
  EXPECT_EQ(performer.last_motion_s(), now);
  performer.Take(BoneMessage("hips", {7, 0, 0}, {0, 0, 0, 1}), 100);
  EXPECT_EQ(performer.bone(kHips).pose.at.x, -7);
}

// VRM 1.0 calls the thumb's joints metacarpal, proximal and distal, Unity proximal, intermediate
// and distal.
TEST(Performer, KnowsASenderOfVrm1ByItsThumbs) {
  using Bone = skel::HumanBone;
  const auto turned = [](const Performer& performer, Bone bone) {
    return performer.bone(IndexOf(bone)).pose.turn.x;
  };
  Performer vrm1, unity;
  for (int frame = 0; frame < 2; ++frame) {
    vrm1.Take(BoneTurned("leftThumbProximal", {.2f, 0, 0, .98f}), frame);
    vrm1.Take(BoneTurned("leftThumbMetacarpal", {.1f, 0, 0, .99f}), frame);
    vrm1.Take(BoneTurned("leftThumbDistal", {.3f, 0, 0, .95f}), frame);
    unity.Take(BoneTurned("LeftThumbProximal", {.1f, 0, 0, .99f}), frame);
    unity.Take(BoneTurned("LeftThumbIntermediate", {.2f, 0, 0, .98f}), frame);
    unity.Take(BoneTurned("LeftThumbDistal", {.3f, 0, 0, .95f}), frame);
  }
  EXPECT_TRUE(vrm1.names().vrm1());
  EXPECT_FALSE(unity.names().vrm1());
  for (const Bone bone :
       {Bone::kLeftThumbProximal, Bone::kLeftThumbIntermediate, Bone::kLeftThumbDistal}) {
    EXPECT_EQ(turned(vrm1, bone), turned(unity, bone)) << NameOf(bone);
  }
  EXPECT_EQ(vrm1.counts().unknown_bones, 0u);
}

TEST(Performer, KeepsTheFirstNamesThatItDoesNotKnow) {
  Performer performer;
  for (int i = 0; i < 20; ++i) {
    performer.Take(BoneTurned(absl::StrCat("Tail", i % 12), {0, 0, 0, 1}), i);
  }
  EXPECT_EQ(performer.counts().unknown_bones, 20u);
  EXPECT_EQ(performer.unknown_bones().size(), Performer::kMostNames);
  EXPECT_EQ(performer.unknown_bones()[7], "Tail7");
}

// Against a map of the newest values, with everything at random.
TEST(Performer, KeepsTheNewestValueOfEverything) {
  std::mt19937 random(5);
  std::map<int, float> bones, waiting, applied;
  Performer performer;
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<float>(random() % 1000) / 1000;
    switch (random() % 8) {
      case 0: {
        performer.Take(BlendApply(), i);
        for (const auto& [s, w] : waiting) applied[s] = w;
        waiting.clear();
        break;
      }
      case 1:
      case 2: {
        const int s = static_cast<int>(random() % kArkitShapes);
        performer.Take(BlendValue{ArkitNames()[static_cast<size_t>(s)], value}, i);
        waiting[s] = value;
        break;
      }
      default: {
        const int b = static_cast<int>(random() % kBones);
        performer.Take(
            BoneMessage(BoneNames()[static_cast<size_t>(b)], {value, 0, 0}, {0, 0, 0, 1}), i);
        bones[b] = value;
        break;
      }
    }
    for (const auto& [b, x] : bones) ASSERT_EQ(performer.bone(b).pose.at.x, -x);
    for (int s = 0; s < kArkitShapes; ++s) {
      const auto at = static_cast<size_t>(s);
      ASSERT_EQ(performer.arkit_known()[at], applied.count(s) == 1);
      ASSERT_EQ(performer.arkit()[at], applied.count(s) ? applied[s] : 0);
    }
  }
}

TEST(Performer, ExpressionsTakeEffectTogether) {
  Performer performer;
  performer.Take(BlendValue{"Joy", 0.5f}, 1);
  performer.Take(BlendValue{"JawOpen", 0.25f}, 1);
  EXPECT_FALSE(performer.any_expression());
  performer.Take(BlendApply(), 1);
  EXPECT_EQ(performer.presets()[static_cast<size_t>(Preset::kHappy)], 0.5f);
  EXPECT_EQ(performer.arkit()[kJawOpen], 0.25f);
  EXPECT_TRUE(performer.jaw_shapes_moved());
  EXPECT_FALSE(performer.eye_shapes_moved());
  // What is not sent again stays.
  performer.Take(BlendValue{"Joy", 0.75f}, 2);
  EXPECT_EQ(performer.presets()[static_cast<size_t>(Preset::kHappy)], 0.5f);
  performer.Take(BlendApply(), 2);
  EXPECT_EQ(performer.presets()[static_cast<size_t>(Preset::kHappy)], 0.75f);
  EXPECT_EQ(performer.arkit()[kJawOpen], 0.25f);
  performer.Take(BlendValue{"びっくり", 1}, 3);
  EXPECT_EQ(performer.counts().unknown_shapes, 1u);
  EXPECT_EQ(performer.counts().applies, 2u);
}

TEST(Performer, ForgetsAModelThatAnotherFollows) {
  Performer performer;
  const auto perform = [&] {
    performer.Take(BoneTurned("Head", {0, 0, 0, 1}), 1);
    performer.Take(BlendValue{"JawOpen", 1}, 1);
    performer.Take(BlendApply(), 1);
  };
  perform();
  EXPECT_TRUE(performer.loaded());  // nothing was said yet
  performer.Take(OkOf(1), 1);
  EXPECT_TRUE(performer.any_bone());
  performer.Take(OkOf(0), 2);
  EXPECT_FALSE(performer.loaded());
  EXPECT_TRUE(performer.any_bone());
  performer.Take(OkOf(1), 3);
  EXPECT_TRUE(performer.loaded());
  EXPECT_FALSE(performer.any_bone());
  EXPECT_FALSE(performer.any_expression());
  EXPECT_FALSE(performer.jaw_shapes_moved());

  performer.Take(VrmFile{"a.vrm", "Alice", std::nullopt}, 4);
  perform();
  performer.Take(VrmFile{"a.vrm", "Alice", std::nullopt}, 5);
  EXPECT_TRUE(performer.any_bone());
  performer.Take(VrmFile{"b.vrm", "Bob", std::nullopt}, 6);
  EXPECT_FALSE(performer.any_bone());
  EXPECT_EQ(performer.model_title(), "Bob");
}

TEST(Performer, KeepsDevicesByKindSpaceAndSerial) {
  Performer performer;
  const auto take = [&](DeviceKind kind, bool local, absl::string_view serial, float x,
                        double now) {
    DevicePose device;
    device.kind = kind;
    device.local = local;
    device.serial = serial;
    device.pose.position.x = x;
    performer.Take(device, now);
  };
  take(DeviceKind::kTracker, false, "waist", 1, 1);
  take(DeviceKind::kTracker, true, "waist", 2, 1);
  take(DeviceKind::kController, false, "waist", 3, 1);
  take(DeviceKind::kTracker, false, "腰", 4, 1);
  take(DeviceKind::kTracker, false, "waist", 5, 2);
  ASSERT_EQ(performer.devices().size(), 4u);
  EXPECT_EQ(performer.devices()[0].pose.at.x, -5);
  EXPECT_EQ(performer.devices()[0].at_s, 2);
  EXPECT_EQ(performer.devices()[3].serial, "腰");
  for (int i = 0; i < 100; ++i) take(DeviceKind::kHeadset, false, absl::StrCat("h", i), 0, 3);
  EXPECT_EQ(performer.devices().size(), Performer::kMaxDevices);
  EXPECT_EQ(performer.counts().devices_over_limit, 104 - Performer::kMaxDevices);
}

TEST(Performer, KeepsRootCameraEyeTargetAndTime) {
  Performer performer;
  EXPECT_FALSE(performer.root() || performer.camera() || performer.eye_target());
  RootPose root;
  root.pose.position = {1, 2, 3};
  performer.Take(root, 1);
  ExpectPlace(performer.root()->at, {-1, 2, 3});
  performer.Take(CameraPose{"front", {{0, 1, -2}, {kHalfRoot, 0, kHalfRoot, 0}}, 35}, 2);
  EXPECT_EQ(performer.camera()->name, "front");
  EXPECT_EQ(performer.camera()->fov_deg, 35);
  ExpectTurn(performer.camera()->pose.turn, {kHalfRoot, 0, -kHalfRoot, 0});
  performer.Take(SetEye{1, {1, 0, 2}}, 3);
  EXPECT_TRUE(performer.eye_target()->enabled);
  ExpectPlace(performer.eye_target()->target, {-1, 0, 2});
  performer.Take(Time{12.5f}, 4);
  EXPECT_EQ(performer.last_motion_s(), 1);

  performer.Take(BoneTurned("Tail", {0, 0, 0, 1}), 5);
  performer.Reset();
  EXPECT_FALSE(performer.heard() || performer.root() || performer.camera());
  EXPECT_EQ(performer.counts().unknown_bones, 1u);
}

}  // namespace
}  // namespace posewire::vmc
