#include "libs/service/flags/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/numbers.h"

namespace posewire::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Config {
  std::string from = "127.0.0.1:51000";
  double wait_s = 2.0;
  int frames = 30;
  int64_t bytes = 1024;
  bool loop = false;
  bool clamp = true;
  std::string mode = "stall";
  std::vector<std::string> tags;
  std::string out;
  std::vector<std::string> words;
};

class FlagsTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& name : variables_) unsetenv(name.c_str());
    for (const std::string& path : files_) unlink(path.c_str());
  }

  void SetVariable(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    variables_.push_back(name);
  }

  std::string File(const std::string& text) {
    std::string path = ::testing::TempDir() + "flags_test_" + std::to_string(getpid()) + "_" +
                       std::to_string(files_.size()) + ".toml";
    std::ofstream(path) << text;
    files_.push_back(path);
    return path;
  }

  std::unique_ptr<Flags> Declare(bool commands = false) {
    auto flags = std::make_unique<Flags>(
        ProgramInfo{.name = "sink", .summary = "Pulls.", .examples = {"sink record a.bin"}});
    flags->Add("from", &config_.from, "Address.", {.value_name = "HOST:PORT"});
    flags->Add("wait-s", &config_.wait_s, "Wait.", {.min = 0, .max = 60});
    flags->Add("frames", &config_.frames, "Frames.", {.min = 1});
    flags->Add("bytes", &config_.bytes, "Bytes.");
    flags->Add("loop", &config_.loop, "Loop.");
    flags->Add("clamp", &config_.clamp, "Clamp.");
    flags->Add("mode", &config_.mode, "Mode.", {.choices = {"stall", "live"}});
    flags->Add("tag", &config_.tags, "Tags.");
    if (commands) {
      flags->AddCommand("record", "Records.");
      flags->AddPositional("record", "OUT", &config_.out, "File.", {.required = true});
      flags->AddCommand("print", "Prints.");
      flags->AddPositional("print", "WORDS", &config_.words, "Words.");
      flags->Add("limit", &limit_, "Limit.", {.commands = {"print"}});
    }
    return flags;
  }

  std::optional<int> Parse(Flags& flags, const std::vector<std::string>& args) {
    std::vector<const char*> argv = {"sink"};
    for (const std::string& arg : args) argv.push_back(arg.c_str());
    out_.str("");
    err_.str("");
    return flags.Parse(static_cast<int>(argv.size()), argv.data(), out_, err_);
  }

  FlagOrigin OriginOf(const Flags& flags, const std::string& name) {
    for (const FlagValue& value : flags.Effective()) {
      if (value.name == name) return value.origin;
    }
    ADD_FAILURE() << "no flag " << name;
    return FlagOrigin::kDefault;
  }

  Config config_;
  int limit_ = 0;
  std::ostringstream out_, err_;
  std::vector<std::string> variables_, files_;
};

TEST_F(FlagsTest, KeepsDefaultsWhenNothingIsGiven) {
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.from, "127.0.0.1:51000");
  EXPECT_EQ(config_.wait_s, 2.0);
  EXPECT_TRUE(config_.clamp);
  EXPECT_EQ(OriginOf(*flags, "from"), FlagOrigin::kDefault);
}

TEST_F(FlagsTest, SetsEveryTypeFromTheCommandLine) {
  auto flags = Declare();
  EXPECT_EQ(
      Parse(*flags, {"--from", "h:1", "--wait-s=0.5", "--frames", "7", "--bytes", "5000000000",
                     "--loop", "--no-clamp", "--mode", "live", "--tag", "a", "--tag", "b"}),
      std::nullopt)
      << err_.str();
  EXPECT_EQ(config_.from, "h:1");
  EXPECT_EQ(config_.wait_s, 0.5);
  EXPECT_EQ(config_.frames, 7);
  EXPECT_EQ(config_.bytes, 5000000000);
  EXPECT_TRUE(config_.loop);
  EXPECT_FALSE(config_.clamp);
  EXPECT_EQ(config_.mode, "live");
  EXPECT_THAT(config_.tags, ElementsAre("a", "b"));
}

TEST_F(FlagsTest, SetsEveryTypeFromTheFile) {
  const std::string file = File(
      "from = \"h:2\"\nwait-s = 0.25\nframes = 9\nbytes = 5000000001\nloop = true\n"
      "clamp = false\nmode = \"live\"\ntag = [\"x\", \"y\"]\n");
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--config", file}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.from, "h:2");
  EXPECT_EQ(config_.wait_s, 0.25);
  EXPECT_EQ(config_.frames, 9);
  EXPECT_EQ(config_.bytes, 5000000001);
  EXPECT_TRUE(config_.loop);
  EXPECT_FALSE(config_.clamp);
  EXPECT_EQ(config_.mode, "live");
  EXPECT_THAT(config_.tags, ElementsAre("x", "y"));
  EXPECT_EQ(OriginOf(*flags, "loop"), FlagOrigin::kFile);
}

TEST_F(FlagsTest, SetsEveryTypeFromTheEnvironment) {
  const std::map<std::string, std::string> values = {
      {"FROM", "h:3"},  {"WAIT_S", "0.75"}, {"FRAMES", "11"}, {"BYTES", "5000000002"},
      {"LOOP", "true"}, {"CLAMP", "0"},     {"MODE", "live"}, {"TAG", "z"}};
  for (const auto& [name, value] : values) SetVariable("POSEWIRE_" + name, value);
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.from, "h:3");
  EXPECT_EQ(config_.wait_s, 0.75);
  EXPECT_EQ(config_.frames, 11);
  EXPECT_EQ(config_.bytes, 5000000002);
  EXPECT_TRUE(config_.loop);
  EXPECT_FALSE(config_.clamp);
  EXPECT_EQ(config_.mode, "live");
  EXPECT_THAT(config_.tags, ElementsAre("z"));
  EXPECT_EQ(OriginOf(*flags, "clamp"), FlagOrigin::kEnvironment);
}

TEST_F(FlagsTest, TakesFlagBeforeEnvironmentBeforeFileBeforeDefault) {
  const std::string file = File("frames = 1\nwait-s = 1\nfrom = \"file:1\"\nloop = true\n");
  SetVariable("POSEWIRE_FRAMES", "2");
  SetVariable("POSEWIRE_WAIT_S", "2");
  SetVariable("POSEWIRE_LOOP", "false");
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--config", file, "--frames", "3"}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.frames, 3);
  EXPECT_EQ(config_.wait_s, 2);
  EXPECT_EQ(config_.from, "file:1");
  EXPECT_FALSE(config_.loop);
  EXPECT_EQ(config_.mode, "stall");
  EXPECT_EQ(OriginOf(*flags, "frames"), FlagOrigin::kFlag);
  EXPECT_EQ(OriginOf(*flags, "wait-s"), FlagOrigin::kEnvironment);
  EXPECT_EQ(OriginOf(*flags, "from"), FlagOrigin::kFile);
  EXPECT_EQ(OriginOf(*flags, "mode"), FlagOrigin::kDefault);
}

TEST_F(FlagsTest, FindsTheFileByTheEnvironment) {
  SetVariable("POSEWIRE_CONFIG", File("frames = 12\n"));
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.frames, 12);
}

TEST_F(FlagsTest, TakesDevNullForNoFile) {
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--config", "/dev/null"}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.wait_s, 2.0);
}

TEST_F(FlagsTest, RejectsAFileThatIsMissing) {
  auto by_flag = Declare();
  EXPECT_EQ(Parse(*by_flag, {"--config", "/nonexistent/a.toml"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("/nonexistent/a.toml"));
  SetVariable("POSEWIRE_CONFIG", "/nonexistent/b.toml");
  auto by_variable = Declare();
  EXPECT_EQ(Parse(*by_variable, {}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("/nonexistent/b.toml"));
}

TEST_F(FlagsTest, TellsOfAVariableThatIsLikeASetting) {
  SetVariable("POSEWIRE_FRMAES", "5");
  SetVariable("POSEWIRE_WAIT_S", "5");
  SetVariable("POSEWIRE_ELSEWHERE", "5");
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--from", "x"}), std::nullopt);
  EXPECT_EQ(
      err_.str(),
      "sink: the variable POSEWIRE_FRMAES matches no setting; did you mean POSEWIRE_FRAMES?\n");
}

TEST_F(FlagsTest, ShowsAllErrorsAtOnce) {
  const std::string file = File("fromm = \"x\"\nmode = \"fast\"\n");
  SetVariable("POSEWIRE_WAIT_S", "61");
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--config", file, "--frames", "0", "--bytes", "12k", "--loupe",
                           "--color", "red", "stray"}),
            2);
  const std::string text = err_.str();
  EXPECT_THAT(text, HasSubstr(file + ":1: there is no setting fromm; did you mean from?"));
  EXPECT_THAT(text, HasSubstr("--mode (from " + file + ":2): \"fast\" is not one of stall, live"));
  EXPECT_THAT(text,
              HasSubstr("--wait-s (from POSEWIRE_WAIT_S): \"61\" is not a number from 0 to 60"));
  EXPECT_THAT(text, HasSubstr("--frames: \"0\" is not a whole number of at least 1"));
  EXPECT_THAT(text, HasSubstr("--bytes: \"12k\" is not a whole number"));
  EXPECT_THAT(text, HasSubstr("unknown flag --loupe"));
  EXPECT_THAT(text, HasSubstr("unknown flag --color\n"));
  EXPECT_THAT(text, HasSubstr("unexpected argument \"stray\""));
  EXPECT_THAT(text, Not(HasSubstr("\"red\"")));
}

TEST_F(FlagsTest, TakesANumberThatMayBeLeftOut) {
  const auto given = [&](const std::vector<std::string>& args) {
    config_ = {};
    config_.frames = 0;
    Flags flags({.name = "sink"});
    flags.Add("levels", &config_.frames, "Levels.", {.min = 1, .max = 2, .alone = "1"});
    flags.Add("loop", &config_.loop, "Loop.");
    flags.AddPositional("", "OUT", &config_.out, "File.");
    const auto code = Parse(flags, args);
    return code ? -1 : config_.frames;
  };
  EXPECT_EQ(given({}), 0);
  EXPECT_EQ(given({"--levels"}), 1);
  EXPECT_EQ(given({"--levels", "2"}), 2);
  EXPECT_EQ(given({"--levels=2"}), 2);
  EXPECT_EQ(given({"--levels", "--loop"}), 1);
  EXPECT_TRUE(config_.loop);
  EXPECT_EQ(given({"--levels", "a.png"}), 1);
  EXPECT_EQ(config_.out, "a.png");
  EXPECT_EQ(given({"a.png", "--levels"}), 1);
  for (const char* wrong : {"0", "3", "-1", "99999999999"}) {
    EXPECT_EQ(given({"--levels", wrong}), -1) << wrong;
    EXPECT_THAT(err_.str(), HasSubstr("is not a whole number from 1 to 2"));
  }
  EXPECT_EQ(given({"--levels=two"}), -1);
  SetVariable("POSEWIRE_LEVELS", "true");
  EXPECT_EQ(given({}), 1);
  SetVariable("POSEWIRE_LEVELS", "false");
  EXPECT_EQ(given({}), 0);
  SetVariable("POSEWIRE_LEVELS", "2");
  EXPECT_EQ(given({}), 2);
  EXPECT_EQ(given({"--levels"}), 1);
  EXPECT_EQ(given({"--config", File("levels = true\n"), "--levels=false"}), 0);
}

TEST_F(FlagsTest, LeavesAFieldAsItWasOnABadValue) {
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--frames", "many"}), 2);
  EXPECT_EQ(config_.frames, 30);
}

TEST_F(FlagsTest, RejectsNumbersThatAreNone) {
  for (const char* text : {"nan", "inf", "-inf", "1e400", "", "1 2", "0x10p"}) {
    auto flags = Declare();
    EXPECT_EQ(Parse(*flags, {std::string("--wait-s=") + text}), 2) << text;
  }
}

TEST_F(FlagsTest, TakesNegativeNumbersAsValues) {
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--bytes", "-5"}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.bytes, -5);
}

TEST_F(FlagsTest, TakesTheLastOfAScalarGivenTwice) {
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--frames", "4", "--frames", "5"}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.frames, 5);
}

TEST_F(FlagsTest, TakesFlagsOnBothSidesOfTheCommand) {
  auto flags = Declare(true);
  EXPECT_EQ(Parse(*flags, {"--frames", "4", "record", "a.bin", "--from", "h:1", "--loop"}),
            std::nullopt)
      << err_.str();
  EXPECT_EQ(flags->command(), "record");
  EXPECT_EQ(config_.out, "a.bin");
  EXPECT_EQ(config_.frames, 4);
  EXPECT_EQ(config_.from, "h:1");
  EXPECT_TRUE(config_.loop);
}

TEST_F(FlagsTest, TakesAPositionalAfterAFlag) {
  auto flags = Declare(true);
  EXPECT_EQ(Parse(*flags, {"record", "--from", "h:1", "a.bin"}), std::nullopt) << err_.str();
  EXPECT_EQ(config_.out, "a.bin");
}

TEST_F(FlagsTest, TakesAllWordsOfAList) {
  auto flags = Declare(true);
  EXPECT_EQ(Parse(*flags, {"print", "a", "b", "c", "--limit", "3"}), std::nullopt) << err_.str();
  EXPECT_THAT(config_.words, ElementsAre("a", "b", "c"));
  EXPECT_EQ(limit_, 3);
}

TEST_F(FlagsTest, NeedsACommandAndItsArguments) {
  auto none = Declare(true);
  EXPECT_EQ(Parse(*none, {}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("one of record, print"));
  auto unknown = Declare(true);
  EXPECT_EQ(Parse(*unknown, {"rekord"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("unknown command \"rekord\"; did you mean record? Known are "
                                    "record, print"));
  auto bare = Declare(true);
  EXPECT_EQ(Parse(*bare, {"record"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("OUT: is required"));
}

// The words after it are arguments of the command that was meant.
TEST_F(FlagsTest, NamesAMisspeltCommandAloneWithTheNearest) {
  auto swapped = Declare(true);
  EXPECT_EQ(Parse(*swapped, {"rceord", "a.bin", "b.bin"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("unknown command \"rceord\"; did you mean record?"));
  EXPECT_THAT(err_.str(), Not(HasSubstr("a.bin")));
  EXPECT_THAT(err_.str(), Not(HasSubstr("b.bin")));
  auto far = Declare(true);
  EXPECT_EQ(Parse(*far, {"xyzzy", "a.bin"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("unknown command \"xyzzy\"; known are record, print\n"));
  // Of a command that is known, an argument too many is still an error.
  auto more = Declare(true);
  EXPECT_EQ(Parse(*more, {"record", "a.bin", "b.bin"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("unexpected argument \"b.bin\""));
}

TEST_F(FlagsTest, RejectsAFlagOfAnotherCommand) {
  auto flags = Declare(true);
  double limits = 0;
  flags->Add("limits", &limits, "Limits.");
  EXPECT_EQ(Parse(*flags, {"record", "a.bin", "--limit", "3"}), 2);
  EXPECT_THAT(err_.str(),
              HasSubstr("--limit: can be used only with print; did you mean --limits?"));
}

// So that one file, and one environment, serve several commands.
TEST_F(FlagsTest, PassesOverWhatFileAndEnvironmentHoldForAnotherCommand) {
  const std::string file = File("limit = 3\nframes = 7\n");
  auto flags = Declare(true);
  EXPECT_EQ(Parse(*flags, {"record", "a.bin", "--config", file}), std::nullopt) << err_.str();
  EXPECT_EQ(limit_, 0);
  EXPECT_EQ(config_.frames, 7);
  EXPECT_THAT(flags->PassedOver(), ElementsAre("limit"));
  for (const FlagValue& value : flags->Effective()) EXPECT_NE(value.name, "limit");
  SetVariable("POSEWIRE_LIMIT", "4");
  auto again = Declare(true);
  EXPECT_EQ(Parse(*again, {"record", "a.bin"}), std::nullopt) << err_.str();
  EXPECT_EQ(limit_, 0);
  auto print = Declare(true);
  EXPECT_EQ(Parse(*print, {"print"}), std::nullopt) << err_.str();
  EXPECT_EQ(limit_, 4);
  EXPECT_THAT(print->PassedOver(), ElementsAre());
}

TEST_F(FlagsTest, KeysThatNoCommandHasAreRejected) {
  auto flags = Declare(true);
  EXPECT_EQ(Parse(*flags, {"record", "a.bin", "--config", File("limt = 3\n")}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("there is no setting limt; did you mean limit?"));
}

TEST_F(FlagsTest, HelpOfACommandBeginsWithItsOwnSettings) {
  const auto declare = [this](int* quota) {
    auto flags = Declare(true);
    flags->Group("Server");
    flags->Add("quota", quota, "Quota.", {.rare = true});
    flags->OnlyFor({"print"});
    flags->Group("Paper");
    flags->Add("sheet", &config_.mode, "Sheet.");
    return flags;
  };
  int quota = 0;
  auto flags = declare(&quota);
  EXPECT_EQ(Parse(*flags, {"print", "--help"}), 0);
  const std::string print = out_.str();
  EXPECT_LT(print.find("--sheet"), print.find("--from"));
  EXPECT_THAT(print, Not(HasSubstr("--quota")));
  EXPECT_THAT(print, HasSubstr("--help-all shows 1 more settings.\n"));
  auto all = declare(&quota);
  EXPECT_EQ(Parse(*all, {"print", "--help-all"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("--quota INTEGER [0]"));
  auto record = declare(&quota);
  EXPECT_EQ(Parse(*record, {"record", "--help-all"}), 0);
  EXPECT_THAT(out_.str(), Not(HasSubstr("--sheet")));
  // Of the program: its commands, and what all of them have.
  auto program = declare(&quota);
  EXPECT_EQ(Parse(*program, {"--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Commands:\n"));
  EXPECT_THAT(out_.str(), HasSubstr("--from"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("--sheet")));
  auto whole = declare(&quota);
  EXPECT_EQ(Parse(*whole, {"--help-all"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Sheet. (print)"));
}

TEST_F(FlagsTest, ChecksFieldsTogetherAfterAllAreSet) {
  auto flags = Declare();
  flags->AddCheck([this] {
    return config_.loop && config_.frames > 10
               ? absl::InvalidArgumentError("--loop: goes with at most 10 --frames")
               : absl::OkStatus();
  });
  EXPECT_EQ(Parse(*flags, {"--loop", "--frames", "11"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("sink: --loop: goes with at most 10 --frames"));
}

TEST_F(FlagsTest, ChecksEachValueByItsOwnRule) {
  auto flags = Declare();
  std::string even;
  flags->Add("even", &even, "Even.", {.check = [](absl::string_view text) {
               int value = 0;
               return absl::SimpleAtoi(text, &value) && value % 2 == 0
                          ? absl::OkStatus()
                          : absl::InvalidArgumentError("must be even");
             }});
  EXPECT_EQ(Parse(*flags, {"--even", "3"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--even: must be even"));
}

TEST_F(FlagsTest, PrintsHelpWithDefaultsExamplesAndVariables) {
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--help"}), 0);
  const std::string text = out_.str();
  EXPECT_THAT(text, HasSubstr("--from HOST:PORT [127.0.0.1:51000]"));
  EXPECT_THAT(text, HasSubstr("--mode stall|live [stall]"));
  EXPECT_THAT(text, HasSubstr("sink record a.bin"));
  EXPECT_THAT(text, HasSubstr("--clamp, --no-clamp [true]"));
  EXPECT_EQ(err_.str(), "");
}

TEST_F(FlagsTest, PrintsTheHelpOfACommandWithTheSettingsOfUseToIt) {
  auto flags = Declare(true);
  EXPECT_EQ(Parse(*flags, {"record", "--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("sink record [OPTIONS] OUT\n"));
  EXPECT_THAT(out_.str(), HasSubstr("--from HOST:PORT"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("--limit")));
  auto other = Declare(true);
  EXPECT_EQ(Parse(*other, {"print", "--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("sink print [OPTIONS] [WORDS...]\n"));
  EXPECT_THAT(out_.str(), HasSubstr("--limit"));
}

TEST_F(FlagsTest, PrintsTheVersionAndWhatWasBuilt) {
  auto flags = Declare();
  EXPECT_EQ(Parse(*flags, {"--version"}), 0);
  EXPECT_THAT(out_.str(),
              ::testing::MatchesRegex("sink [0-9]+\\.[0-9]+\\.[0-9]+\n[^\n]*, gRPC [^\n]*\n"));
}

TEST_F(FlagsTest, AsksForNothingElseBesideAnExclusiveFlag) {
  auto flags = Declare(true);
  std::string check;
  flags->Add("health-check", &check, "Health.", {.exclusive = true});
  EXPECT_EQ(Parse(*flags, {"--health-check", "h:1"}), std::nullopt) << err_.str();
  EXPECT_EQ(check, "h:1");
}

TEST_F(FlagsTest, HidesSecretsInTheEffectiveConfig) {
  auto flags = Declare();
  std::string token = "abc";
  flags->Add("token", &token, "Token.", {.secret = true});
  EXPECT_EQ(Parse(*flags, {}), std::nullopt);
  EXPECT_EQ(std::get<std::string>(flags->Effective().back().value), "***");
  EXPECT_EQ(token, "abc");
  std::string to = "127.0.0.1:39539";
  flags->Add("to", &to, "Where to.", {.secret_url = true});
  EXPECT_EQ(Parse(*flags, {}), std::nullopt);
  EXPECT_EQ(std::get<std::string>(flags->Effective().back().value), "127.0.0.1:39539");
  EXPECT_EQ(Parse(*flags, {"--to", "rtmp://host/app/key"}), std::nullopt);
  EXPECT_EQ(std::get<std::string>(flags->Effective().back().value), "***");
}

}  // namespace
}  // namespace posewire::service
