#include "libs/formats/gltf/gltf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/clip_writer.h"
#include "libs/formats/gltf/json.h"
#include "libs/recording/clip_reader.h"
#include "libs/skel/math.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr MemoryFile kGlb{"take.glb"};

// Three joints of which one stands still, a shape, and keys at these times.
Messages ThreeJointClip(const std::vector<double>& time_codes_s) {
  Messages out(1);
  auto& header = *out[0].mutable_animation_data_stream_header();
  for (const char* joint : {"Hips", "Hips/Spine", "Hips/Tail"}) {
    header.mutable_skel_animation_header()->add_joints(joint);
  }
  header.mutable_skel_animation_header()->add_blend_shapes("jawOpen");
  for (size_t i = 0; i < time_codes_s.size(); ++i) {
    auto& frame = *out.emplace_back().mutable_animation_data()->mutable_skel_animation();
    const auto f = static_cast<float>(i);
    auto& weights = *frame.add_blend_shape_weights();
    weights.set_time_code(time_codes_s[i]);
    weights.add_values(f / 7);
    auto& turns = *frame.add_rotations();
    turns.set_time_code(time_codes_s[i]);
    for (int j = 0; j < 3; ++j) {
      const float angle = j == 2 ? 0.5f : f / 3 + static_cast<float>(j);
      auto& q = *turns.add_values();
      q.set_real(std::cos(angle)), q.set_k(std::sin(angle));
    }
    auto& places = *frame.add_translations();
    places.set_time_code(time_codes_s[i]);
    for (int j = 0; j < 3; ++j) places.add_values()->set_y(j == 2 ? -0.3f : .9f + f / 11);
  }
  out.emplace_back().mutable_status();
  return out;
}

TEST(Gltf, RoundTripsKeepTimesOfARateAndAllValues) {
  std::vector<double> at_60, at_29_97;
  for (int i = 0; i < 20000; ++i) at_60.push_back(i / 60.0);
  for (int i = 0; i < 300; ++i) at_29_97.push_back(i * 1001 / 30000.0);
  for (const std::vector<double>& time_codes_s :
       {std::vector<double>{0, 1. / 30, 2. / 30, 3. / 30}, at_60, at_29_97}) {
    const Messages clip = ThreeJointClip(time_codes_s);
    for (const char* name : {"take.glb", "take.gltf"}) {
      const Messages again = kGlb.Good(MemoryFile{name}.Write(clip));
      ASSERT_EQ(again.size(), clip.size());
      EXPECT_EQ(again[0].animation_data_stream_header().DebugString(),
                clip[0].animation_data_stream_header().DebugString());
      for (size_t i = 1; i + 1 < clip.size(); ++i) {
        const auto& a = clip[i].animation_data().skel_animation();
        const auto& b = again[i].animation_data().skel_animation();
        ASSERT_EQ(a.rotations(0).time_code(), b.rotations(0).time_code());
        ASSERT_EQ(a.blend_shape_weights(0).values(0), b.blend_shape_weights(0).values(0));
        for (int j = 0; j < 3; ++j) {
          ASSERT_EQ(a.translations(0).values(j).y(), b.translations(0).values(j).y());
          const auto turn = [j](const auto& from) {
            const auto& q = from.rotations(0).values(j);
            return skel::Quat{q.real(), q.i(), q.j(), q.k()};
          };
          ASSERT_LT(skel::AngleBetween(turn(a), turn(b)), 1e-6f);
        }
      }
    }
  }
}

TEST(Gltf, UnevenTimesAreThoseOf32Bits) {
  const Messages again =
      kGlb.Good(kGlb.Write(ThreeJointClip({0, 0.017, 0.1234567890123, 12.3456789})));
  ASSERT_EQ(again.size(), 6u);
  const auto code = [&](size_t i) {
    return again[i].animation_data().skel_animation().rotations(0).time_code();
  };
  EXPECT_FLOAT_EQ(static_cast<float>(code(3)), 0.1234567890123f);
  EXPECT_NEAR(code(4), 12.3456789, 1e-6);
}

// Khronos' validator warns of arrays that nothing uses.
TEST(Gltf, JointsThatOnlyTurnHaveNoTimesOfTranslations) {
  Messages turns = ThreeJointClip({0, 0.5, 1}), still = turns;
  for (size_t k = 2; k + 1 < still.size(); ++k) {
    *still[k]
         .mutable_animation_data()
         ->mutable_skel_animation()
         ->mutable_translations(0)
         ->mutable_values() = still[1].animation_data().skel_animation().translations(0).values();
  }
  const auto accessors = [](const Messages& clip) {
    const std::string text = MemoryFile{"take.gltf"}.Write(clip);
    size_t count = 0;
    for (size_t at = 0; (at = text.find("\"componentType\"", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  // Two joints move, and their times.
  EXPECT_EQ(accessors(turns) - accessors(still), 3u);
}

TEST(Gltf, WeightsAloneNeedNoSkeleton) {
  Messages clip = ThreeJointClip({0, 0.5});
  clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->clear_joints();
  for (size_t i = 1; i < 3; ++i) {
    auto& animation = *clip[i].mutable_animation_data()->mutable_skel_animation();
    animation.clear_rotations();
    animation.clear_translations();
  }
  const Messages again = kGlb.Good(kGlb.Write(clip));
  const auto& names = again[0].animation_data_stream_header().skel_animation_header();
  EXPECT_EQ(names.joints_size(), 0);
  EXPECT_THAT(names.blend_shapes(), ElementsAre("jawOpen"));
  EXPECT_EQ(again[2].animation_data().skel_animation().blend_shape_weights(0).time_code(), 0.5);
}

TEST(Gltf, APoseThatStandsStillKeepsItsJoints) {
  Messages clip = ThreeJointClip({0});
  const Messages again = kGlb.Good(kGlb.Write(clip));
  EXPECT_EQ(again[0].animation_data_stream_header().skel_animation_header().joints_size(), 3);
}

TEST(Gltf, AClipOfAnUnknownRigNeedsTranslations) {
  Messages clip = ThreeJointClip({0, 1});
  auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.set_joints(0, "Fin");
  names.set_joints(1, "Fin/Fork");
  names.set_joints(2, "Fin/Tail");
  for (size_t i = 1; i < 3; ++i) {
    clip[i].mutable_animation_data()->mutable_skel_animation()->clear_translations();
  }
  EXPECT_THAT(kGlb.Write(clip), HasSubstr("no translations"));
}

// A file as others write them, of arrays of floats.
class File {
 public:
  int Floats(const std::vector<float>& values, const std::string& type) {
    const int width = type == "SCALAR" ? 1 : type == "VEC3" ? 3 : 4;
    views_.push_back(absl::StrCat(R"({"buffer":0,"byteOffset":)", bytes_.size(),
                                  R"(,"byteLength":)", values.size() * 4, "}"));
    accessors_.push_back(absl::StrCat(R"({"bufferView":)", views_.size() - 1,
                                      R"(,"componentType":5126,"type":")", type, R"(","count":)",
                                      values.size() / static_cast<size_t>(width), "}"));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * 4);
    return static_cast<int>(accessors_.size()) - 1;
  }
  // A sampler of the first animation, and its channel.
  void Channel(int node, const std::string& path, int input, int output,
               const std::string& interpolation = "LINEAR") {
    channels_.push_back(absl::StrCat(R"({"sampler":)", samplers_.size(), R"(,"target":{"node":)",
                                     node, R"(,"path":")", path, R"("}})"));
    samplers_.push_back(absl::StrCat(R"({"input":)", input, R"(,"output":)", output,
                                     R"(,"interpolation":")", interpolation, R"("})"));
  }
  // `rest`: members of the document, each behind a comma.
  std::string Text(const std::string& nodes, const std::string& rest = "") const {
    return absl::StrCat(
        R"({"asset":{"version":"2.0"},"nodes":)", nodes, rest, R"(,"animations":[{"name":"walk",)",
        R"("samplers":[)", absl::StrJoin(samplers_, ","), R"(],"channels":[)",
        absl::StrJoin(channels_, ","), R"(]}],"accessors":[)", absl::StrJoin(accessors_, ","),
        R"(],"bufferViews":[)", absl::StrJoin(views_, ","), R"(],"buffers":[{"byteLength":)",
        bytes_.size(), R"(,"uri":"data:application/octet-stream;base64,)",
        absl::Base64Escape(bytes_), R"("}]})");
  }

 private:
  std::string bytes_;
  std::vector<std::string> views_, accessors_, samplers_, channels_;
};

std::vector<std::string> JointsOf(const Messages& clip) {
  const auto& names = clip[0].animation_data_stream_header().skel_animation_header();
  return {names.joints().begin(), names.joints().end()};
}

// As converters of Mixamo's files do it: an armature that is turned and a hundredth in size, bones
// in centimetres, and nodes that are no bones.
TEST(Gltf, WhatStandsStillAboveTheBonesIsTakenIn) {
  File file;
  const int times = file.Floats({0, 1}, "SCALAR");
  file.Channel(1, "translation", times, file.Floats({0, 0, -90, 0, 0, -100}, "VEC3"));
  const float half = std::sqrt(0.5f);
  file.Channel(2, "rotation", times, file.Floats({0, 0, 0, 1, 0, 0, half, half}, "VEC4"));
  const std::string nodes = absl::StrCat(
      R"([{"name":"Armature","children":[1],"scale":[0.01,0.01,0.01],"rotation":[)", half,
      R"(,0,0,)", half, R"(]},{"name":"Hips","children":[2,3]},)",
      R"({"name":"Spine","translation":[0,20,0]},{"name":"lamp","translation":[5,0,0]}])");
  const Messages clip = kGlb.Good(file.Text(nodes, R"(,"skins":[{"joints":[1,2]}])"));
  EXPECT_THAT(JointsOf(clip), ElementsAre("Hips", "Hips/Spine"));
  ASSERT_EQ(clip.size(), 4u);
  const auto& last = clip[2].animation_data().skel_animation();
  const auto& hips = last.translations(0).values(0);
  EXPECT_NEAR(hips.y(), 1, 1e-6);
  EXPECT_NEAR(hips.z(), 0, 1e-6);
  EXPECT_NEAR(last.rotations(0).values(0).i(), half, 1e-6);
  const auto& spine = last.translations(0).values(1);
  EXPECT_NEAR(spine.x(), 0, 1e-6);
  EXPECT_NEAR(spine.y(), 0.2, 1e-6);
  EXPECT_NEAR(last.rotations(0).values(1).k(), half, 1e-6);
}

TEST(Gltf, SplinesAndStepsAreFollowed) {
  File file;
  const int times = file.Floats({0, 1}, "SCALAR");
  // Leaves and comes in level: u^2 (3 - 2 u) of the way.
  file.Channel(0, "translation", times,
               file.Floats({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0}, "VEC3"),
               "CUBICSPLINE");
  file.Channel(1, "translation", times, file.Floats({0, 1, 0, 0, 5, 0}, "VEC3"), "STEP");
  const Messages clip = kGlb.Good(file.Text(R"([{"name":"a","children":[1]},{"name":"b"}])"));
  int seen = 0;
  for (size_t i = 1; i + 1 < clip.size(); ++i) {
    const auto& key = clip[i].animation_data().skel_animation().translations(0);
    const double u = key.time_code();
    EXPECT_NEAR(key.values(0).y(), 2 * u * u * (3 - 2 * u), 1e-5) << u;
    EXPECT_NEAR(key.values(1).y(), u < 1 ? 1 : 5, 1e-5) << u;
    ++seen;
  }
  EXPECT_EQ(seen, 62);  // 60 parts, and the moment before the step
}

TEST(Gltf, ShapesOfTheSameNameAreOne) {
  File file;
  const int times = file.Floats({0, 0.5f}, "SCALAR");
  const int values = file.Floats({0, 0.25f, 1, 0.75f}, "SCALAR");
  file.Channel(0, "weights", times, values);
  file.Channel(1, "weights", times, values);
  const Messages clip = kGlb.Good(
      file.Text(R"([{"name":"face","mesh":0},{"name":"teeth","mesh":1}])",
                R"(,"meshes":[{"primitives":[],"extras":{"targetNames":["jawOpen","mouthClose"]}},)"
                R"({"primitives":[],"extras":{"targetNames":["jawOpen","tongueOut"]}}])"));
  const auto& names = clip[0].animation_data_stream_header().skel_animation_header();
  EXPECT_THAT(names.blend_shapes(), ElementsAre("jawOpen", "mouthClose", "tongueOut"));
  EXPECT_THAT(clip[2].animation_data().skel_animation().blend_shape_weights(0).values(),
              ElementsAre(1, 0.75f, 0.75f));
}

TEST(Gltf, AnAnimationIsChosenByNameOrNumber) {
  File file;
  file.Channel(0, "translation", file.Floats({0, 1}, "SCALAR"),
               file.Floats({0, 0, 0, 0, 1, 0}, "VEC3"));
  const std::string text = file.Text(R"([{"name":"a"}])");
  EXPECT_EQ(kGlb.Good(text, "walk").size(), 4u);
  EXPECT_EQ(kGlb.Good(text, "0").size(), 4u);
  EXPECT_THAT(kGlb.WhyNot(text, "run"), HasSubstr("no animation \"run\"; there is 1: walk"));
  EXPECT_THAT(kGlb.WhyNot(text, "1"), HasSubstr("no animation \"1\""));
}

TEST(Gltf, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(kGlb.WhyNot(R"({"asset":{"version":"2.0"}})"),
              HasSubstr("take.glb: the file has no animation"));
  const auto with = [](const std::vector<float>& times, const std::vector<float>& values,
                       const std::string& path = "translation",
                       const std::string& interpolation = "LINEAR") {
    File file;
    file.Channel(0, path, file.Floats(times, "SCALAR"), file.Floats(values, "VEC3"), interpolation);
    return file.Text(R"([{"name":"a"}])");
  };
  EXPECT_THAT(kGlb.WhyNot(with({0, 0}, {0, 0, 0, 0, 0, 0})),
              HasSubstr("animations[0].samplers[0].input has the time 0 at 1"));
  EXPECT_THAT(kGlb.WhyNot(with({-1, 0}, {0, 0, 0, 0, 0, 0})), HasSubstr("has the time -1 at 0"));
  EXPECT_THAT(kGlb.WhyNot(with({0, 1}, {0, 0, 0})),
              HasSubstr("has 3 numbers for 2 times, expected 6"));
  EXPECT_THAT(kGlb.WhyNot(with({0}, {0, 0, 0}, "rotation")), HasSubstr("expected 4"));
  EXPECT_THAT(kGlb.WhyNot(with({0}, {0, 0, 0}, "translation", "BEZIER")),
              HasSubstr("is \"BEZIER\", expected LINEAR, STEP or CUBICSPLINE"));
  EXPECT_THAT(kGlb.WhyNot(with({0}, {0, 0, 0}, "colour")), HasSubstr("moves neither a joint nor"));
  EXPECT_THAT(kGlb.WhyNot(with({NAN}, {0, 0, 0})), HasSubstr("expected a number"));
}

// Of a small file whose meshes share one wide array, each with one name of its own: all of them
// would be sampled at each time.
TEST(Gltf, MorphTargetsOfAllMeshesCountAgainstTheLimit) {
  constexpr size_t kTimes = 2000, kTargets = 2000, kMeshes = 10;
  File file;
  std::vector<float> times(kTimes);
  for (size_t i = 0; i < kTimes; ++i) times[i] = static_cast<float>(i);
  file.Channel(0, "weights", file.Floats(times, "SCALAR"),
               file.Floats(std::vector<float>(kTimes), "SCALAR"));
  const int once = file.Floats({0}, "SCALAR");
  const int wide = file.Floats(std::vector<float>(kTargets), "SCALAR");
  std::vector<std::string> nodes = {R"({"mesh":0})"};
  std::vector<std::string> meshes = {R"({"primitives":[]})"};
  for (size_t i = 1; i <= kMeshes; ++i) {
    file.Channel(static_cast<int>(i), "weights", once, wide);
    nodes.push_back(absl::StrCat(R"({"mesh":)", i, "}"));
    meshes.push_back(
        absl::StrCat(R"({"primitives":[],"extras":{"targetNames":["own_)", i, R"("]}})"));
  }
  EXPECT_THAT(
      kGlb.WhyNot(file.Text(absl::StrCat("[", absl::StrJoin(nodes, ","), "]"),
                            absl::StrCat(R"(,"meshes":[)", absl::StrJoin(meshes, ","), "]"))),
      HasSubstr("2000 times of 20001 shapes; at most"));
}

TEST(GltfJson, ReadsEachNumberAsTheNearestDouble) {
  const std::pair<const char*, double> numbers[] = {
      {"0e-90", 0},
      {"-0.0e-90", 0},
      {"0.1", 0.1},
      {"1e-400", 0},
      {"5e-324", 5e-324},
      {"0.30000001192092896", 0.30000001192092896},
      {"18446744073709551616", 18446744073709551616.0}};
  rapidjson::Document read;
  for (const auto& [text, number] : numbers) {
    ASSERT_THAT(gltf::ParseJson(absl::StrCat("\xef\xbb\xbf{\"a\": ", text, "}"), read), IsOk());
    ASSERT_TRUE(read["a"].IsDouble()) << text;
    EXPECT_EQ(read["a"].GetDouble(), number) << text;
  }
  ASSERT_THAT(gltf::ParseJson("{\"a\": [-5, 18446744073709551615]}", read), IsOk());
  EXPECT_TRUE(read["a"][0].IsInt64());
  EXPECT_TRUE(read["a"][1].IsUint64());
  EXPECT_THAT(gltf::ParseJson("{\"a\": 1e309}", read),
              Invalid(HasSubstr("its JSON is broken at byte 6: Number too big")));
}

TEST(Gltf, AFileIsNotAskedToKeepMoreThanItHas) {
  // An array without bytes is zeros: a few characters for a gigabyte.
  const std::string text =
      R"({"asset":{"version":"2.0"},"nodes":[{}],"accessors":[{"componentType":5126,)"
      R"("type":"SCALAR","count":60000000}],"animations":[{"samplers":[{"input":0,"output":0}],)"
      R"("channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}}]}]})";
  EXPECT_THAT(kGlb.WhyNot(text), HasSubstr("accessors[0].count is 60000000"));
  const std::string packed =
      R"({"asset":{"version":"2.0"},"nodes":[{}],"buffers":[{"byteLength":4,)"
      R"("uri":"data:application/octet-stream;base64,AAAAAA=="}],"bufferViews":[{"buffer":0,)"
      R"("byteLength":1600000,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteLength":4,)"
      R"("byteStride":16,"count":100000,"mode":"ATTRIBUTES"}}}],"accessors":[{"bufferView":0,)"
      R"("componentType":5126,"type":"SCALAR","count":4}],"animations":[{"samplers":[{"input":0,)"
      R"("output":0}],"channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}}]}]})";
  EXPECT_THAT(kGlb.WhyNot(packed), HasSubstr("unpacks to 1600000 bytes"));
  std::string deep = R"({"asset":{"version":"2.0"},"nodes":[)";
  for (int i = 0; i < 300; ++i) {
    absl::StrAppend(&deep, i > 0 ? "," : "", R"({"children":[)", i + 1, "]}");
  }
  File file;
  file.Channel(300, "translation", file.Floats({0}, "SCALAR"), file.Floats({0, 0, 0}, "VEC3"));
  EXPECT_THAT(kGlb.WhyNot(file.Text(absl::StrCat(deep.substr(deep.find('[')), ",{}]"))),
              HasSubstr("more than 256 levels"));
}

}  // namespace
}  // namespace posewire::clipio
