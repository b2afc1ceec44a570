// Prototypes in prototypes, and files in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/formats/x3d/inline.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/write_scene.h"

namespace posewire::x3d {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Nested(const std::string& scene) {
  const auto read = ReadScene("#X3D V4.0 utf8\n" + scene);
  return read.ok() ? WriteClassic(*read) : std::string(read.status().message());
}

size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Prototypes, AnInstanceMayBeAValueOfAnotherOfTheSame) {
  const std::string bone =
      "PROTO Bone [ inputOutput MFNode kids [] ] { Group { children IS kids } }\n";
  EXPECT_EQ(
      Count(Nested(bone + "Bone { kids [ Bone { kids [ Bone { kids Shape { } } ] } ] }"), "Group"),
      3u);
  // A value that is passed on to a prototype within.
  const std::string pair = bone +
                           "PROTO Pair [ inputOutput MFNode both [] ] { Bone { kids IS both } }\n"
                           "Pair { both [ Pair { both Shape { } } ] }";
  EXPECT_EQ(Count(Nested(pair), "Group"), 2u);
  EXPECT_THAT(Nested("PROTO P [ ] { Group { children P { } } }\nP { }"),
              HasSubstr("line 2: prototype P contains itself"));
  EXPECT_THAT(Nested("PROTO P [ ] { PROTO Q [ ] { P { } } Group { children Q { } } }\nP { }"),
              HasSubstr("prototype P contains itself"));
  std::string deep = bone;
  for (int i = 0; i < 80; ++i) deep += "Bone { kids ";
  deep += "Shape { }" + std::string(80, '}');
  EXPECT_THAT(Nested(deep), HasSubstr("over 64 prototypes in each other"));
}

TEST(Prototypes, AreKnownInTheirBodyAlone) {
  const std::string text = Nested(
      "PROTO A [ ] { PROTO X [ ] { Box { } } Shape { geometry X { } } }\n"
      "PROTO B [ ] { PROTO X [ ] { Sphere { } } Shape { geometry X { } } }\n"
      "A { } B { } X { }");
  EXPECT_THAT(text, AllOf(HasSubstr("Box"), HasSubstr("Sphere"), HasSubstr("X {")));
  // A later declaration changes no body that was read before it.
  const std::string later = Nested(
      "PROTO X [ ] { Box { } }\nPROTO A [ ] { Shape { geometry X { } } }\n"
      "PROTO X [ ] { Sphere { } }\nA { } Shape { geometry X { } }");
  EXPECT_LT(later.find("Box"), later.find("Sphere"));
}

TEST(Prototypes, AValueByIsReplacesAnAttribute) {
  const auto scene = ReadScene(
      "<X3D><Scene><ProtoDeclare name='P'><ProtoInterface><field name='at' type='SFVec3f' "
      "accessType='inputOutput' value='1 2 3'/></ProtoInterface><ProtoBody><Transform "
      "translation='0 0 0'><IS><connect nodeField='translation' protoField='at'/></IS>"
      "</Transform></ProtoBody></ProtoDeclare><ProtoInstance name='P'/></Scene></X3D>");
  ASSERT_TRUE(scene.ok()) << scene.status();
  EXPECT_THAT(WriteClassic(*scene), HasSubstr("translation 1 2 3"));
}

TEST(Prototypes, TheHumanoidBodyIsTheSkeletonByUseToo) {
  const std::string text = Nested(
      "PROTO Joint [ ] { Group { } }\nPROTO Humanoid [ ] { Group { } }\n"
      "DEF root Joint { }\nHumanoid { humanoidBody [ USE root ] }");
  EXPECT_THAT(text, AllOf(HasSubstr("skeleton"), Not(HasSubstr("humanoidBody"))));
}

TEST(Prototypes, DropTheRoutesOfNamesThatABodyImports) {
  const std::string text = Nested(
      "PROTO P [ ] { Group { } DEF I Inline { } IMPORT I.Clock AS Clock DEF T Transform { }\n"
      "ROUTE Clock.fraction_changed TO T.translation }\nP { }");
  EXPECT_THAT(text, AllOf(HasSubstr("Group"), Not(HasSubstr("ROUTE"))));
}

class Inlines : public ::testing::Test {
 protected:
  absl::StatusOr<Scene> Read(const std::string& scene) {
    const asset::ReadSidecar read = [&](const std::string& name) -> absl::StatusOr<std::string> {
      const auto found = files_.find(name);
      if (found == files_.end()) return absl::NotFoundError("is not there");
      return "#X3D V4.0 utf8\n" + found->second;
    };
    return ReadSceneWithInlines("#X3D V4.0 utf8\n" + scene, {}, read);
  }
  absl::StatusOr<HAnimHumanoid> Human(const std::string& scene) {
    const auto read = Read(scene);
    if (!read.ok()) return read.status();
    return ReadHumanoid(*read, **skel::RigCatalog::Builtin()->Find("hanim_loa4"));
  }

  std::map<std::string, std::string> files_;
};

TEST_F(Inlines, AddressesAreRelativeToTheirFile) {
  files_["sub/part.x3dv"] =
      "ImageTexture { url [ \"skin.png\" \"http://a.b/c.png\" \"/d.png\" ] }\n"
      "Inline { url \"more/leaf.x3dv\" }";
  files_["sub/more/leaf.x3dv"] = "ImageTexture { url \"leaf.png\" }";
  const auto scene = Read("Inline { url \"sub/part.x3dv\" }");
  ASSERT_TRUE(scene.ok()) << scene.status();
  EXPECT_THAT(scene->inline_notes, IsEmpty());
  const std::string text = WriteClassic(*scene);
  EXPECT_THAT(text, AllOf(HasSubstr("\"sub/skin.png\""), HasSubstr("\"http://a.b/c.png\""),
                          HasSubstr("\"/d.png\""), HasSubstr("\"sub/more/leaf.png\"")));
  EXPECT_EQ(scene->FileOf(0), "");
  EXPECT_EQ(scene->FileOf(static_cast<int>(scene->nodes.size()) - 1), "sub/more/leaf.x3dv");
}

TEST_F(Inlines, AddressesMayHaveEscapedCharacters) {
  files_["my part.x3dv"] = "Shape { }";
  EXPECT_THAT(WriteClassic(*Read("Inline { url \"my%20part.x3dv\" }")), HasSubstr("Shape"));
  files_["../up.x3dv"] = "Shape { }";
  for (const char* outside : {"%2e%2e/up.x3dv", "my%2", "a%00b", "%zz"}) {
    EXPECT_EQ(Read(absl::StrCat("Inline { url \"", outside, "\" }"))->inline_notes.size(), 1u)
        << outside;
  }
}

TEST_F(Inlines, AreLeftOutIfTheirAnglesHaveAnotherUnit) {
  files_["degrees.x3dv"] = "UNIT angle degree 0.0174532925\nShape { }";
  const auto scene = Read("Inline { url \"degrees.x3dv\" }");
  ASSERT_TRUE(scene.ok()) << scene.status();
  EXPECT_THAT(scene->inline_notes, ElementsAre(HasSubstr("another UNIT of angles")));
  EXPECT_THAT(WriteClassic(*scene), Not(HasSubstr("Shape")));
  EXPECT_THAT(WriteClassic(*Read("UNIT angle deg 0.0174532925\nInline { url \"degrees.x3dv\" }")),
              HasSubstr("Shape"));
}

TEST_F(Inlines, ThatAreLeftOutAreNamedIfThereIsNoHumanoid) {
  EXPECT_THAT(Human("Inline { url \"gone.x3dv\" }").status().message(),
              AllOf(HasSubstr("no HAnimHumanoid"), HasSubstr("line 2: an Inline is left out")));
}

TEST_F(Inlines, StayInvisible) {
  files_["part.x3dv"] = "Shape { }";
  EXPECT_THAT(WriteClassic(*Read("Inline { visible FALSE url \"part.x3dv\" }")),
              AllOf(HasSubstr("Shape"), HasSubstr("visible FALSE")));
}

TEST_F(Inlines, HoldJointsAndSites) {
  files_["leg.x3dv"] =
      "HAnimJoint { name \"l_hip\" center 0.1 0.9 0 children HAnimSegment { name \"l_thigh\"\n"
      "children Group { children HAnimSite { name \"l_knee_pt\" } } } }";
  const std::string human =
      "HAnimHumanoid { skeleton HAnimJoint { name \"humanoid_root\" center 0 0.9 0 children ";
  const auto found = Human(human + "Inline { url \"leg.x3dv\" } } }");
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->joints.size(), 2u);
  EXPECT_EQ(found->joints[1].parent, 0);
  EXPECT_EQ(found->joints[1].name, "l_hip");
  EXPECT_EQ(found->sites.size(), 1u);
  EXPECT_THAT(found->notes, IsEmpty());
  const auto moved =
      Human(human + "Transform { translation 1 0 0 children Inline { url \"leg.x3dv\" } } } }");
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(moved->joints.size(), 1u);
  EXPECT_THAT(moved->notes, ElementsAre(HasSubstr("in a Transform with values are left out")));
}

TEST_F(Inlines, JointsNamedByTheirDefInAPrototypeKeepTheName) {
  const auto human = Human(
      "PROTO Leg [ ] { DEF hanim_l_hip HAnimJoint { center 0.1 0.9 0 children DEF l_knee "
      "HAnimJoint { center 0.1 0.5 0 } } }\nHAnimHumanoid { skeleton HAnimJoint { name "
      "\"humanoid_root\" center 0 0.9 0 children Leg { } } }");
  ASSERT_TRUE(human.ok()) << human.status();
  ASSERT_EQ(human->joints.size(), 3u);
  EXPECT_EQ(human->joints[1].name, "l_hip");
  EXPECT_EQ(human->joints[2].name, "l_knee");
}

TEST(ReadHumanoid, LimitsAndSitesAreInTheUnitOfAngles) {
  const auto scene = ReadScene(
      "#X3D V4.0 utf8\nUNIT angle degree 0.0174532925\nHAnimHumanoid { skeleton HAnimJoint { name "
      "\"humanoid_root\" llimit -90 0 0 ulimit 90 0 0 children HAnimSegment { name \"sacrum\" "
      "children HAnimSite { name \"a_pt\" rotation 0 1 0 90 } } } }");
  ASSERT_TRUE(scene.ok()) << scene.status();
  const auto human = ReadHumanoid(*scene, **skel::RigCatalog::Builtin()->Find("hanim_loa4"));
  ASSERT_TRUE(human.ok()) << human.status();
  EXPECT_NEAR(human->joints[0].limit->max.x, 1.5708f, 1e-4f);
  EXPECT_NEAR(human->sites[0].rotation->y, 0.70711f, 1e-4f);
}

}  // namespace
}  // namespace posewire::x3d
