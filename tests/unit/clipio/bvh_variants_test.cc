// BVH has no standard: what other programs write of one and the same take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/formats/bvh/frame_time.h"
#include "tests/unit/clipio/clips.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::clipio {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr DoubtfulFile kTake{"take.bvh"};

// Two joints of 3 channels; so many lines of 6 numbers.
std::string Lines(int announced, int lines, const std::string& frame_time = "0.0333333") {
  std::string text = absl::StrCat(
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
      "JOINT Spine\n{\nOFFSET 0 100 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
      "End Site\n{\nOFFSET 0 70 0\n}\n}\n}\nMOTION\nFrames: ",
      announced, "\nFrame Time: ", frame_time, "\n");
  for (int i = 0; i < lines; ++i) absl::StrAppend(&text, i, " 0 0 10 20 30\n");
  return text;
}

TEST(BvhFrames, MoreOrFewerThanAnnouncedPlayWithARemark) {
  const struct {
    int announced, lines;
    const char* says;
  } cases[] = {{30, 31, "Frames: says 30, but the file has 31; all of them are played"},
               {31, 30, "Frames: says 31, but the file has 30; those are played"},
               {1, 90, "Frames: says 1, but the file has 90; all of them are played"},
               {0, 3, "Frames: says 0, but the file has 3; all of them are played"},
               {-1, 3, "Frames: says -1, but the file has 3; all of them are played"}};
  for (const auto& c : cases) {
    const DoubtedClip read = kTake.Read(Lines(c.announced, c.lines));
    ASSERT_THAT(read.end, IsOk()) << c.says;
    EXPECT_EQ(static_cast<int>(read.frames()), c.lines);
    EXPECT_THAT(read.warnings, ElementsAre(absl::StrCat("take.bvh: ", c.says)));
    EXPECT_TRUE(read.messages.back().has_status());
  }
  EXPECT_THAT(kTake.Read(Lines(30, 30)).warnings, IsEmpty());
  EXPECT_THAT(kTake.Read(Lines(0, 0)).warnings,
              ElementsAre("the clip has no frame, so nothing moves"));
}

TEST(BvhFrames, APartOfOneAfterTheLastIsLeftOutWithARemark) {
  const DoubtedClip read = kTake.Read(Lines(2, 2) + "9 9\n");
  ASSERT_THAT(read.end, IsOk());
  EXPECT_EQ(read.frames(), 2u);
  EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("line 21: 2 numbers after the last frame")));
  EXPECT_EQ(kTake.Read(Lines(3, 2) + "9 9\n").end.code(), absl::StatusCode::kDataLoss);
}

// All later numbers would move other joints, without a word.
TEST(BvhFrames, ALineWithTooFewOrTooManyNumbersIsNamed) {
  const std::string good = Lines(9, 9);
  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"\n4 0 0 10 20 30", "\n4 0 0 10 20", "line 23: 5 numbers; the skeleton has 6 channels"},
      {"\n4 0 0 10 20 30", "\n4 0 0 10 20 30 40", "line 23: there are more numbers than channels"},
      {"\n0 0 0 10 20 30", "\n0 0 0 10 20", "line 19: 5 numbers; the skeleton has 6 channels"},
      {"\n0 0 0 10 20 30", "\n0 0 0 10 20 30 40", "line 19: there are more numbers than channels"},
      {"\n4 0 0 10 20 30", "\n4 0 0-10 20 30", "line 23: \"0-10\" stands for a channel"},
  };
  for (const auto& c : cases) {
    const std::string text = absl::StrReplaceAll(good, {{c.from, c.to}});
    ASSERT_NE(text, good);
    EXPECT_THAT(kTake.Read(text).end, Invalid(HasSubstr(c.says))) << c.to;
  }
  // A skeleton of other channels than the lines have.
  EXPECT_THAT(kTake.Read(absl::StrReplaceAll(good, {{" 20 30\n", " 20 30 40\n"}})).end,
              Invalid(HasSubstr("line 19: ")));
  EXPECT_THAT(kTake.Read(absl::StrReplaceAll(good, {{" 20 30\n", " 20\n"}})).end,
              Invalid(HasSubstr("line 19: 5 numbers")));
}

TEST(BvhFrames, MayBeWrappedOrStandInOneLine) {
  const DoubtedClip wanted = kTake.Read(Lines(5, 5));
  for (const auto& [from, to] : {std::pair{" 10", "\n10"}, std::pair{" 30\n", " 30 "}}) {
    const DoubtedClip read = kTake.Read(absl::StrReplaceAll(Lines(5, 5), {{from, to}}));
    ASSERT_THAT(read.end, IsOk());
    ASSERT_EQ(read.frames(), 5u);
    EXPECT_EQ(read.frame(4).SerializeAsString(), wanted.frame(4).SerializeAsString());
  }
}

TEST(BvhTime, DoubtfulOnesAreSaidWithTheFlagThatChangesThem) {
  const struct {
    const char* text;
    double rate_hz;
    const char* says;
  } cases[] = {
      {"0", 30, "Frame Time: \"0\" says no rate; taken for 30 frames a second (--fps of"},
      {"0.000000", 30, "says no rate; taken for 30"},
      {"-0.0333333", 30, "is below 0; taken for 0.0333333 s a frame (--fps of"},
      {"30", 30, "\"30\" is too long for seconds; taken for 30 frames a second (--fps of"},
      {"29.97", 30000 / 1001.0, "taken for 29.97 frames a second"},
      {"120.0", 120, "taken for 120 frames a second"},
      {"33.333", 30, "taken for 30 frames a second"},
      {"16.67", 60, "taken for 60 frames a second"},
      {"41.7", 24, "taken for 24 frames a second"},
      {"2.5", 0.4, "is 0.4 frames a second; played so (--fps of"},
      {"0.00001", 100000, "is 100000 frames a second; played so"},
  };
  for (const auto& c : cases) {
    const DoubtedClip read = kTake.Read(Lines(3, 3, c.text));
    ASSERT_THAT(read.end, IsOk()) << c.text;
    EXPECT_NEAR(read.frame(2).rotations(0).time_code(), 2 / c.rate_hz, 1e-9 / c.rate_hz) << c.text;
    EXPECT_THAT(read.warnings, ElementsAre(HasSubstr(c.says))) << c.text;
    // Once it is said, nothing is assumed.
    const DoubtedClip said = kTake.Read(Lines(3, 3, c.text), "25");
    EXPECT_EQ(said.frame(2).rotations(0).time_code(), 2 / 25.0);
    EXPECT_THAT(said.warnings, IsEmpty());
  }
  for (const char* text :
       {"0.0333", "0.033", "0.00833333", "0.04", "1", "0.5", ".02", "3.3333e-2"}) {
    EXPECT_THAT(kTake.Read(Lines(3, 3, text)).warnings, IsEmpty()) << text;
  }
}

TEST(BvhTime, IsAnExactRateOnceItIsSaid) {
  const DoubtedClip read = kTake.Read(Lines(300, 300, "0.1"), "29.97");
  EXPECT_DOUBLE_EQ(read.frame(299).rotations(0).time_code(), 299 * 1001 / 30000.0);
}

TEST(BvhTime, AWrittenRateIsReadAsTheSameRate) {
  for (const double step_s : {0.5, 1.0, 3.125, 24.0, 30.0, 40.0, 60.0, 240.0}) {
    Messages clip(1);
    auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
    names.add_joints("a");
    for (int k = 0; k < 4; ++k) {
      clip.emplace_back();
      wire::AddTranslations(k * step_s, {{static_cast<float>(k), 0, 0}}, &clip.back());
    }
    const auto text = kTake.Written(clip);
    ASSERT_THAT(text, IsOk());
    const DoubtedClip back = kTake.Read(*text);
    EXPECT_NEAR(back.frame(back.frames() - 1).rotations(0).time_code(), 3 * step_s, 1e-9);
    EXPECT_FLOAT_EQ(back.place(back.frames() - 1, 0).x, 3);
  }
}

// A random skeleton and walk, of which texts are made.
struct Walk {
  struct Joint {
    std::string name;
    int parent;
    std::vector<std::string> channels;
    std::vector<double> offset;
  };
  std::vector<Joint> joints;
  std::vector<std::vector<double>> frames;
  std::string frame_time;

  explicit Walk(std::mt19937& random) {
    const auto number = [&](int most) {
      return static_cast<int>(random() % 2001) * most / 1000.0 - most;
    };
    const int count = 2 + static_cast<int>(random() % 9);
    size_t channels = 0;
    for (int j = 0; j < count; ++j) {
      Joint joint{absl::StrCat("Bone ", j),
                  j == 0 ? -1 : static_cast<int>(random() % static_cast<unsigned>(j)),
                  {},
                  {}};
      std::vector<std::string> all = {"Xposition", "Yposition", "Zposition",
                                      "Xrotation", "Yrotation", "Zrotation"};
      std::shuffle(all.begin(), all.end(), random);
      all.resize(j == 0 ? 6 : random() % 7);
      joint.channels = all;
      channels += all.size();
      joint.offset = {number(10), 80 + number(10), number(10)};
      joints.push_back(joint);
    }
    const char* times[] = {"0.0333333", "0.016667", "0.01", "0.0333667", "0.04"};
    frame_time = times[random() % std::size(times)];
    for (size_t f = 0; f < 1 + random() % 6; ++f) {
      std::vector<double> frame(channels);
      for (double& value : frame) value = number(180);
      frames.push_back(frame);
    }
  }
};

// Writes it as a program that has its own ways. Without `ways`: as most do.
class WalkText {
 public:
  WalkText(const Walk& walk, std::mt19937* ways) : walk_(walk), ways_(ways) {}

  std::string Make() {
    if (May()) out_ += "\xef\xbb\xbf";
    Word("HIERARCHY");
    End();
    Joint(0);
    Word("MOTION");
    End();
    const bool time_first = May();
    for (int i = 0; i < 2; ++i) (i == 0) == time_first ? Time() : Frames();
    for (const auto& frame : walk_.frames) {
      for (const double value : frame) Number(value);
      End();
    }
    if (May()) out_ += " \t" + end_ + end_;
    if (May()) out_ = std::string(absl::StripTrailingAsciiWhitespace(out_));
    return out_;
  }

 private:
  bool May() { return ways_ != nullptr && (*ways_)() % 2 == 0; }
  size_t Pick(size_t count) { return ways_ == nullptr ? 0 : (*ways_)() % count; }

  void Word(std::string word) {
    const size_t letters = Pick(3);
    if (letters == 1) word = absl::AsciiStrToLower(word);
    if (letters == 2) {
      for (char& c : word) c = static_cast<char>(May() ? std::toupper(c) : std::tolower(c));
    }
    out_ += word;
    Gap();
  }
  void Gap() {
    static const char* const kGaps[] = {" ", "\t", "  ", " \t "};
    out_ += kGaps[Pick(std::size(kGaps))];
  }
  void End() {
    out_ += end_;
    if (Pick(8) == 1) out_ += end_;
    if (May()) Gap();
  }
  void Brace() {
    if (May()) End();
    out_ += "{";
    if (May()) return;  // what follows is next to it
    End();
  }
  void Number(double value) {
    switch (Pick(4)) {
      case 0:
        absl::StrAppend(&out_, absl::StrFormat("%.6f", value));
        break;
      case 1:
        absl::StrAppend(&out_, absl::StrFormat("%.9e", value));
        break;
      case 2:
        absl::StrAppend(&out_, absl::StrFormat("%g", value));
        break;
      default:
        absl::StrAppend(&out_, absl::StrFormat("%+.3f", value));
    }
    Gap();
  }
  void Offset(const std::vector<double>& offset) {
    Word("OFFSET");
    for (const double v : offset) Number(v);
    End();
  }
  void Channels(const std::vector<std::string>& channels) {
    if (channels.empty() && May()) return;
    Word("CHANNELS");
    out_ += absl::StrCat(channels.size());
    Gap();
    for (const std::string& channel : channels) Word(channel);
    if (May()) End();
  }
  void Joint(int index) {
    const Walk::Joint& joint = walk_.joints[static_cast<size_t>(index)];
    Word(joint.parent < 0 ? "ROOT" : "JOINT");
    out_ += joint.name;
    if (May()) Gap();
    if (ways_ == nullptr) End();
    Brace();
    const bool channels_first = May();
    if (channels_first) Channels(joint.channels);
    Offset(joint.offset);
    if (!channels_first) Channels(joint.channels);
    bool leaf = true;
    for (size_t j = 1; j < walk_.joints.size(); ++j) {
      if (walk_.joints[j].parent != index) continue;
      leaf = false;
      Joint(static_cast<int>(j));
    }
    if (leaf && !May()) {
      Word("End");
      Word("Site");
      if (May()) out_ += "Tip of it";
      Brace();
      Offset({0, 1, 0});
      out_ += "}";
      End();
    }
    out_ += "}";
    End();
  }
  void Frames() {
    static const char* const kLabels[] = {"Frames: ", "Frames:", "frames : ", "FRAMES ",
                                          "Frames :"};
    out_ += kLabels[Pick(std::size(kLabels))];
    out_ += absl::StrCat(walk_.frames.size());
    End();
  }
  void Time() {
    static const char* const kLabels[] = {
        "Frame Time: ", "Frame Time:", "frame time : ", "FrameTime: ", "FRAME\tTIME:\t"};
    out_ += kLabels[Pick(std::size(kLabels))] + walk_.frame_time;
    End();
  }

  const Walk& walk_;
  std::mt19937* const ways_;
  std::string out_;
  const std::string end_ = ways_ == nullptr ? "\n" : Pick(3) == 0 ? "\n" : May() ? "\r\n" : "\r";
};

TEST(BvhVariants, OneTakeWrittenInAHundredWaysIsTheSameClip) {
  std::mt19937 random(35);
  for (int round = 0; round < 100; ++round) {
    const Walk walk(random);
    const DoubtedClip wanted = kTake.Read(WalkText(walk, nullptr).Make());
    ASSERT_THAT(wanted.end, IsOk());
    for (int way = 0; way < 5; ++way) {
      const std::string text = WalkText(walk, &random).Make();
      const DoubtedClip read = kTake.Read(text);
      ASSERT_THAT(read.end, IsOk()) << text;
      ASSERT_EQ(read.messages.size(), wanted.messages.size()) << text;
      EXPECT_THAT(read.warnings, IsEmpty());
      for (size_t i = 0; i < read.messages.size(); ++i) {
        ASSERT_EQ(read.messages[i].SerializeAsString(), wanted.messages[i].SerializeAsString())
            << "message " << i << " of\n"
            << text;
      }
    }
  }
}

// Each byte that is lost or doubled gives a clip or one line that says what and where.
TEST(BvhVariants, DamageIsNamedByItsLine) {
  std::mt19937 random(36);
  for (int round = 0; round < 100; ++round) {
    const Walk walk(random);
    std::string text = WalkText(walk, &random).Make();
    const size_t at = random() % text.size();
    if (random() % 2 == 0) {
      text.erase(at, 1 + random() % 4);
    } else {
      text.insert(at, 1, "{}x-\n0"[random() % 6]);
    }
    const DoubtedClip read = kTake.Read(text);
    if (read.end.ok()) continue;
    EXPECT_THAT(std::string(read.end.message()), HasSubstr("take.bvh: line "));
    EXPECT_EQ(read.end.message().find('\n'), absl::string_view::npos) << read.end;
  }
}

}  // namespace
}  // namespace posewire::clipio
