#include "libs/retarget/retarget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/retarget/mixamo_rest.h"
#include "libs/skel/body.h"
#include "libs/skel/local_to_model_job.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"
#include "tests/unit/clipio/temp_file.h"

namespace posewire::clipio {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Message = nvidia_ace::animation_data::v1::AnimationDataStream;

constexpr float kHalf = 0.70710678f;

const skel::RigCatalog& Rigs() {
  static const auto& kRigs = *new skel::RigCatalog(*skel::RigCatalog::Builtin());
  return kRigs;
}

std::shared_ptr<const skel::Rig> Ours() { return *Rigs().Find("hanim_loa3"); }

struct BvhBone {
  const char* path;
  skel::Vec3 at;  // in its parent
};
// Somebody in a T whose bones all have the axes of the model, as in BVH.
constexpr BvhBone kBones[] = {{"Hips", {0, .9f, 0}},
                              {"Hips/Spine", {0, .1f, 0}},
                              {"Hips/Spine/Head", {0, .5f, 0}},
                              {"Hips/Spine/LeftArm", {.17f, .35f, 0}},
                              {"Hips/Spine/LeftArm/LeftForeArm", {.27f, 0, 0}},
                              {"Hips/Spine/LeftArm/LeftForeArm/LeftHand", {.25f, 0, 0}},
                              {"Hips/Spine/RightArm", {-.17f, .35f, 0}},
                              {"Hips/Spine/RightArm/RightForeArm", {-.27f, 0, 0}},
                              {"Hips/Spine/RightArm/RightForeArm/RightHand", {-.25f, 0, 0}},
                              {"Hips/LeftUpLeg", {.09f, 0, 0}},
                              {"Hips/LeftUpLeg/LeftLeg", {0, -.42f, 0}},
                              {"Hips/LeftUpLeg/LeftLeg/LeftFoot", {0, -.4f, 0}},
                              {"Hips/RightUpLeg", {-.09f, 0, 0}},
                              {"Hips/RightUpLeg/RightLeg", {0, -.42f, 0}},
                              {"Hips/RightUpLeg/RightLeg/RightFoot", {0, -.4f, 0}}};

std::shared_ptr<const skel::Rig> Skeleton() {
  skel::RigParts parts;
  for (const BvhBone& bone : kBones) {
    parts.joint_paths.emplace_back(bone.path);
    parts.rest_translations.push_back(bone.at);
  }
  return skel::RestRig(std::move(parts));
}

// A header, poses in which the left forearm is turned about Y by so much, and SUCCESS.
Messages ForearmClip(const std::vector<float>& turns_rad) {
  Messages out(1);
  auto& header = *out[0].mutable_animation_data_stream_header();
  header.mutable_animation_ids()->set_request_id("r");
  header.mutable_audio_header()->set_channel_count(1);
  header.mutable_audio_header()->set_samples_per_second(16000);
  header.mutable_audio_header()->set_bits_per_sample(16);
  for (const BvhBone& bone : kBones) {
    header.mutable_skel_animation_header()->add_joints(bone.path);
  }
  header.mutable_skel_animation_header()->add_blend_shapes("JawOpen");
  header.mutable_skel_animation_header()->add_blend_shapes("wings");
  for (size_t i = 0; i < turns_rad.size(); ++i) {
    auto& data = *out.emplace_back().mutable_animation_data();
    data.mutable_audio()->set_audio_buffer("ab");
    auto& frame = *data.mutable_skel_animation();
    auto& weights = *frame.add_blend_shape_weights();
    auto& places = *frame.add_translations();
    auto& turns = *frame.add_rotations();
    const double time_code_s = static_cast<double>(i) / 30;
    weights.set_time_code(time_code_s), places.set_time_code(time_code_s),
        turns.set_time_code(time_code_s);
    weights.add_values(0.25f);
    weights.add_values(1);
    for (size_t j = 0; j < std::size(kBones); ++j) {
      auto& at = *places.add_values();
      at.set_x(kBones[j].at.x), at.set_y(kBones[j].at.y), at.set_z(kBones[j].at.z);
      auto& turn = *turns.add_values();
      const float half = j == 4 ? turns_rad[i] / 2 : 0;
      turn.set_real(std::cos(half)), turn.set_j(std::sin(half));
    }
  }
  out.emplace_back().mutable_status()->set_message("done");
  return out;
}

class Given : public recording::ClipReader {
 public:
  Given(Messages messages, std::shared_ptr<const skel::Rig> skeleton, bool nodes = false)
      : messages_(std::move(messages)), skeleton_(std::move(skeleton)), nodes_(nodes) {}
  const std::string& name() const override { return name_; }
  std::string place_of_last() const override { return absl::StrCat(next_); }
  int64_t size() const override { return 0; }
  std::shared_ptr<const skel::Rig> skeleton() const override { return skeleton_; }
  bool moves_nodes() const override { return nodes_; }

 private:
  absl::StatusOr<wire::MessageBytes> DoNextBytes() override {
    if (next_ == messages_.size()) return nullptr;
    return std::make_shared<const std::string>(messages_[next_++].SerializeAsString());
  }

  const std::string name_ = "given";
  Messages messages_;
  std::shared_ptr<const skel::Rig> skeleton_;
  bool nodes_;
  size_t next_ = 0;
};

Messages Retargeted(std::unique_ptr<recording::ClipReader> clip,
                    std::shared_ptr<const skel::Rig> rest = nullptr) {
  return Good(
      ReadAll(retarget::Retarget(std::move(clip), Ours(), Rigs(), {.rest = std::move(rest)})));
}

// Where a joint of our rig stands in a message.
skel::Vec3 PlaceOf(const Messages& clip, size_t message, const std::string& joint) {
  const auto& names = clip[0].animation_data_stream_header().skel_animation_header();
  const auto& frame = clip[message].animation_data().skel_animation();
  const auto rig = Ours();
  skel::Pose pose(rig->joints(), rig->shapes());
  pose.span().CopyFrom(rig->rest());
  for (int i = 0; i < names.joints_size(); ++i) {
    const int j = rig->FindJoint(names.joints(i));
    const auto& q = frame.rotations(0).values(i);
    const auto& t = frame.translations(0).values(i);
    pose.span().SetRotation(j, {q.real(), q.i(), q.j(), q.k()});
    pose.span().SetTranslation(j, {t.x(), t.y(), t.z()});
  }
  std::vector<skel::Vec3> places(static_cast<size_t>(rig->joints()));
  skel::LocalToModelJob walk;
  walk.rig = rig.get();
  walk.local = pose.view();
  walk.positions = absl::MakeSpan(places);
  EXPECT_TRUE(walk.Run());
  return places[static_cast<size_t>(rig->FindJoint(joint))];
}

TEST(Retarget, APersonInATStandsSoOnOurRig) {
  const Messages clip =
      Retargeted(std::make_unique<Given>(ForearmClip({0, -3.14159265f / 2}), Skeleton()));
  ASSERT_EQ(clip.size(), 4u);
  const skel::Vec3 shoulder = PlaceOf(clip, 1, "l_shoulder"), wrist = PlaceOf(clip, 1, "l_wrist");
  EXPECT_NEAR(wrist.y, shoulder.y, 0.01f) << "the arms of our rig hang at rest";
  EXPECT_GT(wrist.x, shoulder.x + 0.4f);
  EXPECT_NEAR(PlaceOf(clip, 1, "l_talocrural").y, PlaceOf(clip, 1, "r_talocrural").y, 0.01f);
  // The forearm points to the front.
  const skel::Vec3 elbow = PlaceOf(clip, 2, "l_elbow"), there = PlaceOf(clip, 2, "l_wrist");
  EXPECT_NEAR(there.x, elbow.x, 0.01f);
  EXPECT_GT(there.z, elbow.z + 0.2f);
}

// On legs of other proportions, too.
TEST(Retarget, WhoCrouchesStandsOnTheGround) {
  Messages clip = ForearmClip({0, 0});
  auto& frame = *clip[2].mutable_animation_data()->mutable_skel_animation();
  const float thigh = 1.047f, shank = 0.349f;  // 60 degrees ahead, and 20 back
  const auto bend = [&](int joint, float by) {
    auto& turn = *frame.mutable_rotations(0)->mutable_values(joint);
    turn.set_real(std::cos(by / 2)), turn.set_i(std::sin(by / 2));
  };
  for (const int leg : {9, 12}) {
    bend(leg, -thigh), bend(leg + 1, thigh + shank), bend(leg + 2, -shank);
  }
  auto& hips = *frame.mutable_translations(0)->mutable_values(0);
  hips.set_y(hips.y() - .42f * (1 - std::cos(thigh)) - .4f * (1 - std::cos(shank)));
  const Messages out = Retargeted(std::make_unique<Given>(clip, Skeleton()));
  for (const char* ankle : {"l_talocrural", "r_talocrural"}) {
    EXPECT_NEAR(PlaceOf(out, 2, ankle).y, PlaceOf(out, 1, ankle).y, 0.001f) << ankle;
  }
}

TEST(Retarget, AllElsePassesUntouched) {
  const Messages clip = Retargeted(std::make_unique<Given>(ForearmClip({0.1f}), Skeleton()));
  const auto& header = clip[0].animation_data_stream_header();
  EXPECT_EQ(header.animation_ids().request_id(), "r");
  EXPECT_THAT(header.skel_animation_header().blend_shapes(), ::testing::ElementsAre("jawOpen"));
  EXPECT_THAT(clip[1].animation_data().skel_animation().blend_shape_weights(0).values(),
              ::testing::ElementsAre(0.25f));
  EXPECT_EQ(clip[1].animation_data().audio().audio_buffer(), "ab");
  EXPECT_EQ(clip[2].status().message(), "done");
}

TEST(Retarget, AClipWithoutASkeletonKeepsItsVeryBytes) {
  const Messages clip = ForearmClip({0, 0.2f});
  const auto read = retarget::Retarget(std::make_unique<Given>(clip, nullptr), Ours(), Rigs());
  for (const Message& message : clip) {
    const auto bytes = read->NextBytes();
    ASSERT_TRUE(bytes.ok() && *bytes);
    EXPECT_EQ(**bytes, message.SerializeAsString());
  }
}

// Names that nobody knows, on the skeleton and in the stream.
TEST(Retarget, AMapSaysWhichJointsAreWhichBones) {
  skel::RigParts parts;
  Messages clip = ForearmClip({0, -3.14159265f / 2});
  auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (size_t i = 0; i < std::size(kBones); ++i) {
    std::string path = kBones[i].path;
    for (const auto& [from, to] : {std::pair<const char*, const char*>{"Hips", "p q"},
                                   {"Left", "x"},
                                   {"Right", "y"},
                                   {"Fore", "b"}}) {
      path = absl::StrReplaceAll(path, {{from, to}});
    }
    parts.joint_paths.push_back(path);
    parts.rest_translations.push_back(kBones[i].at);
    names.set_joints(static_cast<int>(i), path);
  }
  const auto skeleton = skel::RestRig(std::move(parts));
  const auto map = retarget::JointMap::Parse(
      "p q = Hips\nxArm = l_shoulder # a joint of the rig\nxbArm=LeftLowerArm\nxHand = "
      "leftHand\n\n# both legs\nxUpLeg = l_hip\nxLeg = l_knee\nxFoot = l_talocrural\nyUpLeg = "
      "r_hip\nyLeg = r_knee\nyFoot = r_talocrural\n",
      "my.map");
  ASSERT_TRUE(map.ok()) << map.status();
  const auto read = retarget::Retarget(std::make_unique<Given>(clip, skeleton), Ours(), Rigs(),
                                       {.map = std::make_shared<const retarget::JointMap>(*map)});
  const auto [out, end] = ReadAll(*read);
  ASSERT_TRUE(end.ok()) << end;
  EXPECT_GT(PlaceOf(out, 1, "l_wrist").x, 0.5f);
  EXPECT_GT(PlaceOf(out, 2, "l_wrist").z, 0.2f);
  EXPECT_THAT(names.joints(), Contains("p q/Spine/xArm"));
  EXPECT_THAT(out[0].animation_data_stream_header().skel_animation_header().joints(),
              ::testing::Not(Contains(HasSubstr("r_elbow"))))
      << "no line, and no name that is known";
}

TEST(JointMap, TellsAllFaultsAtOnceAndWhatMayHaveBeenMeant) {
  EXPECT_EQ(
      std::string(
          retarget::JointMap::Parse("Hips\n\n= Spine\nHead = -\n", "a.map").status().message()),
      "a.map:1: write JOINT = BONE, or JOINT = - for none\n"
      "a.map:3: write JOINT = BONE, or JOINT = - for none");
  EXPECT_THAT(std::string(retarget::JointMap::Parse("# nothing\n", "a.map").status().message()),
              HasSubstr("a.map: has no line"));
  const auto map = retarget::JointMap::Parse(
      "Hipz = Hips\nHead = Heed\nSpine = vc7\nLeftHand = LeftHand\nLeftFoot = lefthand\n", "b.map");
  ASSERT_TRUE(map.ok()) << map.status();
  const std::string said(map->NameBones(*Skeleton(), *Ours()).status().message());
  EXPECT_THAT(said, HasSubstr("b.map:1: the clip's skeleton has no joint \"Hipz\"; did you mean "
                              "Hips?"));
  EXPECT_THAT(said, HasSubstr("b.map:2: \"Heed\" is no bone of a human and no joint of rig "
                              "hanim_loa3; did you mean Head"));
  EXPECT_THAT(said, HasSubstr("b.map:5: LeftHand is given in line 4 too"));
}

TEST(JointMap, IsBounded) {
  std::string many;
  for (int i = 0; i < 3000; ++i) absl::StrAppend(&many, "j", i, " = -\n");
  EXPECT_THAT(std::string(retarget::JointMap::Parse(many, "m").status().message()),
              HasSubstr("m:1025: more than 1024 joints"));
  const std::string wide = absl::StrCat(std::string(300, 'x'), " = Hips\n");
  EXPECT_THAT(std::string(retarget::JointMap::Parse(wide, "m").status().message()),
              HasSubstr("256 bytes"));
  std::string wrong;
  for (int i = 0; i < 50; ++i) wrong += "x\n";
  EXPECT_THAT(std::string(retarget::JointMap::Parse(wrong, "m").status().message()),
              HasSubstr("\nand 30 more"));
}

// What we write ourselves names a built-in rig's joints, at their places.
TEST(Retarget, ASkeletonOfOursIsNotForeign) {
  for (const std::string& name :
       {std::string("hanim_loa3"), std::string("ace_biped"), std::string("vrm")}) {
    const auto rig = *Rigs().Find(name);
    skel::RigParts parts;
    for (int j = 0; j < rig->joints(); ++j) {
      parts.joint_paths.push_back(rig->joint_paths()[static_cast<size_t>(j)]);
      parts.rest_translations.push_back(rig->rest().translation(j) * 1.0001f);
    }
    EXPECT_FALSE(retarget::IsForeign(skel::RestRig(std::move(parts)).get(), Rigs())) << name;
  }
  EXPECT_TRUE(retarget::IsForeign(Skeleton().get(), Rigs()));
  EXPECT_FALSE(retarget::IsForeign(nullptr, Rigs()));
}

// Joints of H-Anim turn alike on all its humanoids, whose limbs need not hang the very same way.
TEST(Retarget, HAnimsJointsTurnByTheirNames) {
  const auto rig = Ours();
  skel::RigParts parts;
  for (int j = 0; j < rig->joints(); ++j) {
    parts.joint_paths.push_back(rig->joint_paths()[static_cast<size_t>(j)]);
    const skel::Vec3 t = rig->rest().translation(j) * 1.1f;
    parts.rest_translations.push_back(skel::Rotate(skel::FromAxisAngle({0, 0, 1}, 0.1f), t));
  }
  const auto skeleton = skel::RestRig(parts);
  ASSERT_TRUE(retarget::IsForeign(skeleton.get(), Rigs()));
  Messages clip(2);
  auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  auto& turns = *clip[1].mutable_animation_data()->mutable_skel_animation()->add_rotations();
  const int elbow = rig->FindJoint("l_elbow");
  for (int j = 0; j < rig->joints(); ++j) {
    names.add_joints(parts.joint_paths[static_cast<size_t>(j)]);
    auto& q = *turns.add_values();
    q.set_real(j == elbow ? 0.8f : 1), q.set_i(j == elbow ? -0.6f : 0);
  }
  const auto read = retarget::Retarget(std::make_unique<Given>(clip, skeleton), rig, Rigs());
  const auto [out, end] = ReadAll(*read);
  ASSERT_TRUE(end.ok()) << end;
  const auto& joints = out[0].animation_data_stream_header().skel_animation_header().joints();
  const auto at = std::find_if(joints.begin(), joints.end(),
                               [](const std::string& path) { return path.ends_with("/l_elbow"); });
  ASSERT_NE(at, joints.end());
  const auto& turn = out[1].animation_data().skel_animation().rotations(0).values(
      static_cast<int>(at - joints.begin()));
  EXPECT_NEAR(turn.i(), -0.6f, 1e-6f);
  EXPECT_NEAR(turn.j(), 0, 1e-6f);
  EXPECT_NEAR(turn.k(), 0, 1e-6f);
}

TEST(Retarget, ThingsAreNotMadeHuman) {
  skel::RigParts parts;
  parts.joint_paths = {"base", "base/lid"};
  parts.rest_translations.resize(2);
  EXPECT_FALSE(retarget::IsForeign(skel::RestRig(std::move(parts)).get(), Rigs()));
}

TEST(Retarget, TheRestMayComeFromAnotherFile) {
  const Messages clip = Retargeted(std::make_unique<Given>(ForearmClip({0}), nullptr), Skeleton());
  EXPECT_THAT(clip[0].animation_data_stream_header().skel_animation_header().joints(),
              Contains(HasSubstr("l_shoulder")));
  EXPECT_GT(PlaceOf(clip, 1, "l_wrist").x, 0.5f);
  skel::RigParts other;
  other.joint_paths = {"wheel"};
  other.rest_translations.resize(1);
  const auto read = retarget::Retarget(std::make_unique<Given>(ForearmClip({0}), nullptr), Ours(),
                                       Rigs(), {.rest = skel::RestRig(std::move(other))});
  EXPECT_THAT(std::string(read->Next().status().message()),
              HasSubstr("none of the clip's joints, such as \"Hips\""));
}

// Of nodes whose file has no rest: by the convention of their names, or not at all.
TEST(Retarget, NodesWithoutARestAreThoseOfMixamoOrRejected) {
  Messages named = ForearmClip({0});
  auto& joints = *named[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  const Messages clip = Retargeted(std::make_unique<Given>(named, nullptr, /*nodes=*/true));
  EXPECT_THAT(clip[0].animation_data_stream_header().skel_animation_header().joints(),
              Contains(HasSubstr("l_shoulder")));
  EXPECT_EQ(clip.size(), named.size()) << "the pose that was looked at comes all the same";
  for (std::string& joint : *joints.mutable_joints()) {
    const size_t arm = joint.find("Arm");
    if (arm != std::string::npos) joint.insert(arm, "Upper");
  }
  const auto read =
      retarget::Retarget(std::make_unique<Given>(named, nullptr, true), Ours(), Rigs());
  EXPECT_THAT(std::string(read->Next().status().message()), HasSubstr("--rest"));
}

TEST(MixamoRest, StandsInATWithItsSolesOnTheGround) {
  std::vector<std::string> joints;
  std::vector<float> places;
  for (const BvhBone& bone : kBones) {
    joints.emplace_back(bone.path);
    // A bone's own +Y runs along it, which is up in the trunk.
    const bool trunk = joints.size() < 4;
    const float length = skel::Length(bone.at);
    const bool hangs = absl::string_view(bone.path).find("Leg/") != absl::string_view::npos ||
                       absl::string_view(bone.path).find("Arm/") != absl::string_view::npos;
    const skel::Vec3 at = trunk || !hangs ? bone.at : skel::Vec3{0, length, 0};
    places.insert(places.end(), {at.x, at.y, at.z});
  }
  const auto rig = retarget::MixamoRest(joints, places);
  ASSERT_NE(rig, nullptr);
  std::vector<skel::Vec3> at(joints.size());
  skel::LocalToModelJob walk;
  walk.rig = rig.get();
  walk.local = rig->rest();
  walk.positions = absl::MakeSpan(at);
  ASSERT_TRUE(walk.Run());
  EXPECT_NEAR(at[5].y, at[3].y, 1e-5f) << "left hand and shoulder";
  EXPECT_NEAR(at[5].x, .17f + .27f + .25f, 1e-5f);
  EXPECT_NEAR(at[8].x, -at[5].x, 1e-5f);
  EXPECT_NEAR(at[11].y, 0, 1e-5f) << "left foot";
  EXPECT_NEAR(at[0].y, .82f, 1e-5f);
  joints[4] = "Hips/Spine/LeftArm/LeftElbow";
  EXPECT_EQ(retarget::MixamoRest(joints, places), nullptr);
}

TEST(ReadSkeleton, SaysWhatAFileLacks) {
  const TempFile clip(".jsonl", "{\"animationDataStreamHeader\":{}}\n");
  EXPECT_THAT(std::string(ReadSkeleton(clip.path()).status().message()),
              HasSubstr("holds no skeleton at rest"));
  const TempFile bvh(".bvh",
                     "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 1 Yrotation\nJOINT Head\n"
                     "{\nOFFSET 0 60 0\nCHANNELS 1 Yrotation\n}\n}\nMOTION\nFrames: 1\n"
                     "Frame Time: 0.1\n0 0\n");
  const auto rig = ReadSkeleton(bvh.path());
  ASSERT_TRUE(rig.ok()) << rig.status();
  EXPECT_EQ((*rig)->joints(), 2);
  EXPECT_EQ((*rig)->stance(), skel::Stance::kAsItStands);
}

}  // namespace
}  // namespace posewire::clipio
