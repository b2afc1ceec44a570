// Files with several characters: what is in them, and each character as a clip of its own.
#include "libs/asset/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "libs/asset/prop_history.h"
#include "libs/clipio/open_clip.h"
#include "libs/clipio/scene_file.h"
#include "libs/clipio/whole_clip.h"
#include "libs/files/read.h"
#include "libs/skel/math.h"
#include "libs/wire/props.h"
#include "tests/unit/clipio/clips.h"
#include "tests/unit/clipio/pcm.h"

namespace posewire::clipio {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Fixture(const std::string& name) {
  const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
  return absl::StrCat(source == nullptr ? "." : source, "/tests/data/scenes/", name);
}

asset::Scene SceneIn(const std::string& path) {
  absl::StatusOr<asset::Scene> scene = OpenScene(path);
  EXPECT_TRUE(scene.ok()) << scene.status();
  return scene.ok() ? *std::move(scene) : asset::Scene();
}

ReadClip Character(const std::string& path, size_t character) {
  OpenOptions options;
  options.character = character;
  return ReadAll(OpenClip(path, options));
}

struct SeenProps {
  double time_s = 0;
  std::vector<wire::Prop> props;
};

std::vector<SeenProps> PropsOf(const std::string& path, size_t character) {
  OpenOptions options;
  options.character = character;
  auto reader = OpenClip(path, options);
  EXPECT_TRUE(reader.ok()) << reader.status();
  std::vector<SeenProps> out;
  while (reader.ok()) {
    auto message = (*reader)->Next();
    EXPECT_TRUE(message.ok()) << message.status();
    if (!message.ok() || !*message) break;
    const wire::DataChunk* const data = (*message)->data();
    if (data == nullptr) continue;
    if (auto props = wire::PropsIn(data->metadata)) {
      out.push_back({data->earliest_time_code_s, *std::move(props)});
    }
  }
  return out;
}

class SceneFiles : public testing::TestWithParam<const char*> {
 protected:
  const std::string path = Fixture(GetParam());

  void CheckWritten(Format format) const {
    const absl::StatusOr<LoadedScene> loaded = LoadScene(path);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    ASSERT_EQ(loaded->clips.size(), 2u);
    std::string text;
    const absl::Status written = WriteScene(*loaded, format, [&](absl::string_view bytes) {
      text.append(bytes.data(), bytes.size());
      return absl::OkStatus();
    });
    ASSERT_TRUE(written.ok()) << written;
    OpenOptions options;
    options.format = format;
    const auto open = [&] { return std::make_unique<files::MemorySource>("again", text); };
    const absl::StatusOr<asset::Scene> again = OpenScene(open(), options);
    ASSERT_TRUE(again.ok()) << again.status() << text;
    const asset::Scene scene = SceneIn(path);
    ASSERT_EQ(again->characters.size(), 2u);
    EXPECT_TRUE(again->has_camera);
    EXPECT_THAT(again->warnings, testing::IsEmpty());
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(again->characters[i].name, scene.characters[i].name);
      EXPECT_NEAR(again->characters[i].place.x_m, scene.characters[i].place.x_m, 1e-5);
      EXPECT_NEAR(again->characters[i].place.turn_deg, scene.characters[i].place.turn_deg, 1e-3);
      options.character = i;
      const ReadClip was = Character(path, i), is = ReadAll(OpenClip(open(), options));
      ASSERT_TRUE(is.end.ok()) << is.end;
      EXPECT_THAT(is.joints(), testing::UnorderedElementsAreArray(was.joints()));
      const auto arm = [](const ReadClip& clip) {
        const std::vector<std::string> joints = clip.joints();
        const auto at = std::find_if(joints.begin(), joints.end(), [](const std::string& path) {
          return absl::EndsWith(path, "/RightLowerArm");
        });
        return clip.turn(clip.frames() - 1, static_cast<int>(at - joints.begin()));
      };
      EXPECT_NEAR(skel::AngleBetween(arm(is), arm(was)), 0, 1e-3);
      EXPECT_NEAR(skel::Length(is.place(0, 0) - was.place(0, 0)), 0, 1e-5);
    }
    ASSERT_EQ(again->props.size(), scene.props.size());
    for (size_t i = 0; i < scene.props.size(); ++i) {
      EXPECT_EQ(again->props[i].name, scene.props[i].name);
      EXPECT_EQ(again->props[i].shape, scene.props[i].shape);
      EXPECT_NEAR(skel::Length(again->props[i].size - scene.props[i].size), 0, 1e-5);
      for (const double time_s : {0.0, 1.0, 2.0}) {
        const skel::Vec3 gone = again->props[i].At(time_s).at - scene.props[i].At(time_s).at;
        EXPECT_NEAR(skel::Length(gone), 0, 0.03);
      }
    }
  }
};

TEST_P(SceneFiles, HaveTheirCharactersInTheirPlaces) {
  const asset::Scene scene = SceneIn(path);
  ASSERT_EQ(scene.characters.size(), 2u);
  EXPECT_EQ(scene.characters[0].name, "Anna");
  EXPECT_NEAR(scene.characters[0].place.x_m, -0.6, 1e-5);
  EXPECT_NEAR(scene.characters[0].place.turn_deg, 90, 1e-3);
  EXPECT_EQ(scene.characters[1].name, "Bert");
  EXPECT_NEAR(scene.characters[1].place.x_m, 0.6, 1e-5);
  EXPECT_NEAR(scene.characters[1].place.turn_deg, -90, 1e-3);
  EXPECT_TRUE(scene.has_camera);
  EXPECT_NEAR(scene.last_s, 2, 1e-6);
}

TEST_P(SceneFiles, HavePropsOfTheSizeOfTheirShapesAndNoScenery) {
  const asset::Scene scene = SceneIn(path);
  ASSERT_EQ(scene.props.size(), 2u);
  const asset::SceneProp& table = scene.props[0];
  EXPECT_EQ(table.name, "Table");
  EXPECT_EQ(table.shape, "table");
  EXPECT_NEAR(table.size.x, 1, 1e-4);
  EXPECT_NEAR(table.size.y, 0.74, 1e-4);
  EXPECT_NEAR(table.At(0).at.y, 0, 1e-4);
  const asset::SceneProp& cup = scene.props[1];
  EXPECT_EQ(cup.shape, "cup");
  EXPECT_NEAR(cup.size.y, 0.1, 1e-4);
  EXPECT_NEAR(cup.At(0).at.x, -0.2, 1e-4);
  EXPECT_NEAR(cup.At(1).at.x, 0, 1e-2);
  EXPECT_NEAR(cup.At(2).at.x, 0.2, 1e-4);
  EXPECT_NEAR(cup.At(2).at.y, 0.74, 1e-4);
  EXPECT_THAT(scene.warnings, ElementsAre(HasSubstr("Wall")));
}

TEST_P(SceneFiles, HaveAClipForEachCharacterInItsOwnSpace) {
  for (const size_t character : {size_t{0}, size_t{1}}) {
    const ReadClip clip = Character(path, character);
    ASSERT_TRUE(clip.end.ok()) << clip.end;
    ASSERT_EQ(clip.joints().size(), 17u);
    EXPECT_EQ(clip.joints()[0], "Hips");
    // As if at the origin, facing +Z.
    EXPECT_NEAR(clip.place(0, 0).x, 0, 1e-5);
    EXPECT_NEAR(clip.place(0, 0).y, 0.95, 1e-5);
    EXPECT_NEAR(skel::AngleBetween(clip.turn(0, 0), {}), 0, 1e-3);
  }
}

TEST_P(SceneFiles, GiveThePropsAndTheCameraToTheLead) {
  EXPECT_TRUE(PropsOf(path, 1).empty());
  const std::vector<SeenProps> seen = PropsOf(path, 0);
  ASSERT_GE(seen.size(), 30u);
  EXPECT_NEAR(seen.front().time_s, 0, 1e-9);
  // Anna, to the left, looks to the right: what is in front of her is along the world's +X.
  EXPECT_NEAR(seen.front().props.at(1).position.z, 0.4, 1e-4);
  EXPECT_NEAR(seen.back().props.at(1).position.z, 0.8, 1e-4);
  for (size_t i = 1; i < seen.size(); ++i) {
    const bool moves = seen[i - 1].time_s > 0.49 && seen[i].time_s < 1.51;
    EXPECT_LE(seen[i].time_s - seen[i - 1].time_s, moves ? 0.0421 : 1.0001);
  }
  const ReadClip lead = Character(path, 0);
  ASSERT_TRUE(lead.end.ok()) << lead.end;
  const auto& camera = lead.messages[1].animation_data().camera();
  ASSERT_EQ(camera.position_size(), 1);
  // 4 m in front of the scene is 4 m to her left.
  EXPECT_NEAR(camera.position(0).value().z(), 0.6, 1e-4);
  EXPECT_NEAR(std::fabs(camera.position(0).value().x()), 4, 1e-4);
  EXPECT_NEAR(camera.focal_length(0).value(), 12 / std::tan(0.3), 1e-2);
  for (const auto& message : Character(path, 1).messages) {
    EXPECT_EQ(message.animation_data().camera().position_size(), 0);
  }
}

TEST_P(SceneFiles, RejectACharacterThatTheyDoNotHave) {
  EXPECT_THAT(std::string(Character(path, 2).end.message()), HasSubstr("2 characters"));
}

INSTANTIATE_TEST_SUITE_P(Formats, SceneFiles, testing::Values("two_people.usda", "two_people.gltf"),
                         [](const auto& info) {
                           return absl::StrReplaceAll(info.param, {{".", "_"}});
                         });

TEST_P(SceneFiles, AreWrittenAsFilesThatReadTheSame) {
  for (const Format format : {Format::kUsda, Format::kGlb, Format::kGltf}) CheckWritten(format);
}

asset::Scene SceneOfText(const std::string& text) {
  OpenOptions options;
  options.format = Format::kUsda;
  auto scene = OpenScene(std::make_unique<files::MemorySource>("scene", text), options);
  EXPECT_TRUE(scene.ok()) << scene.status();
  return scene.ok() ? *std::move(scene) : asset::Scene();
}

TEST(SceneFile, MovesAPropInMetresWithYUpAndGivesItItsNameAsShape) {
  const asset::Scene scene = SceneOfText(R"(#usda 1.0
( metersPerUnit = 0.01
  timeCodesPerSecond = 24
  upAxis = "Z" )
def Xform "Ball" {
  double3 xformOp:translate.timeSamples = { 0: (100, 0, 50), 24: (100, 0, 150) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Sphere "Skin" { double radius = 10 }
})");
  ASSERT_EQ(scene.props.size(), 1u);
  const asset::SceneProp& ball = scene.props[0];
  EXPECT_EQ(ball.shape, "Ball");
  EXPECT_NEAR(ball.size.y, 0.2, 1e-3);
  EXPECT_NEAR(skel::AngleBetween(ball.At(0).turn, {}), 0, 1e-4);
  EXPECT_NEAR(ball.At(0).at.x, 1, 1e-4);
  EXPECT_NEAR(ball.At(0).at.y, 0.5, 1e-4);
  EXPECT_NEAR(ball.At(0.5).at.y, 1, 1e-4);
  EXPECT_GE(ball.times_s.size(), 31u);
}

TEST(SceneFile, SaysHowToDrawAPropThatDoesNotMove) {
  const asset::Scene scene = SceneOfText(R"(#usda 1.0
( metersPerUnit = 1 )
def Xform "A" {
  custom token posewire:shape = "hat"
  custom float3 posewire:size = (0.3, 0.2, 0.3)
  double3 xformOp:translate = (0, 1.7, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Xform "B" { def Cube "Floor" {} })");
  ASSERT_EQ(scene.props.size(), 1u);
  EXPECT_EQ(scene.props[0].shape, "hat");
  EXPECT_NEAR(scene.props[0].size.y, 0.2, 1e-6);
  EXPECT_NEAR(scene.props[0].At(0).at.y, 1.7, 1e-6);
  EXPECT_THAT(scene.warnings, ElementsAre(HasSubstr("/B/Floor")));
}

// Mono, 16 kHz.
std::string SmallWav() {
  const std::string pcm = Pcm(1, 1600);
  const auto word = [](size_t number) {
    std::string out;
    for (int k = 0; k < 4; ++k) out += static_cast<char>(number >> (8 * k) & 0xff);
    return out;
  };
  return absl::StrCat("RIFF", word(36 + pcm.size()), "WAVEfmt ", word(16),
                      std::string("\1\0\1\0", 4), word(16000), word(32000),
                      std::string("\2\0\20\0", 4), "data", word(pcm.size()), pcm);
}

// Which characters of the stage speak, after a prim was added at a place.
std::vector<bool> Speakers(const std::string& before, absl::string_view prim) {
  absl::StatusOr<std::string> text = files::ReadWhole(Fixture("two_people.usda"), 1 << 20);
  EXPECT_TRUE(text.ok()) << text.status();
  const size_t at = text.ok() ? text->find(before) : std::string::npos;
  EXPECT_NE(at, std::string::npos);
  if (at == std::string::npos) return {};
  text->insert(at, prim.data(), prim.size());
  OpenOptions options;
  options.format = Format::kUsda;
  options.sidecar = [](const std::string&) -> absl::StatusOr<std::string> { return SmallWav(); };
  std::vector<bool> out;
  for (size_t i = 0; i < 2; ++i) {
    options.character = i;
    const ReadClip clip =
        ReadAll(OpenClip(std::make_unique<files::MemorySource>("stage", *text), options));
    EXPECT_TRUE(clip.end.ok()) << clip.end;
    out.push_back(std::any_of(clip.messages.begin(), clip.messages.end(),
                              [](const auto& m) { return m.animation_data().has_audio(); }));
  }
  return out;
}

TEST(SceneFile, GivesAVoiceToTheCharacterThatItIsBelowOrToTheLead) {
  const absl::string_view sound =
      "def SpatialAudio \"Voice\" { uniform asset filePath = @./voice.wav@ }\n";
  EXPECT_THAT(Speakers("def Camera", sound), ElementsAre(true, false));
  const std::string place = "double3 xformOp:translate = (0.6, 0, 0)";  // Bert's
  EXPECT_THAT(Speakers(place, sound), ElementsAre(false, true));
}

TEST(SceneFile, OfAnotherFormatHasNoCharacters) { EXPECT_TRUE(SceneIn("-").characters.empty()); }

TEST(Scene, PlacesAreSeenFromOneAnother) {
  const asset::GroundPlace from{1, 2, 90};
  const asset::RigidPlace seen = asset::Seen(from, {{2, 0.5f, 2}, {}});
  EXPECT_NEAR(seen.at.x, 0, 1e-5);
  EXPECT_NEAR(seen.at.z, 1, 1e-5);
  EXPECT_NEAR(skel::TransformPoint(asset::Into(from), {2, 0.5f, 2}).z, 1, 1e-5);
  const asset::GroundPlace back =
      asset::OnGround(skel::Inverse(asset::Into(from)).value_or(skel::Affine{}));
  EXPECT_NEAR(back.x_m, 1, 1e-5);
  EXPECT_NEAR(back.turn_deg, 90, 1e-3);
}

wire::Prop CupAt(float x) {
  wire::Prop out;
  out.name = "cup";
  out.position = {x, 0, 0};
  out.shape = "cup";
  return out;
}

TEST(PropsOver, MovesBetweenStatesOfAMovementAndHoldsOverSilence) {
  std::vector<std::pair<double, std::vector<wire::Prop>>> states;
  for (const auto& [time_s, x] : std::vector<std::pair<double, float>>{
           {0, 0.f}, {0.5, 0.f}, {1, 0.f}, {1.03, 0.1f}, {1.06, 0.2f}, {3, 1.f}}) {
    states.push_back({time_s, {CupAt(x)}});
  }
  wire::Prop desk;
  desk.name = "desk";
  states[2].second.push_back(desk);
  const std::vector<asset::SceneProp> props = asset::PropsOver(states);
  ASSERT_EQ(props.size(), 2u);
  EXPECT_EQ(props[0].shape, "cup");
  EXPECT_EQ(props[1].shape, "box");
  EXPECT_EQ(props[1].places.size(), 1u);
  std::vector<std::pair<double, float>> keys;
  for (size_t i = 0; i < props[0].places.size(); ++i) {
    keys.emplace_back(props[0].times_s[i], props[0].places[i].at.x);
  }
  using Key = std::pair<double, float>;
  EXPECT_THAT(keys, ElementsAre(Key(0, 0.f), Key(1, 0.f), Key(1.03, 0.1f), Key(1.06, 0.2f),
                                Key(2.999, 0.2f), Key(3, 1.f)));
}

TEST(Mixed, AddsVoicesWhereTheyAre) {
  const Voice a{8000, 1, {100, 100, 100, 30000}}, b{8000, 1 + 2 / 8000.0, {5, 5000, 7}};
  const Voice both = Mixed({Voice(), a, b});
  EXPECT_EQ(both.start_s, 1);
  EXPECT_THAT(both.samples, ElementsAre(100, 100, 105, 32767, 7));
  const Voice slow = Mixed({a, {4000, 1, {10, 20}}});
  EXPECT_THAT(slow.samples, ElementsAre(110, 115, 120, 30010));
  EXPECT_TRUE(Mixed({}).samples.empty());
}

TEST(Scene, NamesAreUniqueAndHaveNoSlash) {
  asset::SceneNames names;
  EXPECT_EQ(names.Take("Anna"), "Anna");
  EXPECT_EQ(names.Take("Anna"), "Anna_2");
  EXPECT_EQ(names.Take("a/b"), "a_b");
  EXPECT_EQ(names.Take(""), "unnamed");
  EXPECT_LE(names.Take(std::string(500, 'x')).size(), 128u);
  EXPECT_EQ(names.Take("tab\there\xc2\x85\xff\xc3"), "tab_here___");
  EXPECT_EQ(names.Take("\xc3\x84"
                       "a"),
            "\xc3\x84"
            "a");
}

TEST(Scene, HasAtMostSixteenCharacters) {
  EXPECT_TRUE(asset::CheckCharacterCount(16).ok());
  const absl::Status many = asset::CheckCharacterCount(17);
  EXPECT_TRUE(absl::IsResourceExhausted(many));
  EXPECT_THAT(std::string(many.message()), HasSubstr("17 characters"));
}

}  // namespace
}  // namespace posewire::clipio
