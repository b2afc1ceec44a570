#include "libs/speech/text_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace posewire::speech {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::string_view kText =
    "# Hello\nThis is <gesture name=\"wave\"/>a text, with **marks** <break time=\"0.5s\"/>in it. "
    "Is it? <emotion name='joy' strength='0.5'/>Yes! <lang xml:lang=\"es\">Buenos días.</lang> "
    "The end <expression name=\"wink\"/>";

// Everything that a text gives, as one line.
std::string Describe(TextStream& stream) {
  std::string all;
  while (auto item = stream.Next()) {
    const TextPiece& piece = item->piece;
    all += "[" + piece.text;
    for (const PlacedMark& mark : piece.marks) {
      all += "|" + mark.mark.name + "@" + std::to_string(mark.at);
    }
    if (!piece.language.empty()) all += "|" + piece.language;
    if (piece.pause_s > 0) all += "|pause " + std::to_string(piece.pause_s).substr(0, 3);
    all += "]";
  }
  return all;
}

std::string Read(const std::vector<absl::string_view>& parts) {
  TextStream stream;
  for (const absl::string_view part : parts) stream.Write(part);
  stream.End();
  return Describe(stream);
}

TEST(TextStream, GivesClausesWithWhatHappensInThem) {
  EXPECT_EQ(Read({kText}),
            "[Hello.][This is a text, with marks|wave@8|pause 0.5][in it.][Is it?]"
            "[Yes!|joy@0][Buenos días.|es][The end|wink@7]");
}

TEST(TextStream, DoesNotDependOnWhereTheTextIsCut) {
  const std::string whole = Read({kText});
  for (size_t at = 1; at < kText.size(); ++at) {
    EXPECT_EQ(Read({kText.substr(0, at), kText.substr(at)}), whole) << at;
  }
  std::vector<absl::string_view> bytes;
  for (size_t at = 0; at < kText.size(); ++at) bytes.push_back(kText.substr(at, 1));
  EXPECT_EQ(Read(bytes), whole);
}

TEST(TextStream, WaitsForTheNextPart) {
  TextStream stream;
  stream.Write("One. ");
  std::optional<SayItem> first;
  std::thread reader([&] { first = stream.Next(); });
  // Whether the sentence is over depends on what follows.
  while (!stream.waiting()) std::this_thread::yield();
  stream.Write("Two ");
  reader.join();
  EXPECT_EQ(first->piece.text, "One.");
  stream.Flush();
  EXPECT_EQ(stream.Next()->piece.text, "Two");
  stream.End();
  EXPECT_FALSE(stream.Next());
  EXPECT_FALSE(stream.Next()) << "the end stays the end";
}

TEST(TextStream, GivesLessInAHurry) {
  TextStream stream;
  stream.Write("One two three four five six seven and eight nine te");
  std::optional<SayItem> first;
  std::thread reader([&] { first = stream.Next(); });
  while (!stream.waiting()) std::this_thread::yield();
  stream.Hurry();
  reader.join();
  EXPECT_EQ(first->piece.text, "One two three four five six seven");
  stream.Write("n eleven.");
  stream.End();
  EXPECT_EQ(stream.Next()->piece.text, "and eight nine ten eleven.");
}

TEST(TextStream, IsEndedByACancel) {
  TextStream stream;
  std::thread reader([&] { EXPECT_FALSE(stream.Next()); });
  while (!stream.waiting()) std::this_thread::yield();
  stream.Cancel();
  reader.join();
}

TEST(TextStream, TellsWhenThereIsRoomAgain) {
  TextStream stream;
  int told = 0;
  stream.SetOnRoom([&] { ++told; });
  std::string long_text;
  while (long_text.size() < 2 * TextStream::kRoomBytes) long_text += "And on it goes. ";
  EXPECT_TRUE(stream.has_room());
  stream.Write(long_text);
  EXPECT_FALSE(stream.has_room());
  while (told == 0) ASSERT_TRUE(stream.Next());
  EXPECT_TRUE(stream.has_room());
  stream.SetOnRoom(nullptr);
  stream.Write(long_text);
  while (!stream.has_room()) ASSERT_TRUE(stream.Next());
  EXPECT_EQ(told, 1);
}

TEST(TextStream, CountsSoundForRoom) {
  TextStream stream;
  SayItem item;
  item.sound.emplace();
  item.sound->rate_hz = 8000;
  item.sound->samples.resize(24000);
  stream.Sound(item);
  EXPECT_TRUE(stream.has_room());
  stream.Sound(item);
  EXPECT_FALSE(stream.has_room());
  EXPECT_EQ(stream.Next()->sound->samples.size(), 24000u);
  EXPECT_TRUE(stream.has_room());
}

TEST(TextStream, CountsWhatPartsTakeBesidesTextAndSound) {
  const auto parts_until_full = [](const SayItem& item) {
    TextStream stream;
    size_t parts = 0;
    for (; stream.has_room(); ++parts) stream.Sound(item);
    for (size_t i = 0; i < parts; ++i) EXPECT_TRUE(stream.Next());
    EXPECT_TRUE(stream.has_room());
    return parts;
  };
  SayItem item;
  item.sound.emplace();
  item.sound->rate_hz = 8000;
  EXPECT_LE(parts_until_full(item), TextStream::kRoomPartBytes / sizeof(SayItem) + 1);
  item.sound->phonemes.assign(100, {"a", 0, 0, false});
  EXPECT_LE(parts_until_full(item), TextStream::kRoomPartBytes / (100 * sizeof(Phoneme)) + 1);
  // 20 ms of voice with a word: five seconds of it find room.
  item.sound->phonemes.clear();
  item.sound->samples.resize(160);
  item.sound->words.push_back({"word", 0, 0.02, 0.01, true});
  EXPECT_GE(parts_until_full(item), 250u);
}

TEST(TextStream, CountsATextThatIsTakenInPortions) {
  TextStream stream;
  const std::string part(1000, 'a');
  stream.Write(part + " ");
  for (int i = 0; i < 10; ++i) {
    stream.Write(part + ". ");
    stream.Flush();
  }
  EXPECT_FALSE(stream.has_room());
  std::string said;
  stream.End();
  while (auto item = stream.Next()) said += item->piece.text;
  EXPECT_EQ(std::count(said.begin(), said.end(), 'a'), 11000);
  EXPECT_TRUE(stream.has_room());
}

TEST(TextStream, NotesWhatItLeavesOut) {
  TextStream stream;
  stream.Write("A <emotion/>b <break time=\"long\"/>c \xF0\x9F\x8E\x89.");
  stream.End();
  EXPECT_EQ(Describe(stream), "[A b c .]");
  const std::vector<std::string> notes = stream.TakeNotes();
  EXPECT_THAT(notes, ElementsAre(HasSubstr("<emotion name=\"...\"/> is right"),
                                 HasSubstr("time \"long\""), HasSubstr("U+1F389")));
  EXPECT_THAT(stream.TakeNotes(), IsEmpty());
}

TEST(TextStream, KeepsFewMarksThatNoWordFollows) {
  TextStream stream;
  for (int i = 0; i < 1000; ++i) stream.Write("<gesture name=\"wave\"/>");
  stream.Write("Word.");
  stream.End();
  EXPECT_EQ(stream.Next()->piece.marks.size(), 100u);
  EXPECT_THAT(stream.TakeNotes()[0], HasSubstr("more than 100 marks"));
}

TEST(TextStream, TakesMarksAsFieldsToo) {
  TextStream stream;
  stream.Write("Well ");
  ASSERT_TRUE(stream.Mark({TextMark::kGesture, "bow", 1}).ok());
  EXPECT_THAT(stream.Mark({TextMark::kGesture, "a\"b", 1}).message(), HasSubstr("without <, >"));
  EXPECT_THAT(stream.Mark({TextMark::kPause, "", 11}).message(), HasSubstr("11 s, 0 to 10"));
  stream.Write("done.");
  stream.End();
  EXPECT_EQ(Describe(stream), "[Well done.|bow@5]");
}

TEST(TextStream, TakesMarksWhateverTheTextBefore) {
  for (const char* text :
       {"a ", "a < b ", "a & ", "a [b ", "a (c) ", "`a` ", "a *b ", "a_", "a. "}) {
    TextStream stream;
    stream.Write(text);
    ASSERT_TRUE(stream.Mark({TextMark::kGesture, "bow", 1}).ok());
    stream.Write("done.");
    stream.End();
    const std::string all = Describe(stream);
    EXPECT_THAT(all, HasSubstr("|bow@")) << text;
    EXPECT_THAT(all, ::testing::Not(HasSubstr("gesture"))) << text;
  }
}

TEST(TextStream, TakesAMarkAfterABackslash) {
  TextStream stream;
  stream.Write("C:\\");
  ASSERT_TRUE(stream.Mark({TextMark::kGesture, "bow", 1}).ok());
  stream.Write(" done.");
  stream.End();
  EXPECT_EQ(Describe(stream), "[C: done.|bow@3]");
}

TEST(TextStream, KeepsAMarkWithinItsText) {
  TextStream stream;
  stream.Write("Bye <gesture name=\"bow\"/><lang xml:lang=\"es\">adios</lang>");
  stream.End();
  EXPECT_THAT(Describe(stream), HasSubstr("[Bye|bow@3"));
}

TEST(TextMark, ComesBackFromItsTag) {
  const TextMark marks[] = {{TextMark::kGesture, "Wave_1", 1}, {TextMark::kExpression, "wink", 1},
                            {TextMark::kEmotion, "joy", 0.25}, {TextMark::kPause, "", 1.5},
                            {TextMark::kLanguage, "pt-BR", 1}, {TextMark::kLanguage, "", 1}};
  for (const TextMark& mark : marks) {
    const auto tag = TagOf(mark);
    ASSERT_TRUE(tag.ok()) << tag.status();
    const auto read = ParseMarkTag(*tag);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_TRUE(*read) << *tag;
    EXPECT_EQ((*read)->kind, mark.kind);
    EXPECT_EQ((*read)->name, mark.name);
    EXPECT_DOUBLE_EQ((*read)->value, mark.value);
  }
}

TEST(TextMark, ReadsAttributesInAnyOrderAndForm) {
  for (const char* tag :
       {"<emotion name=\"joy\" strength=\"0.5\"/>", "<EMOTION strength='0.5' Name='joy'>",
        "<emotion name = joy strength=0.5/>", "<emotion x=\"name=grief\" name=joy strength=.5 />",
        "<emotion renamed=\"fear\" name=\"joy\" strength=\"0.5\"/>",
        "<emotion loud name=\"joy\"strength=\"0.5\"/>"}) {
    const auto read = ParseMarkTag(tag);
    ASSERT_TRUE(read.ok()) << tag << read.status();
    ASSERT_TRUE(*read) << tag;
    EXPECT_EQ((*read)->name, "joy") << tag;
    EXPECT_EQ((*read)->value, 0.5) << tag;
  }
  for (const char* name : {"a strength=2 b", " name=c ", "it's", "/", "=", "Grüße"}) {
    const TextMark mark{TextMark::kEmotion, name, 0.5};
    const auto read = ParseMarkTag(TagOf(mark).value());
    ASSERT_TRUE(read.ok()) << name << read.status();
    EXPECT_EQ((*read)->name, name);
    EXPECT_EQ((*read)->value, 0.5) << name;
  }
}

TEST(TextMark, RejectsTagsWithoutARightValue) {
  for (const char* tag :
       {"<gesture>", "<gesture/>", "<gesture name>", "<gesture name=>", "<gesture name=\"\"/>",
        "<gesture name=\"wave/>", "<gesture title=\"a\"/>", "<break time=\"11s\"/>",
        "<break time=\"-1s\"/>", "<break time=\"nan\"/>",
        "<emotion name=\"joy\" strength=\"1.1\"/>", "<emotion name=\"joy\" strength=\"loud\"/>"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseMarkTag(tag).status())) << tag;
  }
}

TEST(TextMark, LeavesOtherTagsAlone) {
  for (const char* tag : {"<b>", "</b>", "<p class=\"x\">", "<!-- break -->", "</emotion>"}) {
    const auto read = ParseMarkTag(tag);
    EXPECT_TRUE(read.ok() && !*read) << tag;
  }
}

}  // namespace
}  // namespace posewire::speech
