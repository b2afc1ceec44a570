#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "libs/wire/frame_reader.h"
#include "libs/wire/memory_of.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
const Quats kIdentity3 = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}};

TEST(FrameReaderData, ReadsEveryTrack) {
  ace::AnimationDataStream m;
  AddWeights(0.1, {0.25f, 1.5f}, &m);
  AddWeights(0.2, {-0.5f, 0}, &m);
  AddTranslations(0.3, {{1, 2, 3}, {0, 0, 0}, {4, 0, 6}}, &m);
  AddRotations(0.4, {{0, 1, 0, 0}, {0.6f, 0, 0.8f, 0}, {1, 0, 0, 0}}, &m);
  AddScales(0.5, {{1, 1, 1}, {2, 2, 2}, {1, 0, -1}}, &m);
  FrameReader reader = ReaderAfterHeader();
  const auto chunk = ReadData(reader, m);
  ASSERT_THAT(chunk, IsOk());
  const KeyBlock& w = chunk->pose[kWeights];
  EXPECT_EQ(w.width, 2);
  EXPECT_THAT(w.time_codes_s, ElementsAre(0.1, 0.2));
  EXPECT_THAT(w.values, ElementsAre(0.25f, 1.5f, -0.5f, 0));
  EXPECT_THAT(w.key(1), ElementsAre(-0.5f, 0));
  EXPECT_EQ(chunk->pose[kTranslations].width, 9);
  EXPECT_THAT(chunk->pose[kTranslations].values, ElementsAre(1, 2, 3, 0, 0, 0, 4, 0, 6));
  EXPECT_EQ(chunk->pose[kRotations].width, 12);
  EXPECT_THAT(chunk->pose[kRotations].values,
              ElementsAre(0, 1, 0, 0, 0.6f, 0, 0.8f, 0, 1, 0, 0, 0));
  EXPECT_THAT(chunk->pose[kScales].values, ElementsAre(1, 1, 1, 2, 2, 2, 1, 0, -1));
  EXPECT_EQ(chunk->earliest_time_code_s, 0.1);
  EXPECT_EQ(chunk->zero_rotations, 0);
  EXPECT_EQ(chunk->normalized_rotations, 0);
  EXPECT_GT(MemoryOf(*chunk), 50u);
}

TEST(FrameReaderData, ReadsCameraAudioAndMetadata) {
  ace::AnimationDataStream m = Audio(0.5, std::string("\x01\x00\xff\x7f\x00\x80", 6));
  auto& camera = *m.mutable_animation_data()->mutable_camera();
  camera.add_position()->set_time_code(0.25);
  camera.mutable_position(0)->mutable_value()->set_y(2);
  camera.add_rotation()->set_time_code(0.5);  // value left out: identity
  camera.add_focal_length()->set_value(35);
  camera.add_focus_distance()->set_time_code(2);
  auto& any = (*m.mutable_animation_data()->mutable_metadata())["mood"];
  any.set_type_url("example.com/x.Y");
  any.set_value("\xff\xfe");
  FrameReader reader = ReaderAfterHeader();
  const auto chunk = ReadData(reader, m);
  ASSERT_THAT(chunk, IsOk());
  EXPECT_THAT(chunk->camera[kCameraPosition].values, ElementsAre(0, 2, 0));
  EXPECT_THAT(chunk->camera[kCameraRotation].values, ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(chunk->zero_rotations, 1);
  EXPECT_THAT(chunk->camera[kFocalLength].values, ElementsAre(35));
  EXPECT_THAT(chunk->camera[kFocusDistance].values, ElementsAre(0));
  ASSERT_TRUE(chunk->audio);
  EXPECT_EQ(chunk->audio->time_code_s, 0.5);
  EXPECT_THAT(chunk->audio->samples, ElementsAre(1, 32767, -32768));
  ASSERT_EQ(chunk->metadata.size(), 1u);
  EXPECT_EQ(chunk->metadata[0].key, "mood");
  google::protobuf::Any back;
  ASSERT_TRUE(back.ParseFromString(chunk->metadata[0].any));
  EXPECT_EQ(back.value(), "\xff\xfe");
  EXPECT_EQ(chunk->earliest_time_code_s, 0);
}

TEST(FrameReaderData, EmptyDataAndNoPartAreSignsOfLife) {
  FrameReader reader = ReaderAfterHeader();
  ace::AnimationDataStream m;
  m.mutable_animation_data();
  const auto empty = ReadData(reader, m);
  ASSERT_THAT(empty, IsOk());
  EXPECT_TRUE(std::isinf(empty->earliest_time_code_s));
  m.mutable_animation_data()->mutable_skel_animation();
  EXPECT_THAT(ReadData(reader, m), IsOk());
  EXPECT_THAT(ReadData(reader, ace::AnimationDataStream()), IsOk());
}

TEST(FrameReaderData, OneMessageOrManyReadTheSame) {
  std::vector<float> whole, pieces;
  ace::AnimationDataStream clip;
  FrameReader by_frame = ReaderAfterHeader();
  for (int i = 0; i < 30; ++i) {
    const std::vector<float> v = {static_cast<float>(i), 0.5f};
    AddWeights(i / 30.0, v, &clip);
    const auto chunk = ReadData(by_frame, Weights(i / 30.0, v));
    ASSERT_THAT(chunk, IsOk());
    const auto& values = chunk->pose[kWeights].values;
    pieces.insert(pieces.end(), values.begin(), values.end());
  }
  FrameReader at_once = ReaderAfterHeader();
  const auto chunk = ReadData(at_once, clip);
  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(chunk->pose[kWeights].values, pieces);
}

TEST(FrameReaderData, SlicesAreOneMessage) {
  const std::string bytes = Weights(0.5, {0.25f, 0.75f}).SerializeAsString();
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    FrameReader reader = ReaderAfterHeader();
    const absl::Span<const uint8_t> slices[] = {
        AsBytes(bytes).subspan(0, cut), {}, AsBytes(bytes).subspan(cut)};
    const auto chunk = reader.Read(slices);
    ASSERT_THAT(chunk, IsOk()) << cut;
    EXPECT_THAT(std::get<DataChunk>(*chunk).pose[kWeights].values, ElementsAre(0.25f, 0.75f));
  }
}

TEST(FrameReaderData, RejectsArraysOfAnotherLength) {
  EXPECT_THAT(Fault(Weights(0, {0.5f})),
              Invalid(AllOf(HasSubstr("blend_shape_weights[0].values holds 1; must hold 2"))));
  EXPECT_THAT(Fault(Weights(0, {0, 0, 0})), Invalid(HasSubstr("holds 3; must hold 2")));
  EXPECT_THAT(Fault(Weights(0, {})), Invalid(HasSubstr("values is empty; must hold 2")));
  ace::AnimationDataStream m;
  AddTranslations(0, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, &m);
  AddTranslations(1, {{0, 0, 0}}, &m);
  EXPECT_THAT(Fault(m), Invalid(HasSubstr("translations[1].values holds 1; must hold 3")));
  EXPECT_THAT(Fault(Rotations(0, {{1, 0, 0, 0}})),
              Invalid(HasSubstr("rotations[0].values holds 1")));
  ace::AnimationDataStream s;
  AddScales(0, {}, &s);
  EXPECT_THAT(Fault(s), Invalid(HasSubstr("scales[0].values is empty; must hold 3")));
}

TEST(FrameReaderData, RejectsValuesWithoutNames) {
  ace::AnimationDataStream header = SmallHeader();
  header.mutable_animation_data_stream_header()->clear_skel_animation_header();
  const auto fault = [&](const ace::AnimationDataStream& m) {
    FrameReader reader;
    EXPECT_THAT(Read(reader, header), IsOk());
    return Read(reader, m).status();
  };
  EXPECT_THAT(fault(Weights(0, {1})), Invalid(HasSubstr("the header names no blend_shapes")));
  EXPECT_THAT(fault(Rotations(0, kIdentity3)), Invalid(HasSubstr("the header names no joints")));
  // Empty keys say nothing, and are legal.
  FrameReader reader;
  ASSERT_THAT(Read(reader, header), IsOk());
  const auto chunk = ReadData(reader, Weights(0, {}));
  ASSERT_THAT(chunk, IsOk());
  EXPECT_TRUE(chunk->pose[kWeights].empty());
}

TEST(FrameReaderData, RejectsNanAndInfNamingFieldJointAndTime) {
  for (const float bad : {kNan, kInf, -kInf}) {
    EXPECT_THAT(Fault(Weights(0.5, {0, bad})),
                Invalid(AllOf(HasSubstr("blend_shape_weights[0].values[1]"),
                              HasSubstr("shape \"MouthClose\""), HasSubstr("time code 0.5"),
                              HasSubstr("must be finite"))));
    ace::AnimationDataStream m;
    AddTranslations(0, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, &m);
    AddTranslations(0.25, {{0, 0, 0}, {0, bad, 0}, {0, 0, 0}}, &m);
    EXPECT_THAT(Fault(m),
                Invalid(AllOf(HasSubstr("translations[1].values[1].y"),
                              HasSubstr("joint \"Root/Hips\""), HasSubstr("time code 0.25"))));
    EXPECT_THAT(Fault(Rotations(0, {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, bad}})),
                Invalid(HasSubstr("rotations[0].values[2].k")));
    ace::AnimationDataStream s;
    AddScales(0, {{bad, 1, 1}, {1, 1, 1}, {1, 1, 1}}, &s);
    EXPECT_THAT(Fault(s), Invalid(HasSubstr("scales[0].values[0].x")));
    ace::AnimationDataStream c;
    c.mutable_animation_data()->mutable_camera()->add_focal_length()->set_value(bad);
    EXPECT_THAT(Fault(c), Invalid(AllOf(HasSubstr("camera.focal_length[0].value"),
                                        HasSubstr("time code 0)"))));
  }
  EXPECT_THAT(Fault(Weights(0, {2e9f, 0})), Invalid(HasSubstr("within 1e9 of zero")));
  EXPECT_THAT(Fault(Weights(0, {-40, 1e8f})), IsOk());
}

TEST(FrameReaderData, RejectsBadTimeCodes) {
  for (const double code : {std::nan(""), HUGE_VAL, -HUGE_VAL, -1e-9, 2e10}) {
    EXPECT_THAT(
        Fault(Weights(code, {0, 0})),
        Invalid(AllOf(HasSubstr("blend_shape_weights[0].time_code"), HasSubstr("at least 0"))));
    EXPECT_THAT(Fault(Audio(code, "ab")), Invalid(HasSubstr("animation_data.audio.time_code")));
    ace::AnimationDataStream c;
    c.mutable_animation_data()->mutable_camera()->add_position()->set_time_code(code);
    EXPECT_THAT(Fault(c), Invalid(HasSubstr("camera.position[0].time_code")));
  }
}

TEST(FrameReaderData, CodesIncreaseStrictlyWithinAMessage) {
  for (const double second : {0.5, 0.4}) {
    ace::AnimationDataStream m = Weights(0.5, {0, 0});
    AddWeights(second, {0, 0}, &m);
    EXPECT_THAT(Fault(m), Invalid(AllOf(HasSubstr("blend_shape_weights[1].time_code"),
                                        HasSubstr("after 0.5"), HasSubstr("increase strictly"))));
  }
}

TEST(FrameReaderData, RangesOfMessagesDoNotOverlap) {
  for (const double first : {0.0, 0.4, 0.5}) {
    FrameReader reader = ReaderAfterHeader();
    ace::AnimationDataStream m = Weights(0.1, {0, 0});
    AddWeights(0.5, {0, 0}, &m);
    ASSERT_THAT(Read(reader, m), IsOk());
    EXPECT_THAT(Read(reader, Weights(first, {0, 0})),
                Invalid(AllOf(HasSubstr("reach 0.5"), HasSubstr("must not overlap"))));
  }
}

TEST(FrameReaderData, TracksAreIndependent) {
  FrameReader reader = ReaderAfterHeader();
  ASSERT_THAT(Read(reader, Weights(10, {0, 0})), IsOk());
  ASSERT_THAT(Read(reader, Rotations(0, kIdentity3)), IsOk());
  ace::AnimationDataStream camera;
  camera.mutable_animation_data()->mutable_camera()->add_focal_length()->set_time_code(5);
  ASSERT_THAT(Read(reader, camera), IsOk());
  EXPECT_THAT(Read(reader, camera), Invalid(HasSubstr("camera.focal_length[0]")));
}

TEST(FrameReaderData, AJumpOver300SecondsIsRejectedButTheFirstKeyIsAnywhere) {
  FrameReader reader = ReaderAfterHeader();
  ASSERT_THAT(Read(reader, Weights(86400, {0, 0})), IsOk());
  ASSERT_THAT(Read(reader, Weights(86700, {0, 0})), IsOk());
  EXPECT_THAT(Read(reader, Weights(87000.5, {0, 0})),
              Invalid(AllOf(HasSubstr("87000.5 after 86700"), HasSubstr("at most 300 s"))));
  ace::AnimationDataStream m = Rotations(0, kIdentity3);
  AddRotations(301, kIdentity3, &m);
  EXPECT_THAT(Fault(m), Invalid(HasSubstr("rotations[1].time_code is 301 after 0")));
}

TEST(FrameReaderData, MendsRotationsAndCountsThem) {
  FrameReader reader = ReaderAfterHeader();
  const auto chunk =
      ReadData(reader, Rotations(0, {{0, 0, 0, 0}, {1.009f, 0, 0, 0}, {0, 0, -0.991f, 0}}));
  ASSERT_THAT(chunk, IsOk());
  EXPECT_THAT(chunk->pose[kRotations].values,
              ElementsAre(1, 0, 0, 0, FloatEq(1), 0, 0, 0, 0, 0, FloatEq(-1), 0));
  EXPECT_EQ(chunk->zero_rotations, 1);
  EXPECT_EQ(chunk->normalized_rotations, 2);
}

TEST(FrameReaderData, RotationsThatAreUnitToFloatPrecisionPassUntouched) {
  FrameReader reader = ReaderAfterHeader();
  const float h = std::sqrt(0.5f);
  const auto chunk =
      ReadData(reader, Rotations(0, {{h, h, 0, 0}, {-h, 0, 0, h}, {0.5f, -0.5f, 0.5f, -0.5f}}));
  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(chunk->normalized_rotations, 0);
  EXPECT_THAT(chunk->pose[kRotations].values,
              ElementsAre(h, h, 0, 0, -h, 0, 0, h, 0.5f, -0.5f, 0.5f, -0.5f));
}

TEST(FrameReaderData, RejectsRotationsFarOffUnitLength) {
  for (const float w : {1.011f, 0.989f, 2.0f, 1e-20f}) {
    EXPECT_THAT(
        Fault(Rotations(0.5, {{1, 0, 0, 0}, {w, 0, 0, 0}, {1, 0, 0, 0}})),
        Invalid(AllOf(HasSubstr("rotations[0].values[1] (joint \"Root/Hips\", time code 0.5)"),
                      HasSubstr("within 0.01 of unit length"))))
        << w;
  }
}

TEST(FrameReaderData, ChecksAudio) {
  ace::AnimationDataStream header = SmallHeader();
  header.mutable_animation_data_stream_header()->clear_audio_header();
  FrameReader reader;
  ASSERT_THAT(Read(reader, header), IsOk());
  EXPECT_THAT(Read(reader, Audio(0, "")), IsOk());
  EXPECT_THAT(Read(reader, Audio(0, "a")), Invalid(HasSubstr("the header has no audio_header")));
  reader = FrameReader();
  ASSERT_THAT(Read(reader, header), IsOk());
  EXPECT_THAT(Read(reader, Audio(0, "ab")), Invalid(HasSubstr("the header has no audio_header")));
}

TEST(FrameReaderData, AnEmptyAudioBufferSaysNothing) {
  FrameReader reader = ReaderAfterHeader();
  const auto chunk = ReadData(reader, Audio(3, ""));
  ASSERT_THAT(chunk, IsOk());
  EXPECT_FALSE(chunk->audio);
}

TEST(FrameReaderData, AudioMayRepeatAndBeSilentForLongWhilePosesGoOn) {
  FrameReader reader = ReaderAfterHeader();
  ASSERT_THAT(Read(reader, Audio(1, std::string(32000, 0))), IsOk());
  ASSERT_THAT(Read(reader, Audio(0.5, std::string(32000, 0))), IsOk());
  for (int i = 0; i < 4; ++i) ASSERT_THAT(Read(reader, Weights(200 * i, {0, 0})), IsOk());
  ASSERT_THAT(Read(reader, Audio(890, "ab")), IsOk());
  EXPECT_THAT(Read(reader, Audio(1200, "ab")), Invalid(AllOf(HasSubstr("audio.time_code is 1200"),
                                                             HasSubstr("at most 300 s ahead"))));
}

TEST(FrameReaderData, AFaultRejectsTheWholeChunkAndStays) {
  FrameReader reader = ReaderAfterHeader();
  ace::AnimationDataStream m = Weights(0, {0, 0});
  AddRotations(0, {{1, 0, 0, 0}, {1, 0, 0, 0}, {kNan, 0, 0, 0}}, &m);
  const absl::Status first = Read(reader, m).status();
  EXPECT_FALSE(first.ok());
  EXPECT_EQ(Read(reader, Weights(1, {0, 0})).status(), first);
}

TEST(FrameReaderData, StatusesPassAndUnknownCodesAreInfo) {
  FrameReader reader = ReaderAfterHeader();
  ace::AnimationDataStream m;
  m.mutable_status()->set_code(nvidia_ace::status::v1::Status::WARNING);
  m.mutable_status()->set_message("late");
  auto chunk = Read(reader, m);
  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(std::get<StatusChunk>(*chunk).code, StatusChunk::kWarning);
  EXPECT_EQ(std::get<StatusChunk>(*chunk).message, "late");
  for (const int code : {4, -1, 1000}) {
    m.mutable_status()->set_code(static_cast<nvidia_ace::status::v1::Status_Code>(code));
    chunk = Read(reader, m);
    ASSERT_THAT(chunk, IsOk());
    EXPECT_EQ(std::get<StatusChunk>(*chunk).code, StatusChunk::kInfo) << code;
  }
  // Data after a status is legal.
  EXPECT_THAT(Read(reader, Weights(0, {0, 0})), IsOk());
}

TEST(FrameReaderData, UnknownFieldsAreIgnored) {
  ace::AnimationDataStream m = Weights(0, {0.5f, 0.25f});
  auto& key = *m.mutable_animation_data()->mutable_skel_animation()->mutable_blend_shape_weights(0);
  key.GetReflection()->MutableUnknownFields(&key)->AddVarint(9, 7);
  m.GetReflection()->MutableUnknownFields(&m)->AddLengthDelimited(15, "xyz");
  m.GetReflection()->MutableUnknownFields(&m)->AddGroup(16)->AddFixed32(1, 2);
  auto& data = *m.mutable_animation_data();
  data.GetReflection()->MutableUnknownFields(&data)->AddVarint(1, 3);  // another wire type
  FrameReader reader = ReaderAfterHeader();
  const auto chunk = ReadData(reader, m);
  ASSERT_THAT(chunk, IsOk());
  EXPECT_THAT(chunk->pose[kWeights].values, ElementsAre(0.5f, 0.25f));
}

}  // namespace
}  // namespace posewire::wire
