// VRM animations: glTF whose bones and expressions are named by VRMC_vrm_animation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/retarget/retarget.h"
#include "libs/skel/math.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::HasSubstr;

// As far as the hand stays away from the body, which it would touch.
constexpr float kLowered = 0.6f;

skel::Quat AboutZ(float angle) { return skel::FromAxisAngle({0, 0, 1}, angle); }

struct VrmaBone {
  std::string name, parent;
  skel::Vec3 at;
  skel::Quat rest = {};
};

// A person in a T whose left upper arm's axes point elsewhere than the world's.
std::vector<VrmaBone> Person() {
  const skel::Quat tilt = AboutZ(0.5f);
  const skel::Vec3 elbow = skel::Rotate(skel::Conjugate(tilt), {0.3f, 0, 0});
  return {{"hips", "", {0, 1, 0}},
          {"spine", "hips", {0, 0.2f, 0}},
          {"neck", "spine", {0, 0.3f, 0}},
          {"head", "neck", {0, 0.1f, 0}},
          {"leftUpperArm", "spine", {0.2f, 0.25f, 0}, tilt},
          {"leftLowerArm", "leftUpperArm", elbow, skel::Conjugate(tilt)},
          {"leftHand", "leftLowerArm", {0.25f, 0, 0}},
          {"rightUpperArm", "spine", {-0.2f, 0.25f, 0}},
          {"rightLowerArm", "rightUpperArm", {-0.3f, 0, 0}},
          {"rightHand", "rightLowerArm", {-0.25f, 0, 0}},
          {"leftUpperLeg", "hips", {0.1f, -0.05f, 0}},
          {"leftLowerLeg", "leftUpperLeg", {0, -0.45f, 0}},
          {"leftFoot", "leftLowerLeg", {0, -0.42f, 0}},
          {"rightUpperLeg", "hips", {-0.1f, -0.05f, 0}},
          {"rightLowerLeg", "rightUpperLeg", {0, -0.45f, 0}},
          {"rightFoot", "rightLowerLeg", {0, -0.42f, 0}}};
}

// The left arm is lowered at 1 s; expressions are how far nodes have moved along X.
std::string Vrma(const std::vector<std::string>& presets, const std::vector<std::string>& customs,
                 const std::string& more = "") {
  const std::vector<VrmaBone> bones = Person();
  std::vector<std::string> nodes, human;
  for (size_t i = 0; i < bones.size(); ++i) {
    std::vector<size_t> children;
    for (size_t k = 0; k < bones.size(); ++k) {
      if (bones[k].parent == bones[i].name) children.push_back(k);
    }
    const skel::Quat q = bones[i].rest;
    nodes.push_back(absl::StrCat(
        R"({"name":"n)", i, R"(","translation":[)", bones[i].at.x, ",", bones[i].at.y, ",",
        bones[i].at.z, R"(],"rotation":[)", q.x, ",", q.y, ",", q.z, ",", q.w, "]",
        children.empty() ? "" : absl::StrCat(R"(,"children":[)", absl::StrJoin(children, ","), "]"),
        "}"));
    human.push_back(absl::StrCat("\"", bones[i].name, R"(":{"node":)", i, "}"));
  }
  const skel::Quat from = bones[4].rest, to = skel::Mul(AboutZ(-kLowered), from);
  const std::vector<float> numbers = {0,    1,    from.x, from.y, from.z, from.w, to.x, to.y,
                                      to.z, to.w, 0,      0,      0,      0.5f,   0,    0};
  std::vector<std::string> channels = {R"({"sampler":0,"target":{"node":4,"path":"rotation"}})"};
  const auto list = [&](const std::vector<std::string>& names) {
    std::vector<std::string> out;
    for (const std::string& name : names) {
      channels.push_back(absl::StrCat(R"({"sampler":1,"target":{"node":)", nodes.size(),
                                      R"(,"path":"translation"}})"));
      out.push_back(absl::StrCat("\"", name, R"(":{"node":)", nodes.size(), "}"));
      nodes.push_back(R"({"name":"e"})");
    }
    return absl::StrJoin(out, ",");
  };
  const std::string preset = list(presets), custom = list(customs);
  std::string bytes(numbers.size() * 4, '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return absl::StrCat(
      R"({"asset":{"version":"2.0"},"extensionsUsed":["VRMC_vrm_animation"],"nodes":[)",
      absl::StrJoin(nodes, ","),
      R"(],"buffers":[{"byteLength":64,"uri":"data:application/octet-stream;base64,)",
      absl::Base64Escape(bytes),
      R"("}],"bufferViews":[{"buffer":0,"byteLength":8},{"buffer":0,"byteOffset":8,)",
      R"("byteLength":32},{"buffer":0,"byteOffset":40,"byteLength":24}],"accessors":[)",
      R"({"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR"},)",
      R"({"bufferView":1,"componentType":5126,"count":2,"type":"VEC4"},)",
      R"({"bufferView":2,"componentType":5126,"count":2,"type":"VEC3"}],)",
      R"("animations":[{"samplers":[{"input":0,"output":1},{"input":0,"output":2}],"channels":[)",
      absl::StrJoin(channels, ","),
      R"(]}],"extensions":{"VRMC_vrm_animation":{"specVersion":"1.0","humanoid":{"humanBones":{)",
      absl::StrJoin(human, ","), R"(}},"expressions":{"preset":{)", preset, R"(},"custom":{)",
      custom, "}}", more, "}}}");
}

std::unique_ptr<recording::ClipReader> Open(const std::string& text) {
  OpenOptions options;
  options.format = Format::kVrma;
  auto reader = OpenClip(std::make_unique<files::MemorySource>("take.vrma", text), options);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return *std::move(reader);
}

int PlaceOf(const ace::SkelAnimationHeader& names, const std::string& shape) {
  const auto& all = names.blend_shapes();
  const auto it = std::find(all.begin(), all.end(), shape);
  return it == all.end() ? -1 : static_cast<int>(it - all.begin());
}

TEST(Vrma, BonesGoByTheExtensionAndNotByTheirNodes) {
  const std::string text = Vrma({}, {});
  auto reader = Open(text);
  const Messages messages = Good(ReadAll(*reader));
  ASSERT_EQ(messages.size(), 4u);
  const auto& names = messages[0].animation_data_stream_header().skel_animation_header();
  EXPECT_EQ(names.joints_size(), 16);
  EXPECT_EQ(names.joints(0), "hips");
  EXPECT_THAT(names.joints(), ::testing::Contains("hips/spine/leftUpperArm/leftLowerArm/leftHand"));
  EXPECT_EQ(names.blend_shapes_size(), 0);
  ASSERT_NE(reader->skeleton(), nullptr);
  EXPECT_EQ(reader->skeleton()->joints(), 16);
}

TEST(Vrma, IsRetargetedFromTheRestOfItsNodes) {
  const auto rigs = *skel::RigCatalog::Builtin();
  const auto vrm = *rigs.Find("vrm");
  const std::string text = Vrma({}, {});
  const auto reader = retarget::Retarget(Open(text), vrm, rigs);
  const Messages messages = Good(ReadAll(*reader));
  const auto& names = messages.at(0).animation_data_stream_header().skel_animation_header();
  int arm = -1;
  for (int j = 0; j < names.joints_size(); ++j) {
    if (vrm->FindJoint(names.joints(j)) == vrm->FindJoint("LeftUpperArm")) arm = j;
  }
  ASSERT_GE(arm, 0);
  const auto turn = [&](size_t message) {
    const auto& q = messages.at(message).animation_data().skel_animation().rotations(0).values(arm);
    return skel::Quat{q.real(), q.i(), q.j(), q.k()};
  };
  EXPECT_LT(skel::AngleBetween(turn(1), {}), 0.02f);
  EXPECT_LT(skel::AngleBetween(turn(2), AboutZ(-kLowered)), 0.02f);
}

TEST(Vrma, ExpressionsAreWhatTheyAreOfArkitsShapes) {
  const std::string text = Vrma({"aa", "blinkLeft"}, {"sparkle", "cheekPuff"});
  const Messages messages = Good(ReadAll(*Open(text)));
  const auto& names = messages.at(0).animation_data_stream_header().skel_animation_header();
  const auto weight = [&](const std::string& shape, size_t message) {
    const int place = PlaceOf(names, shape);
    EXPECT_GE(place, 0) << shape;
    const auto& skel = messages.at(message).animation_data().skel_animation();
    return place < 0 ? -1 : skel.blend_shape_weights(0).values(place);
  };
  EXPECT_EQ(names.blend_shapes_size(), 53);
  for (const char* const shape : {"sparkle", "cheekPuff", "eyeBlinkLeft"}) {
    EXPECT_EQ(weight(shape, 1), 0);
    EXPECT_FLOAT_EQ(weight(shape, 2), 0.5f) << shape;
  }
  EXPECT_GT(weight("jawOpen", 2), 0.2f);
  EXPECT_EQ(weight("eyeBlinkRight", 2), 0);
}

TEST(Vrma, SaysWhatIsWrong) {
  std::string text = Vrma({"aa"}, {});
  text.replace(text.find(R"("hips":{"node":0})"), 17, R"("hips":{"node":99})");
  const auto first = Open(text)->Next();
  EXPECT_THAT(std::string(first.status().message()),
              HasSubstr("extensions.VRMC_vrm_animation.humanoid.humanBones.hips.node"));
}

// As in VMC: a face with ARKit's shapes is not shown a second time by the presets beside them.
TEST(Vrma, ArkitsShapesGoBeforeWhatPresetsLookLike) {
  const Messages messages = Good(ReadAll(*Open(Vrma({"aa"}, {"JawOpen", "MouthClose"}))));
  const auto& names = messages.at(0).animation_data_stream_header().skel_animation_header();
  const auto& keys = messages.at(2).animation_data().skel_animation().blend_shape_weights(0);
  // Apple's mouthClose leaves the jaw open behind the lips, and a stream's does not.
  EXPECT_FLOAT_EQ(keys.values(PlaceOf(names, "jawOpen")), 0);
  EXPECT_FLOAT_EQ(keys.values(PlaceOf(names, "mouthClose")), 0.5f);
}

}  // namespace
}  // namespace posewire::clipio
