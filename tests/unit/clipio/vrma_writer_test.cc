// VRM animations as they are written, and read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/skel/math.h"
#include "libs/skel/pose_mapper.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"

namespace posewire::clipio {
namespace {

using ::testing::HasSubstr;

constexpr MemoryFile kVrma{"take.vrma"};

std::shared_ptr<const skel::Rig> RigOf(const char* name) {
  return *(*skel::RigCatalog::Builtin("arkit68")).Find(name);
}

// Small turns of all joints, a root that wanders, and weights that change.
Messages RandomClip(const skel::Rig& rig, int frames, double rate_hz, unsigned seed,
                    const std::vector<std::string>& shapes) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> some(-1, 1);
  Messages out(1);
  auto& names = *out[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (const std::string& path : rig.joint_paths()) names.add_joints(path);
  for (const std::string& shape : shapes) names.add_blend_shapes(shape);
  for (int k = 0; k < frames; ++k) {
    auto& frame = *out.emplace_back().mutable_animation_data()->mutable_skel_animation();
    const double time_code_s = k / rate_hz;
    auto& turns = *frame.add_rotations();
    turns.set_time_code(time_code_s);
    auto& places = *frame.add_translations();
    places.set_time_code(time_code_s);
    for (int j = 0; j < rig.joints(); ++j) {
      const skel::Quat turn =
          skel::Mul(rig.rest().rotation(j),
                    skel::FromAxisAngle(skel::Normalized(skel::Vec3{some(random), some(random), 1}),
                                        0.4f * some(random)));
      auto& q = *turns.add_values();
      q.set_real(turn.w), q.set_i(turn.x), q.set_j(turn.y), q.set_k(turn.z);
      const skel::Vec3 at = rig.rest().translation(j);
      const float moved = j == 0 ? 0.1f * some(random) : 0;
      auto& t = *places.add_values();
      t.set_x(at.x + moved), t.set_y(at.y), t.set_z(at.z - moved);
    }
    if (!shapes.empty()) {
      auto& weights = *frame.add_blend_shape_weights();
      weights.set_time_code(time_code_s);
      for (size_t s = 0; s < shapes.size(); ++s) {
        weights.add_values(0.4f * std::fabs(some(random)));
      }
    }
  }
  out.emplace_back().mutable_status();
  return out;
}

std::vector<std::string> ArkitShapes() {
  const auto rig = RigOf("vrm");
  return {rig->shape_names().begin(), rig->shape_names().begin() + 52};
}

// The JSON chunk of a .glb.
rapidjson::Document JsonOf(const std::string& glb) {
  rapidjson::Document out;
  EXPECT_EQ(glb.substr(0, 4), "glTF") << glb.substr(0, 200);
  uint32_t size = 0;
  std::memcpy(&size, glb.data() + 12, 4);
  out.Parse(glb.data() + 20, size);
  EXPECT_FALSE(out.HasParseError());
  return out;
}

float WeightOf(const ReadClip& clip, size_t k, const std::string& shape) {
  const std::vector<std::string> shapes = clip.shapes();
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i] == shape) return clip.weights(k).values(static_cast<int>(i));
  }
  return std::nanf("");
}

TEST(VrmaWriter, APoseOfTheVrmRigComesBackAsItWas) {
  const auto vrm = RigOf("vrm");
  for (const double rate_hz : {30.0, 60.0, 30000 / 1001.0}) {
    const Messages clip = RandomClip(*vrm, 40, rate_hz, 3, ArkitShapes());
    const ReadClip again = kVrma.Read(kVrma.Write(clip));
    ASSERT_TRUE(again.end.ok()) << again.end;
    const ReadClip before{clip, {}};
    ASSERT_EQ(again.frames(), before.frames());
    const auto places = skel::PoseMapper::ToRig(again.joints(), *vrm);
    for (size_t k = 0; k < again.frames(); ++k) {
      ASSERT_NEAR(again.frame(k).rotations(0).time_code(), before.frame(k).rotations(0).time_code(),
                  1e-12);
      std::set<int> seen;
      for (int i = 0; i < places.source_size(); ++i) {
        const int j = places.TargetOf(i);
        ASSERT_GE(j, 0) << again.joints()[static_cast<size_t>(i)];
        seen.insert(j);
        ASSERT_LT(skel::AngleBetween(again.turn(k, i), before.turn(k, j)), 1e-5f)
            << vrm->joint_paths()[static_cast<size_t>(j)];
        const skel::Vec3 off = again.place(k, i) - before.place(k, j);
        ASSERT_LT(skel::Length(off), 1e-6f);
      }
      // Shapes of ARKit's move the eyes here, so the file's gaze is not read as joints.
      ASSERT_EQ(seen.size(), static_cast<size_t>(vrm->joints()) - 2);
      const std::vector<std::string> shapes = before.shapes();
      for (size_t s = 0; s < shapes.size(); ++s) {
        ASSERT_NEAR(WeightOf(again, k, shapes[s]), before.weights(k).values(static_cast<int>(s)),
                    1e-6)
            << shapes[s];
      }
    }
  }
}

// A clip on the standard rig comes back by retargeting, as one that was carried over to VRM's bones
// without a file between.
TEST(VrmaWriter, AClipOfAnyBuiltInRigIsCarriedOver) {
  const auto rigs = *skel::RigCatalog::Builtin("arkit68");
  for (const char* name : {"hanim_loa1", "hanim_loa3", "ace_biped"}) {
    const auto rig = RigOf(name);
    const auto vrm = RigOf("vrm");
    const Messages clip = RandomClip(*rig, 12, 30, 5, {});
    const ReadClip again = kVrma.Read(kVrma.Write(clip));
    ASSERT_TRUE(again.end.ok()) << again.end;
    const auto map = *skel::RigMap::Make(rig, vrm);
    const auto places = skel::PoseMapper::ToRig(again.joints(), *vrm);
    const ReadClip before{clip, {}};
    skel::Pose in(rig->joints(), rig->shapes()), out(vrm->joints(), vrm->shapes());
    for (size_t k = 0; k < before.frames(); ++k) {
      for (int j = 0; j < rig->joints(); ++j) {
        in.span().SetRotation(j, before.turn(k, j));
        in.span().SetTranslation(j, before.place(k, j));
      }
      out.span().ClearPresence();
      map.Apply(in.view(), out.span());
      for (int i = 0; i < places.source_size(); ++i) {
        const int j = places.TargetOf(i);
        const auto bone = vrm->humanoid().BoneOf(j);
        // Both eyes look where the gaze does, midway between theirs.
        if (bone == skel::HumanBone::kLeftEye || bone == skel::HumanBone::kRightEye) continue;
        const skel::Quat want =
            out.view().has_r[j] ? out.view().rotation(j) : vrm->rest().rotation(j);
        ASSERT_LT(skel::AngleBetween(again.turn(k, i), want), 1e-4f) << name << " joint " << j;
      }
    }
  }
}

TEST(VrmaWriter, EyesThatTurnAloneAreTheGazeAndComeBack) {
  const auto vrm = RigOf("vrm");
  Messages clip = RandomClip(*vrm, 3, 30, 9, {});
  const int left = vrm->humanoid().joint(skel::HumanBone::kLeftEye);
  const int right = vrm->humanoid().joint(skel::HumanBone::kRightEye);
  for (size_t k = 1; k + 1 < clip.size(); ++k) {
    auto& turns = *clip[k].mutable_animation_data()->mutable_skel_animation()->mutable_rotations(0);
    *turns.mutable_values(right) = turns.values(left);
  }
  const ReadClip again = kVrma.Read(kVrma.Write(clip)), before{clip, {}};
  ASSERT_TRUE(again.end.ok()) << again.end;
  const auto places = skel::PoseMapper::ToRig(again.joints(), *vrm);
  int eyes = 0;
  for (int i = 0; i < places.source_size(); ++i) {
    const int j = places.TargetOf(i);
    if (j != left && j != right) continue;
    ++eyes;
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_LT(skel::AngleBetween(again.turn(k, i), before.turn(k, left)), 1e-5f);
    }
  }
  EXPECT_EQ(eyes, 2);
}

TEST(VrmaWriter, HasWhatTheExtensionAsksFor) {
  const auto json = JsonOf(kVrma.Write(RandomClip(*RigOf("hanim_loa3"), 5, 30, 1, ArkitShapes())));
  ASSERT_TRUE(json["extensionsUsed"].IsArray());
  EXPECT_STREQ(json["extensionsUsed"][0].GetString(), "VRMC_vrm_animation");
  EXPECT_FALSE(json.HasMember("meshes"));
  const auto& vrm = json["extensions"]["VRMC_vrm_animation"];
  EXPECT_STREQ(vrm["specVersion"].GetString(), "1.0");
  const auto& bones = vrm["humanoid"]["humanBones"];
  // Those that VRM 1 requires, and none that the extension excludes.
  for (const char* bone :
       {"hips", "spine", "head", "leftUpperLeg", "leftLowerLeg", "leftFoot", "rightUpperLeg",
        "rightLowerLeg", "rightFoot", "leftUpperArm", "leftLowerArm", "leftHand", "rightUpperArm",
        "rightLowerArm", "rightHand", "leftThumbMetacarpal"}) {
    EXPECT_TRUE(bones.HasMember(bone)) << bone;
  }
  EXPECT_FALSE(bones.HasMember("leftEye"));
  const auto& expressions = vrm["expressions"];
  EXPECT_TRUE(expressions["custom"].HasMember("JawOpen"));
  EXPECT_TRUE(expressions["preset"].HasMember("aa"));
  EXPECT_TRUE(expressions["preset"].HasMember("blinkLeft"));
  for (const char* gaze : {"lookUp", "lookDown", "lookLeft", "lookRight"}) {
    EXPECT_FALSE(expressions["preset"].HasMember(gaze)) << gaze;
  }
  // Only hips are moved, nothing is scaled, and a node has a path once.
  std::set<std::pair<int, std::string>> targets;
  std::set<int> bone_nodes;
  for (const auto& bone : bones.GetObject()) bone_nodes.insert(bone.value["node"].GetInt());
  for (const auto& channel : json["animations"][0]["channels"].GetArray()) {
    const int node = channel["target"]["node"].GetInt();
    const std::string path = channel["target"]["path"].GetString();
    EXPECT_TRUE(targets.emplace(node, path).second);
    EXPECT_NE(path, "scale");
    if (path == "translation" && bone_nodes.contains(node)) {
      EXPECT_EQ(node, bones["hips"]["node"].GetInt());
    }
    if (node == vrm["lookAt"]["node"].GetInt()) {
      EXPECT_EQ(path, "rotation");
    }
  }
}

TEST(VrmaWriter, GazeOfShapesTurnsLookAtToTheSameSide) {
  const auto vrm = RigOf("vrm");
  Messages clip = RandomClip(*vrm, 1, 30, 1, {"eyeLookOutLeft", "eyeLookInRight"});
  auto& frame = *clip[1].mutable_animation_data()->mutable_skel_animation();
  frame.clear_rotations();
  frame.clear_translations();
  for (int i : {0, 1}) frame.mutable_blend_shape_weights(0)->set_values(i, 1);
  clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->clear_joints();
  const std::string glb = kVrma.Write(clip);
  const auto json = JsonOf(glb);
  const int node = json["extensions"]["VRMC_vrm_animation"]["lookAt"]["node"].GetInt();
  for (const auto& channel : json["animations"][0]["channels"].GetArray()) {
    if (channel["target"]["node"].GetInt() != node) continue;
    const auto& sampler = json["animations"][0]["samplers"][channel["sampler"].GetUint()];
    const auto& accessor = json["accessors"][sampler["output"].GetUint()];
    const auto& view = json["bufferViews"][accessor["bufferView"].GetUint()];
    float q[4];
    uint32_t size = 0;
    std::memcpy(&size, glb.data() + 12, 4);
    std::memcpy(q, glb.data() + 20 + size + 8 + view["byteOffset"].GetUint(), sizeof(q));
    // To the left is about Y, 35 degrees.
    EXPECT_NEAR(q[1], std::sin(35 * skel::kDeg / 2), 1e-5);
    return;
  }
  FAIL() << "nothing moves lookAt";
}

TEST(VrmaWriter, OwnShapesAndAFewOfArkitsComeBackAlone) {
  Messages clip = RandomClip(*RigOf("vrm"), 4, 30, 8, {"jawOpen", "sparkle", "TongueOut"});
  const ReadClip again = kVrma.Read(kVrma.Write(clip)), before{clip, {}};
  ASSERT_TRUE(again.end.ok()) << again.end;
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(WeightOf(again, k, "jawOpen"), before.weights(k).values(0), 1e-6);
    EXPECT_NEAR(WeightOf(again, k, "sparkle"), before.weights(k).values(1), 1e-6);
    for (const char* other : {"mouthFunnel", "mouthClose", "eyeBlinkLeft", "mouthSmileLeft"}) {
      EXPECT_EQ(WeightOf(again, k, other), 0) << other;
    }
  }
}

TEST(VrmaWriter, AFaceWithoutJointsStandsInTheTPose) {
  Messages clip = RandomClip(*RigOf("vrm"), 2, 30, 4, {"jawOpen"});
  clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->clear_joints();
  for (size_t k : {1, 2}) {
    auto& frame = *clip[k].mutable_animation_data()->mutable_skel_animation();
    frame.clear_rotations();
    frame.clear_translations();
  }
  const ReadClip again = kVrma.Read(kVrma.Write(clip));
  ASSERT_TRUE(again.end.ok()) << again.end;
  EXPECT_NEAR(WeightOf(again, 1, "jawOpen"), ReadClip({clip, {}}).weights(1).values(0), 1e-6);
  EXPECT_TRUE(again.joints().empty());
}

TEST(VrmaWriter, SaysWhatCannotBeWritten) {
  Messages clip = RandomClip(*RigOf("vrm"), 2, 30, 4, {});
  auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (int j = 0; j < names.joints_size(); ++j) names.set_joints(j, absl::StrCat("Bone_", j));
  EXPECT_THAT(kVrma.Write(clip), HasSubstr("animclip retarget IN OUT --to vrm"));
  EXPECT_THAT(kVrma.Write({clip[0], clip.back()}), HasSubstr("neither poses nor weights"));
}

}  // namespace
}  // namespace posewire::clipio
