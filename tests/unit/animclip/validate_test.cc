#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "libs/files/read.h"
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

// Each rule of the standard that is broken is a line.
TEST(Validate, ListsTheRulesOfHAnimThatAHumanoidBreaks) {
  const std::string path = TempPath("odd.x3dv");
  ASSERT_TRUE(files::WriteWhole(path, R"(#X3D V4.0 utf8
HAnimHumanoid { version "1.0"
  skeleton HAnimJoint { name "HumanoidRoot" center 0 0.9 0 children [
    HAnimSegment { name "l_hand" }
    HAnimJoint { name "l_knee" center 0.1 0.5 0 children [
      HAnimJoint { name "l_hip" center 0.1 0.9 0 rotation 1 0 0 1 } ] }
    HAnimJoint { name "tail" stiffness [ 2 0 0 ] }
    HAnimJoint { name "x_wing" llimit [ 1 0 0 ] ulimit [ 0 0 0 ] children Shape { } }
    HAnimSite { name "nose" }
  ] }
}
)")
                  .ok());
  const Outcome o = Validate({.file = path, .hanim = true});
  EXPECT_EQ(o.code, kNo);
  EXPECT_EQ(
      o.out,
      absl::StrCat("line 4: the segment of joint HumanoidRoot is l_hand, not sacrum\n"
                   "line 5: joint l_knee is below HumanoidRoot, not below l_hip\n"
                   "line 6: joint l_hip is below l_knee, which the standard does not have above "
                   "it\n"
                   "line 6: joint l_hip is modelled with a rotation, which is 0 at rest; only "
                   "its center is set\n"
                   "line 7: joint tail is not the standard's, and has no prefix x_\n"
                   "line 7: joint tail has a stiffness that is not three numbers from 0 to 1\n"
                   "line 8: joint x_wing has llimit and ulimit that are not three numbers each, "
                   "the lower ones in llimit\n"
                   "line 8: a joint holds a Shape, which belongs in its segment\n"
                   "line 9: site nose is in a HAnimJoint, not in a segment\n"
                   "line 9: site nose does not end in _tip, _view or _pt\n",
                   path, ": breaks the rules of H-Anim in 10 places\n"));
  EXPECT_THAT(Validate({.file = path, .as_push = true, .hanim = true}).err, HasSubstr("--push"));
  ASSERT_TRUE(files::WriteWhole(path, "#X3D V4.0 utf8\nGroup { }\n").ok());
  EXPECT_THAT(Validate({.file = path, .hanim = true}).err, HasSubstr("no HAnimHumanoid"));
}

TEST(Validate, ChecksTheListsOfAHumanoidAndItsInlines) {
  const std::string path = TempPath("lists.x3dv"), leg = TempPath("lists_leg.x3dv");
  ASSERT_TRUE(
      files::WriteWhole(leg, "#X3D V4.0 utf8\nHAnimJoint { name \"tail\" scale 2 2 2 }\n").ok());
  ASSERT_TRUE(files::WriteWhole(path, absl::StrCat(R"(#X3D V4.0 utf8
HAnimHumanoid { version "1.0"
  skeleton HAnimJoint { name "HumanoidRoot" center 0 0.9 0 children [
    DEF A HAnimSegment { name "sacrum"
      children DEF S HAnimSite { name "a_pt" } }
    Inline { url "lists_leg.x3dv" }
    Inline { url "gone.x3dv" }
  ] }
  segments HAnimSegment { name "l_thigh" }
  sites HAnimSite { name "b_pt" }
}
)"))
                  .ok());
  const Outcome o = Validate({.file = path, .hanim = true});
  EXPECT_EQ(o.code, kNo);
  EXPECT_THAT(o.err, HasSubstr("line 7: an Inline is left out"));
  for (const char* line : {"line 4: the humanoid's segments do not list sacrum\n",
                           "line 5: the humanoid's sites do not list a_pt\n",
                           "line 9: the humanoid lists segment l_thigh, which its skeleton lacks\n",
                           "line 10: the humanoid lists site b_pt, which its skeleton lacks\n",
                           "lists_leg.x3dv line 2: joint tail is modelled with a scale, which is 1 "
                           "at rest; only its center is set\n"}) {
    EXPECT_THAT(o.out, HasSubstr(line));
  }
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
