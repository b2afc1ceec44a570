#include "libs/service/logger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace posewire::service {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

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
  Logger log("x", {.level = "warning", .format = "text"}, out);
  log.Debug("one");
  log.Info("two");
  EXPECT_EQ(out.str(), "");
  EXPECT_FALSE(log.Enabled(LogLevel::kInfo));
  log.Error("three");
  EXPECT_THAT(out.str(), HasSubstr("error x: three"));
}

TEST(Logger, WritesNothingWhenOffOrEmpty) {
  std::ostringstream out;
  Logger log("x", {.level = "off", .format = "text"}, out);
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

TEST(QuoteText, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(QuoteText("a\xff\x62"), "\"a\xEF\xBF\xBD\x62\"");
  EXPECT_EQ(QuoteText("\xc3"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(QuoteText("\xc0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // Overlong.
  EXPECT_EQ(QuoteText("\xed\xa0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // Surrogate.
  EXPECT_EQ(QuoteText("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"");
}

TEST(LogField, WritesNumbersAsJson) {
  EXPECT_EQ(LogField("n", -3).json(), "-3");
  EXPECT_EQ(LogField("n", uint32_t{7}).json(), "7");
  EXPECT_EQ(LogField("n", 0.25).json(), "0.25");
  EXPECT_EQ(LogField("n", 0.0 / 0.0).json(), "null");
}

}  // namespace
}  // namespace posewire::service
