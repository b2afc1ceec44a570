// The program itself: exit codes, help, and which stream gets what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/animclip/clip_fixture.h"

namespace posewire::animclip {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Program : public testing::Test {
 protected:
  void SetUp() override {
    in_ = TempPath("talk.animdata");
    WriteClipFile(in_, MakeTalk());
  }

  Outcome Run(const std::string& arguments) {
    const std::string out = TempPath("stdout"), err = TempPath("stderr");
    const int status = std::system(
        ("'" + program_ + "' " + arguments + " >'" + out + "' 2>'" + err + "'").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Slurp(out), Slurp(err)};
  }

  const std::string program_ = ANIMCLIP_PROGRAM;
  std::string in_;
};

TEST_F(Program, HelpListsEverySubcommandAndTheExitCodes) {
  const Outcome o = Run("--help");
  EXPECT_EQ(o.code, 0);
  for (const char* name :
       {"info", "validate", "convert", "retarget", "cut", "concat", "mirror", "retime", "smooth",
        "diff", "recover", "sheet", "plot", "gestures", "bake", "offsets"}) {
    EXPECT_THAT(o.out, HasSubstr(name));
    const Outcome sub = Run(std::string(name) + " --help");
    EXPECT_EQ(sub.code, 0);
    EXPECT_THAT(sub.out, HasSubstr("Example"));
  }
  EXPECT_THAT(o.out, AllOf(HasSubstr("Examples:"), HasSubstr("Exit codes:")));
}

TEST_F(Program, AWrongFlagIsAnsweredWithTheRightOne) {
  for (const char* line :
       {"smooth a.jsonl b.jsonl --windw 3", "smooth --windw=3 a.jsonl b.jsonl"}) {
    const Outcome o = Run(line);
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err,
                AllOf(HasSubstr("animclip smooth: there is no --windw"),
                      HasSubstr("did you mean --window?"), HasSubstr("`animclip smooth --help`")));
  }
  EXPECT_THAT(
      Run("offsets compare --character woman --int x").err,
      AllOf(HasSubstr("no --int"), HasSubstr("--into"), HasSubstr("offsets compare --help")));
  EXPECT_THAT(Run("smooth a.jsonl").err, HasSubstr("animclip smooth: OUT is required"));
}

TEST_F(Program, RetargetTakesTheSkeletonOfAFile) {
  const std::string skeleton = TempPath("skeleton.bvh"), out = TempPath("carried.animdata");
  ASSERT_EQ(Run("convert '" + in_ + "' '" + skeleton + "'").code, 0);
  const Outcome o = Run("retarget '" + in_ + "' '" + out + "' --to '" + skeleton + "'");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(Run("retarget '" + in_ + "' '" + out + "' --to nobody").err,
              HasSubstr("animclip retarget: "));
}

TEST_F(Program, AFileThatCannotBeWrittenIsNamedAsItWasAskedFor) {
  const Outcome o = Run("cut '" + in_ + "' /nope/out.animdata --from 0");
  EXPECT_EQ(o.code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("/nope/out.animdata:"), Not(HasSubstr(".part"))));
}

TEST_F(Program, AWrongCommandIsAnsweredWithTheRightOnes) {
  EXPECT_THAT(Run("frob").err, AllOf(HasSubstr("no command frob"), HasSubstr("info, validate")));
  EXPECT_THAT(Run("validat").err, HasSubstr("did you mean validate?"));
  EXPECT_THAT(Run("").err, AllOf(HasSubstr("a command is needed"), HasSubstr("info, validate")));
}

TEST_F(Program, AWrongCommandLineExitsTwo) {
  for (const char* arguments :
       {"", "dance", "info", "cut in.animdata", "sheet x.animdata",
        "diff a.animdata b.animdata --shift 1 --align", "gestures --out x --format fbx", "info a b",
        "cut a.animdata b.animdata --from soon",
        "convert a.animdata b.usda --split-usd --value-clips 1"}) {
    const Outcome o = Run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_THAT(o.err, Not(IsEmpty())) << arguments;
    EXPECT_THAT(o.out, IsEmpty()) << arguments;
  }
}

TEST_F(Program, ValidateExitsZeroOrOne) {
  EXPECT_EQ(Run("validate '" + in_ + "'").code, 0);
  const std::string bad = TempPath("bad.animdata");
  Spill(bad, "no clip");
  const Outcome o = Run("validate '" + bad + "'");
  EXPECT_EQ(o.code, 1);
  EXPECT_THAT(o.err, HasSubstr("bad.animdata"));
  EXPECT_THAT(o.out, IsEmpty());
}

TEST_F(Program, HintsNameACommandThatHasTheFlag) {
  const std::string stage = TempPath("outside.usda");
  Spill(stage,
        "#usda 1.0\ndef Xform \"R\" { rel skel:skeleton = </R/S>\n"
        "rel skel:animationSource = </R/M>\ndef Skeleton \"S\" {} def SkelAnimation \"M\" {} }");
  EXPECT_THAT(Run("validate '" + stage + "'").err,
              HasSubstr("(animclip convert --outside-skel-root uses them)"));
  EXPECT_THAT(Run("info '" + stage + "'").err, HasSubstr("(--outside-skel-root uses them)"));

  const std::string out = TempPath("voiced.usda"), in = " '" + in_ + "' '" + out + "'";
  ASSERT_EQ(Run("convert" + in).code, 0);
  Spill(TempPath("voiced.wav"), "another voice");
  EXPECT_THAT(Run("convert" + in).err, HasSubstr("voice; --overwrite replaces it"));
  EXPECT_THAT(Run("mirror" + in).err, HasSubstr("choose another name for OUT"));
}

TEST_F(Program, RecoverExitsThreeWithLoss) {
  const std::string torn = TempPath("torn.animdata"), out = TempPath("mended.animdata");
  const std::string bytes = Slurp(in_);
  Spill(torn, bytes.substr(0, bytes.size() - 3));
  EXPECT_EQ(Run("recover '" + in_ + "' '" + out + "'").code, 0);
  EXPECT_EQ(Run("recover '" + torn + "' '" + out + "'").code, 3);
  Spill(torn, bytes.substr(0, 4));
  EXPECT_EQ(Run("recover '" + torn + "' '" + out + "'").code, 1);
}

TEST_F(Program, DiffExitsOneOverTheTolerance) {
  const std::string cut = TempPath("cut.animdata");
  EXPECT_EQ(Run("diff '" + in_ + "' '" + in_ + "' --tolerance 0").code, 0);
  EXPECT_EQ(Run("cut '" + in_ + "' '" + cut + "' --from 0.5").code, 0);
  EXPECT_EQ(Run("diff '" + cut + "' '" + in_ + "' --shift -0.5 --tolerance 1e-5").code, 0);
  EXPECT_EQ(Run("diff '" + in_ + "' '" + cut + "' --tolerance 1e-5").code, 1);
}

TEST_F(Program, ListsOfNamesDoNotTakeTheFilesBehindThem) {
  const std::string in = " '" + in_ + "'", cut = " '" + TempPath("cut.animdata") + "'",
                    picture = " '" + TempPath("plot.svg") + "'";
  for (const std::string& line : {absl::StrCat("cut --keep right_arm,vl5 --drop audio", in, cut),
                                  absl::StrCat("smooth --parts right_arm", in, cut),
                                  absl::StrCat("plot --tracks jawOpen", in, " -o", picture)}) {
    const Outcome o = Run(line);
    EXPECT_EQ(o.code, 0) << line << ": " << o.err;
  }
}

TEST_F(Program, PutsTwoClipsOrMoreTogether) {
  const std::string out = TempPath("long.animdata"), in = " '" + in_ + "'";
  EXPECT_EQ(Run("concat" + in + " -o '" + out + "'").code, 2) << "one is no chain";
  const Outcome o = Run("concat" + in + in + in + " -o '" + out + "'");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("3 clips"));
}

TEST_F(Program, TakesTimesInSecondsAndInTimeCode) {
  for (const char* command : {"cut", "sheet", "plot"}) {
    EXPECT_THAT(Run(absl::StrCat(command, " --help")).out, HasSubstr("HH:MM:SS:FF")) << command;
  }
  const std::string cut = TempPath("cut.animdata");
  const Outcome o = Run("cut '" + in_ + "' '" + cut + "' --from 00:00:00:15 --to 0.8");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("00:00:00:15 to 00:00:00:24 at 30 fps"));
  EXPECT_EQ(Run("cut '" + in_ + "' '" + cut + "' --from -1").code, 1);
}

TEST_F(Program, PipesThroughStandardInputAndOutput) {
  const Outcome o = Run("convert '" + in_ + "' - --request-id piped");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("piped"), Not(HasSubstr("messages"))));
  const std::string lines = TempPath("lines.jsonl");
  Spill(lines, o.out);
  const Outcome back = Run("validate --push - <'" + lines + "'");
  EXPECT_EQ(back.code, 0) << back.err;
}

TEST_F(Program, DrawsNoProgressWhereNobodyWatches) {
  const Outcome o = Run("sheet '" + in_ + "' -o '" + TempPath("s.svg") + "'");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
}

}  // namespace
}  // namespace posewire::animclip
