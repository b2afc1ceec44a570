#include "services/a2f_source/core/dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace posewire::a2f_source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string>& Voices() {
  static const auto& voices = *new std::vector<std::string>{"slt", "rms", "awb"};
  return voices;
}

std::vector<std::string> TurnsOf(absl::string_view text) {
  std::vector<std::string> said;
  const auto turns = ReadDialogue(text, Voices());
  EXPECT_TRUE(turns.ok()) << turns.status();
  if (!turns.ok()) return said;
  for (const Turn& t : *turns) {
    said.push_back(absl::StrCat(t.line, " ", t.who, "/", t.voice, " ", t.text));
  }
  return said;
}

TEST(Dialogue, EachSpeaksWithAVoiceOfTheirOwn) {
  EXPECT_THAT(
      TurnsOf("# A meeting.\n\nanna: Hello: you!\r\n  ben [ awb ] : Hi.\nanna:Bye.\nben: Bye.\n"
              "ben [rms]: No!\nben: Wait."),
      ElementsAre("3 anna/slt Hello: you!", "4 ben/awb Hi.", "5 anna/slt Bye.", "6 ben/awb Bye.",
                  "7 ben/rms No!", "8 ben/rms Wait."));
  EXPECT_THAT(TurnsOf("a: 1\nb: 2\nc: 3\nd: 4"),
              ElementsAre("1 a/slt 1", "2 b/rms 2", "3 c/awb 3", "4 d/slt 4"));
}

TEST(Dialogue, SaysInWhichLineWhatIsWrong) {
  const auto wrong = [](absl::string_view text) {
    return std::string(ReadDialogue(text, Voices()).status().message());
  };
  EXPECT_THAT(wrong("a: Hi.\nHello there"),
              HasSubstr("line 2: a line must begin with the speaker"));
  EXPECT_THAT(wrong(": Hi."), HasSubstr("line 1: who speaks is empty"));
  EXPECT_THAT(wrong("a [slt: Hi."), HasSubstr("line 1: the voice must be in brackets"));
  EXPECT_THAT(wrong("a [bob]: Hi."), HasSubstr("no voice \"bob\"; one of slt, rms, awb is right"));
  EXPECT_THAT(wrong("\n\na:  "), HasSubstr("line 3: \"a\" has no text"));
  EXPECT_THAT(wrong("# nothing"), HasSubstr("there is nothing to say"));
  std::string long_talk;
  for (int i = 0; i < 10'001; ++i) long_talk += "a: b\n";
  EXPECT_THAT(wrong(long_talk), HasSubstr("line 10001: there are more than 10000 turns"));
}

}  // namespace
}  // namespace posewire::a2f_source
