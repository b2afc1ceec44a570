#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "tests/unit/clipio/parsed_message.h"
#include "tests/unit/clipio/temp_file.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;

std::vector<ace::AnimationDataStream> SomeMessages(int n) {
  std::vector<ace::AnimationDataStream> out = {wire::SmallHeader()};
  for (int i = 1; i < n; ++i) {
    out.push_back(wire::Weights(i / 30.0, {static_cast<float>(i), 0.5f}));
    wire::AddTranslations(i / 30.0, wire::Float3s(static_cast<size_t>(i), {1, 2, 3}), &out.back());
  }
  return out;
}

void WriteFile(const std::string& path, const std::vector<ace::AnimationDataStream>& messages,
               const WriteOptions& options = {}) {
  auto writer = ClipWriter::Open(path, options);
  ASSERT_THAT(writer, IsOk());
  for (const auto& m : messages) ASSERT_THAT((*writer)->Write(m), IsOk());
  ASSERT_THAT((*writer)->Close(), IsOk());
}

absl::StatusOr<std::vector<ace::AnimationDataStream>> ReadFile(const std::string& path) {
  auto reader = OpenClip(path);
  if (!reader.ok()) return reader.status();
  std::vector<ace::AnimationDataStream> out;
  while (true) {
    auto message = NextParsed(**reader);
    if (!message.ok()) return message.status();
    if (!*message) return out;
    out.push_back(**std::move(message));
  }
}

// What a clip is in memory, read and written there.
std::string BytesOf(const std::vector<ace::AnimationDataStream>& messages, const char* name) {
  std::string bytes;
  auto writer = ClipWriter::Open(std::make_unique<files::MemorySink>(name, &bytes));
  EXPECT_THAT(writer, IsOk());
  for (const auto& m : messages) EXPECT_THAT((*writer)->Write(m), IsOk());
  EXPECT_EQ((*writer)->bytes(), static_cast<int64_t>(bytes.size()));
  EXPECT_THAT((*writer)->Close(), IsOk());
  return bytes;
}

void ExpectSame(const std::vector<ace::AnimationDataStream>& a,
                const std::vector<ace::AnimationDataStream>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(a[i], b[i])) << i;
  }
}

class EveryFormat : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ClipFile, EveryFormat, ::testing::Values(".animdata", ".jsonl"));

TEST_P(EveryFormat, WhatIsWrittenReadsBack) {
  const TempFile file(GetParam());
  const auto messages = SomeMessages(300);
  WriteFile(file.path(), messages);
  const auto back = ReadFile(file.path());
  ASSERT_THAT(back, IsOk());
  ExpectSame(*back, messages);
}

TEST_P(EveryFormat, AppendingGoesOnBehindTheLastMessage) {
  const TempFile file(GetParam());
  const auto messages = SomeMessages(10);
  const std::vector<ace::AnimationDataStream> first(messages.begin(), messages.begin() + 4);
  const std::vector<ace::AnimationDataStream> rest(messages.begin() + 4, messages.end());
  WriteFile(file.path(), first, {std::nullopt, true});
  WriteFile(file.path(), rest, {std::nullopt, true});
  const auto back = ReadFile(file.path());
  ASSERT_THAT(back, IsOk());
  ExpectSame(*back, messages);
}

// At every place where a file may be torn, reading says so and appending mends it.
TEST_P(EveryFormat, ATornTailIsReportedAndMended) {
  const TempFile whole(GetParam());
  const auto messages = SomeMessages(4);
  WriteFile(whole.path(), messages);
  const std::string bytes = whole.Content();
  int torn = 0;
  for (size_t cut = 1; cut < bytes.size(); ++cut) {
    const TempFile file(GetParam(), bytes.substr(0, cut));
    auto reader = OpenClip(file.path());
    ASSERT_THAT(reader, IsOk());
    absl::StatusOr<std::optional<ace::AnimationDataStream>> m = NextParsed(**reader);
    while (m.ok() && *m) m = NextParsed(**reader);
    const int64_t read = (*reader)->messages();
    const int64_t end = (*reader)->end_of_last();
    if (!m.ok()) {
      ++torn;
      EXPECT_THAT(m, Fails(kDataLoss, AllOf(HasSubstr(file.path()),
                                            HasSubstr(absl::StrCat("at byte ", end)))));
      EXPECT_EQ(NextParsed(**reader).status(), m.status());
    }
    auto writer = ClipWriter::Open(file.path(), {std::nullopt, true});
    ASSERT_THAT(writer, IsOk());
    for (size_t i = static_cast<size_t>(read); i < messages.size(); ++i) {
      ASSERT_THAT((*writer)->Write(messages[i]), IsOk());
    }
    EXPECT_EQ((*writer)->bytes(), static_cast<int64_t>(file.Content().size()));
    const auto back = ReadFile(file.path());
    ASSERT_THAT(back, IsOk()) << cut;
    ExpectSame(*back, messages);
  }
  EXPECT_GT(torn, static_cast<int>(bytes.size()) / 2);
}

TEST_P(EveryFormat, AnEmptyFileHasNoMessages) {
  const TempFile file(GetParam());
  const auto back = ReadFile(file.path());
  ASSERT_THAT(back, IsOk());
  EXPECT_TRUE(back->empty());
}

TEST_P(EveryFormat, AFullDiskIsSaidAndNothingIsTorn) {
  WriteOptions options;
  options.format = std::string(GetParam()) == ".jsonl" ? Format::kJsonl : Format::kAnimData;
  auto writer = ClipWriter::Open("/dev/full", options);
  ASSERT_THAT(writer, IsOk());
  EXPECT_THAT((*writer)->Write(wire::SmallHeader()),
              Fails(absl::StatusCode::kResourceExhausted, HasSubstr("/dev/full: cannot write")));
  EXPECT_EQ((*writer)->bytes(), 0);
}

TEST(AnimData, SerializedBytesPassAsTheyLie) {
  const TempFile file(".animdata");
  ace::AnimationDataStream m = wire::SmallHeader();
  m.GetReflection()->MutableUnknownFields(&m)->AddVarint(77, 5);
  const std::string bytes = m.SerializeAsString();
  {
    auto writer = ClipWriter::Open(file.path());
    const absl::Span<const uint8_t> slices[] = {wire::AsBytes(bytes).subspan(0, 10),
                                                wire::AsBytes(bytes).subspan(10)};
    ASSERT_THAT((*writer)->WriteSerialized(slices), IsOk());
  }
  auto reader = OpenClip(file.path());
  const auto back = (*reader)->NextBytes();
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(**back, bytes);
  EXPECT_EQ(ReadFile(file.path())
                ->front()
                .GetReflection()
                ->GetUnknownFields(ReadFile(file.path())->front())
                .field_count(),
            1);
}

TEST(AnimData, GarbageIsRejectedWithItsPlace) {
  const TempFile header(".animdata");
  WriteFile(header.path(), {wire::SmallHeader()});
  const std::string good = header.Content();
  const auto error = [&](const std::string& tail) {
    const TempFile file(".animdata", good + tail);
    auto reader = OpenClip(file.path());
    EXPECT_THAT((*reader)->Next(), IsOk());
    return (*reader)->Next().status();
  };
  const std::string at = absl::StrCat("byte ", good.size());
  EXPECT_THAT(error("\x03xyz"), Fails(absl::StatusCode::kInvalidArgument, HasSubstr(at)));
  EXPECT_THAT(error("\xff\xff\xff\xff\xff\xff"), Fails(kDataLoss, HasSubstr(at)));
  EXPECT_THAT(error("\xff\xff\xff\xff\x0f"),
              Fails(absl::StatusCode::kResourceExhausted, HasSubstr("4294967295 bytes")));
  EXPECT_THAT(error("\xff\xff\xff\x0fshort"), Fails(kDataLoss, HasSubstr(at)));
}

TEST(AnimData, DamageThatIsNoTornTailIsNotCutOff) {
  const TempFile file(".animdata");
  WriteFile(file.path(), {wire::SmallHeader()});
  const std::string damaged = file.Content() + "\xff\xff\xff\x1f" + std::string(9 << 20, 'x');
  file.Fill(damaged);
  EXPECT_THAT(ClipWriter::Open(file.path(), {std::nullopt, true}), Fails(kDataLoss, HasSubstr("")));
  EXPECT_EQ(file.Content().size(), damaged.size());
}

TEST(Jsonl, IsOneMessageALine) {
  const TempFile file(".jsonl");
  WriteFile(file.path(), SomeMessages(3));
  const std::string text = file.Content();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, AllOf(HasSubstr("{\"animationDataStreamHeader\":{"), EndsWith("}\n")));
}

TEST(Jsonl, ReadsAnyRunOfValues) {
  const TempFile file(".json", R"(
{ "animation_data_stream_header": { "animation_ids": { "stream_id": "s" } } }{"animationData":{}}
{
  "status": {
    "message": "a } in a string"
  }
})");
  const auto back = ReadFile(file.path());
  ASSERT_THAT(back, IsOk());
  ASSERT_EQ(back->size(), 3u);
  EXPECT_EQ((*back)[0].animation_data_stream_header().animation_ids().stream_id(), "s");
  EXPECT_TRUE((*back)[1].has_animation_data());
  EXPECT_EQ((*back)[2].status().message(), "a } in a string");
}

TEST(Jsonl, ErrorsNameFileAndLine) {
  const TempFile file(".jsonl", "{\"status\":{}}\n\n{\n\"nonsense\":1}\n");
  EXPECT_THAT(ReadFile(file.path()),
              Invalid(AllOf(HasSubstr(file.path()), HasSubstr("line 3"), HasSubstr("nonsense"))));
  const TempFile text(".jsonl", "{}\nhello");
  EXPECT_THAT(ReadFile(text.path()), Invalid(AllOf(HasSubstr(text.path()), HasSubstr("line 2"))));
}

TEST(ClipFile, FormatsGoByTheName) {
  EXPECT_EQ(*FormatOf("a/b.AnimData"), Format::kAnimData);
  EXPECT_EQ(*FormatOf("a.jsonl"), Format::kJsonl);
  EXPECT_EQ(*FormatOf("a.json"), Format::kJsonl);
  EXPECT_THAT(FormatOf("a.txt"), Invalid(HasSubstr("must end in .animdata, .jsonl")));
}

TEST(ClipFile, TheStemOfANameIsWhatComesBeforeItsEnding) {
  EXPECT_EQ(StemLength("a.b/c.JSONL"), 5u);
  EXPECT_EQ(StemLength("a.b/c.tar.gz"), 9u);
  EXPECT_EQ(StemLength("a.b/c"), 5u);
  EXPECT_EQ(StemLength("-"), 1u);
}

TEST(ClipFile, AnUnknownEndingListsWhatIsReadOrWhatIsWritten) {
  for (const char* ending : {".vrma", ".npz", ".usdc", ".usdz", ".x3dv"}) {
    EXPECT_THAT(FormatOf("a.txt"), Invalid(HasSubstr(ending))) << ending;
  }
  EXPECT_THAT(FormatOf("a.txt", FormatUse::kWrite), Invalid(Not(HasSubstr(".npz"))));
  EXPECT_THAT(FormatOf("a.txt", FormatUse::kWrite), Invalid(HasSubstr(".x3dv")));
  EXPECT_THAT(FormatOf("a.npz", FormatUse::kWrite), Invalid(HasSubstr(".npz is only read")));
  EXPECT_EQ(*FormatOf("a.npz"), Format::kJointTable);
}

TEST(ClipFile, AnotherFormatIsNamedWithTheWayToOneThatIsRead) {
  EXPECT_THAT(FormatOf("Run.FBX"), Invalid(AllOf(HasSubstr("Run.FBX: FBX is not read here"),
                                                 HasSubstr("Blender"), HasSubstr(".glb"))));
  EXPECT_THAT(OpenClip("walk.c3d"), Invalid(HasSubstr("BVH")));
  EXPECT_THAT(FormatOf("me.mp4"), Invalid(HasSubstr("a2f_source wav")));
  // What cannot be written is a matter of the endings that can.
  EXPECT_THAT(FormatOf("out.fbx", FormatUse::kWrite),
              Invalid(AllOf(HasSubstr("not written"), HasSubstr(".glb"))));
}

TEST(ClipFile, AMissingFileIsNotFound) {
  EXPECT_THAT(OpenClip("/nowhere/a.animdata"),
              Fails(absl::StatusCode::kNotFound, HasSubstr("/nowhere/a.animdata: cannot open")));
  EXPECT_THAT(ClipWriter::Open("/nowhere/a.animdata"),
              Fails(absl::StatusCode::kNotFound, HasSubstr("/nowhere/a.animdata")));
}

TEST(ClipFile, IsTheSameInMemory) {
  for (const char* extension : {".animdata", ".jsonl"}) {
    const auto messages = SomeMessages(5);
    const TempFile file(extension);
    WriteFile(file.path(), messages);
    const std::string bytes = BytesOf(messages, file.path().c_str());
    EXPECT_EQ(bytes, file.Content());
    OpenOptions options;
    options.format = FormatOfBytes(bytes);
    auto reader = OpenClip(std::make_unique<files::MemorySource>("the body", bytes), options);
    ASSERT_THAT(reader, IsOk());
    EXPECT_EQ((*reader)->size(), static_cast<int64_t>(bytes.size()));
    std::vector<ace::AnimationDataStream> back;
    for (size_t i = 0; i < messages.size(); ++i) back.push_back(**NextParsed(**reader));
    ExpectSame(back, messages);
    const auto end = NextParsed(**reader);
    ASSERT_THAT(end, IsOk());
    EXPECT_FALSE(end->has_value());
  }
}

TEST(ClipFile, NamesWhatBytesInMemoryAre) {
  const std::string bytes = BytesOf(SomeMessages(3), ".animdata");
  auto reader = OpenClip(
      std::make_unique<files::MemorySource>("the body", absl::string_view(bytes).substr(0, 9)),
      {{}, Format::kAnimData});
  ASSERT_THAT(reader, IsOk());
  EXPECT_THAT(NextParsed(**reader), Fails(kDataLoss, HasSubstr("the body: ends within a message")));
}

TEST(ClipFormat, IsToldByTheFirstBytes) {
  EXPECT_EQ(FormatOfBytes("{\"a\": 1}"), Format::kJsonl);
  EXPECT_EQ(FormatOfBytes("{\n  \"a\": 1}"), Format::kJsonl);
  EXPECT_EQ(FormatOfBytes("{}"), Format::kJsonl);
  EXPECT_EQ(FormatOfBytes(""), Format::kAnimData);
  EXPECT_EQ(FormatOfBytes("no clip"), Format::kAnimData);
  // The length of its first message, 123, is the code of a brace.
  ace::AnimationDataStream header = wire::SmallHeader();
  while (header.ByteSizeLong() < 123) {
    header.mutable_animation_data_stream_header()->mutable_source_service_id()->push_back('x');
  }
  ASSERT_EQ(header.ByteSizeLong(), 123u);
  const std::string bytes = BytesOf({header}, ".animdata");
  ASSERT_EQ(bytes.substr(0, 2), "{\n");
  EXPECT_EQ(FormatOfBytes(bytes), Format::kAnimData);
}

}  // namespace
}  // namespace posewire::clipio
