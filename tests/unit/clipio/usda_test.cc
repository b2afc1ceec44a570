#include "libs/formats/usd/usda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr MemoryFile kUsda{"take.usda"};

// Two joints, a shape and keys at uneven and different times.
Messages TwoJointClip(const std::vector<double>& time_codes_s, const std::string& joint = "Spine") {
  Messages out(1);
  auto& header = *out[0].mutable_animation_data_stream_header();
  header.mutable_skel_animation_header()->add_joints("Hips");
  header.mutable_skel_animation_header()->add_joints("Hips/" + joint);
  header.mutable_skel_animation_header()->add_blend_shapes("jawOpen");
  for (size_t i = 0; i < time_codes_s.size(); ++i) {
    auto& frame = *out.emplace_back().mutable_animation_data()->mutable_skel_animation();
    const auto f = static_cast<float>(i);
    auto& weights = *frame.add_blend_shape_weights();
    weights.set_time_code(time_codes_s[i]);
    weights.add_values(f / 7);
    auto& turns = *frame.add_rotations();
    turns.set_time_code(time_codes_s[i]);
    for (int j = 0; j < 2; ++j) {
      const float angle = f / 3 + static_cast<float>(j);
      auto& q = *turns.add_values();
      q.set_real(std::cos(angle)), q.set_k(std::sin(angle));
    }
    if (i % 2 == 1) continue;
    auto& places = *frame.add_translations();
    places.set_time_code(time_codes_s[i]);
    for (int j = 0; j < 2; ++j) places.add_values()->set_y(.9f + f / 11);
  }
  out.emplace_back().mutable_status();
  return out;
}

TEST(Usda, RoundTripsKeepTheVeryTimesAndValues) {
  std::vector<std::vector<double>> all = {{0, 1. / 30, 2. / 30, 3. / 30},
                                          {0, 1001. / 30000, 2002. / 30000},
                                          {0.5},
                                          {0, 0.017, 0.1234567890123, 12.3456789, 299.9999999},
                                          {0.7, 0.70002}};
  std::vector<double> long_one;
  for (int i = 0; i < 3000; ++i) long_one.push_back(i / 60.0);
  all.push_back(long_one);
  for (const std::vector<double>& time_codes_s : all) {
    const Messages clip = TwoJointClip(time_codes_s);
    const std::string text = kUsda.Write(clip);
    ASSERT_THAT(text, ::testing::StartsWith("#usda"));
    const Messages again = kUsda.Good(text);
    ASSERT_EQ(again.size(), clip.size());
    for (size_t i = 1; i + 1 < clip.size(); ++i) {
      const auto& a = clip[i].animation_data().skel_animation();
      const auto& b = again[i].animation_data().skel_animation();
      ASSERT_EQ(a.translations_size(), b.translations_size());
      ASSERT_EQ(a.rotations(0).time_code(), b.rotations(0).time_code());
      ASSERT_EQ(a.blend_shape_weights(0).time_code(), b.blend_shape_weights(0).time_code());
      ASSERT_EQ(a.blend_shape_weights(0).values(0), b.blend_shape_weights(0).values(0));
      for (int j = 0; j < a.translations_size() * 2; ++j) {
        ASSERT_EQ(a.translations(0).values(j).y(), b.translations(0).values(j).y());
      }
      for (int j = 0; j < 2; ++j) {
        ASSERT_NEAR(a.rotations(0).values(j).real(), b.rotations(0).values(j).real(), 1e-7);
        ASSERT_NEAR(a.rotations(0).values(j).k(), b.rotations(0).values(j).k(), 1e-7);
      }
    }
  }
}

TEST(Usda, FramesAtARateAreTimeCodes) {
  const std::string text = kUsda.Write(TwoJointClip({0, 1. / 30, 2. / 30, 3. / 30}));
  EXPECT_THAT(text, HasSubstr("timeCodesPerSecond = 30\n"));
  EXPECT_THAT(text, HasSubstr("endTimeCode = 3\n"));
  EXPECT_THAT(text, HasSubstr("                2: [("));
}

TEST(Usda, NamesThatNoPathCanHoldComeBack) {
  const std::string text = kUsda.Write(TwoJointClip({0, 1}, "mixamorig:Spine 1"));
  EXPECT_THAT(text, HasSubstr("joints = [\"Hips\", \"Hips/mixamorig_Spine_1\"]"));
  const Messages again = kUsda.Good(text);
  const auto& names = again[0].animation_data_stream_header().skel_animation_header();
  EXPECT_EQ(names.joints(1), "Hips/mixamorig:Spine 1");
}

TEST(Usda, FacesAloneAreWeightsAlone) {
  Messages clip = TwoJointClip({0, .5, 1});
  clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->clear_joints();
  for (size_t i = 1; i < 4; ++i) {
    clip[i].mutable_animation_data()->mutable_skel_animation()->clear_rotations();
    clip[i].mutable_animation_data()->mutable_skel_animation()->clear_translations();
  }
  const Messages again = kUsda.Good(kUsda.Write(clip));
  ASSERT_EQ(again.size(), 5u);
  const auto& names = again[0].animation_data_stream_header().skel_animation_header();
  EXPECT_EQ(names.joints_size(), 0);
  EXPECT_THAT(names.blend_shapes(), ElementsAre("jawOpen"));
}

constexpr char kTwo[] = R"(#usda 1.0
( timeCodesPerSecond = 30; metersPerUnit = 1 )
def SkelRoot "R" {
 def Skeleton "S" { uniform token[] joints = ["A"]
  rel skel:animationSource = </R/One> }
 def Skeleton "T" { uniform token[] joints = ["A"]
  rel skel:animationSource = </R/Two> }
 def SkelAnimation "One" { uniform token[] joints = ["A"]
  float3[] translations.timeSamples = { -3: [(1, 0, 0)], 15: [(2, 0, 0)] }
  quatf[] rotations = [(1, 0, 0, 0)]
  half3[] scales = [(1, 1, 1)] }
 def SkelAnimation "Two" { uniform token[] joints = ["A"]
  float3[] translations = [(7, 0, 0)]
  quatf[] rotations = [(1, 0, 0, 0)]
  half3[] scales = [(1, 2, 1)] }
 def SkelAnimation "Free" { uniform token[] joints = ["X"]
  float3[] translations = [(9, 0, 0)]
  quatf[] rotations = [(1, 0, 0, 0)]
  half3[] scales = [(1, 1, 1)] }
})";

TEST(Usda, APrimChoosesTheAnimation) {
  const auto x = [](const Messages& m) {
    return m.at(1).animation_data().skel_animation().translations(0).values(0).x();
  };
  EXPECT_EQ(x(kUsda.Good(kTwo)), 1);
  for (const char* prim : {"/R/T", "/R/Two"}) {
    const Messages two = kUsda.Good(kTwo, prim);
    EXPECT_EQ(x(two), 7);
    EXPECT_EQ(two[1].animation_data().skel_animation().scales(0).values(0).y(), 2);
  }
  EXPECT_EQ(x(kUsda.Good(kTwo, "/R/Free")), 9);
  EXPECT_THAT(kUsda.WhyNot(kTwo, "/R/None"), HasSubstr("there is no prim /R/None"));
}

// The third example of UsdSkel's guide: one Skeleton, bound twice.
std::string BoundTwice(const std::string& root) {
  return absl::StrCat("#usda 1.0\n( metersPerUnit = 1 )\ndef ", root, R"( "R" {
 def Skeleton "S" { uniform token[] joints = ["J"] }
 def SkelAnimation "M" { uniform token[] joints = ["J"]
  float3[] translations = [(1, 0, 0)]
  quatf[] rotations = [(1, 0, 0, 0)]
  half3[] scales = [(1, 1, 1)] }
 def SkelAnimation "N" { uniform token[] joints = ["J"]
  float3[] translations = [(2, 0, 0)]
  quatf[] rotations = [(1, 0, 0, 0)]
  half3[] scales = [(1, 1, 1)] }
 def Xform "A" {
  rel skel:skeleton = </R/S>
  rel skel:animationSource = </R/M>
  def Xform "B" { rel skel:animationSource = </R/N> }
  def Xform "C" { rel skel:skeleton = </R/S>
   rel skel:animationSource = </R/N> } } })");
}

TEST(Usda, EachInstanceOfASkeletonIsPlayedByThePrimThatBindsIt) {
  const std::string text = BoundTwice("SkelRoot");
  const auto x = [&](const std::string& prim) {
    const Messages clip = kUsda.Good(text, prim);
    return clip.at(1).animation_data().skel_animation().translations(0).values(0).x();
  };
  EXPECT_EQ(x(""), 1);
  EXPECT_EQ(x("/R/A"), 1);
  EXPECT_EQ(x("/R/A/C"), 2);
  EXPECT_EQ(x("/R/N"), 2);
  // A source that no binding inherits has no effect.
  EXPECT_THAT(kUsda.WhyNot(text, "/R/A/B"), HasSubstr("no SkelAnimation is at /R/A/B"));
  OpenOptions options;
  const auto scene = OpenScene(std::make_unique<files::MemorySource>("take.usda", text), options);
  ASSERT_TRUE(scene.ok()) << scene.status();
  ASSERT_EQ(scene->characters.size(), 2u);
  EXPECT_EQ(scene->characters[0].name, "R");
  EXPECT_EQ(scene->characters[1].name, "C");
  options.character = 1;
  const ReadClip second =
      ReadAll(OpenClip(std::make_unique<files::MemorySource>("take.usda", text), options));
  EXPECT_EQ(second.messages.at(1).animation_data().skel_animation().translations(0).values(0).x(),
            2);
}

TEST(Usda, AStageWithoutASkelRootIsRejectedWithTheFlagThatPlaysIt) {
  const std::string text = BoundTwice("Xform");
  EXPECT_THAT(kUsda.WhyNot(text),
              AllOf(HasSubstr("nothing moves: /R/A, /R/A/C: "), HasSubstr("--outside-skel-root")));
  EXPECT_THAT(kUsda.WhyNot(text, "/R/A"), HasSubstr("--outside-skel-root"));
  OpenOptions options;
  options.outside_skel_root = true;
  const ReadClip clip =
      ReadAll(OpenClip(std::make_unique<files::MemorySource>("take.usda", text), options));
  EXPECT_TRUE(clip.end.ok()) << clip.end;
}

// One line for all that keeps a stage from moving as it may be meant to.
TEST(Usda, SaysOnceWhyAStageMovesLittle) {
  const auto warning = [](const std::string& skeleton, const std::string& animation) {
    const std::string text = absl::StrCat(
        "#usda 1.0\n( metersPerUnit = 1 )\ndef SkelRoot \"R\" {\ndef Skeleton \"S\" {\n"
        "uniform token[] joints = [\"A\"]\nuniform matrix4d[] restTransforms = "
        "[((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\n",
        skeleton,
        "\n}\ndef SkelAnimation \"M\" {\nuniform token[] joints = [\"A\"]\n"
        "float3[] translations = [(0,0,0)]\nquatf[] rotations = [(1,0,0,0)]\n",
        animation, "\n} }\n");
    const auto reader =
        OpenClip(std::make_unique<files::MemorySource>("take.usda", text), OpenOptions());
    EXPECT_TRUE(reader.ok()) << reader.status();
    return reader.ok() ? absl::StrJoin((*reader)->warnings(), "; ") : "";
  };
  const std::string bound = "rel skel:animationSource = </R/M>",
                    scales = "half3[] scales = [(1,1,1)]";
  EXPECT_EQ(warning(bound, scales), "");
  EXPECT_EQ(warning(bound, ""),
            "take.usda: /R/M has no scales, and moves joints only with translations, rotations and "
            "scales");
  EXPECT_EQ(warning("", scales),
            "take.usda: no skel:animationSource leads from a Skeleton to /R/M, which is played on "
            "its own joints");
  EXPECT_EQ(warning("rel skel:animationSource = </R/N>", scales),
            "take.usda: /R/S.skel:animationSource names no prim of the stage, and moves nothing; "
            "no skel:animationSource leads from a Skeleton to /R/M, which is played on its own "
            "joints");
}

TEST(Usda, TimesBeforeZeroBeginThere) {
  const Messages one = kUsda.Good(kTwo);
  ASSERT_EQ(one.size(), 4u);
  EXPECT_EQ(one[1].animation_data().skel_animation().translations(0).time_code(), 0);
  EXPECT_EQ(one[2].animation_data().skel_animation().translations(0).time_code(), .6);
  // What is the same at all times has its key at the first.
  EXPECT_EQ(one[1].animation_data().skel_animation().rotations_size(), 1);
  EXPECT_EQ(one[2].animation_data().skel_animation().rotations_size(), 0);
}

TEST(Usda, NamesTheValueThatIsNotFinite) {
  const std::string good = kUsda.Write(TwoJointClip({0, 1. / 30}));
  const struct {
    const char* attribute;
    const char* says;
  } cases[] = {{"rotations", "rotations[0] is not finite"},
               {"translations", "translations[0] is not finite"},
               {"blendShapeWeights", "blendShapeWeights[0] is not finite"}};
  for (const auto& c : cases) {
    for (const char* bad : {"nan", "inf"}) {
      std::string text = good;
      size_t at = text.find(absl::StrCat(c.attribute, ".timeSamples"));
      ASSERT_NE(at, std::string::npos) << c.attribute;
      at = text.find_first_of("0123456789-", text.find('[', at));
      text.replace(at, text.find_first_of(",)]", at) - at, bad);
      EXPECT_THAT(kUsda.WhyNot(text), AllOf(HasSubstr("time code 0: "), HasSubstr(c.says)));
    }
  }
}

TEST(Usda, RejectsWithTheLine) {
  EXPECT_EQ(kUsda.WhyNot("#usda 1.0\nfoo"),
            "take.usda: line 2: expected def, over or class, not \"foo\"");
  EXPECT_THAT(kUsda.WhyNot("#usda 1.0\n"), HasSubstr("take.usda: the stage has no SkelAnimation"));
  EXPECT_THAT(kUsda.WhyNot("#usda 1.0\ndef \"A\" (references = @a.usda@) {}"),
              HasSubstr("must stand alone"));
  EXPECT_THAT(kUsda.Write({}), HasSubstr("no header"));
}

TEST(Usda, WaitsForNoPipeThatAStageNames) {
  const std::string folder = testing::TempDir() + "usda_test_pipe";
  std::filesystem::create_directories(folder);
  const std::string pipe = folder + "/pipe.usda", stage = folder + "/stage.usda";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(stage) << "#usda 1.0\ndef \"A\" (references = @pipe.usda@) {}";
  auto reader = OpenClip(stage);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT(std::string((*reader)->Next().status().message()),
              HasSubstr("pipe.usda: is a pipe; a regular file is needed"));
  std::filesystem::remove_all(folder);
}

TEST(Usda, IsKnownByItsEndingAndItsFirstWord) {
  EXPECT_EQ(*FormatOf("Walk.USDA"), Format::kUsda);
  EXPECT_EQ(FormatOfBytes(kTwo), Format::kUsda);
}

}  // namespace
}  // namespace posewire::clipio
