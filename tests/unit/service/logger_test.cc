#include "libs/service/logger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "libs/service/flags/flags.h"

namespace posewire::service {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr char kTime[] = "[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+\\.[0-9]+Z";

TEST(Logger, WritesTextWithFields) {
  std::ostringstream out;
  Logger log("anim_graph", {}, out);
  log.Info("push opened", {{"stream_id", "s1"}, {"queued", 2}, {"late_s", 0.5}, {"live", true}});
  EXPECT_THAT(out.str(),
              MatchesRegex(std::string(kTime) + " info anim_graph: push opened stream_id=\"s1\" "
                                                "queued=2 late_s=0.5 live=true\n"));
}

TEST(Logger, WritesJsonLines) {
  std::ostringstream out;
  Logger log("anim_graph", {.level = "info", .format = "json"}, out);
  log.Warning("late", {{"stream_id", "a\"b"}, {"frames", size_t{3}}});
  EXPECT_THAT(out.str(), MatchesRegex(std::string("\\{\"time\":\"") + kTime +
                                      "\",\"level\":\"warning\",\"program\":\"anim_graph\","
                                      "\"message\":\"late\",\"stream_id\":\"a\\\\\"b\","
                                      "\"frames\":3\\}\n"));
}

TEST(Logger, LeavesOutWhatIsBelowItsLevel) {
  std::ostringstream out;
  Logger log("x", {.level = "warning"}, out);
  log.Debug("one");
  log.Info("two");
  EXPECT_EQ(out.str(), "");
  EXPECT_FALSE(log.Enabled(LogLevel::kInfo));
  log.Error("three");
  EXPECT_THAT(out.str(), HasSubstr("error x: three"));
}

TEST(Logger, WritesNothingWhenOffOrEmpty) {
  std::ostringstream out;
  Logger log("x", {.level = "off"}, out);
  log.Error("gone");
  EXPECT_EQ(out.str(), "");
  Logger().Error("gone");
}

TEST(Logger, KeepsOneLineForTextFromOutside) {
  std::ostringstream out;
  Logger log("x", {}, out);
  log.Info("push", {{"stream_id", "a\nb\x1b[31m\x7f\xc2\x85 ../é"}});
  EXPECT_THAT(out.str(), HasSubstr("stream_id=\"a\\nb\\u001b[31m\\u007f\\u0085 ../é\"\n"));
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(Logger, HoldsBackWhatIsSaidTooOften) {
  std::ostringstream out;
  {
    Logger log("x", {.limit = 3}, out);
    for (int i = 0; i < 10; ++i) log.Info("again", {{"n", i}});
    for (int i = 0; i < 3; ++i) log.Info("other", {{"n", i}});
    // A second may have gone by on a machine that stood still, but no line goes missing untold.
    EXPECT_LE(log.counts().held_back, 7);
  }
  EXPECT_THAT(out.str(), HasSubstr("again n=2\n"));
  EXPECT_THAT(out.str(), HasSubstr("other n=2\n"));
  EXPECT_THAT(out.str(), HasSubstr("info x: again: and more like this lines="));
}

struct Settings {
  std::string listen = "127.0.0.1:1";
  int workers = 1;
  std::string password, rig = "hanim";
  LogOptions log;
};

std::string ConfigLine(const std::string& level, std::vector<const char*> args) {
  Settings settings;
  Flags flags({.name = "x", .version = "1.2.3"});
  flags.Add("listen", &settings.listen, "Address.");
  flags.Add("workers", &settings.workers, "Threads.");
  flags.Add("password", &settings.password, "Password.", {.secret = true});
  flags.Add("rig", &settings.rig, "Rig.");
  args.insert(args.begin(), "x");
  std::ostringstream errors;
  EXPECT_EQ(flags.Parse(static_cast<int>(args.size()), args.data(), errors, errors), std::nullopt);
  settings.rig = "ace_biped";  // By a profile.
  std::ostringstream out;
  LogConfig(Logger("x", {.level = level}, out), flags);
  return out.str();
}

TEST(LogConfig, TellsWhatDiffersFromTheDefaults) {
  EXPECT_THAT(ConfigLine("info", {"--workers", "4", "--password", "sesame"}),
              MatchesRegex(absl::StrCat(kTime,
                                        " info x: configuration version=\"1.2.3\" "
                                        "workers=4 password=\"\\*\\*\\*\" "
                                        "rig=\"ace_biped\"\n")));
  // What was given, and is no other than the default, and a secret that is empty.
  EXPECT_THAT(ConfigLine("info", {"--workers", "1", "--password", ""}),
              MatchesRegex(absl::StrCat(
                  kTime, " info x: configuration version=\"1.2.3\" rig=\"ace_biped\"\n")));
  EXPECT_THAT(ConfigLine("info", {}),
              MatchesRegex(absl::StrCat(
                  kTime, " info x: configuration version=\"1.2.3\" rig=\"ace_biped\"\n")));
}

TEST(LogConfig, TellsAllAtLevelDebug) {
  const std::string line = ConfigLine("debug", {"--workers", "4"});
  EXPECT_THAT(line, HasSubstr("debug x: configuration"));
  EXPECT_THAT(line, HasSubstr("listen=\"127.0.0.1:1\" workers=4 password=\"\" "));
  EXPECT_THAT(line, Not(HasSubstr("info x")));
}

TEST(LogConfig, NamesWhatTheEnvironmentSet) {
  setenv("POSEWIRE_WORKERS", "4", 1);
  const std::string line = ConfigLine("info", {"--listen", "127.0.0.1:2"});
  unsetenv("POSEWIRE_WORKERS");
  EXPECT_THAT(line, HasSubstr("listen=\"127.0.0.1:2\" workers=4 "));
  EXPECT_THAT(line, HasSubstr("from_environment=[\"workers\"]\n"));
}

TEST(QuoteText, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(QuoteText("a\xff\x62"), "\"a\xEF\xBF\xBD\x62\"");
  EXPECT_EQ(QuoteText("\xc3"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(QuoteText("\xc0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // Overlong.
  EXPECT_EQ(QuoteText("\xed\xa0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // Surrogate.
  EXPECT_EQ(QuoteText("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"");
}

TEST(QuoteText, EscapesWhatATerminalObeys) {
  EXPECT_EQ(QuoteText("\x1b[31m\n\u009b\u202e\u2028\"\\"),
            "\"\\u001b[31m\\n\\u009b\\u202e\\u2028\\\"\\\\\"");
}

TEST(LogField, WritesNumbersAsJson) {
  EXPECT_EQ(LogField("n", -3).json(), "-3");
  EXPECT_EQ(LogField("n", uint32_t{7}).json(), "7");
  EXPECT_EQ(LogField("n", 0.25).json(), "0.25");
  EXPECT_EQ(LogField("n", 0.0 / 0.0).json(), "null");
}

}  // namespace
}  // namespace posewire::service
