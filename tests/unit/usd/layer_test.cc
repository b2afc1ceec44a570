#include "libs/formats/usd/layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/formats/usd/read_layer.h"
#include "tests/support/write_layer.h"

namespace posewire::usd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Kind = Value::Kind;
using Part = Property::Part;

const char kStage[] = R"(#usda 1.0
(
    "A \"comment\""
    defaultPrim = "Root"
    subLayers = [@rig.usda@ (offset = 10; scale = 0.5), @@@odd@name.usda@@@]
    customLayerData = { string who = "x"; double[] "odd key" = [1, 2.5] }
)

def SkelRoot "Root" (
    prepend apiSchemas = ["SkelBindingAPI"]
    references = @a.usda@</Rig>
)
{
    rel skel:skeleton = </Root/Skel>
    rel nothing
    custom int points:count = -7 # a note
    color3f[] primvars:displayColor = [(1,0,0)] (
        interpolation = "constant"
    )
    reorder properties = ["b", "a"]
    float3[] extent.timeSamples = {
        1: [(0.1, -inf, 1e-300), (1, 2, 3)],
        2.5: None,
        3: [],
    }
    token outputs:a.connect = </Root/B.outputs:b>

    def Skeleton "Skel"
    {
        uniform matrix4d[] bindTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1))]
        uniform token[] joints = ["A", "A/B"]
        string note = """two
lines"""
        asset sound = @a.wav@
        bool on = true
    }
}
)";

Layer Read(const std::string& text) {
  auto layer = ReadLayer(text);
  EXPECT_TRUE(layer.ok()) << layer.status();
  return layer.ok() ? *std::move(layer) : Layer{};
}

std::string WhyNotRead(const std::string& text) {
  const auto layer = ReadLayer(text);
  return layer.ok() ? "is read" : std::string(layer.status().message());
}

std::string InPrim(const std::string& statement) {
  return absl::StrCat("#usda 1.0\ndef \"A\"\n{\n", statement, "\n}\n");
}

TEST(UsdLayer, ReadsMetadata) {
  const Layer layer = Read(kStage);
  ASSERT_EQ(layer.metadata.size(), 4u);
  EXPECT_EQ(layer.metadata[0].name, "");
  EXPECT_THAT(layer.metadata[0].value.texts, ElementsAre("A \"comment\""));
  EXPECT_EQ(layer.metadata[1].name, "defaultPrim");
  const std::vector<Reference>& layers = layer.metadata[2].value.references;
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].asset, "rig.usda");
  ASSERT_EQ(layers[0].options.size(), 2u);
  EXPECT_EQ(layers[0].options[1].name, "scale");
  EXPECT_THAT(layers[0].options[1].value.numbers, ElementsAre(0.5));
  EXPECT_EQ(layers[1].asset, "odd@name.usda");
  const std::vector<Entry>& data = layer.metadata[3].value.dictionary;
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data[1].type, "double[]");
  EXPECT_EQ(data[1].name, "odd key");
  const Prim* const root = layer.Find("/Root");
  ASSERT_NE(root, nullptr);
  ASSERT_EQ(root->metadata.size(), 2u);
  EXPECT_EQ(root->metadata[0].edit, "prepend");
  EXPECT_EQ(root->metadata[1].value.references[0].path, "/Rig");
}

TEST(UsdLayer, ReadsProperties) {
  const Layer layer = Read(kStage);
  const Prim* const root = layer.Find("/Root");
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->type, "SkelRoot");
  ASSERT_NE(root->Find("skel:skeleton", Part::kDefault), nullptr);
  EXPECT_EQ(root->Find("skel:skeleton", Part::kDefault)->value.references[0].path, "/Root/Skel");
  EXPECT_NE(root->Find("nothing", Part::kDeclared), nullptr);
  const Property* const count = root->Find("points:count", Part::kDefault);
  ASSERT_NE(count, nullptr);
  EXPECT_TRUE(count->custom);
  EXPECT_THAT(count->value.numbers, ElementsAre(-7));
  EXPECT_EQ(count->line, 16);
  const Property* const extent = root->Find("extent", Part::kTimeSamples);
  ASSERT_NE(extent, nullptr);
  ASSERT_EQ(extent->samples.size(), 3u);
  EXPECT_THAT(extent->samples[0].value.numbers, ElementsAre(0.1, -INFINITY, 1e-300, 1, 2, 3));
  EXPECT_EQ(extent->samples[0].value.rows, 3);
  EXPECT_EQ(extent->samples[1].time_code, 2.5);
  EXPECT_EQ(extent->samples[1].value.kind, Kind::kNone);
  EXPECT_TRUE(extent->samples[2].value.array);
  EXPECT_NE(root->Find("outputs:a", Part::kConnection), nullptr);
}

TEST(UsdLayer, ReadsValues) {
  const Layer layer = Read(kStage);
  const Prim* const skel = layer.Find("/Root/Skel");
  ASSERT_NE(skel, nullptr);
  const Value& bind = skel->Find("bindTransforms", Part::kDefault)->value;
  EXPECT_EQ(bind.rows, 4);
  EXPECT_EQ(bind.columns, 4);
  ASSERT_EQ(bind.numbers.size(), 16u);
  EXPECT_EQ(bind.numbers[13], 6);
  EXPECT_THAT(skel->Find("joints", Part::kDefault)->value.texts, ElementsAre("A", "A/B"));
  EXPECT_THAT(skel->Find("note", Part::kDefault)->value.texts, ElementsAre("two\nlines"));
  EXPECT_EQ(skel->Find("sound", Part::kDefault)->value.references[0].asset, "a.wav");
  EXPECT_THAT(skel->Find("on", Part::kDefault)->value.numbers, ElementsAre(1));
  EXPECT_EQ(layer.Find("/Root/Nobody"), nullptr);
  EXPECT_EQ(layer.Find("Root"), nullptr);
}

TEST(UsdLayer, WritesWhatItReadsAgain) {
  const std::string once = WriteLayer(Read(kStage));
  EXPECT_EQ(WriteLayer(Read(once)), once);
  EXPECT_THAT(once, HasSubstr("1: [(0.1, -inf, 1e-300), (1, 2, 3)]"));
  EXPECT_THAT(once, HasSubstr("string note = \"two\\nlines\""));
  EXPECT_THAT(once, HasSubstr("@@@odd@name.usda@@@"));
  EXPECT_THAT(once, HasSubstr("reorder properties = [\"b\", \"a\"]"));
}

TEST(UsdLayer, TheLastOfSeveralStatementsCounts) {
  const Layer layer = Read(InPrim("float x = 1\nfloat x = 2"));
  EXPECT_THAT(layer.prims[0].Find("x", Part::kDefault)->value.numbers, ElementsAre(2));
}

TEST(UsdLayer, RejectsWithTheLine) {
  EXPECT_EQ(WhyNotRead(""), "line 1: expected the file to begin with #usda 1.0");
  EXPECT_THAT(WhyNotRead("#usda 1.0\n\nfoo \"A\" {}"),
              HasSubstr("line 3: expected def, over or class"));
  EXPECT_THAT(WhyNotRead("#usda 1.0\ndef \"A\"\n{\n"), HasSubstr("not the file's end"));
  EXPECT_THAT(WhyNotRead("#usda 1.0\ndef \"A/B\" {}"), HasSubstr("cannot have the name \"A/B\""));
  EXPECT_THAT(WhyNotRead(InPrim("float x = 1e")),
              HasSubstr("line 4: expected a number, not \"1e\""));
  EXPECT_THAT(WhyNotRead(InPrim("float x = 1e999")), HasSubstr("line 4: expected a number"));
  EXPECT_THAT(WhyNotRead(InPrim("int64 x = 9007199254740993")), HasSubstr("not below 2^53"));
  EXPECT_THAT(WhyNotRead(InPrim("float3[] x = [(1, 2, 3), (1, 2)]")), HasSubstr("differ in shape"));
  EXPECT_THAT(WhyNotRead(InPrim("token[] x = [\"a\", 1]")), HasSubstr("differ in kind"));
  EXPECT_THAT(WhyNotRead(InPrim("float[] x = 1")), HasSubstr("has one value, not an array"));
  EXPECT_THAT(WhyNotRead(InPrim("float x = [1]")), HasSubstr("has an array, not one value"));
  EXPECT_THAT(WhyNotRead(InPrim("float x.timeSamples = { 2: 1, 1: 1 }")),
              HasSubstr("do not ascend"));
  EXPECT_THAT(WhyNotRead(InPrim("string x = \"a\nb\"")), HasSubstr("no end on its line"));
  EXPECT_THAT(WhyNotRead(InPrim("asset x = @a")), HasSubstr("line 4: an asset's path has no end"));
  EXPECT_THAT(WhyNotRead(InPrim("variantSet \"v\" = { \"a\" }")), HasSubstr("expected '{'"));
  EXPECT_THAT(WhyNotRead(InPrim("variantSet v = {}")), HasSubstr("a text in quotes"));
}

TEST(UsdLayer, RejectsDepthAndSize) {
  std::string prims = "#usda 1.0\n";
  std::string dictionaries = "#usda 1.0\n( a = ";
  for (int i = 0; i < 100000; ++i) {
    absl::StrAppend(&prims, "def \"A\" {\n");
    absl::StrAppend(&dictionaries, "{ dictionary a = ");
  }
  EXPECT_EQ(WhyNotRead(prims), "line 66: nested deeper than 64 levels");
  EXPECT_EQ(WhyNotRead(dictionaries), "line 2: nested deeper than 64 levels");
  EXPECT_THAT(WhyNotRead(InPrim("float x = " + std::string(100000, '('))),
              HasSubstr("line 4: expected a number"));
  ReadLimits limits;
  limits.bytes = 10;
  EXPECT_EQ(ReadLayer(kStage, limits).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace posewire::usd
