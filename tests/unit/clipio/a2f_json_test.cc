#include "libs/formats/a2f_json/a2f_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"
#include "tests/unit/clipio/temp_file.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::clipio {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr DoubtfulFile kA2f{"face.a2f.json"};

// As Audio2Face 2023 writes it, with a third of its rows and shapes.
constexpr char kExport[] = R"({
    "exportFps": 60,
    "trackPath": "",
    "numPoses": 3,
    "numFrames": 2,
    "facsNames": ["eyeBlinkLeft", "jawOpen", "mouthClose"],
    "weightMat": [[0.0, 0.10653890669345856, 0.25], [0.5, 1.0, -0.125]],
    "joints": ["jaw", "eye_L"],
    "rotations": [[[1, 0, 0, 0], [0.8, 0.6, 0, 0]], [[0.6, 0, 0.8, 0], [2, 0, 0, 0]]],
    "translations": [[[1.4, 0.02, -1.6], [0, 0, 0]], [[1.3, 0.02, -1.5], [0, 0, 0]]]
})";

std::string With(const std::string& from, const std::string& to) {
  std::string out = absl::StrReplaceAll(kExport, {{from, to}});
  EXPECT_NE(out, kExport) << from;
  return out;
}

TEST(A2fJson, TakesWeightsAndTurns) {
  const DoubtedClip read = kA2f.Read(kExport);
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_THAT(read.shapes(), ElementsAre("eyeBlinkLeft", "jawOpen", "mouthClose"));
  EXPECT_THAT(read.joints(), ElementsAre("jaw", "eye_L"));
  ASSERT_EQ(read.frames(), 2u);
  EXPECT_EQ(read.weights(0).time_code(), 0);
  EXPECT_EQ(read.weights(1).time_code(), 1.0 / 60);
  // ACE's weights: jawOpen keeps its value next to mouthClose.
  EXPECT_THAT(read.weights(0).values(), ElementsAre(0, 0.10653890669345856f, 0.25f));
  EXPECT_THAT(read.weights(1).values(), ElementsAre(0.5f, 1.0f, -0.125f));
  EXPECT_EQ(read.frame(1).rotations(0).time_code(), 1.0 / 60);
  EXPECT_FLOAT_EQ(read.turn(0, 1).w, 0.8f);
  EXPECT_FLOAT_EQ(read.turn(0, 1).x, 0.6f);
  EXPECT_FLOAT_EQ(read.turn(1, 0).y, 0.8f);
  EXPECT_EQ(read.turn(1, 1).w, 1);
  EXPECT_EQ(read.frame(0).translations_size(), 0);
  EXPECT_TRUE(read.messages.back().has_status());
}

TEST(A2fJson, TakesTheShapeFormAlone) {
  const DoubtedClip read = kA2f.Read(
      R"({"weightMat": [[0.5], [1]], "facsNames": ["jawOpen"], "exportFps": 30.0, "other": [{}]})");
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_THAT(read.joints(), IsEmpty());
  EXPECT_THAT(read.weights(1).values(), ElementsAre(1));
}

TEST(A2fJson, TakesThePoseFormAlone) {
  const DoubtedClip read =
      kA2f.Read(R"({"exportFps": 30, "facsNames": [], "weightMat": [[], []], "joints": ["jaw"],)"
                R"( "rotations": [[[1, 0, 0, 0]], [[0, 1, 0, 0]]]})");
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.shapes(), IsEmpty());
  ASSERT_EQ(read.frames(), 2u);
  EXPECT_EQ(read.frame(0).blend_shape_weights_size(), 0);
  EXPECT_EQ(read.turn(1, 0).x, 1);
}

TEST(A2fJson, TurnsWithTheRealPartLastAreRecognised) {
  const DoubtedClip read =
      kA2f.Read(R"({"exportFps": 30, "joints": ["jaw", "eye_L"], "rotations":)"
                R"( [[[0, 0, 0, 1], [0.28, 0, 0, 0.96]], [[0.8, 0, 0, 0.6], [0, 0, 0, 1]]]})");
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.warnings, ElementsAre("face.a2f.json: rotations have their largest part last; "
                                         "taken for x, y, z, w"));
  EXPECT_EQ(read.turn(0, 0).w, 1);
  EXPECT_FLOAT_EQ(read.turn(0, 1).x, 0.28f);
  EXPECT_FLOAT_EQ(read.turn(1, 0).w, 0.6f);
  EXPECT_FLOAT_EQ(read.turn(1, 0).x, 0.8f);
}

TEST(A2fJson, SpellingsOfArkitsShapesBecomeArkits) {
  const DoubtedClip read =
      kA2f.Read(R"({"exportFps": 30, "facsNames": ["A2F:mouthSmile_L", "head.jawOpen", "JawOpen",)"
                R"( "mouthSmile_R", "lipSuck", "tongue_Up"], "weightMat": [[1, 2, 3, 4, 5, 6]]})");
  ASSERT_THAT(read.end, IsOk());
  // What has the name of ARKit's already keeps it.
  EXPECT_THAT(read.shapes(), ElementsAre("mouthSmileLeft", "head.jawOpen", "JawOpen",
                                         "mouthSmileRight", "lipSuck", "tongueUp"));
}

TEST(A2fJson, DoubtsAreSaid) {
  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"\"numPoses\": 3", "\"numPoses\": 52",
       "numPoses is 52, and facsNames has 3 names, which are played"},
      {"\"numFrames\": 2", "\"numFrames\": \"two\"",
       "numFrames is \"two\", and weightMat has 2 frames, which are played"},
      {"\"exportFps\": 60", "\"exportFps\": 0.5",
       "exportFps is 0.5, an unusual rate; played so (--fps of a2f_source play and animclip"},
      {"\"exportFps\": 60", "\"exportFps\": 2000", "exportFps is 2000, an unusual rate"},
      {"\"exportFps\": 60", "\"exportFps\": 0",
       "exportFps is 0; taken for 30 frames a second (--fps of"},
      {"\"exportFps\": 60", "\"exportFps\": -25", "exportFps is -25; taken for 30"},
      {"\"exportFps\": 60", "\"exportFps\": \"60\"", "exportFps is \"60\"; taken for 30"},
      {"\"exportFps\": 60", "\"exportFps\": null", "exportFps is null; taken for 30"},
      {"\"exportFps\": 60", "\"exportFps\": [60]", "exportFps is an array; taken for 30"},
      {"\"exportFps\": 60", "\"exportFps\": NaN", "exportFps is nan; taken for 30"},
      {"\"exportFps\": 60", "\"exportFps\": 1e300", "; taken for 30"},
      {"\"exportFps\": 60,", "", "exportFps is missing; taken for 30"},
  };
  for (const auto& c : cases) {
    const DoubtedClip read = kA2f.Read(With(c.from, c.to));
    EXPECT_THAT(read.end, IsOk()) << c.to;
    EXPECT_THAT(read.warnings, ElementsAre(AllOf(HasSubstr("face.a2f.json: "), HasSubstr(c.says))))
        << c.to;
  }
}

TEST(A2fJson, NamesWithoutRowsAreLeftOut) {
  // Programs that know no joints write their names all the same.
  const DoubtedClip read =
      kA2f.Read(R"({"exportFps": 30, "facsNames": ["jawOpen"], "weightMat": [[1]],)"
                R"( "joints": ["jaw", "eye_L", "eye_R"], "rotations": [], "translations": []})");
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.joints(), IsEmpty());
  EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("rotations has no frames, so the 3 names in "
                                                   "joints are left out")));
}

TEST(A2fJson, TheRateIsExportFpsUnlessFpsSaysAnother) {
  const auto second = [](const std::string& text, const std::string& fps = "") {
    const DoubtedClip read = kA2f.Read(text, fps);
    EXPECT_THAT(read.warnings, IsEmpty()) << text;
    return read.weights(1).time_code();
  };
  EXPECT_EQ(second(With("\"exportFps\": 60", "\"exportFps\": 29.97")), 1001.0 / 30000);
  EXPECT_EQ(second(With("\"exportFps\": 60", "\"exportFps\": 23.976")), 1001.0 / 24000);
  EXPECT_EQ(second(With("\"exportFps\": 60", "\"exportFps\": 12.5")), 1 / 12.5);
  EXPECT_EQ(second(With("\"exportFps\": 60", "\"fps\": 24")), 1.0 / 24);
  EXPECT_EQ(second(With("\"exportFps\": 60", "\"exportFps\": 60, \"fps\": 24")), 1.0 / 60);
  EXPECT_EQ(second(kExport, "25"), 1.0 / 25);
  EXPECT_EQ(second(With("\"exportFps\": 60,", ""), "29.97"), 1001.0 / 30000);
  EXPECT_EQ(second(With("\"exportFps\": 60", "\"exportFps\": null"), "48"), 1.0 / 48);
}

TEST(A2fJson, ErrorsNameFieldIndexAndValue) {
  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"0.25]", "0.25, 1]", "weightMat[1] has 3 weights; must have 4, as weightMat[0] has"},
      {", \"mouthClose\"", "",
       "weightMat[0] has 3 weights; must have 2, one for each name in facsNames"},
      {", \"eye_L\"", "", "rotations[0] has 2 turns; must have 1, one for each name in joints"},
      {"\"joints\"", "\"bones\"",
       "rotations[0] has 2 turns; must have 0, one for each name in joints"},
      {"[0.5, 1.0, -0.125]", "[0.5, null, -0.125]",
       "weightMat[1][1] is null; must be a finite number"},
      {"[0.5, 1.0, -0.125]", "[0.5, NaN, -0.125]", "weightMat[1][1] is nan; must be a finite"},
      {"[0.5, 1.0, -0.125]", "[0.5, 1e39, 1]", "weightMat[1][1] is 1e+39; must be a finite"},
      {"[0.5, 1.0, -0.125]", "[0.5, [1.0], 1]", "weightMat[1][1] is an array; must be a finite"},
      {"[0.5, 1.0, -0.125]", "0.5", "weightMat[1] is 0.5; must be an array of numbers"},
      {"[0.5, 1.0, -0.125]", "\"x\"", "weightMat[1] is \"x\"; must be an array of numbers"},
      {"[0.6, 0, 0.8, 0]", "[0.6, 0, 0.8]", "rotations[1][0] has 3 numbers; a turn has 4"},
      {"[0.6, 0, 0.8, 0]", "[0, 0, 0, 0]",
       "rotations[1][0] has the length 0; must be a quaternion"},
      {"[0.6, 0, 0.8, 0]", "0.6", "rotations[1][0] is 0.6; must be an array of 4 numbers"},
      {", [[0.6, 0, 0.8, 0], [2, 0, 0, 0]]", "",
       "rotations has 1 frames; must have 2, as weightMat has"},
      {", [[0.6, 0, 0.8, 0], [2, 0, 0, 0]]", ", []", "rotations[1] has 0 turns; must have 2"},
      {"\"mouthClose\"", "7", "facsNames[2] is 7; must be a name"},
      {"\"mouthClose\"", "\"\"", "facsNames[2] is \"\"; must be a name"},
      {"\"mouthClose\"", "\"a\\nb\"", "facsNames[2] is \"a\\nb\"; must be a name, without"},
      {"\"mouthClose\"", "\"JAWOPEN\"",
       "facsNames[2] is \"JAWOPEN\", which facsNames[1] is already (ignoring case)"},
      {"\"mouthClose\"", "\"mouth/\"", "facsNames[2] is \"mouth/\"; must not end in a slash"},
      {"\"eye_L\"", "\"jaw\"", "joints[1] is \"jaw\", which joints[0] is already; must be unique"},
      {"[\"eyeBlinkLeft\", \"jawOpen\", \"mouthClose\"]", "{}",
       "facsNames is an object; must be an array of names"},
      {"\"joints\": [\"jaw\", \"eye_L\"]", "\"facsNames\": []", "facsNames is there twice"},
      {"\"trackPath\": \"\",", "\"trackPath\": \"\"", "its JSON is broken at byte "},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(kA2f.Read(With(c.from, c.to)).end,
                Invalid(AllOf(HasSubstr("face.a2f.json: "), HasSubstr(c.says))))
        << c.to;
  }
  EXPECT_THAT(kA2f.Read("[1]").end, Invalid(HasSubstr("it is an array; must be an object")));
  EXPECT_THAT(kA2f.Read("7").end, Invalid(HasSubstr("it is 7; must be an object")));
  EXPECT_THAT(kA2f.Read("").end, Invalid(HasSubstr("its JSON is broken at byte 0")));
  EXPECT_THAT(kA2f.Read(std::string(kExport) + "{}").end, Invalid(HasSubstr("broken at byte")));
  EXPECT_THAT(kA2f.Read("{}").end,
              Invalid(HasSubstr("it has no motion; must have facsNames and weightMat, or joints")));
  EXPECT_THAT(kA2f.Read(R"({"exportFps": 60, "emotionNames": ["joy"], "emotionKeys": [[1]]})").end,
              Invalid(HasSubstr("it has emotions (emotionKeys) and no motion; export the blend")));
}

// A name for each of so many.
std::string Names(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) absl::StrAppend(&out, i > 0 ? "," : "", "\"n", i, "\"");
  return out;
}

TEST(A2fJson, LimitsAreKept) {
  const auto end = [](const std::string& text) { return kA2f.Read(text).end; };
  EXPECT_THAT(end(absl::StrCat("{\"facsNames\": [", Names(513), "]}")),
              Invalid(HasSubstr("facsNames has over 512 names")));
  EXPECT_THAT(end(absl::StrCat("{\"joints\": [", Names(1025), "]}")),
              Invalid(HasSubstr("joints has over 1024 names")));
  EXPECT_THAT(end(absl::StrCat("{\"joints\": [\"", std::string((1 << 20) + 1, 'x'), "\"]}")),
              Invalid(HasSubstr("its names are over 1 MiB")));
  EXPECT_THAT(end(absl::StrCat("{\"a\": ", std::string(1 << 20, '['))),
              Invalid(HasSubstr("its JSON is nested in more than 64 levels")));
  std::string rows = "{\"weightMat\": [[0";
  for (size_t i = 0; i < a2f_json::kMostA2fNumbers; ++i) rows += ",0";
  EXPECT_THAT(end(rows), Fails(absl::StatusCode::kResourceExhausted,
                               HasSubstr("weightMat and rotations have over 25165824 numbers")));
  OpenOptions options;
  options.max_json_bytes = 100;
  EXPECT_THAT(
      ReadAll(OpenClip(std::make_unique<files::MemorySource>("face.a2f.json", kExport), options))
          .end,
      Fails(absl::StatusCode::kResourceExhausted, HasSubstr("has over 100 bytes")));
}

TEST(A2fJson, IsToldFromMessagesByWhatIsInIt) {
  // Both are .json; a run of messages is that however it is named.
  const MemoryFile json{"face.json"};
  EXPECT_THAT(json.Read(kExport).shapes(), SizeIs(3));
  EXPECT_THAT(json.Read("\xef\xbb\xbf" + std::string(kExport)).shapes(), SizeIs(3));
  const std::string message =
      R"({"animationDataStreamHeader": {"skelAnimationHeader": {"joints": ["weightMat"]}}})";
  EXPECT_THAT(json.Read(message).joints(), ElementsAre("weightMat"));
  EXPECT_THAT(MemoryFile{"-"}.Read(kExport).shapes(), SizeIs(3));
  EXPECT_TRUE(a2f_json::IsA2fJson(R"({"a": "\"}{", "b": [[1, "facsNames"]], "weightMat")"));
  EXPECT_TRUE(a2f_json::IsA2fJson("{\"exportFps\": 60"));
  for (const char* other :
       {"", " ", "{", "{}", "[", "x", R"({"a": "exportFps"})", R"({"a": {"exportFps": 1}})",
        R"({"a": ["x", {"facsNames": 1}]})", R"({"status": {}, "exportFps": 1})"}) {
    EXPECT_FALSE(a2f_json::IsA2fJson(other)) << other;
  }
  EXPECT_EQ(FormatOfBytes(kExport), Format::kA2fJson);
  EXPECT_EQ(FormatOfBytes(message), Format::kJsonl);
  EXPECT_EQ(*FormatOf("a/b.A2F.JSON"), Format::kA2fJson);
  EXPECT_EQ(*FormatOf("b.json", FormatUse::kWrite), Format::kJsonl);
  EXPECT_EQ(StemLength("a.b/c.a2f.json"), 5u);
}

TEST(A2fJson, WhatIsWrittenReadsBackExactly) {
  Messages clip = {wire::SmallHeader()};
  for (int k = 0; k < 50; ++k) {
    clip.push_back(wire::Weights(k * 1001 / 30000.0, {static_cast<float>(k) / 7, -0.1f}));
  }
  const auto text = kA2f.Written(clip);
  ASSERT_THAT(text, IsOk());
  const DoubtedClip back = kA2f.Read(*text);
  ASSERT_THAT(back.end, IsOk());
  EXPECT_THAT(back.warnings, IsEmpty());
  ASSERT_EQ(back.frames(), 50u);
  for (size_t k = 0; k < 50; ++k) {
    const auto& before = clip[k + 1].animation_data().skel_animation().blend_shape_weights(0);
    EXPECT_EQ(back.weights(k).SerializeAsString(), before.SerializeAsString());
  }
}

TEST(A2fJson, FaceJointsAreWrittenAndOthersLeftOut) {
  Messages clip(1);
  auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (const char* joint : {"Hips", "Hips/Head/eye_R", "Hips/Head/Jaw"}) names.add_joints(joint);
  for (int k = 0; k < 3; ++k) {
    auto& key =
        *clip.emplace_back().mutable_animation_data()->mutable_skel_animation()->add_rotations();
    key.set_time_code(1 + k / 25.0);
    for (int j = 0; j < 3; ++j) {
      auto& q = *key.add_values();
      q.set_real(static_cast<float>(std::cos(0.1 * j * k)));
      q.set_i(static_cast<float>(std::sin(0.1 * j * k)));
    }
  }
  const auto text = kA2f.Written(clip);
  ASSERT_THAT(text, IsOk());
  EXPECT_THAT(*text, AllOf(HasSubstr("\"translations\":[[[0,0,0],[0,0,0]],"),
                           HasSubstr("\"facsNames\":[],\"weightMat\":[],")));
  const DoubtedClip back = kA2f.Read(*text);
  ASSERT_THAT(back.end, IsOk());
  EXPECT_THAT(back.joints(), ElementsAre("jaw", "eye_R"));
  ASSERT_EQ(back.frames(), 3u);
  EXPECT_NEAR(back.frame(2).rotations(0).time_code(), 2 / 25.0, 1e-9);
  EXPECT_FLOAT_EQ(back.turn(2, 0).x, static_cast<float>(std::sin(0.4)));
  EXPECT_FLOAT_EQ(back.turn(2, 1).x, static_cast<float>(std::sin(0.2)));
}

TEST(A2fJson, DoesNotWriteNamesThatItDoesNotRead) {
  std::string text;
  auto writer = ClipWriter::Open(std::make_unique<files::MemorySink>("take.a2f.json", &text));
  ASSERT_THAT(writer, IsOk());
  nvidia_ace::animation_data::v1::AnimationDataStream header;
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.add_blend_shapes("\5awOpen");
  absl::Status end = (*writer)->Write(header);
  end.Update((*writer)->Write(wire::Weights(0, {1})));
  end.Update((*writer)->Close());
  EXPECT_THAT(end.message(), HasSubstr("shapes[0] is \"\\x05\\x61wOpen\"; must be a name"));
}

TEST(A2fJson, TrackPathNamesTheVoiceOfTheClip) {
  std::string text;
  auto writer = ClipWriter::Open(std::make_unique<files::MemorySink>("take.a2f.json", &text));
  ASSERT_THAT(writer, IsOk());
  for (const auto& message : {wire::SmallHeader(), wire::Weights(0, {1, 0})}) {
    ASSERT_THAT((*writer)->Write(message), IsOk());
  }
  (*writer)->SetVoice({"take.wav", 0, 1});
  ASSERT_THAT((*writer)->Close(), IsOk());
  EXPECT_THAT(text, HasSubstr("\"trackPath\":\"take.wav\""));
}

TEST(A2fJson, UnevenKeysBecomeEvenFrames) {
  const Messages clip = {wire::SmallHeader(), wire::Weights(0.5, {0, 0}),
                         wire::Weights(0.6, {1, 0}), wire::Weights(0.8, {1, 2}),
                         wire::Weights(0.9, {0, 0})};
  const auto text = kA2f.Written(clip);
  ASSERT_THAT(text, IsOk());
  const DoubtedClip back = kA2f.Read(*text);
  ASSERT_THAT(back.end, IsOk());
  EXPECT_THAT(back.warnings, IsEmpty());
  ASSERT_EQ(back.frames(), 5u);
  EXPECT_THAT(back.weights(2).values(), ElementsAre(1, ::testing::FloatNear(1, 1e-5f)));
  EXPECT_NEAR(back.weights(4).time_code(), 0.4, 1e-9);
}

TEST(A2fJson, WhatItCannotHoldIsRejected) {
  EXPECT_THAT(kA2f.Written({}), Invalid(HasSubstr("face.a2f.json: the clip has neither weights")));
  EXPECT_THAT(kA2f.Written({wire::SmallHeader()}), Invalid(HasSubstr("jaw, eye_L and eye_R")));
  Messages many(1);
  auto& names = *many[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (int i = 0; i < 513; ++i) names.add_blend_shapes(absl::StrCat("s", i));
  many.push_back(wire::Weights(0, std::vector<float>(513)));
  EXPECT_THAT(kA2f.Written(many), Invalid(HasSubstr("the clip has 513 shapes")));
}

// The voice next to a file.
ReadClip ReadVoiced(const std::string& track, const std::string& wav,
                    std::vector<std::string>* warnings) {
  OpenOptions options;
  options.sidecar = [&](const std::string& name) -> absl::StatusOr<std::string> {
    EXPECT_EQ(name, "voice.wav");
    if (wav.empty()) return absl::NotFoundError("voice.wav: cannot open");
    return wav;
  };
  const std::string text = With("\"trackPath\": \"\"", absl::StrCat("\"trackPath\": ", track));
  auto reader = OpenClip(std::make_unique<files::MemorySource>("face.a2f.json", text), options);
  ReadClip out = ReadAll(reader);
  *warnings = (*reader)->warnings();
  return out;
}

// 16 kHz, mono, 16 bit, 800 samples.
std::string SmallWav(char channels) {
  std::string out = std::string("RIFF\x64\x06\0\0WAVEfmt \x10\0\0\0\x01\0", 22);
  out += std::string(1, channels) + '\0';
  out += std::string("\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\x40\x06\0\0", 20);
  return out + std::string(1600, '\1');
}

TEST(A2fJson, TheVoiceOfTrackPathIsTakenFromNextToTheFile) {
  std::vector<std::string> warnings;
  for (const char* track : {"\"voice.wav\"", "\"/voices/voice.wav\"", R"("C:\\me\\voice.wav")"}) {
    const ReadClip read = ReadVoiced(track, SmallWav(1), &warnings);
    ASSERT_THAT(read.end, IsOk());
    EXPECT_THAT(warnings, IsEmpty());
    EXPECT_EQ(read.messages[0].animation_data_stream_header().audio_header().samples_per_second(),
              16000u);
  }
}

TEST(A2fJson, AVoiceThatCannotBeIsLeftOutWithAWarning) {
  std::vector<std::string> warnings;
  ReadClip read = ReadVoiced("\"/voices/voice.wav\"", "", &warnings);
  EXPECT_THAT(read.end, IsOk());
  EXPECT_FALSE(read.messages[0].animation_data_stream_header().has_audio_header());
  EXPECT_THAT(warnings, ElementsAre("face.a2f.json: trackPath names the voice \"voice.wav\", which "
                                    "is not next to this file"));
  read = ReadVoiced("\"voice.wav\"", SmallWav(2), &warnings);
  EXPECT_THAT(read.end, IsOk());
  EXPECT_EQ(read.frames(), 2u);
  EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("voice.wav, the voice next to the clip, has 2 "
                                                    "channels of 16 bit"),
                                          HasSubstr("; going on without a voice"))));
  read = ReadVoiced("null", "", &warnings);
  EXPECT_THAT(read.end, IsOk());
  EXPECT_THAT(warnings, IsEmpty());
}

}  // namespace
}  // namespace posewire::clipio
