#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/formats/x3d/inline.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/write_scene.h"

namespace posewire::x3d {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Xml(const std::string& scene) {
  return "<X3D profile='Full' version='4.0'>\n<head>\n<component name='HAnim' level='3'/>\n"
         "<unit category='length' name='inch' conversionFactor='0.0254'/>\n"
         "<meta name='title' content='a &quot;b&quot;'/>\n</head>\n<Scene>\n" +
         scene + "\n</Scene></X3D>";
}

const char kXmlHuman[] = R"(<HAnimHumanoid DEF='h' name='Joe' version='2.0' info='"a" "b \"c\""'>
  <HAnimJoint DEF='h_root' name='humanoid_root' containerField='skeleton' center='0 0.8 0'
    llimit='0 -1 0' ulimit='0,1,0'/>
  <HAnimJoint USE='h_root' containerField='joints'/>
</HAnimHumanoid>
<TimeSensor DEF='clock' cycleInterval='2' loop='true'/>
<OrientationInterpolator DEF='turn' key='0 1' keyValue='0 0 1 0 0 0 1 0.10000000001'/>
<ROUTE fromNode='clock' fromField='fraction_changed' toNode='turn' toField='set_fraction'/>
<ROUTE fromNode='turn' fromField='value_changed' toNode='h_root' toField='set_rotation'/>)";

const char kClassicHuman[] = R"(#X3D V4.0 utf8
PROFILE Full
COMPONENT HAnim:3
UNIT length inch 0.0254
META "title" "a \"b\""
DEF h HAnimHumanoid {
  name "Joe" version "2.0" info [ "a", "b \"c\"" ]  # a comment
  skeleton [ DEF h_root HAnimJoint {
    name "humanoid_root" center 0 0.8 0 llimit [0 -1 0] ulimit [0, 1, 0] } ]
  joints [ USE h_root ]
}
DEF clock TimeSensor { cycleInterval 2 loop TRUE }
DEF turn OrientationInterpolator { key [ 0 1 ] keyValue [ 0 0 1 0, 0 0 1 0.10000000001 ] }
ROUTE clock.fraction_changed TO turn.set_fraction
ROUTE turn.value_changed TO h_root.set_rotation
)";

TEST(Scene, IsTheSameFromBothForms) {
  const auto xml = ReadScene(Xml(kXmlHuman));
  ASSERT_TRUE(xml.ok()) << xml.status();
  const auto classic = ReadScene(kClassicHuman);
  ASSERT_TRUE(classic.ok()) << classic.status();
  EXPECT_EQ(WriteXml(*xml), WriteXml(*classic));
  EXPECT_EQ(WriteClassic(*xml), WriteClassic(*classic));
  for (const auto& text : {WriteXml(*xml), WriteClassic(*xml)}) {
    const auto again = ReadScene(text);
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
    EXPECT_EQ(WriteXml(*again), WriteXml(*xml));
  }
}

TEST(Scene, HoldsNodesUsesAndRoutes) {
  const auto scene = ReadScene(Xml(kXmlHuman));
  ASSERT_TRUE(scene.ok()) << scene.status();
  ASSERT_EQ(scene->nodes.size(), 4u);
  const X3dNode& human = scene->nodes[0];
  EXPECT_THAT(Strings(human, "info"), ElementsAre("a", "b \"c\""));
  EXPECT_EQ(String(human, "version"), "2.0");
  ASSERT_EQ(human.children.size(), 2u);
  EXPECT_EQ(human.children[0].field, "skeleton");
  EXPECT_EQ(human.children[1].field, "joints");
  EXPECT_EQ(human.children[1].node, human.children[0].node);
  const auto center = Numbers(scene->nodes[1], "center", 3);
  ASSERT_TRUE(center.ok());
  EXPECT_THAT(*center, ElementsAre(0, 0.8f, 0));
  EXPECT_THAT(Numbers(scene->nodes[1], "center", 4).status().message(),
              HasSubstr("HAnimJoint.center has 3 numbers: write 4"));
  ASSERT_EQ(scene->routes.size(), 2u);
  EXPECT_EQ(scene->nodes[static_cast<size_t>(scene->routes[1].to)].def, "h_root");
  EXPECT_EQ(scene->routes[1].to_field, "set_rotation");
}

TEST(Scene, RejectsBrokenFilesWithTheLine) {
  const struct {
    std::string text, line, says;
  } cases[] = {
      {"", "line 1", "the file is empty"},
      {"\n<X3D", "line 2", "XML is broken"},
      {"<html/>", "line 1", "not X3D"},
      {"<X3D>\n</X3D>", "line 2", "no Scene"},
      {Xml("<Group>"), "line 9", "XML is broken"},
      {Xml("<Group USE='nobody'/>"), "line 8", "\"nobody\" names no node above"},
      {Xml("<Group DEF='a'>\n<Group USE='a'/></Group>"), "line 9", "into itself"},
      {Xml("<Group DEF='a'/>\n<Shape USE='a'/>"), "line 9", "is a Group, not a Shape"},
      {Xml("<ROUTE fromNode='a' fromField='b' toNode='c' toField='d'/>"), "line 8", "no DEF gives"},
      {Xml("<Group DEF='two words'/>"), "line 8", "is no name"},
      {Xml("<Group DEF='a'/>\n<ROUTE fromNode='a' fromField='b.c' toNode='a' toField='d'/>"),
       "line 9", "\"b.c\" is no name"},
      {Xml("<Group DEF='a'/>\n<ROUTE fromNode='a' fromField='b' toNode='a' toField='d.'/>"),
       "line 9", "\"d.\" is no name"},
      {"<X3D>\n<head><component name='HAnim:1' level='3'/></head></X3D>", "line 2",
       "\"HAnim:1\" is no name"},
      {Xml("\n<Coordinate point='0 1 nan'/>"), "line 9", "Coordinate.point[2] is \"nan\""},
      {Xml("<ProtoDeclare name='p'><ProtoBody>\n<ProtoInstance name='p'/></ProtoBody>"
           "</ProtoDeclare><ProtoInstance name='p'/>"),
       "line 9", "prototype p contains itself"},
      {Xml("<fieldValue name='a' value='1'/>"), "line 8", "outside of nodes"},
      {"<!DOCTYPE X3D [\n<!ENTITY a 'aaaa'>]>" + Xml(""), "line 2", "declares an entity"},
      {"#X3D V4.0 utf8\nGroup {\n", "line 3", "file ends"},
      {"#X3D V4.0 utf8\nGroup }", "line 2", "{ should be"},
      {"#X3D V4.0 utf8\n\nWorldInfo { title \"a", "line 3", "does not end"},
      {"#X3D V4.0 utf8\nGroup { children [ 1 Group {} ] }", "line 2", "a value should be"},
      {"#X3D V4.0 utf8\nCoordinate { point [ 1 \"a\" ] }", "line 2", "point[1]"},
      {"#X3D V4.0 utf8\nGroup { children USE a }", "line 2", "names no node"},
      {"#X3D V4.0 utf8\nPROTO P [ size ] {}", "line 2", "a declared field or ]"},
      {"#X3D V4.0 utf8\nPROTO P [] {\n Group {", "line 3", "file ends"},
      {"#X3D V4.0 utf8\nEXTERNPROTO P [] 3", "line 2", "an address should be"},
      {"#X3D V4.0 utf8\nWorldInfo { title \"\xff\" }", "line 2", "UTF-8"},
      {"<X3D>\n<head><unit category='length' name='inch'/></head></X3D>", "line 2",
       "factor of unit"},
      {"#X3D V4.0 utf8\nROUTE a TO b", "line 2", "NODE.field"},
  };
  for (const auto& c : cases) {
    const auto scene = ReadScene(c.text);
    ASSERT_FALSE(scene.ok()) << c.text;
    EXPECT_THAT(std::string(scene.status().message()), AllOf(HasSubstr(c.line), HasSubstr(c.says)))
        << c.text;
  }
}

TEST(Scene, RejectsWhatIsTooDeepOrTooMuch) {
  std::string deep = "#X3D V4.0 utf8\n", doubled = deep + "DEF n0 Group {}\n";
  for (int i = 0; i < 300; ++i) deep += "Group { children ";
  EXPECT_THAT(ReadScene(deep).status().message(), HasSubstr("line 2: nodes are over 256 deep"));
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&doubled, "DEF n", i, " Group { children [ USE n", i - 1, " USE n", i - 1,
                    " ] }\n");
  }
  EXPECT_THAT(ReadScene(doubled).status().message(), HasSubstr("are over 1048576"));
  Limits few;
  few.nodes = 3;
  EXPECT_THAT(ReadScene(Xml("<Group/><Group/>\n<Group/><Group/>"), few).status().message(),
              HasSubstr("line 9: there are over 3 nodes"));
  few.bytes = 10;
  EXPECT_EQ(ReadScene(Xml(""), few).status().code(), absl::StatusCode::kResourceExhausted);
}

// White space stands between any two terminals of the classic form, commas and comments too
// (ISO/IEC 19776-2, annex A). X_ITE's x3d-tidy writes "COMPONENT HAnim : 1".
TEST(Scene, ReadsTerminalsApart) {
  const auto tight = ReadScene(kClassicHuman);
  ASSERT_TRUE(tight.ok()) << tight.status();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"HAnim:3", "HAnim : 3"},
           {"HAnim:3", "HAnim: 3"},
           {"HAnim:3", "HAnim :3"},
           {"HAnim:3", "HAnim #level\n , : \t3"},
           {"PROFILE Full", "PROFILE\n\tFull"},
           {"UNIT length inch 0.0254", "UNIT length,inch , 0.0254"},
           {"META \"title\" \"a", "META\"title\"\"a"},
           {"DEF h HAnimHumanoid {", "DEF\nh # who\nHAnimHumanoid{"},
           {"joints [ USE h_root ]", "joints[USE h_root]"},
           {"joints [ USE h_root ]", "joints USE h_root"},
           {"name \"humanoid_root\" center", "name\"humanoid_root\"center"},
           {"llimit [0 -1 0]", "llimit[0,-1,,0,]"},
           {"clock.fraction_changed TO turn.set_fraction",
            "clock . fraction_changed TO turn\n.\nset_fraction"},
           {"clock.fraction_changed TO turn.set_fraction",
            "clock. fraction_changed, TO turn .set_fraction"},
           {"loop TRUE }", "loop TRUE children [] }"}}) {
    const std::string text = absl::StrReplaceAll(kClassicHuman, {{from, to}});
    ASSERT_NE(text, kClassicHuman) << from;
    const auto apart = ReadScene(text);
    ASSERT_TRUE(apart.ok()) << apart.status() << "\n" << to;
    EXPECT_EQ(WriteClassic(*apart), WriteClassic(*tight)) << to;
    EXPECT_EQ(WriteXml(*apart), WriteXml(*tight)) << to;
  }
}

// Files of others have Japanese comments of the nineties, also before the first line.
TEST(Scene, CommentsMayHaveAnyEncoding) {
  const auto scene =
      ReadScene("# \x83\x4a\n#VRML V2.0 utf8\n# \x83\x5c\" \xff\nWorldInfo { title \"#\" }\n");
  ASSERT_TRUE(scene.ok()) << scene.status();
  EXPECT_TRUE(scene->vrml97);
  EXPECT_EQ(String(scene->nodes[0], "title"), "#");
  EXPECT_THAT(ReadScene("#X3D V4.0 utf8\nWorldInfo { title \"# \\\" \xff\" }").status().message(),
              HasSubstr("line 2: the text is not in UTF-8"));
}

TEST(Scene, LinesEndWithAnyOfTheirEnds) {
  const auto unix = ReadScene(kClassicHuman);
  for (const char* const end : {"\r", "\r\n"}) {
    const auto other = ReadScene(absl::StrReplaceAll(kClassicHuman, {{"\n", end}}));
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_EQ(WriteClassic(*other), WriteClassic(*unix));
    EXPECT_EQ(other->nodes[1].line, unix->nodes[1].line);
  }
}

TEST(Scene, SaysWhatAFileIsThatIsNoX3d) {
  const struct {
    std::string text, says;
  } cases[] = {
      {"PROFILE Immersive\nGroup {}", "starts with \"PROFILE Immersive\", as neither form"},
      {"  DEF a Group {}", "starts with \"DEF a Group {}\""},
      {"{\"X3D\": {}}", "the file is JSON"},
      {"#VRML V1.0 ascii\nSeparator {}", "VRML 1.0"},
      {"\x01\x02", "starts with \"\\x01\\x02\""},
      {" \n ", "the file is empty"},
  };
  for (const auto& c : cases) {
    const auto scene = ReadScene(c.text);
    ASSERT_FALSE(scene.ok()) << c.text;
    EXPECT_THAT(std::string(scene.status().message()), AllOf(HasSubstr("line "), HasSubstr(c.says)))
        << c.text;
    EXPECT_THAT(std::string(scene.status().message()), Not(HasSubstr("XML is broken"))) << c.text;
  }
  const auto vrml = ReadScene("#VRML V2.0 utf8\nGroup { children Shape {} }");
  ASSERT_TRUE(vrml.ok()) << vrml.status();
  EXPECT_TRUE(vrml->vrml97);
}

constexpr char kDoor[] = R"(#X3D V4.0 utf8
PROTO Door [ inputOutput SFVec3f size 1 2 3
             initializeOnly MFNode parts [ DEF Knob Group { } ]
             inputOnly SFRotation turn ] {
  DEF Leaf Transform { scale IS size rotation IS turn children IS parts }
  DEF Swing OrientationInterpolator { key [ 0 1 ] keyValue [ 0 1 0 0, 0 1 0 1 ] }
  ROUTE Swing.value_changed TO Leaf.set_rotation
}
DEF Front Door { size 4 5 6 parts [ DEF Mat Shape { } USE Mat ] }
Group { children [ Door { } ] }
DEF Clock OrientationInterpolator { }
ROUTE Clock.value_changed TO Front.set_turn
)";

TEST(Scene, ExpandsPrototypes) {
  const auto scene = ReadScene(kDoor);
  ASSERT_TRUE(scene.ok()) << scene.status();
  EXPECT_EQ(WriteClassic(*scene), R"(#X3D V4.0 utf8
PROFILE Immersive
DEF Front Transform {
  scale 4 5 6
  children [
    DEF Mat Shape {
    }
    USE Mat
  ]
}
DEF p1_Swing OrientationInterpolator {
  key [ 0 1 ]
  keyValue [ 0 1 0 0 0 1 0 1 ]
}
Group {
  children [
    DEF p2_Leaf Transform {
      scale 1 2 3
      children [
        DEF Knob Group {
        }
      ]
    }
  ]
}
DEF p2_Swing OrientationInterpolator {
  key [ 0 1 ]
  keyValue [ 0 1 0 0 0 1 0 1 ]
}
DEF Clock OrientationInterpolator {
}
ROUTE p1_Swing.value_changed TO Front.set_rotation
ROUTE p2_Swing.value_changed TO p2_Leaf.set_rotation
ROUTE Clock.value_changed TO Front.rotation
)");
  const auto xml = ReadScene(
      "<X3D><Scene><ProtoDeclare name='Door'><ProtoInterface>"
      "<field name='size' accessType='inputOutput' type='SFVec3f' "
      "value='1 2 3'/><field name='parts' accessType='initializeOnly' "
      "type='MFNode'><Group DEF='Knob'/></field>"
      "<field name='turn' accessType='inputOnly' type='SFRotation'/>"
      "</ProtoInterface><ProtoBody><Transform DEF='Leaf'><IS>"
      "<connect nodeField='scale' protoField='size'/>"
      "<connect nodeField='rotation' protoField='turn'/>"
      "<connect nodeField='children' protoField='parts'/></IS></Transform>"
      "<OrientationInterpolator DEF='Swing' key='0 1' "
      "keyValue='0 1 0 0 0 1 0 1'/><ROUTE fromNode='Swing' "
      "fromField='value_changed' toNode='Leaf' toField='set_rotation'/>"
      "</ProtoBody></ProtoDeclare><ProtoInstance name='Door' DEF='Front'>"
      "<fieldValue name='size' value='4 5 6'/><fieldValue name='parts'>"
      "<Shape DEF='Mat'/><Shape USE='Mat'/></fieldValue></ProtoInstance>"
      "<Group><ProtoInstance name='Door'/></Group>"
      "<OrientationInterpolator DEF='Clock'/><ROUTE fromNode='Clock' "
      "fromField='value_changed' toNode='Front' toField='set_turn'/>"
      "</Scene></X3D>");
  ASSERT_TRUE(xml.ok()) << xml.status();
  EXPECT_EQ(WriteClassic(*xml), WriteClassic(*scene));
}

TEST(Scene, PrototypesInPrototypesPassTheirValuesOn) {
  const auto scene = ReadScene(R"(#X3D V3.3 utf8
PROTO Inner [ exposedField SFVec3f at 0 0 0 field MFNode parts [ ] ] {
  Transform { translation IS at children IS parts }
}
PROTO Outer [ exposedField SFVec3f place 1 1 1 field MFNode kids [ ] ] {
  Inner { at IS place parts IS kids }
}
DEF O Outer { place 7 8 9 kids [ DEF S Shape { } ] }
DEF P PositionInterpolator { }
ROUTE P.value_changed TO O.place
)");
  ASSERT_TRUE(scene.ok()) << scene.status();
  const std::string text = WriteClassic(*scene);
  EXPECT_THAT(text, HasSubstr("DEF O Transform {\n  translation 7 8 9\n  children [\n    DEF S"));
  EXPECT_THAT(text, HasSubstr("ROUTE P.value_changed TO O.translation"));
}

TEST(Scene, SkipsDeclarationsThatNoNodeUses) {
  const auto scene = ReadScene(R"(#VRML V2.0 utf8
EXTERNPROTO Far [ exposedField SFVec3f size eventIn SFTime now ] [ "a.wrl#Far" "b.wrl" ]
PROTO Unused [ field SFNode what NULL eventOut SFBool done ] { Group { children IS what } }
DEF S Script { url "javascript:" field SFBool on TRUE eventIn SFTime at
  field SFNode target USE S exposedField MFString words [ "a" "b" ] eventOut SFFloat f IS done }
Far { size 1 2 3 }
Shape { }
IMPORT Other.Door AS Gate
EXPORT S AS Public
ROUTE Gate.open TO S.at
)");
  ASSERT_TRUE(scene.ok()) << scene.status();
  ASSERT_EQ(scene->nodes.size(), 3u);
  EXPECT_EQ(scene->nodes[0].type, "Script");
  EXPECT_EQ(scene->nodes[0].fields.size(), 1u);
  EXPECT_EQ(scene->nodes[1].type, "Far");
  EXPECT_TRUE(scene->routes.empty());
  const auto xml = ReadScene(Xml(
      "<ExternProtoDeclare name='Far' url='\"a.x3d\"'><field name='size' type='SFVec3f'/>"
      "</ExternProtoDeclare><Script DEF='S'><field name='n' type='SFNode'><Group DEF='in'/></field>"
      "</Script><IMPORT inlineDEF='i' importedDEF='Door' AS='Gate'/><EXPORT localDEF='S'/>"
      "<ROUTE fromNode='Gate' fromField='open' toNode='S' toField='at'/>"));
  ASSERT_TRUE(xml.ok()) << xml.status();
  EXPECT_EQ(xml->nodes.size(), 1u);
}

// A few lines can say a lot.
TEST(Scene, LimitsWhatPrototypesRepeat) {
  std::string grows = "#X3D V4.0 utf8\nPROTO P0 [] { Group {} }\n";
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&grows, "PROTO P", i, " [] { Group { children [ P", i - 1, " {} P", i - 1,
                    " {} ] } }\n");
  }
  EXPECT_THAT(ReadScene(grows + "P39 { }").status().message(), HasSubstr("over 131072 nodes"));
  std::string chain = "#X3D V4.0 utf8\nPROTO P0 [] { Group {} }\n";
  for (int i = 1; i < 100; ++i) {
    absl::StrAppend(&chain, "PROTO P", i, " [] { P", i - 1, " {} }\n");
  }
  EXPECT_THAT(ReadScene(chain + "P99 { }").status().message(),
              HasSubstr("over 64 prototypes in each other"));
  std::string text =
      "#X3D V4.0 utf8\nPROTO P [] { WorldInfo { title \"" + std::string(1 << 20, 'a') + "\" } }\n";
  for (int i = 0; i < 100; ++i) text += "P {} ";
  EXPECT_THAT(ReadScene(text).status().message(), HasSubstr("or 67108864 bytes"));
  std::string deep = "#X3D V4.0 utf8\nPROTO P [ field MFNode n [ ] ] { Group { children IS n } }\n";
  for (int i = 0; i < 300; ++i) deep += "P { n ";
  EXPECT_THAT(ReadScene(deep).status().message(), HasSubstr("line 3: nodes are over 256 deep"));
  std::string nested = "#X3D V4.0 utf8\n";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&nested, "PROTO P", i, " [] {\n");
  EXPECT_THAT(ReadScene(nested).status().message(), HasSubstr("over 16 prototypes in each other"));
}

TEST(Scene, PutsTheFilesOfInlinesInTheirPlace) {
  const std::map<std::string, std::string> files = {
      {"parts/hand.wrl", "#VRML V2.0 utf8\nDEF T Shape { }\nInline { url \"tip.x3dv\" }\n"},
      {"parts/tip.x3dv", "#X3D V4.0 utf8\nUNIT length inch 0.0254\nDEF T Group { }\n"},
      {"self.x3dv", "#X3D V4.0 utf8\nInline { url \"self.x3dv\" }\n"},
      {"broken.x3dv", "#X3D V4.0 utf8\nGroup {\n"},
  };
  std::vector<std::string> asked;
  const asset::ReadSidecar read = [&](const std::string& name) -> absl::StatusOr<std::string> {
    asked.push_back(name);
    const auto found = files.find(name);
    if (found == files.end()) return absl::NotFoundError(name + " is not there");
    return found->second;
  };
  const auto with = [&](const std::string& inlines, const Limits& limits = {}) {
    return ReadSceneWithInlines("#X3D V4.0 utf8\nDEF T Group { }\n" + inlines, limits, read);
  };
  const auto scene = with("DEF Hand Inline { url [ \"gone.wrl\" \"parts/hand.wrl\" ] }");
  ASSERT_TRUE(scene.ok()) << scene.status();
  EXPECT_THAT(asked, ElementsAre("gone.wrl", "parts/hand.wrl", "parts/tip.x3dv"));
  EXPECT_THAT(WriteClassic(*scene),
              HasSubstr("DEF Hand Group {\n  children [\n    DEF f1_T Shape {\n    }\n    "
                        "Transform {\n      scale 0.0253999997 0.0253999997 0.0253999997\n      "
                        "children [\n        DEF f2_T Group"));
  asked.clear();
  for (const char* outside : {"../secret.wrl", "/etc/passwd", "http://a.b/c.wrl", "file:x.wrl",
                              "a/../../b.wrl", "a\\\\b.wrl", ""}) {
    const auto left = with(absl::StrCat("Inline { url \"", outside, "\" }"));
    ASSERT_TRUE(left.ok()) << left.status();
    EXPECT_THAT(left->inline_notes, ElementsAre(HasSubstr("line 3: an Inline is left out")))
        << outside;
  }
  EXPECT_TRUE(asked.empty());
  EXPECT_THAT(with("Inline { url \"self.x3dv\" }").status().message(),
              HasSubstr("8 in each other"));
  const auto broken = with("Inline { url \"broken.x3dv\" }");
  ASSERT_TRUE(broken.ok()) << broken.status();
  EXPECT_THAT(broken->inline_notes,
              ElementsAre(HasSubstr("line 3: an Inline is left out: broken.x3dv: line 3")));
  std::string many;
  for (int i = 0; i < 70; ++i) many += "Inline { url \"parts/tip.x3dv\" }\n";
  EXPECT_THAT(with(many).status().message(), HasSubstr("over 64 files"));
  Limits few;
  few.walked = 9;
  EXPECT_THAT(with("DEF I Inline { url \"parts/hand.wrl\" } USE I USE I", few).status().message(),
              HasSubstr("over 9 nodes"));
}

// Nodes of H-Anim that name a field their parent lacks belong to the one that can hold them.
TEST(Scene, AssumesAContainerFieldWhereOneAloneIsMeant) {
  const auto field_of = [](const std::string& human, const std::string& field) {
    const auto scene = ReadScene(Xml("<HAnimHumanoid>" + human + "</HAnimHumanoid>"));
    EXPECT_TRUE(scene.ok()) << scene.status();
    EXPECT_EQ(scene->notes.size(), 1u) << human;
    if (!scene->notes.empty()) {
      EXPECT_THAT(scene->notes[0],
                  AllOf(HasSubstr("line 8: "), HasSubstr("containerField=\"" + field + "\"")));
    }
    return scene->nodes[0].children.back().field;
  };
  EXPECT_EQ(field_of("<HAnimJoint/>", "skeleton"), "skeleton");
  EXPECT_EQ(field_of("<HAnimJoint containerField='children'/>", "skeleton"), "skeleton");
  EXPECT_EQ(field_of("<HAnimJoint containerField='humanoidBody'/>", "skeleton"), "skeleton");
  EXPECT_EQ(field_of("<HAnimJoint DEF='a' containerField='skeleton'/><HAnimJoint USE='a'/>"
                     "<HAnimJoint USE='a'/>",
                     "joints"),
            "joints");
  EXPECT_EQ(field_of("<Coordinate/>", "skinCoord"), "skinCoord");
  EXPECT_EQ(field_of("<Shape/>", "skin"), "skin");
  const auto inside = ReadScene(Xml(
      "<HAnimHumanoid><HAnimJoint containerField='skeleton'><HAnimSegment "
      "containerField='segments'><HAnimDisplacer/></HAnimSegment></HAnimJoint></HAnimHumanoid>"));
  ASSERT_TRUE(inside.ok());
  EXPECT_EQ(inside->nodes[1].children[0].field, "children");
  EXPECT_EQ(inside->nodes[2].children[0].field, "displacers");
  EXPECT_EQ(inside->notes.size(), 1u);
  const auto unclear = ReadScene(Xml("<HAnimHumanoid><HAnimSegment/><Group/></HAnimHumanoid>"));
  ASSERT_TRUE(unclear.ok());
  EXPECT_EQ(unclear->nodes[0].children[0].field, "children") << "several fields would do";
  EXPECT_EQ(unclear->notes.size(), 1u) << "the Group is skin";
  const auto plain = ReadScene(Xml("<Group><HAnimJoint/></Group>"));
  EXPECT_TRUE(plain.ok() && plain->notes.empty());
}

TEST(Scene, TheLastOfOneNameKeepsIt) {
  const auto scene =
      ReadScene(Xml("<Group DEF='a' bboxSize='1 1 1'/><Group USE='a'/><Group DEF='a'/>"
                    "<Group USE='a'/>"));
  ASSERT_TRUE(scene.ok()) << scene.status();
  EXPECT_EQ(scene->roots[1].node, 0);
  EXPECT_EQ(scene->roots[3].node, 1);
  const auto again = ReadScene(WriteXml(*scene));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(WriteXml(*again), WriteXml(*scene));
}

TEST(Scene, ReadsJoe) {
  const char* const root = std::getenv("POSEWIRE_SOURCE_DIR");
  for (const char* shared : {"/../shared/data/", "/../../shared/data/"}) {
    std::ifstream file(absl::StrCat(root ? root : ".", shared, "JoeHAnimKick1a.x3d"));
    if (!file) continue;
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const auto joe = ReadScene(text);
    ASSERT_TRUE(joe.ok()) << joe.status();
    EXPECT_EQ(joe->routes.size(), 40u);
    const auto classic = ReadScene(WriteClassic(*joe));
    ASSERT_TRUE(classic.ok()) << classic.status();
    EXPECT_EQ(WriteClassic(*classic), WriteClassic(*joe));
    const auto xml = ReadScene(WriteXml(*joe));
    ASSERT_TRUE(xml.ok()) << xml.status();
    EXPECT_EQ(WriteXml(*xml), WriteXml(*joe));
    return;
  }
  GTEST_SKIP() << "JoeHAnimKick1a.x3d is not here";
}

}  // namespace
}  // namespace posewire::x3d
