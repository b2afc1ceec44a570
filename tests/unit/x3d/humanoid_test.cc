#include "libs/formats/x3d/humanoid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/segment_mass.h"
#include "libs/formats/x3d/segment_names.h"
#include "libs/skel/body_site.h"

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
                                        HasSubstr("line 4: joint x_pelvis is within a chain")));
}

// H-Anim 1.1 and 2001 are prototypes of VRML97, declared in the file or elsewhere.
TEST(ReadHumanoid, ReadsTheHumanoidsOfPrototypes) {
  const std::string body = R"(
DEF hanim_Ann Humanoid {
  name "Ann" version "1.1"
  humanoidBody [ DEF hanim_HumanoidRoot Joint { name "HumanoidRoot" center 0 0.9 0
    children [ DEF hanim_sacrum Segment { name "sacrum" mass 5 children [ Seat { } ] }
      DEF hanim_l_hip Joint { name "l_hip" center 0.1 0.9 0 llimit [ -1 0 0 ] ulimit [ 1 0 0 ]
        children Segment { name "l_thigh" children DEF tip Site { name "l_knee_crease_pt"
          translation 0.1 0.5 0 } } } ] } ]
  joints [ USE hanim_l_hip ]
})";
  for (const std::string& head : {std::string(R"(
PROTO Joint [ exposedField SFVec3f center 0 0 0 exposedField MFNode children [ ]
  exposedField MFFloat llimit [ ] exposedField SFString name "" exposedField MFFloat ulimit [ ] ] {
  Transform { center IS center children IS children }
}
PROTO Segment [ exposedField SFString name "" exposedField SFFloat mass 0
  exposedField MFNode children [ ] ] { Group { children IS children } }
PROTO Site [ exposedField SFString name "" exposedField SFVec3f translation 0 0 0 ] {
  Transform { translation IS translation }
}
PROTO Humanoid [ exposedField SFString name "" field MFNode humanoidBody [ ] ] {
  Transform { children IS humanoidBody }
}
PROTO Seat [ ] { Group { } }
)"),
                                  std::string(R"(
EXTERNPROTO Joint [ exposedField SFVec3f center ] "humanoid.wrl#Joint"
EXTERNPROTO Segment [ ] "humanoid.wrl#Segment"
EXTERNPROTO Site [ ] "humanoid.wrl#Site"
EXTERNPROTO Humanoid [ ] [ "humanoid.wrl#Humanoid" ]
EXTERNPROTO Seat [ ] "seat.wrl"
)")}) {
    const auto scene = ReadScene("#VRML V2.0 utf8" + head + body);
    ASSERT_TRUE(scene.ok()) << scene.status();
    const auto human = ReadHumanoid(*scene, **skel::RigCatalog::Builtin()->Find("hanim_loa4"));
    ASSERT_TRUE(human.ok()) << human.status();
    EXPECT_EQ(human->name, "Ann");
    EXPECT_THAT(RigOf(*human).joint_paths, ElementsAre("HumanoidRoot", "HumanoidRoot/l_hip"));
    ASSERT_EQ(human->segments.size(), 2u);
    EXPECT_EQ(human->segments[0].mass_kg, 5);
    ASSERT_EQ(human->sites.size(), 1u);
    EXPECT_TRUE(human->joints[1].limit.has_value());
    EXPECT_THAT(human->notes, IsEmpty());
  }
}

TEST(ReadHumanoid, KeepsFeaturesAsSitesInTheMiddleOfTheirPoints) {
  const auto human = Read(
      "<HAnimHumanoid><Coordinate DEF='c' containerField='skinCoord' point='0 0 0, 2 0 0, 0 4 0'/>"
      "<HAnimJoint name='humanoid_root' containerField='skeleton' center='0 1 0'>"
      "<HAnimDisplacer name='hanim_navel_feature' coordIndex='1 2'/>\n"
      "<HAnimDisplacer name='gone_feature' coordIndex='3'/>"
      "<HAnimDisplacer name='bulge_action' coordIndex='0' displacements='0 0 1'/>"
      "<HAnimSegment name='sacrum'><Coordinate containerField='coord' point='0 0 3'/>"
      "<HAnimDisplacer name='seat_feature' coordIndex='0'/></HAnimSegment></HAnimJoint>"
      "</HAnimHumanoid>");
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_THAT(human->notes, ElementsAre("line 3: HAnimDisplacer.coordIndex has 3, and there are 3 "
                                        "points: it is left out"));
  ASSERT_EQ(human->features.size(), 2u);
  EXPECT_EQ(human->features[0].name, "navel_feature");
  EXPECT_THAT(human->features[0].points, ElementsAre(1, 2));
  const auto rig = skel::Rig::Make(RigOf(*human));
  ASSERT_TRUE(rig.ok()) << rig.status();
  const auto navel = skel::FindBodySite(**rig, "navel_feature");
  ASSERT_TRUE(navel.ok()) << navel.status();
  EXPECT_NEAR(skel::Length(navel->in_joint.at - skel::Vec3{1, 1, 0}), 0, 1e-6);
  EXPECT_NEAR(
      skel::Length(skel::FindBodySite(**rig, "seat_feature")->in_joint.at - skel::Vec3{0, -1, 3}),
      0, 1e-6);
}

TEST(ReadHumanoid, TurnsLimitsByTheirOrientation) {
  const std::string limits = "<HAnimJoint name='l_knee' llimit='-1 -2 -3' ulimit='4 5 6' ";
  const auto turned = Read(Human(limits + "limitOrientation='0 0 2 1.5707963'/>"));
  ASSERT_TRUE(turned.ok()) << turned.status();
  EXPECT_THAT(turned->notes, IsEmpty());
  ASSERT_TRUE(turned->joints[1].limit.has_value());
  // X of the limits is the joint's Y, and their Y is its -X.
  EXPECT_NEAR(turned->joints[1].limit->min.x, -5, 1e-5);
  EXPECT_NEAR(turned->joints[1].limit->max.x, 2, 1e-5);
  EXPECT_NEAR(turned->joints[1].limit->min.y, -1, 1e-5);
  EXPECT_NEAR(turned->joints[1].limit->max.y, 4, 1e-5);
  EXPECT_NEAR(turned->joints[1].limit->max.z, 6, 1e-5);
  const auto askew = Read(Human(limits + "limitOrientation='0 0 1 .7853982'/>"));
  EXPECT_THAT(askew->notes, ElementsAre(HasSubstr("joint l_knee are widened")));
  EXPECT_NEAR(askew->joints[1].limit->max.y, (4 + 5) * std::sqrt(0.5), 1e-5);
}

TEST(ReadHumanoid, ReportsASegmentUnderTheWrongJointOnceWithBothNames) {
  const auto segment = [](const std::string& name) {
    return "<HAnimSegment name='" + name + "'/>";
  };
  const auto wrong = Read(Human(segment("sacrum") + "\n" + segment("l_hand") + segment("l_carpal") +
                                segment("l_thigh")));
  ASSERT_TRUE(wrong.ok()) << wrong.status();
  EXPECT_THAT(wrong->notes,
              ElementsAre("line 4: segment l_hand is a child of joint HumanoidRoot, and the "
                          "standard has it at l_wrist; 2 more are at other joints than the "
                          "standard's"));
  const std::string wrist = "<HAnimJoint name='l_wrist'>";
  for (const char* name : {"l_hand", "l_carpal", "hanim_l_hand", "my_hand"}) {
    const auto right = Read(Human(wrist + segment(name) + "</HAnimJoint>"));
    ASSERT_TRUE(right.ok()) << right.status();
    EXPECT_THAT(right->notes, IsEmpty()) << name;
  }
}

TEST(SegmentNames, AreThoseOfBothVersions) {
  EXPECT_EQ(SegmentOf("l_ankle", HAnimVersion::k1), "l_hindfoot");
  EXPECT_EQ(SegmentOf("l_ankle", HAnimVersion::k2), "l_talus");
  EXPECT_EQ(SegmentOf("r_thumb1", HAnimVersion::k1), "r_thumb_metacarpal");
  EXPECT_EQ(SegmentOf("vt3", HAnimVersion::k1), "t3");
  EXPECT_EQ(SegmentOf("l_midcarpal_1", HAnimVersion::k1), "l_trapezium") << "only version 2 has it";
  EXPECT_EQ(SegmentOf("tail"), "");
  for (const char* name : {"l_midproximal", "l_metatarsal_2"}) {
    EXPECT_EQ(JointOfSegment(name), "l_subtalar");
  }
  EXPECT_EQ(JointOfSegment("l_foot"), "");
  // Each name of a segment is that of one joint.
  const auto standard = *skel::RigCatalog::Builtin()->Find("hanim_loa4");
  for (const std::string& joint : standard->joint_names()) {
    for (const HAnimVersion version : {HAnimVersion::k1, HAnimVersion::k2}) {
      EXPECT_EQ(JointOfSegment(SegmentOf(joint, version)), joint);
    }
  }
}

TEST(SegmentMasses, AreSharesOfTheWholeBody) {
  for (const char* name : {"hanim_loa1", "hanim_loa3", "hanim_loa4"}) {
    const auto rig = *skel::RigCatalog::Builtin()->Find(name);
    std::vector<std::string> known(rig->joint_names().begin(), rig->joint_names().end());
    std::vector<int> parents;
    std::vector<skel::Vec3> centers;
    for (int j = 0; j < rig->joints(); ++j) {
      const int parent = rig->topology().parent(j);
      parents.push_back(parent);
      centers.push_back(rig->rest().translation(j) +
                        (parent < 0 ? skel::Vec3{} : centers[static_cast<size_t>(parent)]));
    }
    const std::vector<SegmentMass> masses = EstimateMasses(known, parents, centers);
    float sum = 0;
    for (size_t j = 0; j < masses.size(); ++j) {
      const auto& [kg, center, moments] = masses[j];
      EXPECT_GT(kg, 0) << name << " " << known[j];
      for (const size_t axis : {size_t{0}, size_t{4}, size_t{8}}) EXPECT_GT(moments[axis], 0);
      EXPECT_FLOAT_EQ(moments[1], moments[3]);
      sum += kg;
    }
    EXPECT_NEAR(sum, 67, 2) << "22 kg/m2 at 1.75 m; " << name;
    const auto at = [&](const char* joint) {
      return masses[static_cast<size_t>(rig->FindJoint(joint))];
    };
    EXPECT_NEAR(at("l_hip").kg, 0.1 * sum, 0.1);
    EXPECT_NEAR(at("l_hip").center.y, 0.7, 0.02);
    EXPECT_GT(at("l_hip").moments[0], 5 * at("l_hip").moments[4]) << "it is along Y";
  }
}

TEST(ReadHumanoid, RejectsWhatCannotBeWithTheLine) {
  EXPECT_THAT(Message(Read("<Group/>")), HasSubstr("no HAnimHumanoid"));
  EXPECT_THAT(Message(Read("<HAnimHumanoid/>")),
              AllOf(HasSubstr("line 2: the humanoid has no joint"), HasSubstr("containerField")));
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
