#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "libs/wire/frame_reader.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<StreamHeader> ReadHeader(const ace::AnimationDataStream& message,
                                        const ReaderLimits& limits = {}) {
  FrameReader reader(limits);
  absl::StatusOr<Chunk> chunk = Read(reader, message);
  if (!chunk.ok()) return chunk.status();
  return std::get<StreamHeader>(*std::move(chunk));
}

template <typename Change>
absl::Status HeaderFault(Change change) {
  ace::AnimationDataStream message = SmallHeader();
  change(*message.mutable_animation_data_stream_header());
  return ReadHeader(message).status();
}

TEST(CheckId, TakesAnyTextOf1To128Bytes) {
  for (const std::string& id :
       {std::string("x"), std::string("../x"), std::string("a b\"c\\"),
        std::string("\xe5\x8a\xa8\xf0\x9f\x98\x80"), std::string(128, 'i')}) {
    EXPECT_THAT(CheckId("stream_id", id), IsOk()) << id;
  }
}

TEST(CheckId, RejectsEmptyLongControlAndNonUtf8) {
  EXPECT_THAT(CheckId("stream_id", ""), Invalid(HasSubstr("stream_id is empty; must be 1 to 128")));
  EXPECT_THAT(CheckId("stream_id", std::string(129, 'i')), Invalid(HasSubstr("129 bytes long")));
  EXPECT_THAT(CheckId("stream_id", std::string(10240, 'i')),
              Invalid(HasSubstr("10240 bytes long")));
  for (const std::string id : {"a\nb", "\x01", "a\x7f", "\xc2\x85", "tab\t"}) {
    EXPECT_THAT(CheckId("request_id", id), Invalid(HasSubstr("control character"))) << id;
  }
  EXPECT_THAT(CheckId("request_id", absl::string_view("a\0b", 3)),
              Invalid(HasSubstr("control character")));
  for (const std::string id : {"\xff", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
                               "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\xe5\x8a", "a\x80"}) {
    EXPECT_THAT(CheckId("request_id", id), Invalid(HasSubstr("not UTF-8"))) << id;
  }
}

TEST(FrameReaderHeader, TellsTheIdsOfAHeaderThatItRejects) {
  ace::AnimationDataStream message = SmallHeader();
  auto& header = *message.mutable_animation_data_stream_header();
  header.mutable_animation_ids()->set_target_object_id("t");
  const auto ids = [&] {
    FrameReader reader;
    EXPECT_FALSE(Read(reader, message).ok());
    return std::vector<std::string>{reader.ids().stream_id, reader.ids().request_id,
                                    reader.ids().target_object_id};
  };
  header.mutable_audio_header()->set_channel_count(2);
  EXPECT_THAT(ids(), ElementsAre("s", "r", "t"));
  // Too much to be parsed at all.
  const std::string name = "joint";
  for (int i = 0; i < 2000; ++i) header.mutable_skel_animation_header()->add_joints(name);
  EXPECT_THAT(ids(), ElementsAre("s", "r", "t"));
  header.mutable_animation_ids()->set_stream_id("a\nb");
  EXPECT_THAT(ids(), ElementsAre("", "r", "t"));
  const std::string too_long(129, 'x');
  header.mutable_animation_ids()->set_request_id(too_long);
  EXPECT_THAT(ids(), ElementsAre("", "", "t"));
}

TEST(FrameReaderHeader, ReadsEveryField) {
  ace::AnimationDataStream message = SmallHeader();
  message.mutable_animation_data_stream_header()->set_source_service_id("A2F MS");
  message.mutable_animation_data_stream_header()->mutable_animation_ids()->set_target_object_id(
      "t");
  const auto header = ReadHeader(message);
  ASSERT_THAT(header, IsOk());
  EXPECT_EQ(header->ids.request_id, "r");
  EXPECT_EQ(header->ids.stream_id, "s");
  EXPECT_EQ(header->ids.target_object_id, "t");
  EXPECT_EQ(header->source_service_id, "A2F MS");
  EXPECT_EQ(header->audio_rate_hz, 16000);
  EXPECT_THAT(header->shapes, ElementsAre("JawOpen", "MouthClose"));
  EXPECT_THAT(header->joints, ElementsAre("Root", "Root/Hips", "Root/Hips/Spine1"));
  EXPECT_EQ(header->epoch_s, 1000.5);
}

TEST(FrameReaderHeader, SubHeadersAreOptional) {
  ace::AnimationDataStream message;
  auto& ids = *message.mutable_animation_data_stream_header()->mutable_animation_ids();
  ids.set_request_id("r"), ids.set_stream_id("s");
  const auto header = ReadHeader(message);
  ASSERT_THAT(header, IsOk());
  EXPECT_FALSE(header->audio_rate_hz);
  EXPECT_TRUE(header->shapes.empty());
}

TEST(FrameReaderHeader, MustBeFirstAndOnce) {
  {
    FrameReader reader;
    EXPECT_THAT(Read(reader, Weights(0, {0, 0})),
                Fails(absl::StatusCode::kFailedPrecondition, HasSubstr("data before the header")));
  }
  {
    FrameReader reader;
    ace::AnimationDataStream status;
    status.mutable_status()->set_message("x");
    EXPECT_THAT(Read(reader, status), Fails(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("status before the header")));
  }
  {
    FrameReader reader;
    EXPECT_THAT(ReadBytes(reader, ""), Fails(absl::StatusCode::kFailedPrecondition, HasSubstr("")));
  }
  EXPECT_THAT(Fault(SmallHeader()), Invalid(HasSubstr("second header")));
}

TEST(FrameReaderHeader, ChecksIds) {
  EXPECT_THAT(HeaderFault([](auto& h) { h.clear_animation_ids(); }),
              Invalid(HasSubstr("request_id is empty")));
  EXPECT_THAT(HeaderFault([](auto& h) { h.mutable_animation_ids()->clear_request_id(); }),
              Invalid(HasSubstr("request_id is empty")));
  EXPECT_THAT(HeaderFault([](auto& h) { h.mutable_animation_ids()->clear_stream_id(); }),
              Invalid(HasSubstr("stream_id is empty")));
  EXPECT_THAT(HeaderFault([](auto& h) {
                h.mutable_animation_ids()->set_target_object_id(std::string(129, 't'));
              }),
              Invalid(HasSubstr("target_object_id is 129 bytes long")));
  EXPECT_THAT(HeaderFault([](auto& h) { h.mutable_animation_ids()->set_stream_id("a\tb"); }),
              Invalid(HasSubstr("control character")));
  EXPECT_THAT(HeaderFault([](auto& h) { h.set_source_service_id("a\nb"); }),
              Invalid(HasSubstr("source_service_id")));
  EXPECT_THAT(HeaderFault([](auto& h) { h.mutable_animation_ids()->set_target_object_id(""); }),
              IsOk());
  EXPECT_THAT(HeaderFault([](auto& h) { h.mutable_animation_ids()->set_stream_id("../x"); }),
              IsOk());
}

TEST(FrameReaderHeader, RecordingsNeedNoIds) {
  ReaderLimits limits;
  limits.require_ids = false;
  ace::AnimationDataStream message = SmallHeader();
  message.mutable_animation_data_stream_header()->clear_animation_ids();
  EXPECT_THAT(ReadHeader(message, limits), IsOk());
}

TEST(FrameReaderHeader, ChecksTheFormOfAudio) {
  EXPECT_THAT(HeaderFault([](auto& h) { h.mutable_audio_header()->set_channel_count(2); }),
              Invalid(AllOf(HasSubstr("channel_count is 2"), HasSubstr("must be 1"))));
  EXPECT_THAT(HeaderFault([](auto& h) { h.mutable_audio_header()->set_bits_per_sample(24); }),
              Invalid(AllOf(HasSubstr("bits_per_sample is 24"), HasSubstr("must be 16"))));
  for (const uint32_t rate : {0u, 7999u, 192001u}) {
    EXPECT_THAT(
        HeaderFault([&](auto& h) { h.mutable_audio_header()->set_samples_per_second(rate); }),
        Invalid(AllOf(HasSubstr("samples_per_second"), HasSubstr("8000 to 192000"))));
  }
  for (const uint32_t rate : {8000u, 44100u, 192000u}) {
    EXPECT_THAT(
        HeaderFault([&](auto& h) { h.mutable_audio_header()->set_samples_per_second(rate); }),
        IsOk());
  }
  EXPECT_THAT(HeaderFault([](auto& h) {
                h.mutable_audio_header()->set_audio_format(
                    static_cast<nvidia_ace::audio::v1::AudioHeader_AudioFormat>(7));
              }),
              Invalid(AllOf(HasSubstr("audio_format is 7"), HasSubstr("AUDIO_FORMAT_PCM"))));
}

TEST(FrameReaderHeader, AnAudioHeaderOfDefaultsIsAbsent) {
  ace::AnimationDataStream message = SmallHeader();
  message.mutable_animation_data_stream_header()->mutable_audio_header()->Clear();
  const auto header = ReadHeader(message);
  ASSERT_THAT(header, IsOk());
  EXPECT_FALSE(header->audio_rate_hz);
}

TEST(FrameReaderHeader, ChecksNames) {
  const auto joint = [](const char* name) {
    return HeaderFault([&](auto& h) { h.mutable_skel_animation_header()->add_joints(name); });
  };
  const auto shape = [](const char* name) {
    return HeaderFault([&](auto& h) { h.mutable_skel_animation_header()->add_blend_shapes(name); });
  };
  EXPECT_THAT(joint(""), Invalid(AllOf(HasSubstr("joints[3] is \"\""), HasSubstr("not be empty"))));
  EXPECT_THAT(joint("Root/"), Invalid(HasSubstr("joints[3] is \"Root/\"")));
  EXPECT_THAT(joint("Root/Hips"),
              Invalid(AllOf(HasSubstr("joints[3] is \"Root/Hips\""), HasSubstr("must be unique"))));
  EXPECT_THAT(joint("Other/Hips"), IsOk());  // joints are their paths
  EXPECT_THAT(joint("hips"), IsOk());        // joints go by their very name
  EXPECT_THAT(shape(""), Invalid(HasSubstr("blend_shapes[2]")));
  EXPECT_THAT(shape("JawOpen"), Invalid(HasSubstr("must be unique")));
  EXPECT_THAT(shape("jawOpen"), Invalid(HasSubstr("ignoring case")));
}

TEST(FrameReaderHeader, NamesMustBeUtf8) {
  std::string bytes = SmallHeader().SerializeAsString();
  bytes[bytes.find("JawOpen")] = '\xff';
  FrameReader reader;
  EXPECT_THAT(ReadBytes(reader, bytes),
              Invalid(AllOf(HasSubstr("blend_shapes[0]"), HasSubstr("must be UTF-8"))));
}

TEST(FrameReaderHeader, RejectsMoreNamesThanAllowed) {
  const auto with = [](int joints, int shapes) {
    ace::AnimationDataStream message = SmallHeader();
    auto& names = *message.mutable_animation_data_stream_header()->mutable_skel_animation_header();
    names.Clear();
    for (int i = 0; i < joints; ++i) names.add_joints(absl::StrCat("j", i));
    for (int i = 0; i < shapes; ++i) names.add_blend_shapes(absl::StrCat("s", i));
    return ReadHeader(message).status();
  };
  EXPECT_THAT(with(1024, 512), IsOk());
  EXPECT_THAT(with(1025, 0), Fails(absl::StatusCode::kResourceExhausted,
                                   HasSubstr("names 1025 joints; at most 1024")));
  EXPECT_THAT(with(0, 513), Fails(absl::StatusCode::kResourceExhausted,
                                  HasSubstr("names 513 shapes; at most 512")));
}

TEST(FrameReaderHeader, EpochMustBeFiniteAndIsOtherwiseFree) {
  for (const double epoch : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(HeaderFault([&](auto& h) { h.set_start_time_code_since_epoch(epoch); }),
                Invalid(HasSubstr("start_time_code_since_epoch")));
  }
  EXPECT_THAT(HeaderFault([](auto& h) { h.set_start_time_code_since_epoch(-1e12); }), IsOk());
}

// Field 6 as builds of the original write it: map<string, Any> metadata.
std::string MapEntry(const std::string& key, const std::string& any) {
  const auto text = [](char number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  return text(6, text(1, key) + text(2, any));
}

// A varint of three bytes.
std::string Length(size_t n) {
  return {static_cast<char>((n & 0x7f) | 0x80), static_cast<char>(((n >> 7) & 0x7f) | 0x80),
          static_cast<char>(n >> 14)};
}

std::string WithFields(const std::string& before, const std::string& behind) {
  const std::string header =
      before + SmallHeader().animation_data_stream_header().SerializeAsString() + behind;
  return "\x0a" + Length(header.size()) + header;
}

TEST(FrameReaderHeader, KeepsUnknownFieldsAsTheirBytes) {
  const std::string map = MapEntry("emotion", "\x0a\x03joy") + MapEntry("", "");
  const std::string varint("\x38\xff\x01", 3), fixed64("\x41\1\2\3\4\5\6\7\0", 9);
  const std::string fixed32("\x4d\1\0\0\0", 5);
  const std::string wide("\xb2\x80\x80\x00\x00", 5);     // field 6, empty, its tag not the shortest
  const std::string high = "\xfa\xff\xff\xff\x0f\x01x";  // the highest number
  const std::string group = "\x53\x0a\x02hi\x54";        // field 10
  FrameReader reader;
  const auto chunk =
      ReadBytes(reader, WithFields(map + group, varint + fixed64 + group + fixed32 + high + wide));
  ASSERT_THAT(chunk, IsOk());
  const auto& header = std::get<StreamHeader>(*chunk);
  EXPECT_EQ(header.unknown_fields, map + group + varint + fixed64 + group + fixed32 + high + wide);
  EXPECT_EQ(header.ids.stream_id, ReadHeader(SmallHeader())->ids.stream_id);
  EXPECT_EQ(ReadHeader(SmallHeader())->unknown_fields, "");
}

TEST(FrameReaderHeader, AKnownFieldOfAnotherTypeIsNotKept) {
  FrameReader reader;
  // Fields 2 and 5 as varints, 1 as a group.
  const auto chunk = ReadBytes(reader, WithFields("\x10\x01\x0b\x0c", "\x28\x01"));
  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(std::get<StreamHeader>(*chunk).unknown_fields, "");
}

TEST(FrameReaderHeader, UnknownFieldsAreBounded) {
  const auto read = [](size_t bytes) {
    const std::string field = "\x32" + Length(bytes - 4) + std::string(bytes - 4, 'x');
    FrameReader reader;
    return ReadBytes(reader, WithFields("", field)).status();
  };
  EXPECT_THAT(read(65536), IsOk());
  EXPECT_THAT(read(65537),
              Fails(absl::StatusCode::kResourceExhausted,
                    HasSubstr("not known, which are passed on, take more than 65536")));
  // Many small ones as well as a large one.
  std::string many;
  for (int i = 0; i < 40000; ++i) many += "\x38\x01";
  FrameReader reader;
  EXPECT_THAT(ReadBytes(reader, WithFields("", many)),
              Fails(absl::StatusCode::kResourceExhausted, HasSubstr("65536")));
}

TEST(FrameReaderHeader, UnknownFieldsThatAreBrokenAreNoMessage) {
  for (const std::string& broken :
       {std::string("\x32\x05xy"), std::string("\x53\x0a"), std::string("\x54"),
        std::string("\x53\x5c"), std::string("\x37\x00", 2)}) {
    FrameReader reader;
    EXPECT_THAT(ReadBytes(reader, WithFields("", broken)),
                Invalid(HasSubstr("no protobuf message")));
  }
}

}  // namespace
}  // namespace posewire::wire
