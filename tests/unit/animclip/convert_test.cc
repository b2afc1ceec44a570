#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Convert, ThereAndBackGivesTheSameMessages) {
  const Messages messages = MakeTalk();
  const std::string a = TempPath("a.animdata"), b = TempPath("b.jsonl"), c = TempPath("c.animdata");
  WriteClipFile(a, messages);
  TestConsole console;
  ASSERT_EQ(RunConvert({.in = a, .out = b}, console.console), kDone) << console.err.str();
  ASSERT_EQ(RunConvert({.in = b, .out = c}, console.console), kDone) << console.err.str();
  const Messages back = ReadClipFile(c);
  ASSERT_EQ(back.size(), messages.size());
  for (size_t i = 0; i < back.size(); ++i) {
    EXPECT_TRUE(MessageDifferencer::Equals(back[i], messages[i])) << i;
  }
}

TEST(Convert, AStageHasItsVoiceBesideIt) {
  const Messages messages = MakeTalk();
  const std::string a = TempPath("a.animdata"), b = TempPath("b.usda"), c = TempPath("c.animdata");
  WriteClipFile(a, messages);
  TestConsole console;
  ASSERT_EQ(RunConvert({.in = a, .out = b}, console.console), kDone) << console.err.str();
  EXPECT_THAT(console.out.str(), HasSubstr("b.wav"));
  ASSERT_EQ(RunConvert({.in = b, .out = c}, console.console), kDone) << console.err.str();
  EXPECT_EQ(VoiceOf(ReadClipFile(c)), VoiceOf(messages));
  // The same voice may be there; another one is somebody's.
  ASSERT_EQ(RunConvert({.in = c, .out = b}, console.console), kDone) << console.err.str();
  WriteClipFile(a, MakeTalk({.seed = 2}));
  const std::string before = Slurp(b), voice = Slurp(TempPath("b.wav"));
  EXPECT_EQ(RunConvert({.in = a, .out = b}, console.console), kNo);
  EXPECT_THAT(console.err.str(), HasSubstr("b.wav\" exists, and holds another voice"));
  EXPECT_EQ(Slurp(b), before);
  EXPECT_EQ(Slurp(TempPath("b.wav")), voice);
  EXPECT_FALSE(std::filesystem::exists(TempPath("b.wav.part")));
  ASSERT_EQ(RunConvert({.in = a, .out = b, .overwrite = true}, console.console), kDone);
  EXPECT_NE(Slurp(TempPath("b.wav")), voice);
}

// An empty folder.
std::string FolderOf(const char* name) {
  const std::string folder = TempPath(name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder + "/kept");
  return folder + "/";
}

TEST(Convert, ALinkStaysAndWhatItLeadsToIsReplaced) {
  namespace fs = std::filesystem;
  const std::string folder = FolderOf("links"), in = folder + "in.animdata";
  WriteClipFile(in, MakeTalk());
  fs::create_symlink("second.usda", folder + "out.usda");
  fs::create_symlink("kept/out.usda", folder + "second.usda");
  fs::create_symlink("kept/voice.wav", folder + "out.wav");
  TestConsole console;
  // Once to where nothing is yet, and once over it.
  for (const unsigned seed : {1u, 2u}) {
    WriteClipFile(in, MakeTalk({.seed = seed}));
    ASSERT_EQ(
        RunConvert({.in = in, .out = folder + "out.usda", .overwrite = true}, console.console),
        kDone)
        << console.err.str();
    for (const char* link : {"out.usda", "second.usda", "out.wav"}) {
      EXPECT_TRUE(fs::is_symlink(folder + link)) << link;
    }
    EXPECT_FALSE(fs::is_symlink(folder + "kept/out.usda"));
    EXPECT_EQ(VoiceOf(ReadClipFile(folder + "out.usda")), VoiceOf(MakeTalk({.seed = seed})));
  }
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder + "kept")) {
    ++files;
    EXPECT_TRUE(entry.is_regular_file());
  }
  EXPECT_EQ(files, 2) << "no part is left";
}

TEST(Convert, LinksThatLeadToNoFileAreRejectedAndStay) {
  namespace fs = std::filesystem;
  const std::string folder = FolderOf("no_files"), in = folder + "in.animdata";
  WriteClipFile(in, MakeTalk());
  fs::create_symlink("b.jsonl", folder + "a.jsonl");
  fs::create_symlink("a.jsonl", folder + "b.jsonl");
  fs::create_symlink("/dev/null", folder + "null.jsonl");
  fs::create_symlink("kept", folder + "folder.jsonl");
  for (const auto& [name, why] : {std::pair{"a.jsonl", "leads from link to link without an end"},
                                  {"null.jsonl", "is no regular file"},
                                  {"folder.jsonl", "is no regular file"}}) {
    TestConsole console;
    EXPECT_EQ(RunConvert({.in = in, .out = folder + name}, console.console), kNo);
    EXPECT_THAT(console.err.str(), HasSubstr(why));
    EXPECT_TRUE(fs::is_symlink(folder + name));
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Convert, ABrokenVoiceBesideAClipIsAWarning) {
  const std::string in = TempPath("broken.animdata"), csv = TempPath("broken.csv");
  WriteClipFile(in, MakeTalk());
  TestConsole first, second;
  ASSERT_EQ(RunConvert({.in = in, .out = csv}, first.console), kDone) << first.err.str();
  { std::ofstream(TempPath("broken.wav")) << "no voice"; }
  ASSERT_EQ(RunConvert({.in = csv, .out = TempPath("back.animdata")}, second.console), kDone);
  EXPECT_THAT(second.err.str(), HasSubstr("animclip: warning: "));
  EXPECT_THAT(second.err.str(), HasSubstr("broken.wav"));
  std::filesystem::remove(TempPath("broken.wav"));
}

// The texts of a stage's extents, without their indentation.
std::vector<std::string> ExtentsIn(const std::string& file) {
  std::vector<std::string> out;
  for (const absl::string_view part : absl::StrSplit(Slurp(file), "float3[] extent")) {
    std::vector<absl::string_view> lines = absl::StrSplit(part.substr(0, part.find('}')), '\n');
    for (absl::string_view& line : lines) line = absl::StripAsciiWhitespace(line);
    out.push_back(absl::StrJoin(lines, "\n"));
  }
  out.erase(out.begin());
  return out;
}

TEST(Convert, AStageInValueClipsIsOneClip) {
  const std::string a = TempPath("v.animdata"), b = TempPath("v.usda"), c = TempPath("vw.usda");
  const std::string x = TempPath("vx.jsonl"), y = TempPath("vy.jsonl");
  WriteClipFile(a, MakeTalk());
  TestConsole console;
  ASSERT_EQ(RunConvert({.in = a, .out = b, .value_clips_s = 0.2}, console.console), kDone);
  EXPECT_THAT(console.out.str(), AllOf(HasSubstr("v.clip001.usda"), HasSubstr("v.manifest.usda")));
  EXPECT_THAT(Slurp(b),
              AllOf(HasSubstr("v.clip002.usda"), Not(HasSubstr("rotations.timeSamples"))));
  ASSERT_EQ(RunConvert({.in = a, .out = c}, console.console), kDone);
  // SkelRoot and Skeleton have the same extents.
  EXPECT_EQ(ExtentsIn(b).size(), 2u);
  EXPECT_EQ(ExtentsIn(b), ExtentsIn(c));
  ASSERT_EQ(RunConvert({.in = b, .out = x}, console.console), kDone) << console.err.str();
  ASSERT_EQ(RunConvert({.in = c, .out = y}, console.console), kDone);
  EXPECT_EQ(Slurp(x), Slurp(y));
  // Each is a clip alone.
  EXPECT_EQ(RunConvert({.in = TempPath("v.clip002.usda"), .out = x}, console.console), kDone)
      << console.err.str();
  EXPECT_EQ(RunConvert({.in = a, .out = x, .value_clips_s = 1}, console.console), kNo);
  EXPECT_THAT(console.err.str(), HasSubstr("vx.jsonl, and --value-clips is for .usda"));
  EXPECT_EQ(RunConvert({.in = a, .out = b, .value_clips_s = std::nan("")}, console.console), kNo);
  EXPECT_THAT(console.err.str(), HasSubstr("--value-clips is nan, expected 0.01 to 1e+06"));
}

TEST(Convert, AStageInThreeFilesIsOneClip) {
  const std::string a = TempPath("s.animdata"), b = TempPath("s.usda"), c = TempPath("w.usda");
  const std::string x = TempPath("x.jsonl"), y = TempPath("y.jsonl");
  const std::string rig = TempPath("s.rig.usda");
  WriteClipFile(a, MakeTalk());
  TestConsole console;
  ASSERT_EQ(RunConvert({.in = a, .out = b, .split_usd = true}, console.console), kDone);
  EXPECT_THAT(console.out.str(), HasSubstr("s.rig.usda"));
  ASSERT_EQ(RunConvert({.in = a, .out = c}, console.console), kDone);
  ASSERT_EQ(RunConvert({.in = b, .out = x}, console.console), kDone) << console.err.str();
  ASSERT_EQ(RunConvert({.in = c, .out = y}, console.console), kDone);
  EXPECT_EQ(Slurp(x), Slurp(y));
  EXPECT_EQ(RunConvert({.in = a, .out = x, .split_usd = true}, console.console), kNo);
  EXPECT_THAT(console.err.str(), HasSubstr("x.jsonl, and --split-usd is for .usda"));
  // The same rig may be there; another one is somebody's.
  ASSERT_EQ(RunConvert({.in = a, .out = b, .split_usd = true}, console.console), kDone);
  Spill(rig, "#usda 1.0\n");
  EXPECT_EQ(RunConvert({.in = a, .out = b, .split_usd = true}, console.console), kNo);
  EXPECT_THAT(console.err.str(), HasSubstr("s.rig.usda\" exists, and holds another rig"));
  EXPECT_EQ(Slurp(rig), "#usda 1.0\n");
}

TEST(Convert, SetsJustTheIdsThatAreGiven) {
  const std::string in = TempPath("a.animdata"), out = TempPath("b.animdata");
  WriteClipFile(in, MakeTalk());
  ConvertOptions options{.in = in, .out = out};
  options.request_id = "new request";
  options.target_id = "avatar";
  options.source_id = "";
  TestConsole c;
  ASSERT_EQ(RunConvert(options, c.console), kDone) << c.err.str();
  const auto header = ReadClipFile(out)[0].animation_data_stream_header();
  EXPECT_EQ(header.animation_ids().request_id(), "new request");
  EXPECT_EQ(header.animation_ids().stream_id(), "stream");
  EXPECT_EQ(header.animation_ids().target_object_id(), "avatar");
  EXPECT_EQ(header.source_service_id(), "");
  EXPECT_EQ(header.start_time_code_since_epoch(), 1000);
}

TEST(Convert, KeepsUnknownFieldsOfBinaryFiles) {
  Messages messages = MakeTalk({.frames = 1});
  Message& data = messages[1];
  data.GetReflection()->MutableUnknownFields(&data)->AddVarint(1999, 42);
  const std::string in = TempPath("a.animdata"), out = TempPath("b.animdata");
  WriteClipFile(in, messages);
  ConvertOptions options{.in = in, .out = out};
  options.request_id = "r";
  TestConsole c;
  ASSERT_EQ(RunConvert(options, c.console), kDone);
  const Message back = ReadClipFile(out)[1];
  EXPECT_EQ(back.GetReflection()->GetUnknownFields(back).field_count(), 1);
}

TEST(Convert, RejectsAnIdThatNoServerTakes) {
  const std::string in = TempPath("a.animdata"), out = TempPath("b.animdata");
  WriteClipFile(in, MakeTalk());
  ConvertOptions options{.in = in, .out = out};
  options.stream_id = "two\nlines";
  TestConsole c;
  EXPECT_EQ(RunConvert(options, c.console), kNo);
  EXPECT_THAT(c.err.str(), HasSubstr("--stream-id"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(Convert, ATornInputLeavesNoOutputAndNoRest) {
  const std::string in = TempPath("a.animdata"), out = TempPath("b.jsonl");
  WriteClipFile(in, MakeTalk());
  const std::string bytes = Slurp(in);
  Spill(in, bytes.substr(0, bytes.size() / 2));
  TestConsole c;
  EXPECT_EQ(RunConvert({.in = in, .out = out}, c.console), kNo);
  EXPECT_THAT(c.err.str(), HasSubstr("animclip recover"));
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(out + ".part"));
}

TEST(Convert, AFileMayReplaceItself) {
  const std::string path = TempPath("a.animdata");
  WriteClipFile(path, MakeTalk());
  ConvertOptions options{.in = path, .out = path};
  options.request_id = "again";
  TestConsole c;
  ASSERT_EQ(RunConvert(options, c.console), kDone) << c.err.str();
  EXPECT_EQ(ReadClipFile(path).size(), 33u);
}

TEST(Convert, NamesTheEndingsItKnows) {
  const std::string in = TempPath("a.animdata");
  WriteClipFile(in, MakeTalk());
  TestConsole c;
  EXPECT_EQ(RunConvert({.in = in, .out = TempPath("b.fbx")}, c.console), kNo);
  EXPECT_THAT(c.err.str(), HasSubstr(".jsonl"));
}

}  // namespace
}  // namespace posewire::animclip
