#include "libs/program/terminal_text.h"

#include <gtest/gtest.h>

namespace posewire::program {
namespace {

TEST(TerminalText, LeavesTextOfAllLanguagesAlone) {
  for (const char* text : {"", "jawOpen", "a/b c", "C:\\clips", "Mütze", "手/指", "😀", "\u00a0"}) {
    EXPECT_EQ(TerminalText(text), text);
  }
}

TEST(TerminalText, EscapesWhatATerminalObeys) {
  EXPECT_EQ(TerminalText("\x1b]0;pwned\x07"), "\\u001b]0;pwned\\u0007");
  EXPECT_EQ(TerminalText("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(TerminalText(absl::string_view("a\0b\x7f", 4)), "a\\u0000b\\u007f");
  EXPECT_EQ(TerminalText("\u0080\u009b31m\u009f"), "\\u0080\\u009b31m\\u009f");
}

TEST(TerminalText, EscapesWhatTurnsOrBreaksOtherText) {
  EXPECT_EQ(TerminalText("\u2028\u2029\u202a\u202e\u2066\u2069"),
            "\\u2028\\u2029\\u202a\\u202e\\u2066\\u2069");
  EXPECT_EQ(TerminalText("\u061c\u200e\u200f"), "\\u061c\\u200e\\u200f");
  EXPECT_EQ(TerminalText("\u2027\u202f\u2065\u206a"), "\u2027\u202f\u2065\u206a");
}

TEST(TerminalText, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(TerminalText("a\xff\x62"), "a\\xffb");
  EXPECT_EQ(TerminalText("\xc3"), "\\xc3");
  EXPECT_EQ(TerminalText("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
  EXPECT_EQ(TerminalText("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(TerminalText("\xe0\x80\x8a"), "\\xe0\\x80\\x8a") << "overlong";
  EXPECT_EQ(TerminalText("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past U+10FFFF";
}

TEST(TerminalLines, IndentLinesAfterTheFirst) {
  EXPECT_EQ(TerminalLines("one"), "one");
  EXPECT_EQ(TerminalLines("one\ntwo\x1b\nthree"), "one\n  two\\u001b\n  three");
}

}  // namespace
}  // namespace posewire::program
