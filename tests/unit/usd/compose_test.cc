#include "libs/formats/usd/compose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/formats/usd/stage.h"

namespace posewire::usd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Files = std::map<std::string, std::string>;

OpenLayer Opener(Files files) {
  return [files = std::move(files)](const std::string& path) -> absl::StatusOr<std::string> {
    const auto it = files.find(path);
    if (it == files.end()) return absl::NotFoundError("there is no such file");
    return it->second;
  };
}

std::string Text(const std::string& body) { return "#usda 1.0\n" + body; }

Stage Composed(const std::string& body, Files files = {}) {
  for (auto& [name, text] : files) text = Text(text);
  absl::StatusOr<Layer> layer = Compose(Text(body), Opener(std::move(files)));
  EXPECT_TRUE(layer.ok()) << layer.status();
  return Stage(layer.ok() ? *std::move(layer) : Layer{});
}

std::string WhyNotComposed(const std::string& body, Files files = {}) {
  for (auto& [name, text] : files) text = Text(text);
  const auto layer = Compose(Text(body), Opener(std::move(files)));
  return layer.ok() ? "is composed" : std::string(layer.status().message());
}

std::vector<double> At(const Stage& stage, const char* path, const char* name, double time = 0) {
  const int prim = stage.Find(path);
  EXPECT_GE(prim, 0) << path;
  return prim < 0 ? std::vector<double>() : stage.Numbers(prim, name, time);
}

TEST(UsdCompose, AReferenceBringsAPrimWithItsPathsAndTime) {
  const Stage stage = Composed(
      R"(( timeCodesPerSecond = 30 )
def "W" { def "A" (references = @lib/rig.usda@</Rig> (offset = 10; scale = 2)) { int own = 1 } })",
      {{"lib/rig.usda", R"(( timeCodesPerSecond = 60 )
def Xform "Rig" { int own = 2
 rel in = </Rig/B> 
 rel out = </Other>
 rel near = <B>
 asset sound = @voice.wav@
 def "B" (references = @deeper.usda@) { double x.timeSamples = { 0: 1, 6: 7 } } }
def "Other" {})"},
       {"lib/deeper.usda", "( defaultPrim = \"D\" )\ndef \"D\" { int deep = 5 }"}});
  EXPECT_THAT(At(stage, "/W/A", "own"), ElementsAre(1));
  EXPECT_EQ(stage.prim(stage.Find("/W/A")).type, "Xform");
  // 60 time codes a second become 30, then twice as slow, from 10 on.
  EXPECT_THAT(stage.Times(stage.Find("/W/A/B"), "x"), ElementsAre(10, 16));
  EXPECT_THAT(At(stage, "/W/A/B", "x", 13), ElementsAre(4));
  EXPECT_THAT(At(stage, "/W/A/B", "deep"), ElementsAre(5));
  EXPECT_THAT(stage.Targets(stage.Find("/W/A"), "in"), ElementsAre(stage.Find("/W/A/B")));
  EXPECT_THAT(stage.Targets(stage.Find("/W/A"), "near"), ElementsAre(stage.Find("/W/A/B")));
  EXPECT_THAT(stage.Targets(stage.Find("/W/A"), "out"), IsEmpty());
  EXPECT_EQ(stage.prim(stage.Find("/W/A"))
                .Find("sound", Property::Part::kDefault)
                ->value.references[0]
                .asset,
            "lib/voice.wav");
}

TEST(UsdCompose, TimeCodesThatAreValuesMoveWithTheirLayer) {
  const Stage stage = Composed(
      R"(( timeCodesPerSecond = 30 )
def "A" (references = @a.usda@</A> (offset = 10; scale = 2)) {})",
      {{"a.usda", R"(( timeCodesPerSecond = 60 )
def SpatialAudio "A" { uniform timecode startTime = 8
 uniform double mediaOffset = 8 })"}});
  EXPECT_THAT(At(stage, "/A", "startTime"), ElementsAre(18));
  EXPECT_THAT(At(stage, "/A", "mediaOffset"), ElementsAre(8));
}

TEST(UsdCompose, AVariantIsLaidBeneathWhatItsPrimSaysAndAboveWhatThatRefersTo) {
  const char kBody[] = R"(
def "Base" { int a = 1
 int b = 1
 int c = 1 }
class "C" { int a = 5 }
def "A" (
 prepend references = </Base>
 inherits = </C>
 variants = { string look = "%s" }
 prepend variantSets = ["look", "size"]
) { int b = 2
 variantSet "look" = {
  "red" { int a = 7
   int b = 7
   int c = 7
   def "In" { int x = 1 }
   variantSet "unlisted" = { "u" { int c = 9 } } }
  "blue" ( references = </Blue>
           variants = { string size = "big" } ) { int c = 8 }
 }
 variantSet "size" = { "big" { int d = 3 }
  "small" { int d = 4 } } }
def "Blue" { int c = 6
 int e = 6 })";
  const auto with = [&](const char* look) {
    return Composed(absl::StrReplaceAll(kBody, {{"%s", look}}));
  };
  const Stage red = with("red");
  EXPECT_THAT(At(red, "/A", "a"), ElementsAre(5));
  EXPECT_THAT(At(red, "/A", "b"), ElementsAre(2));
  EXPECT_THAT(At(red, "/A", "c"), ElementsAre(7));
  EXPECT_THAT(At(red, "/A/In", "x"), ElementsAre(1));
  EXPECT_THAT(At(red, "/A", "d"), IsEmpty());
  const Stage blue = with("blue");
  EXPECT_THAT(At(blue, "/A", "c"), ElementsAre(8));
  EXPECT_THAT(At(blue, "/A", "e"), ElementsAre(6));
  EXPECT_THAT(At(blue, "/A", "d"), ElementsAre(3));
  EXPECT_EQ(blue.Find("/A/In"), -1);
  const Stage none = with("green");
  EXPECT_THAT(At(none, "/A", "c"), ElementsAre(1));
}

TEST(UsdCompose, StrongerFilesChooseVariantsOfWeakerOnes) {
  const Stage stage = Composed(R"(( subLayers = [@below.usda@] )
def "One" (references = @a.usda@</A>) {}
def "Two" (references = @a.usda@</A>
 variants = { string look = "blue" } ) { over "Child" ( variants = { string size = "big" } ) {} }
over "Three" ( variants = { string look = "blue" } ) {})",
                               {{"below.usda", R"(
def "Three" (references = @a.usda@</A>
 variants = { string look = "red"
              string size = "big" }) {})"},
                                {"a.usda", R"(
def "A" ( variants = { string look = "red" }
 variantSets = "look" ) {
 variantSet "look" = { "red" { int c = 1 }
  "blue" ( references = @in/blue.usda@</B> ) {} }
 def "Child" ( variantSets = ["size"] ) {
  variantSet "size" = { "big" { int s = 9 } } } })"},
                                {"in/blue.usda", "def \"B\" { int c = 2\n rel r = </B> }"}});
  EXPECT_THAT(At(stage, "/One", "c"), ElementsAre(1));
  EXPECT_THAT(At(stage, "/Two", "c"), ElementsAre(2));
  EXPECT_THAT(At(stage, "/Three", "c"), ElementsAre(2));
  EXPECT_THAT(At(stage, "/One/Child", "s"), IsEmpty());
  EXPECT_THAT(At(stage, "/Two/Child", "s"), ElementsAre(9));
  EXPECT_THAT(stage.Targets(stage.Find("/Two"), "r"), ElementsAre(stage.Find("/Two")));
}

TEST(UsdCompose, VariantsThatLeadBackAreRejected) {
  EXPECT_THAT(WhyNotComposed(R"(def "A" ( variantSets = "v"
 variants = { string v = "x" } ) {
 variantSet "v" = { "x" ( references = </A> ) {} } })"),
              HasSubstr("over 32"));
  std::string deep = "def \"A\" (variantSets = \"v\"\n variants = {string v = \"x\"}) {";
  std::string close;
  for (int i = 0; i < 20; ++i) {
    deep += "variantSet \"v\" = { \"x\" (variantSets = \"v\") {";
    close += "} }";
  }
  EXPECT_EQ(WhyNotComposed(deep + close + "}"), "is composed");
}

// The files that OpenUSD was asked of; what it said are the numbers below.
constexpr char kClipFiles[][2][400] = {
    {"c1.usda", R"(def "M" { double a.timeSamples = { 0: 0, 4: 4, 9: 90 }
 double only1.timeSamples = { 0: 1, 5: 2 }
 def "K" { double b.timeSamples = { 0: 5, 10: 6 } } })"},
    {"c2.usda", R"(def "M" { double a.timeSamples = { 0: 100, 12: 220 } })"},
    {"base.usda", R"(def "M" { double a = -1
 double only1 = -3
 def "K" { double b = -5 } })"},
    {"manifest.usda", R"(over "M" { double a
 double only1 = 55 })"}};

Stage WithClips(const std::string& set, const std::string& body = "") {
  Files files;
  for (const auto& [name, text] : kClipFiles) files[name] = text;
  return Composed(absl::StrCat(R"(def "M" ( references = @base.usda@</M>
 clips = { dictionary default = {
  asset[] assetPaths = [@./c1.usda@, @./c2.usda@]
  string primPath = "/M"
 )",
                               set, "} } ) {", body, "}"),
                  std::move(files));
}

TEST(UsdClips, SamplesComeFromTheClipThatIsActive) {
  const Stage stage = WithClips("double2[] active = [(0, 0), (10, 1)]");
  const auto a = [&](double time) { return At(stage, "/M", "a", time).at(0); };
  EXPECT_EQ(a(-10), 0);
  EXPECT_EQ(a(2), 2);
  EXPECT_NEAR(a(6), 38.4, 1e-9);
  EXPECT_EQ(a(9.5), 145);
  EXPECT_EQ(a(10), 200);
  EXPECT_EQ(a(30), 220);
  EXPECT_THAT(At(stage, "/M/K", "b", 9), ElementsAre(5));
  // What a clip does not have is blocked while it is active.
  EXPECT_THAT(At(stage, "/M", "only1", 9.9), ElementsAre(2));
  EXPECT_THAT(At(stage, "/M", "only1", 10), IsEmpty());
}

TEST(UsdClips, TimesMayRunOtherwiseAndJump) {
  const Stage fast = WithClips(R"(double2[] active = [(0, 0), (10, 1)]
 double2[] times = [(2, 0), (12, 20)])");
  EXPECT_THAT(At(fast, "/M", "a", -10), ElementsAre(0));
  EXPECT_NEAR(At(fast, "/M", "a", 9)[0], 182.85714285714286, 1e-9);
  EXPECT_THAT(At(fast, "/M", "a", 30), ElementsAre(220));
  const Stage loop = WithClips(R"(double2[] active = [(0, 0)]
 double2[] times = [(0, 0), (8, 8), (8, 0), (16, 8)])");
  EXPECT_NEAR(At(loop, "/M", "a", 7.99)[0], 72.628, 1e-6);
  EXPECT_THAT(At(loop, "/M", "a", 8), ElementsAre(0));
  EXPECT_NEAR(At(loop, "/M", "a", 15.9)[0], 71.08, 1e-6);
  EXPECT_NEAR(At(loop, "/M", "a", 20)[0], 72.8, 1e-9);
}

TEST(UsdClips, AManifestSaysWhatClipsHold) {
  const Stage stage = WithClips(R"(double2[] active = [(0, 0), (10, 1)]
 asset manifestAssetPath = @manifest.usda@)");
  EXPECT_THAT(At(stage, "/M", "only1", 12), ElementsAre(55));
  EXPECT_NEAR(At(stage, "/M", "only1", 9.5)[0], 49.7, 1e-9);
  EXPECT_THAT(At(stage, "/M/K", "b", 5), ElementsAre(-5));
  const Stage between = WithClips(R"(bool interpolateMissingClipValues = true
 double2[] active = [(0, 0), (10, 1), (20, 0)])");
  EXPECT_THAT(At(between, "/M", "only1", 15), ElementsAre(2));
}

TEST(UsdClips, TheirOwnLayerIsStronger) {
  const Stage stage = WithClips("double2[] active = [(0, 0)]", R"(double a = 1000
 double only1.timeSamples = { 0: 2000 } )");
  EXPECT_THAT(At(stage, "/M", "a", 5), ElementsAre(1000));
  EXPECT_THAT(At(stage, "/M", "only1", 5), ElementsAre(2000));
}

TEST(UsdClips, FilesMayComeFromATemplateAndMoveWithTheirLayer) {
  const Stage stage = Composed(
      R"(( timeCodesPerSecond = 48 )
def "M" ( references = @set/s.usda@</M> (offset = 2) ) {})",
      {{"set/s.usda", R"(( timeCodesPerSecond = 24 )
def "M" ( clips = { dictionary default = {
  string templateAssetPath = "./clip.###.usda"
  double templateStartTime = 1
  double templateEndTime = 9
  double templateStride = 4
  string primPath = "/M" } } ) {})"},
       {"set/clip.001.usda", "def \"M\" { double a.timeSamples = { 1: 10, 5: 30 } }"},
       {"set/clip.009.usda", "def \"M\" { double a.timeSamples = { 9: 90 } }"}});
  EXPECT_THAT(stage.Times(stage.Find("/M"), "a"), ElementsAre(4, 12, 20));
  EXPECT_THAT(At(stage, "/M", "a", 8), ElementsAre(20));
  EXPECT_THAT(At(stage, "/M", "a", 20), ElementsAre(90));
}

TEST(UsdClips, RejectsWithTheLine) {
  const auto why = [](const std::string& set) {
    return WhyNotComposed(
        absl::StrCat("def \"M\" ( clips = { dictionary default = {\n"
                     "string primPath = \"/M\"\n asset[] assetPaths = [@c.usda@]\n",
                     set, "} } ) {}"),
        {{"c.usda", "def \"M\" { double a.timeSamples = { 0: 1 } }"}});
  };
  EXPECT_EQ(why("double2[] active = [(0, 1)]"),
            "line 2: clips: active names clip 1, and there are 1");
  EXPECT_THAT(why("double2[] active = [(0, inf)]"), HasSubstr("no pair of finite numbers"));
  EXPECT_THAT(why("double[] active = [0, 1]"), HasSubstr("no pair of finite numbers"));
  EXPECT_THAT(why("string templateAssetPath = \"c.usda\""), HasSubstr("a template needs ###"));
  // What OpenUSD passes over.
  EXPECT_EQ(why("double2[] times = [(0, 0)]"), "is composed");
  EXPECT_THAT(WhyNotComposed(R"(def "M" ( clips = { dictionary default = { string primPath = "/M"
 asset[] assetPaths = [@none.usda@]
 double2[] active = [(0, 0)] } } ) {})"),
              HasSubstr("@none.usda@: there is no such file"));
}

TEST(UsdClips, ManyActiveTimesOfOneLongClipAreRejected) {
  std::string clip = "def \"M\" { double a.timeSamples = {";
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&clip, i, ": 1,");
  std::string times = "double2[] times = [";
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&times, "(", i, ",", i % 2 * 20000, "),");
  EXPECT_THAT(
      WhyNotComposed(absl::StrCat("def \"M\" ( clips = { dictionary default = {\n"
                                  "string primPath = \"/M\"\n asset[] assetPaths = [@c.usda@]\n"
                                  "double2[] active = [(0, 0)]\n",
                                  times, "] } } ) {}"),
                     {{"c.usda", clip + "} }"}}),
      HasSubstr("over 64 times the bytes"));
}

TEST(UsdCompose, InstancesHaveTheirOwnRootAndNothingElse) {
  const Stage stage = Composed(R"(
def "One" ( instanceable = true
 references = </Body> ) { rel source = </Walk>
 over "In" { int x = 7 } }
def "Two" ( references = </Body> ) { rel source = </Run>
 over "In" { int x = 7 } }
class "Body" { rel source
 def "In" { int x = 1 } }
def "Walk" {}
def "Run" {})");
  EXPECT_THAT(At(stage, "/One/In", "x"), ElementsAre(1));
  EXPECT_THAT(At(stage, "/Two/In", "x"), ElementsAre(7));
  EXPECT_THAT(stage.Targets(stage.Find("/One"), "source"), ElementsAre(stage.Find("/Walk")));
  EXPECT_THAT(stage.Targets(stage.Find("/Two"), "source"), ElementsAre(stage.Find("/Run")));
}

TEST(UsdCompose, StrongerLayersHideWeakerOnes) {
  const Stage stage = Composed(R"(( subLayers = [@a.usda@, @b.usda@ (offset = 5)] )
over "A" { double x = 1
 prepend rel r = </A/C>
 over "Off" (active = false) {} })",
                               {{"a.usda",
                                 "def Scope \"A\" { double x.timeSamples = { 0: 9 }\n"
                                 "rel r = [</A>, </A/C>]\ndef \"C\" {} def \"Off\" {} }"},
                                {"b.usda",
                                 "def Xform \"A\" { double x = 3\n"
                                 "double y.timeSamples = { 0: 1 } ( doc = \"d\" ) }"}});
  const int a = stage.Find("/A");
  EXPECT_EQ(stage.prim(a).type, "Scope");
  EXPECT_TRUE(stage.nodes()[static_cast<size_t>(a)].defined);
  EXPECT_THAT(At(stage, "/A", "x"), ElementsAre(1));
  EXPECT_THAT(stage.Times(a, "x"), IsEmpty());
  EXPECT_THAT(stage.Times(a, "y"), ElementsAre(5));
  EXPECT_THAT(stage.Targets(a, "r"), ElementsAre(stage.Find("/A/C"), a));
  EXPECT_EQ(stage.Find("/A/Off"), -1);
}

TEST(UsdCompose, ClassesAndReferencesOfTheSameFile) {
  const Stage stage = Composed(R"(
class "_c" { int x = 1
 int y = 1
 def "Child" { rel up = </_c> } }
def "A" (inherits = </_c>) { int x = 2 }
def "B" (prepend references = </A>
 payload = @p.usda@</P>) { })",
                               {{"p.usda", "def \"P\" { int y = 7\nint z = 7 }"}});
  EXPECT_THAT(At(stage, "/A", "x"), ElementsAre(2));
  EXPECT_THAT(At(stage, "/A", "y"), ElementsAre(1));
  EXPECT_THAT(At(stage, "/B", "x"), ElementsAre(2));
  EXPECT_THAT(At(stage, "/B", "y"), ElementsAre(1));
  EXPECT_THAT(At(stage, "/B", "z"), ElementsAre(7));
  EXPECT_THAT(stage.Targets(stage.Find("/B/Child"), "up"), ElementsAre(stage.Find("/B")));
  EXPECT_FALSE(stage.nodes()[static_cast<size_t>(stage.Find("/_c"))].defined);
}

TEST(UsdCompose, RejectsWhatLeadsBackOrIsNotThere) {
  EXPECT_THAT(WhyNotComposed("def \"A\" (references = @a.usda@</A>) {}",
                             {{"a.usda", "def \"A\" (references = @a.usda@</A>) {}"}}),
              HasSubstr("@a.usda@ leads back to itself"));
  EXPECT_THAT(
      WhyNotComposed("( subLayers = [@a.usda@] )", {{"a.usda", "( subLayers = [@a.usda@] )"}}),
      HasSubstr("@a.usda@ leads back to itself"));
  EXPECT_THAT(WhyNotComposed("def \"A\" (references = </A>) {}"), HasSubstr("or to itself"));
  EXPECT_THAT(WhyNotComposed("\ndef \"A\" (references = @a.usda@</B>) {}", {{"a.usda", ""}}),
              ::testing::StartsWith("line 3: @a.usda@ has no prim /B"));
  EXPECT_THAT(WhyNotComposed("def \"A\" (references = @a.usda@) {}", {{"a.usda", ""}}),
              HasSubstr("names no defaultPrim"));
  EXPECT_EQ(WhyNotComposed("def \"A\" (references = @x/b.usda@) {}"),
            "@x/b.usda@: there is no such file");
  EXPECT_THAT(WhyNotComposed("def \"A\" (references = @a.usda@) {}", {{"a.usda", "\nfoo"}}),
              ::testing::StartsWith("a.usda: line 3: expected"));
  const auto alone = Compose(Text("def \"A\" (references = @a.usda@) {}"), nullptr);
  EXPECT_THAT(std::string(alone.status().message()), HasSubstr("must stand alone"));
}

TEST(UsdCompose, RejectsWhatGrowsWithoutBounds) {
  std::string body = absl::StrCat("def \"A0\" { string x = \"", std::string(4000, 'x'), "\" }\n");
  for (int i = 1; i < 30; ++i) {
    absl::StrAppend(&body, "def \"A", i, "\" { def \"L\" (references = </A", i - 1,
                    ">) {} def \"R\" (references = </A", i - 1, ">) {} }\n");
  }
  EXPECT_THAT(WhyNotComposed(body), HasSubstr("64 times the bytes"));
}

TEST(UsdCompose, RejectsFilesThatNestPrimsWithoutBounds) {
  std::string down, up;
  for (int i = 0; i < 50; ++i) down += "def \"a\" { ", up += "} ";
  Files files;
  const auto nested = [&](int next) {
    return absl::StrCat(down, "def \"z\" (references = @", next, ".usda@</a>) {}", up);
  };
  for (int i = 1; i < 250; ++i) files[absl::StrCat(i, ".usda")] = nested(i + 1);
  EXPECT_THAT(WhyNotComposed(nested(1), files), HasSubstr("prims nest over 512 levels"));
}

TEST(UsdCompose, RejectsPathsThatTakeMoreThanTheirText) {
  const std::string name(1000, 'n');
  std::string body, up;
  for (int i = 0; i < 50; ++i) absl::StrAppend(&body, "def \"", name, "\" { "), up += "} ";
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&body, "def \"c", i, "\" {} ");
  EXPECT_THAT(WhyNotComposed(body + up), HasSubstr("64 times the bytes"));
  EXPECT_THAT(WhyNotComposed(absl::StrCat("def \"", name, std::string(25, 'n'), "\" {}")),
              HasSubstr("a prim's name has 1025 bytes, over 1024"));
}

// A hundred thousand of each take a moment when each is looked up, and minutes when each is
// compared with each: the test's time limit tells.
TEST(UsdCompose, LongListsAndMuchMetadataAreMergedQuickly) {
  constexpr int kMany = 100'000;
  std::string a, b, c, d;
  for (int i = 0; i < kMany; ++i) {
    absl::StrAppend(&a, i == 0 ? "" : ", ", "</A", i, ">");
    absl::StrAppend(&b, i == 0 ? "" : ", ", "</B", i, ">");
    absl::StrAppend(&c, "a", i, " = 1\n");
    absl::StrAppend(&d, "b", i, " = 1\n");
  }
  const Stage stage =
      Composed(absl::StrCat("( subLayers = [@a.usda@] )\n", "def \"R\" (prepend references = [", a,
                            "]\n append references = [", b, "]\n", c, ") {}"),
               {{"a.usda", absl::StrCat("def \"R\" (", d, ") {}")}});
  EXPECT_THAT(stage.prim(stage.Find("/R")).metadata, SizeIs(2 * kMany));
}

TEST(UsdCompose, EachOfManyPrimsIsReferredToQuickly) {
  constexpr int kMany = 100'000;
  std::string file, refers;
  for (int i = 0; i < kMany; ++i) {
    absl::StrAppend(&file, "def \"P", i, "\" { int n = ", i, " }\n");
    absl::StrAppend(&refers, "def \"R", i, "\" (references = @a.usda@</P", i, ">) {}\n");
  }
  const Stage stage = Composed(refers, {{"a.usda", file}});
  ASSERT_EQ(stage.nodes().size(), size_t{kMany});
  EXPECT_THAT(stage.Numbers(stage.Find("/R99999"), "n"), ElementsAre(99999));
  EXPECT_THAT(stage.Numbers(stage.Find("/R17"), "n"), ElementsAre(17));
}

// What many references bring is looked up in what is there, and that is not read anew for each.
TEST(UsdCompose, ManyReferencesToManyEntriesAreMergedQuickly) {
  constexpr int kMany = 30'000;
  std::string prims, references, entries, properties;
  for (int i = 0; i < kMany; ++i) {
    absl::StrAppend(&prims, "def \"P", i, "\" ( m", i, " = 1 ) {\n int p", i,
                    " = 1\n def \"C\" {\n int q", i, " = ", i, "\n}\n}\n");
    absl::StrAppend(&references, i == 0 ? "" : ", ", "</P", i, ">");
    absl::StrAppend(&entries, "e", i, " = 1\n");
  }
  const Stage stage = Composed(
      absl::StrCat("def \"R\" ( references = [", references, "]\n", entries, ") {}\n", prims), {});
  const int r = stage.Find("/R");
  EXPECT_THAT(stage.prim(r).metadata, SizeIs(2 * kMany));
  EXPECT_THAT(stage.prim(r).properties, SizeIs(kMany));
  EXPECT_THAT(stage.Numbers(stage.Find("/R/C"), absl::StrCat("q", kMany - 1)),
              ElementsAre(kMany - 1));
}

TEST(UsdCompose, RatesFarApartLeaveTimesNumbers) {
  const Stage stage = Composed(
      "( timeCodesPerSecond = 1e300\n subLayers = [@a.usda@] )",
      {{"a.usda",
        "( timeCodesPerSecond = 1e-300 )\ndef \"A\" { float x.timeSamples = { 0: 1, 1: 2 } }"}});
  EXPECT_THAT(stage.Times(stage.Find("/A"), "x"), ElementsAre(0, 1e299));
}

TEST(UsdStage, TheTimesOfAPlaceCountOnceHoweverOftenItIsNamed) {
  const Stage stage = Composed(
      "def \"A\" { uniform token[] xformOpOrder = [\"xformOp:translate\", "
      "\"!invert!xformOp:translate\", \"xformOp:translate\"]\n"
      "double3 xformOp:translate.timeSamples = { 1: (0, 0, 0), 2: (1, 1, 1) } }");
  std::vector<double> times;
  stage.AddTimesOfPlace(stage.Find("/A"), times);
  EXPECT_THAT(times, ElementsAre(1, 2));
}

TEST(UsdStage, ValuesBetweenSamples) {
  const Stage stage = Composed(R"(def "A" {
 double[] x.timeSamples = { 1: [1, 2], 3: [3, 6], 5: [1], 6: None }
 int n.timeSamples = { 0: 1, 2: 5 }
 half h = 0.1
 float f = 0.1
 quatf[] q.timeSamples = { 0: [(1, 0, 0, 0)], 1: [(0.70710678, 0, 0, 0.70710678)] }
 quatf[] w.timeSamples = { 0: [(1, 0, 0, 0)], 1: [(-0.70710678, 0, 0, -0.70710678)] } })");
  EXPECT_THAT(At(stage, "/A", "x", 0), ElementsAre(1, 2));
  EXPECT_THAT(At(stage, "/A", "x", 2), ElementsAre(2, 4));
  EXPECT_THAT(At(stage, "/A", "x", 4), ElementsAre(3, 6));  // lengths differ
  EXPECT_THAT(At(stage, "/A", "x", 9), IsEmpty());
  EXPECT_THAT(At(stage, "/A", "n", 1), ElementsAre(1));
  EXPECT_THAT(At(stage, "/A", "h"), ElementsAre(0.0999755859375));
  EXPECT_THAT(At(stage, "/A", "f"), ElementsAre(static_cast<double>(0.1f)));
  for (const char* name : {"q", "w"}) {
    const std::vector<double> q = At(stage, "/A", name, 0.25);
    ASSERT_THAT(q, SizeIs(4));
    EXPECT_NEAR(q[0], .9807853, 1e-6);
    EXPECT_NEAR(q[3], .1950903, 1e-6);
  }
}

}  // namespace
}  // namespace posewire::usd
