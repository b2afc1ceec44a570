#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/load_clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/formats/x3d/x3d.h"
#include "libs/recording/clip_reader.h"
#include "libs/skel/math.h"
#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using skel::Quat;
using skel::Vec3;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr MemoryFile kX3dv{"take.x3dv"}, kX3d{"take.x3d"};

const ace::SkelAnimation& Frame(const Messages& all, size_t i) {
  return all[i + 1].animation_data().skel_animation();
}
Quat TurnAt(const ace::SkelAnimation& frame, int joint) {
  const auto& q = frame.rotations(0).values(joint);
  return {q.real(), q.i(), q.j(), q.k()};
}
Vec3 PlaceAt(const ace::SkelAnimation& frame, int joint) {
  const auto& t = frame.translations(0).values(joint);
  return {t.x(), t.y(), t.z()};
}
std::vector<std::string> Joints(const Messages& all) {
  const auto& names = all[0].animation_data_stream_header().skel_animation_header().joints();
  return {names.begin(), names.end()};
}

// Where joints are in the model, by their last names.
std::map<std::string, Vec3> Model(const Messages& all, size_t i) {
  std::map<std::string, std::pair<Vec3, Quat>> by_path;
  std::map<std::string, Vec3> out;
  const std::vector<std::string> joints = Joints(all);
  for (size_t j = 0; j < joints.size(); ++j) {
    const size_t slash = joints[j].rfind('/');
    const auto above =
        slash == std::string::npos ? std::pair<Vec3, Quat>() : by_path[joints[j].substr(0, slash)];
    const Vec3 at =
        above.first + skel::Rotate(above.second, PlaceAt(Frame(all, i), static_cast<int>(j)));
    by_path[joints[j]] = {at, skel::Mul(above.second, TurnAt(Frame(all, i), static_cast<int>(j)))};
    out[joints[j].substr(slash == std::string::npos ? 0 : slash + 1)] = at;
  }
  return out;
}

float Apart(Quat a, Quat b) { return 1 - std::fabs(skel::Dot(a, b)); }

// All joints of a rig turned at random, the root wandering, and two shapes, at 24 frames a second.
Messages Dance(const skel::Rig& rig) {
  std::mt19937 random(3);
  std::normal_distribution<float> any;
  Messages out(1);
  auto& names = *out[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (const std::string& joint : rig.joint_paths()) names.add_joints(joint);
  names.add_blend_shapes("jawOpen"), names.add_blend_shapes("tongue out \"wide\"");
  for (int k = 0; k < 50; ++k) {
    auto& frame = *out.emplace_back().mutable_animation_data()->mutable_skel_animation();
    auto& turns = *frame.add_rotations();
    auto& places = *frame.add_translations();
    auto& weights = *frame.add_blend_shape_weights();
    for (auto* key : {&turns}) key->set_time_code(k / 24.0);
    places.set_time_code(k / 24.0), weights.set_time_code(k / 24.0);
    for (int j = 0; j < rig.joints(); ++j) {
      const Quat turn = skel::Normalized(Quat{3, any(random), any(random), any(random)});
      const Quat q = skel::Mul(rig.rest().rotation(j), turn);
      auto& to = *turns.add_values();
      to.set_real(q.w), to.set_i(q.x), to.set_j(q.y), to.set_k(q.z);
      const Vec3 t = rig.rest().translation(j) +
                     (j == 0 ? Vec3{0.1f * any(random), 0, 0.02f * static_cast<float>(k)} : Vec3{});
      auto& place = *places.add_values();
      place.set_x(t.x), place.set_y(t.y), place.set_z(t.z);
    }
    weights.add_values(any(random)), weights.add_values(0.25f);
  }
  out.emplace_back().mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
  return out;
}

TEST(X3dClip, HAnimComesBackWithItsVeryTimes) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  const Messages made = Dance(*rig);
  for (const char* name : {"take.x3d", "take.x3dv"}) {
    const Messages back = MemoryFile{name}.Good(MemoryFile{name}.Write(made));
    ASSERT_EQ(back.size(), made.size()) << name;
    EXPECT_EQ(Joints(back), Joints(made));
    const auto& names = back[0].animation_data_stream_header().skel_animation_header();
    EXPECT_THAT(names.blend_shapes(), ElementsAre("jawOpen", "tongue out \"wide\""));
    for (size_t k = 0; k < 50; ++k) {
      const auto &is = Frame(back, k), &was = Frame(made, k);
      EXPECT_EQ(is.rotations(0).time_code(), was.rotations(0).time_code());
      EXPECT_EQ(is.blend_shape_weights(0).values(0), was.blend_shape_weights(0).values(0));
      EXPECT_EQ(is.blend_shape_weights(0).values(1), 0.25f);
      for (int j = 0; j < rig->joints(); ++j) {
        ASSERT_LT(Apart(TurnAt(is, j), TurnAt(was, j)), 1e-6f) << j << " at " << k;
        ASSERT_LT(skel::Length(PlaceAt(is, j) - PlaceAt(was, j)), 1e-6f) << j << " at " << k;
      }
    }
  }
}

// ACE's joints are turned at rest, which H-Anim's are not: they stand where they stood.
TEST(X3dClip, JointsOfOtherRigsStandWhereTheyStood) {
  for (const char* name : {"ace_biped", "vrm", "hanim_loa4"}) {
    const auto rig = *skel::RigCatalog::Builtin()->Find(name);
    const Messages made = Dance(*rig), back = kX3d.Good(kX3d.Write(made));
    ASSERT_EQ(back.size(), made.size()) << name;
    for (const size_t k : {size_t{0}, size_t{13}, size_t{49}}) {
      const auto was = Model(made, k), is = Model(back, k);
      ASSERT_EQ(was.size(), is.size());
      for (const auto& [joint, at] : was) {
        ASSERT_EQ(is.count(joint), 1u) << joint;
        EXPECT_LT(skel::Length(is.at(joint) - at), 2e-5f) << name << " " << joint;
      }
    }
  }
}

TEST(X3dClip, IsWrittenAsTheStandardNamesIt) {
  Messages made(1);
  auto& names = *made[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa1");
  for (const std::string& joint : rig->joint_paths()) names.add_joints(joint);
  names.add_joints("HumanoidRoot/tail");
  auto& frame = *made.emplace_back().mutable_animation_data()->mutable_skel_animation();
  auto& places = *frame.add_translations();
  for (int j = 0; j <= rig->joints(); ++j) {
    const Vec3 t = j < rig->joints() ? rig->rest().translation(j) : Vec3{0, 0, -0.1f};
    auto& place = *places.add_values();
    place.set_x(t.x), place.set_y(t.y), place.set_z(t.z);
  }
  const std::string text = kX3d.Write(made);
  EXPECT_THAT(text, HasSubstr("name='l_talocrural'"));
  EXPECT_THAT(text, HasSubstr("<HAnimSegment name='l_talus' mass='"));
  EXPECT_THAT(text, HasSubstr("' centerOfMass='"));
  EXPECT_THAT(text, HasSubstr("' momentsOfInertia='"));
  EXPECT_THAT(text, HasSubstr("name='x_tail'"));
  EXPECT_THAT(text, HasSubstr("loa='1'"));
  EXPECT_THAT(text, HasSubstr("version='2.0'"));
}

constexpr char kKick[] = R"(#X3D V4.0 utf8
PROFILE Immersive
DEF Body HAnimHumanoid {
  name "Ann"
  skeleton HAnimJoint {
    name "humanoid_root" center 0 0.9 0
    children [
      DEF Hip HAnimJoint { name "hanim_l_hip" center 0.1 0.9 0 rotation 0 1 0 0.5
        children DEF Ankle HAnimJoint { name "l_talocrural" center 0.1 0.1 0 } }
      HAnimSegment { name "sacrum" displacers DEF Smile HAnimDisplacer { name "smile" weight 0.5 } }
    ]
  }
}
DEF Clock TimeSensor { cycleInterval 2 }
DEF Other TimeSensor { cycleInterval 4 }
DEF Swing OrientationInterpolator { key [0 0.25 1] keyValue [1 0 0 0, 1 0 0 -1, 0 0 0 3] }
DEF Way PositionInterpolator { key [0, 0.5, 0.5, 1] keyValue [0 0 0, 0 1 0, 0 5 0, 0 6 0] }
DEF Grin ScalarInterpolator { key [0 1] keyValue [0 1] }
ROUTE Clock.fraction_changed TO Swing.set_fraction
ROUTE Swing.value_changed TO Ankle.set_rotation
ROUTE Other.fraction_changed TO Way.set_fraction
ROUTE Way.value_changed TO Body.translation
ROUTE Clock.fraction_changed TO Grin.set_fraction
ROUTE Grin.value_changed TO Smile.weight
)";

std::string WarningOf(const MemoryFile& file, const std::string& bytes) {
  const auto reader = OpenClip(std::make_unique<files::MemorySource>(file.name, bytes), {});
  return reader.ok() ? absl::StrJoin((*reader)->warnings(), "; ")
                     : std::string(reader.status().message());
}

TEST(X3dClip, JointsWithoutCentersRestWhereTheyArePlaced) {
  const std::string text =
      absl::StrReplaceAll(kKick, {{"center 0 0.9 0", "translation 0 0.9 0"},
                                  {"center 0.1 0.9 0 rotation 0 1 0 0.5", "translation 0.1 0 0"},
                                  {"center 0.1 0.1 0", "translation 0 -0.8 0"}});
  EXPECT_THAT(WarningOf(kX3dv, text), HasSubstr("2 joints have a translation and no center"));
  EXPECT_EQ(WarningOf(kX3dv, kKick), "");
  const auto reader = OpenClip(std::make_unique<files::MemorySource>("take.x3dv", text), {});
  ASSERT_TRUE(reader.ok());
  const Messages all = Good(ReadAll(**reader));
  const auto rest = (*reader)->skeleton();
  ASSERT_NE(rest, nullptr);
  const Vec3 ankle =
      skel::PlaceOf(*rest, rest->rest(), 2).at - skel::PlaceOf(*rest, rest->rest(), 0).at;
  EXPECT_LT(skel::Length(ankle - Vec3{0.1f, -0.8f, 0}), 1e-6f);
  // The poses are those of the file with centers, which turns no joint above the ankle.
  const Messages centers = kX3dv.Good(absl::StrReplaceAll(kKick, {{"rotation 0 1 0 0.5", ""}}));
  ASSERT_EQ(all.size(), centers.size());
  for (size_t k = 0; k < 3; ++k) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_LT(Apart(TurnAt(Frame(all, k), j), TurnAt(Frame(centers, k), j)), 1e-6f);
      EXPECT_LT(skel::Length(PlaceAt(Frame(all, k), j) - PlaceAt(Frame(centers, k), j)), 1e-6f);
    }
  }
}

TEST(X3dClip, SaysWhatItAssumedOfNamesAndFields) {
  const std::string nameless = absl::StrReplaceAll(kKick, {{"name \"hanim_l_hip\"", ""}});
  EXPECT_THAT(WarningOf(kX3dv, nameless), HasSubstr("1 joint has no name"));
  EXPECT_THAT(Joints(kX3dv.Good(nameless)),
              ElementsAre("HumanoidRoot", "HumanoidRoot/Hip", "HumanoidRoot/Hip/l_ankle"));
  const std::string children =
      absl::StrReplaceAll(kKick, {{"skeleton HAnimJoint", "children HAnimJoint"}});
  EXPECT_THAT(WarningOf(kX3dv, children), HasSubstr("containerField=\"skeleton\""));
  EXPECT_EQ(kX3dv.Good(children).size(), kX3dv.Good(kKick).size());
}

TEST(X3dClip, InterpolatorsMoveJointsFromAClock) {
  const Messages all = kX3dv.Good(kKick);
  EXPECT_THAT(Joints(all),
              ElementsAre("HumanoidRoot", "HumanoidRoot/l_hip", "HumanoidRoot/l_hip/l_ankle"));
  ASSERT_EQ(all.size(), 5u) << "a header, keys at 0, 0.5 and 2 s, a status";
  EXPECT_EQ(Frame(all, 1).rotations(0).time_code(), 0.5);
  EXPECT_LT(Apart(TurnAt(Frame(all, 1), 2), skel::FromAxisAngle({1, 0, 0}, -1)), 1e-6f);
  EXPECT_LT(Apart(TurnAt(Frame(all, 2), 2), {}), 1e-6f) << "an axis of zeros turns nothing";
  EXPECT_LT(Apart(TurnAt(Frame(all, 1), 1), skel::FromAxisAngle({0, 1, 0}, 0.5f)), 1e-6f)
      << "what nothing moves stands as the file has it";
  EXPECT_NEAR(PlaceAt(Frame(all, 0), 2).y, -0.8f, 1e-6f);
  EXPECT_NEAR(PlaceAt(Frame(all, 0), 0).y, 0.9f, 1e-6f);
  EXPECT_NEAR(Frame(all, 1).blend_shape_weights(0).values(0), 0.25f, 1e-6f);
}

TEST(X3dClip, AHumanoidThatStandsStillIsASkeleton) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/still.x3dv");
  std::ofstream(path) << absl::StrReplaceAll(kKick, {{"ROUTE", "#"}});
  const auto rig = ReadSkeleton(path);
  ASSERT_TRUE(rig.ok()) << rig.status();
  EXPECT_THAT((*rig)->joint_paths(),
              ElementsAre("HumanoidRoot", "HumanoidRoot/l_hip", "HumanoidRoot/l_hip/l_ankle"));
  EXPECT_NEAR((*rig)->rest().translation(2).y, -0.8f, 1e-6f);
}

TEST(X3dClip, TheOtherClockIsChosenByNameAndNumber) {
  for (const char* which : {"Other", "1"}) {
    const Messages all = kX3dv.Good(kKick, which);
    ASSERT_EQ(all.size(), 6u) << "0, just before 2, 2 and 4 s";
    EXPECT_NEAR(Frame(all, 1).translations(0).time_code(), 2, 2e-4);
    EXPECT_NEAR(PlaceAt(Frame(all, 1), 0).y, 1.9f, 1e-3f);
    EXPECT_NEAR(PlaceAt(Frame(all, 2), 0).y, 5.9f, 1e-5f) << "a jump";
  }
  EXPECT_THAT(kX3dv.WhyNot(kKick, "Third"),
              HasSubstr("there is no motion \"Third\"; there are 2: \"Clock\", \"Other\""));
}

// The humanoid in inches, turned and moved by a Transform that is twice as large.
TEST(X3dClip, StandsWhereItsSceneHasIt) {
  const std::string scene = absl::StrReplaceAll(
      kKick, {{"DEF Body HAnimHumanoid {",
               "DEF Room Transform { translation 10 0 0 rotation 0 1 0 1.5707963 scale 2 2 2 "
               "children DEF Body HAnimHumanoid { center 0 1 0 translation 0 0 3 "
               "rotation 1 0 0 3.14159265"},
              {"}\nDEF Clock", "} }\nDEF Clock"},
              {"PROFILE Immersive\n", "PROFILE Immersive\nUNIT length inch 0.0254\n"}});
  const Messages all = kX3dv.Good(scene);
  // Root (0, 0.9, 0): about (0, 1, 0) by half a turn to (0, 1.1, 0), and on by (0, 0, 3); twice
  // that; a quarter turn about Y takes Z to X; and on by 10.
  const Vec3 at = PlaceAt(Frame(all, 0), 0);
  EXPECT_NEAR(at.x, 16 * 0.0254f, 1e-5f);
  EXPECT_NEAR(at.y, 2.2f * 0.0254f, 1e-5f);
  EXPECT_NEAR(at.z, 0, 1e-5f);
  EXPECT_NEAR(skel::Length(PlaceAt(Frame(all, 0), 2)), 2 * 0.8f * 0.0254f, 1e-6f);
}

std::string Framed(const std::string& motion) {
  return absl::StrReplaceAll(
      kKick, {{"name \"Ann\"", absl::StrCat("name \"Ann\" motions HAnimMotion { ", motion, " }")},
              {"ROUTE", "#"}});
}
constexpr char kFrames[] =
    "name \"walk\" frameDuration 0.04 joints \"humanoid_root, l_talocrural, tail, hanim_l_hip\" "
    "channels \"6 Xposition Yposition Zposition Zrotation Xrotation Yrotation, 1 Xrotation, 1 "
    "Xrotation, 3 Zrotation Xrotation Yrotation\" "
    "values [ 0 0 0 0 0 0, 0, 0, 0 0 0   1 2 3 90 0 90, 30, 0, 0 0 45 ]";

TEST(X3dClip, UnevenTimesComeBackToTheLastBit) {
  // The second is near a frame of a rate, and none.
  for (const std::vector<double>& time_codes_s :
       {std::vector<double>{0, 1 / 3.0, 0.95 + 1.2e-16, 1.1 + 1e-7, 1.9, 61.234567890123},
        std::vector<double>{0, 0.5, 1.0000001}, std::vector<double>{0, 0.04, 0.08}}) {
    Messages made(1);
    made[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->add_joints(
        "HumanoidRoot");
    for (const double time_code_s : time_codes_s) {
      auto& turns =
          *made.emplace_back().mutable_animation_data()->mutable_skel_animation()->add_rotations();
      turns.set_time_code(time_code_s);
      turns.add_values()->set_real(1);
    }
    for (const char* name : {"take.x3d", "take.x3dv"}) {
      const Messages read = MemoryFile{name}.Good(MemoryFile{name}.Write(made));
      ASSERT_EQ(read.size(), made.size() + 1);
      for (size_t i = 0; i < time_codes_s.size(); ++i) {
        EXPECT_EQ(Frame(read, i).rotations(0).time_code(), time_codes_s[i]) << name << " " << i;
      }
    }
  }
}

TEST(X3dClip, ADisplacerIsTheRigsShapeByItsNameWithoutWhatHAnimAdds) {
  for (const auto& [name, shape] :
       {std::pair<std::string, std::string>{"x_jawopen_action", "jawOpen"},
        {"x_tail_config", "x_tail_config"},
        {"smile", "smile"}}) {
    const Messages all = kX3dv.Good(
        absl::StrReplaceAll(kKick, {{"name \"smile\"", absl::StrCat("name \"", name, "\"")}}));
    EXPECT_THAT(all[0].animation_data_stream_header().skel_animation_header().blend_shapes(),
                ElementsAre(shape));
  }
}

TEST(X3dClip, ACycleThatLoopsIsWhole) {
  const std::string early = absl::StrReplaceAll(
      kKick, {{"key [0 0.25 1]", "key [0 0.25 0.5]"}, {"key [0 1]", "key [0 0.5]"}});
  EXPECT_EQ(kX3dv.Good(early).size(), 5u) << "until 1 s";
  const Messages loops =
      kX3dv.Good(absl::StrReplaceAll(early, {{"cycleInterval 2", "cycleInterval 2 loop TRUE"}}));
  ASSERT_EQ(loops.size(), 6u);
  EXPECT_EQ(Frame(loops, 3).rotations(0).time_code(), 2);
}

TEST(X3dClip, ATransformThatTurnsCarriesTheRootRoundAnArc) {
  const Messages all = kX3dv.Good(absl::StrReplaceAll(
      kKick, {{"keyValue [1 0 0 0, 1 0 0 -1, 0 0 0 3]", "keyValue [0 0 1 0, 0 0 1 1, 0 0 1 2]"},
              {"TO Ankle.set_rotation", "TO Body.set_rotation"}}));
  ASSERT_EQ(all.size(), 30u + 64u + 3u) << "60 keys a second, and at most 64 for one";
  for (size_t i = 0; i + 2 < all.size(); ++i) {
    EXPECT_NEAR(skel::Length(PlaceAt(Frame(all, i), 0)), 0.9f, 1e-5f);
  }
}

TEST(X3dClip, FramesOfAnHAnimMotionAreReadAsBvhsAre) {
  const Messages all = kX3dv.Good(Framed(kFrames));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(Frame(all, 1).rotations(0).time_code(), 0.04);
  EXPECT_NEAR(PlaceAt(Frame(all, 1), 0).z, 3, 1e-5f);
  EXPECT_NEAR(PlaceAt(Frame(all, 1), 0).y, 2.9f, 1e-5f);
  const float quarter = 3.14159265f / 2;
  EXPECT_LT(Apart(TurnAt(Frame(all, 1), 0), skel::Mul(skel::FromAxisAngle({0, 0, 1}, quarter),
                                                      skel::FromAxisAngle({0, 1, 0}, quarter))),
            1e-6f);
  EXPECT_LT(Apart(TurnAt(Frame(all, 1), 2), skel::FromAxisAngle({1, 0, 0}, quarter / 3)), 1e-6f);
  EXPECT_LT(Apart(TurnAt(Frame(all, 1), 1), skel::FromAxisAngle({0, 1, 0}, quarter / 2)), 1e-6f);
  const Messages off = kX3dv.Good(Framed(absl::StrCat(kFrames, " channelsEnabled [TRUE FALSE]")));
  EXPECT_LT(Apart(TurnAt(Frame(off, 1), 2), {}), 1e-6f);
}

TEST(X3dClip, FaultsNameLineFieldAndValue) {
  const auto with = [](const char* from, const char* to) {
    return kX3dv.WhyNot(absl::StrReplaceAll(kKick, {{from, to}}));
  };
  EXPECT_THAT(with("key [0 0.25 1]", "key [0 0.25 0.2]"),
              HasSubstr("take.x3dv: line 16: OrientationInterpolator.key[2] is \"0.2\": fractions "
                        "rise from 0 to 1"));
  EXPECT_THAT(with("key [0 0.25 1]", "key [0 1]"),
              HasSubstr("OrientationInterpolator.keyValue has 12 numbers for 2 keys: write 4"));
  EXPECT_THAT(with("cycleInterval 2", "cycleInterval 0"),
              HasSubstr("line 14: TimeSensor.cycleInterval is 0"));
  EXPECT_THAT(with("ROUTE", "#"), HasSubstr("line 3: HAnimHumanoid: nothing moves it"));
  EXPECT_THAT(with("name \"Ann\"", "name \"Ann\" scale 1 2 1"), HasSubstr("HAnimHumanoid.scale"));
  const auto framed = [](const char* from, const char* to) {
    return kX3dv.WhyNot(Framed(absl::StrReplaceAll(kFrames, {{from, to}})));
  };
  EXPECT_THAT(framed("45 ]", "45 9 ]"), HasSubstr("HAnimMotion.values has 23 numbers: write 11"));
  EXPECT_THAT(framed("1 Xrotation, 1", "1000000000 Xrotation, 1"), HasSubstr("\"1000000000\""));
  EXPECT_THAT(framed(", tail", ""), HasSubstr("has 4 groups for 3 joints"));
  EXPECT_THAT(framed("0.04", "0"), HasSubstr("frameDuration"));
  EXPECT_THAT(framed("humanoid_root, l_talocrural, tail, hanim_l_hip", "a, b, c, d"),
              HasSubstr("names none of the humanoid's"));
  EXPECT_THAT(kX3dv.WhyNot("#X3D V4.0 utf8\nGroup {}"), HasSubstr("no HAnimHumanoid"));
}

TEST(X3dClip, WritingReportsWhatX3dCannotHold) {
  Messages made(1);
  EXPECT_THAT(kX3d.Write(made), HasSubstr("before the header"));
  made[0].mutable_animation_data_stream_header();
  EXPECT_THAT(kX3d.Write(made), HasSubstr("neither poses nor weights"));
  auto& names = *made[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.add_joints("nobody/knows");
  auto& turns =
      *made.emplace_back().mutable_animation_data()->mutable_skel_animation()->add_rotations();
  turns.add_values()->set_real(1);
  EXPECT_THAT(kX3d.Write(made), HasSubstr("no translations"));
}

TEST(X3dClip, AFaceAloneComesBack) {
  Messages made(1);
  made[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->add_blend_shapes(
      "jawOpen");
  for (int k = 0; k < 3; ++k) {
    auto& key = *made.emplace_back()
                     .mutable_animation_data()
                     ->mutable_skel_animation()
                     ->add_blend_shape_weights();
    key.set_time_code(k / 30.0);
    key.add_values(0.1f * static_cast<float>(k));
  }
  const Messages back = kX3d.Good(kX3d.Write(made));
  ASSERT_EQ(back.size(), 5u);
  EXPECT_TRUE(Joints(back).empty());
  EXPECT_EQ(Frame(back, 2).blend_shape_weights(0).time_code(), 2 / 30.0);
  EXPECT_EQ(Frame(back, 2).blend_shape_weights(0).values(0), 0.2f);
}

std::string Repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(X3dClip, TheFirstMotionThatIsOnIsPlayed) {
  std::string file = Framed(absl::StrCat(kFrames, " } HAnimMotion { name \"run\" joints \"l_hip\" ",
                                         "channels \"1 Xrotation\" values [ 0 1 2 ]"));
  file =
      absl::StrReplaceAll(file, {{"motions HAnimMotion", "motions [ HAnimMotion"},
                                 {"[ 0 1 2 ] }", "[ 0 1 2 ] } ] motionsEnabled [ FALSE TRUE ]"}});
  EXPECT_EQ(kX3dv.Good(file).size(), 5u) << "three frames";
  EXPECT_EQ(kX3dv.Good(file, "walk").size(), 4u);
  EXPECT_EQ(kX3dv.Good(file, "0").size(), 4u);
}

TEST(X3dClip, WhatMovesManyTimesCostsNoMoreThanItsText) {
  // Each clock's way to each target, taken one by one, would be 4e8.
  const std::string routes =
      Repeated("ROUTE Clock.fraction_changed TO Swing.set_fraction\n", 20000) +
      Repeated("ROUTE Swing.value_changed TO Ankle.set_rotation\n", 20000);
  EXPECT_EQ(kX3dv.Good(kKick + routes).size(), 5u);

  std::string keys, values, displacers, ways;
  for (int k = 0; k < 20000; ++k) absl::StrAppend(&keys, k / 20000.0, " ");
  for (int s = 0; s < 500; ++s) {
    absl::StrAppend(&displacers, "DEF D", s, " HAnimDisplacer { name \"d", s, "\" }\n");
    absl::StrAppend(&ways, "ROUTE Wide.value_changed TO D", s, ".weight\n");
  }
  const std::string many = absl::StrCat(
      absl::StrReplaceAll(
          kKick, {{"displacers DEF Smile", absl::StrCat("displacers [ ", displacers, "DEF Smile")},
                  {"weight 0.5 }", "weight 0.5 } ]"}}),
      "DEF Wide ScalarInterpolator { key [ ", keys, "] keyValue [ ", Repeated("1 ", 20000), "] }\n",
      "ROUTE Clock.fraction_changed TO Wide.set_fraction\n", ways);
  EXPECT_THAT(kX3dv.WhyNot(many),
              HasSubstr("ScalarInterpolator: all that moves has over 8388608 keys"));

  // Joints without channels have no frames.
  const auto framed = [](int empty) {
    return Framed(absl::StrCat("joints \"", Repeated("l_hip ", empty), "l_hip\" channels \"",
                               Repeated("0 ", empty), "1 Xrotation\" values [ ",
                               Repeated("1 ", 100000), "]"));
  };
  EXPECT_EQ(kX3dv.Good(framed(60000)).size(), 100002u);
  EXPECT_THAT(kX3dv.WhyNot(framed(70000)), HasSubstr("HAnimMotion.joints has over 65536 words"));
}

TEST(X3dClip, KeysAtOneInstantAreOne) {
  const std::string once = absl::StrReplaceAll(kKick, {{"key [0 0.25 1]", "key [1 1 1]"}});
  const Messages all = kX3dv.Good(once);
  EXPECT_LT(Apart(TurnAt(Frame(all, all.size() - 3), 2), {}), 1e-6f) << "the last of them";
}

// Joints with names that other nodes of the file have too.
TEST(X3dClip, NamesThatMeetStayApart) {
  Messages made(1);
  auto& names = *made[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (const char* joint : {"humanoid", "humanoid/Clock", "humanoid/Clock_turns"}) {
    names.add_joints(joint);
  }
  for (int k = 0; k < 2; ++k) {
    auto& frame = *made.emplace_back().mutable_animation_data()->mutable_skel_animation();
    auto& places = *frame.add_translations();
    auto& turns = *frame.add_rotations();
    for (int j = 0; j < 3; ++j) {
      places.add_values()->set_y(1);
      auto& q = *turns.add_values();
      q.set_real(k == 0 ? 1 : std::cos(0.3f * static_cast<float>(j)));
      q.set_i(k == 0 ? 0 : std::sin(0.3f * static_cast<float>(j)));
    }
    places.set_time_code(k), turns.set_time_code(k);
  }
  const Messages back = kX3dv.Good(kX3d.Write(made));
  ASSERT_EQ(back.size(), 4u);
  EXPECT_EQ(Joints(back), Joints(made));
  for (int j = 0; j < 3; ++j) {
    EXPECT_LT(Apart(TurnAt(Frame(back, 1), j), TurnAt(Frame(made, 1), j)), 1e-6f) << j;
  }
}

TEST(X3dClip, DoesNotWriteWhatItsReaderRejects) {
  const auto face = [](const std::vector<std::string>& shapes, int keys) {
    Messages made(1);
    auto& names = *made[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
    for (const std::string& shape : shapes) names.add_blend_shapes(shape);
    for (int k = 0; k < keys; ++k) {
      auto& frame = *made.emplace_back().mutable_animation_data()->mutable_skel_animation();
      auto& key = *frame.add_blend_shape_weights();
      key.set_time_code(300.0 * k);
      for (size_t s = 0; s < shapes.size(); ++s) key.add_values(0);
    }
    return made;
  };
  EXPECT_THAT(kX3d.Write(face({"jaw\nOpen"}, 1)), HasSubstr("cannot be named in X3D"));
  EXPECT_THAT(kX3d.Write(face({std::string(129, 'a')}, 1)), HasSubstr("cannot be named in X3D"));
  std::vector<std::string> many;
  for (int s = 0; s < 513; ++s) many.push_back(absl::StrCat("shape", s));
  EXPECT_THAT(kX3d.Write(face(many, 1)), HasSubstr("has 513 shapes"));
  EXPECT_THAT(kX3d.Write(face({"jawOpen"}, 33335)), HasSubstr("lasts 1.00002e+07 s"));

  Messages deep(1);
  auto& names = *deep[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  auto& frame = *deep.emplace_back().mutable_animation_data()->mutable_skel_animation();
  auto& places = *frame.add_translations();
  std::string path;
  for (int j = 0; j < 201; ++j) {
    absl::StrAppend(&path, j == 0 ? "" : "/", "joint", j);
    names.add_joints(path);
    places.add_values()->set_y(1);
  }
  EXPECT_THAT(kX3d.Write(deep), HasSubstr("over 200 of them below each other"));
  names.mutable_joints()->RemoveLast();
  places.mutable_values()->RemoveLast();
  EXPECT_EQ(Joints(kX3dv.Good(kX3d.Write(deep))).size(), 200u);
}

// Somebody's kick, where it is there: a leg swings from behind to the front, on our rigs as well.
TEST(X3dClip, AKickOfOthersIsAKick) {
  const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
  const std::string path =
      absl::StrCat(source == nullptr ? "." : source, "/../shared/data/JoeHAnimKick1a.x3d");
  std::ifstream file(path, std::ios::binary);
  if (!file) GTEST_SKIP() << "no ../shared/data/JoeHAnimKick1a.x3d";
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const Messages all = MemoryFile{"kick.x3d"}.Good(bytes);
  ASSERT_EQ(all.size(), 16u) << "14 keys";
  EXPECT_EQ(Joints(all).size(), 89u);
  EXPECT_DOUBLE_EQ(Frame(all, 13).rotations(0).time_code(), 3.73);
  const auto first = Model(all, 0), last = Model(all, 13);
  EXPECT_LT(first.at("r_ankle").z - first.at("HumanoidRoot").z, -0.6f);
  EXPECT_GT(last.at("r_ankle").z - last.at("HumanoidRoot").z, 0.3f);

  const auto catalog = *skel::RigCatalog::Builtin();
  for (const char* name : {"hanim_loa3", "ace_biped", "vrm"}) {
    const auto rig = *catalog.Find(name);
    const auto clip = LoadClip(path, rig, catalog);
    ASSERT_TRUE(clip.ok()) << clip.status();
    skel::Pose pose(rig->joints(), rig->shapes());
    const auto ahead_m = [&](int frame) {
      (*clip)->CopyFrame(frame, pose.span());
      const auto at = [&](skel::HumanBone bone) {
        return skel::PlaceOf(*rig, pose.view(), rig->humanoid().joint(bone)).at;
      };
      return at(skel::HumanBone::kRightFoot).z - at(skel::HumanBone::kHips).z;
    };
    EXPECT_LT(ahead_m(0), -0.5f) << name;
    EXPECT_GT(ahead_m((*clip)->frames() - 1), 0.25f) << name;
  }
}

}  // namespace
}  // namespace posewire::clipio
