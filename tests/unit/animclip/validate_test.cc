#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/recording/chunk_record.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Outcome Validate(const ValidateOptions& options) {
  TestConsole c;
  const int code = RunValidate(options, c.console);
  return {code, c.out.str(), c.err.str()};
}

TEST(Validate, TakesAGoodClipInBothFormats) {
  for (const char* name : {"talk.animdata", "talk.jsonl"}) {
    const std::string path = TempPath(name);
    WriteClipFile(path, MakeTalk());
    const Outcome o = Validate({path, true});
    EXPECT_EQ(o.code, kDone) << o.err;
    EXPECT_THAT(o.out, HasSubstr("valid, 33 messages\n"));
  }
}

TEST(Validate, TellsThatAStatusIsMissingAtTheEnd) {
  Messages messages = MakeTalk();
  messages.pop_back();
  const std::string path = TempPath("unended.animdata");
  WriteClipFile(path, messages);
  const Outcome o = Validate({path, true});
  EXPECT_EQ(o.code, kDone) << "readers go on without";
  EXPECT_THAT(o.out, HasSubstr("valid, 32 messages; no status at the end"));
}

TEST(Validate, NamesMessageByteAndRule) {
  Messages messages = MakeTalk();
  messages[4]
      .mutable_animation_data()
      ->mutable_skel_animation()
      ->mutable_rotations(0)
      ->set_time_code(0);
  const std::string path = TempPath("back.animdata");
  WriteClipFile(path, messages);
  size_t byte = 0;  // behind four messages, and the record behind the first
  const std::string bytes = Slurp(path);
  for (int i = 0; i < 5; ++i) {
    byte += recording::ReadFraming(absl::string_view(bytes).substr(byte))->bytes();
  }
  const Outcome o = Validate({path});
  EXPECT_EQ(o.code, kNo);
  EXPECT_THAT(o.err, AllOf(HasSubstr("message 4"), HasSubstr("byte " + std::to_string(byte)),
                           HasSubstr("rotations")));
}

TEST(Validate, NamesTheLineOfAJsonFile) {
  Messages messages = MakeTalk({.frames = 4});
  messages[3]
      .mutable_animation_data()
      ->mutable_skel_animation()
      ->mutable_rotations(0)
      ->set_time_code(0);
  const std::string path = TempPath("back.jsonl");
  WriteClipFile(path, messages);
  EXPECT_THAT(Validate({path}).err, AllOf(HasSubstr("message 3"), HasSubstr("line 4")));
}

TEST(Validate, CountsLinesOfIndentedJsonToo) {
  const std::string path = TempPath("grpcurl.json");
  Spill(path,
        "{\n  \"animation_data_stream_header\": {\n    \"animation_ids\": {}\n  }\n}\n\n"
        "{\n  \"animation_data_stream_header\": {}\n}\n");
  const Outcome o = Validate({path});
  EXPECT_EQ(o.code, kNo);
  EXPECT_THAT(o.err, AllOf(HasSubstr("message 1"), HasSubstr("line 7")));
}

TEST(Validate, IdsAreNeededForAPushOnly) {
  const std::string path = TempPath("pulled.animdata");
  WriteClipFile(path, MakeTalk({.ids = false}));
  EXPECT_EQ(Validate({path, false}).code, kDone);
  const Outcome o = Validate({path, true});
  EXPECT_EQ(o.code, kNo);
  EXPECT_THAT(o.err, HasSubstr("request_id"));
}

TEST(Validate, AMessageOverFourMebibytesIsTooLongForAPushOnly) {
  Messages messages = MakeTalk({.frames = 1});
  auto* audio = messages[1].mutable_animation_data()->mutable_audio();
  audio->set_audio_buffer(std::string(5 << 20, '\0'));
  const std::string path = TempPath("long.animdata");
  WriteClipFile(path, messages);
  EXPECT_EQ(Validate({path, false}).code, kDone);
  EXPECT_EQ(Validate({path, true}).code, kNo);
}

TEST(Validate, AnEmptyFileIsNoClip) {
  const std::string path = TempPath("empty.animdata");
  Spill(path, "");
  const Outcome o = Validate({path});
  EXPECT_EQ(o.code, kNo);
  EXPECT_THAT(o.err, HasSubstr("no message"));
}

TEST(Validate, QuietPrintsNothing) {
  const std::string path = TempPath("noise.animdata");
  Spill(path, "this is no clip at all");
  const Outcome bad = Validate({path, false, true});
  EXPECT_EQ(bad.code, kNo);
  EXPECT_THAT(bad.out + bad.err, IsEmpty());
}

}  // namespace
}  // namespace posewire::animclip
