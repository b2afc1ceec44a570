#include "libs/formats/x3d/humanoid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/read_scene.h"

namespace posewire::x3d {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<HAnimHumanoid> Read(const std::string& scene, const std::string& head = "") {
  const auto read = ReadScene("<X3D><head>" + head + "</head>\n<Scene>" + scene + "</Scene></X3D>");
  if (!read.ok()) return read.status();
  return ReadHumanoid(*read, **skel::RigCatalog::Builtin()->Find("hanim_loa4"));
}

std::string Human(const std::string& skeleton, const std::string& more = "") {
  return "<HAnimHumanoid name='Joe' version='2.0' info='\"humanoidVersion=2.0\"' " + more +
         ">\n<HAnimJoint name='humanoid_root' containerField='skeleton' center='0 1 0'>" +
         skeleton + "</HAnimJoint></HAnimHumanoid>";
}

std::string Message(const absl::StatusOr<HAnimHumanoid>& humanoid) {
  return std::string(humanoid.status().message());
}

TEST(ReadHumanoid, TakesTheBodyFromTheNodes) {
  const auto human = Read(Human(
      "<HAnimJoint name='hanim_l_hip' center='0.1 0.9 0' rotation='1 0 0 1' llimit='-1 -2 -3' "
      "ulimit='1 2 3' stiffness='0.5 0 1'><HAnimSegment name='hanim_l_thigh' mass='8.5' "
      "centerOfMass='0.1 0.7 0' momentsOfInertia='1 0 0 0 2 0 0 0 3'>"
      "<HAnimSite name='l_knee_crease_pt' translation='0.1 0.5 -0.1' rotation='0 2 0 1.5707963'/>"
      "</HAnimSegment><HAnimJoint name='l_talocrural' center='0.1 0.1 0'/></HAnimJoint>"));
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_EQ(human->name, "Joe");
  EXPECT_EQ(human->version, "2.0");
  EXPECT_THAT(human->info, ElementsAre("humanoidVersion=2.0"));
  EXPECT_THAT(human->notes, IsEmpty());
  ASSERT_EQ(human->segments.size(), 1u);
  EXPECT_EQ(human->segments[0].name, "l_thigh");
  EXPECT_EQ(human->segments[0].joint, 1);
  EXPECT_EQ(human->segments[0].mass_kg, 8.5f);
  EXPECT_EQ(human->segments[0].moments_of_inertia[8], 3);
  EXPECT_EQ(human->joints[1].stiffness[2], 1);

  const skel::RigParts rig = RigOf(*human);
  ASSERT_EQ(rig.stiffness.size(), rig.joint_paths.size());
  EXPECT_EQ(rig.stiffness[1].x, 0.5f);
  EXPECT_EQ(rig.stiffness[1].z, 1);
  EXPECT_THAT(rig.joint_paths,
              ElementsAre("HumanoidRoot", "HumanoidRoot/l_hip", "HumanoidRoot/l_hip/l_ankle"));
  EXPECT_THAT(rig.joint_aliases, ElementsAre("humanoid_root", "", "l_talocrural"));
  EXPECT_FLOAT_EQ(rig.rest_translations[0].y, 1);
  EXPECT_FLOAT_EQ(rig.rest_translations[2].y, -0.8f);
  EXPECT_TRUE(rig.rest_rotations.empty()) << "turns in the file are a pose";
  EXPECT_FLOAT_EQ(rig.limits[1].max.z, 3);
  EXPECT_FLOAT_EQ(rig.limits[2].min.x, -3.14159265f);
  ASSERT_EQ(rig.sites.size(), 1u);
  EXPECT_FLOAT_EQ(rig.sites[0].offset.y, -0.4f);
  ASSERT_TRUE(rig.sites[0].rotation.has_value());
  EXPECT_NEAR(rig.sites[0].rotation->y, std::sqrt(0.5), 1e-6);
  EXPECT_TRUE(skel::Rig::Make(rig).ok());
}

TEST(ReadHumanoid, MeasuresInMetres) {
  const auto inches = Read(Human("", "scale='2 2 2'"),
                           "<unit category='length' name='inch' conversionFactor='0.0254'/>");
  ASSERT_TRUE(inches.ok()) << inches.status();
  EXPECT_FLOAT_EQ(inches->joints[0].center.y, 0.0508f);
}

TEST(ReadHumanoid, TellsTheStanceByTheArm) {
  const std::string shoulder =
      "<HAnimJoint name='l_shoulder' center='0.2 1.4 0'><HAnimJoint "
      "name='l_elbow' center='";
  const auto down = Read(Human(shoulder + "0.2 1.1 0'/></HAnimJoint>"));
  const auto across = Read(Human(shoulder + "0.5 1.4 0'/></HAnimJoint>"));
  EXPECT_EQ(RigOf(*down).stance, skel::Stance::kArmsDown);
  EXPECT_EQ(RigOf(*across).stance, skel::Stance::kTPose);
}

TEST(ReadHumanoid, RemarksWhatTheStandardDoesNotHave) {
  const auto human =
      Read(Human("<HAnimJoint name='x_tail'/><HAnimJoint name='wing'/>\n"
                 "<HAnimJoint name='x_pelvis'><HAnimJoint name='l_hip'/></HAnimJoint>\n"
                 "<HAnimJoint name='r_hip' llimit='1 0 0' ulimit='0 0 0'/>"));
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_THAT(human->notes, ElementsAre(AllOf(HasSubstr("line 3: joint wing"), HasSubstr("no x_")),
                                        HasSubstr("line 5: the limits of joint r_hip are left out"),
                                        HasSubstr("line 4: joint x_pelvis stands within a chain")));
}

TEST(ReadHumanoid, RejectsWhatCannotBeWithTheLine) {
  EXPECT_THAT(Message(Read("<Group/>")), HasSubstr("no HAnimHumanoid"));
  EXPECT_THAT(Message(Read("<HAnimHumanoid/>")),
              AllOf(HasSubstr("line 2: the humanoid has no joint"), HasSubstr("containerField")));
  EXPECT_THAT(std::string(ReadHumanoid(*ReadScene("#VRML V2.0 utf8\nGroup {}"),
                                       **skel::RigCatalog::Builtin()->Find("hanim_loa4"))
                              .status()
                              .message()),
              HasSubstr("VRML97"));
  EXPECT_THAT(Message(Read(Human("<HAnimJoint name='a/b'/>"))), HasSubstr("none of them /"));
  EXPECT_THAT(Message(Read(Human("\n<HAnimJoint name='vl5' center='1 2'/>"))),
              HasSubstr("line 4: HAnimJoint.center has 2 numbers: write 3"));
  EXPECT_THAT(Message(Read(Human("<HAnimJoint DEF='a' name='vl5'/><HAnimJoint USE='a'/>"))),
              HasSubstr("has this joint twice"));
  EXPECT_THAT(Message(Read(Human("<HAnimSite name='s' rotation='0 0 0 1'/>"))),
              HasSubstr("HAnimSite.rotation has no axis"));
  EXPECT_THAT(Message(Read(Human("", "scale='1 2 1'"))), HasSubstr("HAnimHumanoid.scale"));
}

// HAnimJoint.name is "" by default.
TEST(ReadHumanoid, CallsTheNamelessByDefOrPlace) {
  const auto human = Read(
      "<HAnimHumanoid><HAnimJoint containerField='skeleton'>\n<HAnimJoint DEF='hanim_l_hip'/>"
      "<HAnimJoint/><HAnimJoint name='joint_3'><HAnimJoint/></HAnimJoint></HAnimJoint>"
      "</HAnimHumanoid>");
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_THAT(RigOf(*human).joint_paths, ElementsAre("joint_1", "joint_1/l_hip", "joint_1/joint_3_",
                                                     "joint_1/joint_3", "joint_1/joint_3/joint_5"));
  ASSERT_EQ(human->assumed.size(), 1u);
  EXPECT_EQ(human->assumed[0],
            "line 2: 4 joints have no name, and are called by DEF or by their place in the file: "
            "joint_1, l_hip, joint_3_, joint_5");
  EXPECT_TRUE(skel::Rig::Make(RigOf(*human)).ok());
}

TEST(ReadHumanoid, TakesAJointWithoutContainerFieldAsTheSkeleton) {
  const auto human = Read("<HAnimHumanoid><HAnimJoint name='humanoid_root'/></HAnimHumanoid>");
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_THAT(human->assumed, ElementsAre(HasSubstr("containerField=\"skeleton\"")));
}

// P' = T C R SR S -SR -C P with centers of 0, as converters from glTF write joints.
TEST(ReadHumanoid, RestsWhereTranslationsPlaceJointsWithoutCenters) {
  const auto human = Read(
      "<HAnimHumanoid><HAnimJoint name='humanoid_root' translation='0 1 0' "
      "containerField='skeleton'>"
      "<HAnimJoint name='l_shoulder' translation='.2 .4 0' rotation='0 0 1 1.5707963'>"
      "<HAnimJoint name='l_elbow' translation='0 -.3 0'/></HAnimJoint></HAnimJoint>"
      "</HAnimHumanoid>",
      "<unit category='length' name='dm' conversionFactor='0.1'/>");
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_THAT(
      human->assumed,
      ElementsAre(HasSubstr("2 joints have a translation and no center, and none a center")));
  const skel::RigParts rig = RigOf(*human);
  ASSERT_EQ(rig.rest_rotations.size(), 3u);
  EXPECT_FLOAT_EQ(rig.rest_translations[0].y, .1f);
  EXPECT_FLOAT_EQ(rig.rest_translations[1].x, .02f);
  EXPECT_NEAR(rig.rest_rotations[1].z, std::sqrt(.5), 1e-6);
  EXPECT_FLOAT_EQ(rig.rest_translations[2].y, -.03f) << "below its parent, which is turned";
  EXPECT_EQ(rig.stance, skel::Stance::kTPose) << "the arm is turned across";
}

TEST(ReadHumanoid, AFewCentersDoNotMakeTranslationsAPose) {
  const auto human = Read(
      "<HAnimHumanoid><HAnimJoint name='humanoid_root' center='0 1 0' containerField='skeleton'>"
      "<HAnimJoint name='l_hip' translation='.1 0 0'><HAnimJoint name='l_knee' "
      "translation='0 -.4 0'/></HAnimJoint><HAnimJoint name='r_hip' center='-.1 1 0'/></HAnimJoint>"
      "</HAnimHumanoid>");
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_THAT(human->assumed, ElementsAre(HasSubstr("and no center, and 1 a center")));
  // P' = T + C, from the centre of the joint above.
  EXPECT_FLOAT_EQ(human->joints[1].rest.translation.x, .1f);
  EXPECT_FLOAT_EQ(human->joints[1].rest.translation.y, -1);
  EXPECT_FLOAT_EQ(human->joints[3].rest.translation.x, -.1f);
  EXPECT_FLOAT_EQ(human->joints[3].rest.translation.y, 0);
}

TEST(ReadHumanoid, TranslationsOfJointsWithCentersAreAPose) {
  const auto human =
      Read(Human("<HAnimJoint name='l_hip' center='0.1 0.9 0' translation='1 2 3'/>"
                 "<HAnimJoint name='r_hip' translation='0 0 9'/>"));
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_THAT(human->assumed, IsEmpty());
  EXPECT_FLOAT_EQ(RigOf(*human).rest_translations[1].x, .1f);
  EXPECT_FLOAT_EQ(RigOf(*human).rest_translations[2].z, 0);
  EXPECT_TRUE(RigOf(*human).rest_rotations.empty());
}

TEST(ReadHumanoid, ReadsJoe) {
  const char* const root = std::getenv("POSEWIRE_SOURCE_DIR");
  for (const char* shared : {"/../shared/data/", "/../../shared/data/"}) {
    std::ifstream file(absl::StrCat(root ? root : ".", shared, "JoeHAnimKick1a.x3d"));
    if (!file) continue;
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const auto joe =
        ReadHumanoid(*ReadScene(text), **skel::RigCatalog::Builtin()->Find("hanim_loa4"));
    ASSERT_TRUE(joe.ok()) << joe.status();
    EXPECT_THAT(joe->notes, IsEmpty());
    const auto rig = skel::Rig::Make(RigOf(*joe));
    ASSERT_TRUE(rig.ok()) << rig.status();
    EXPECT_EQ((*rig)->joints(), 89);
    for (const skel::HumanBone bone : {skel::HumanBone::kHead, skel::HumanBone::kLeftFoot}) {
      EXPECT_GE((*rig)->humanoid().joint(bone), 0);
    }
    return;
  }
  GTEST_SKIP() << "JoeHAnimKick1a.x3d is not here";
}

}  // namespace
}  // namespace posewire::x3d
