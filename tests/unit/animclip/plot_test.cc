#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/clip_spectrogram.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A second of talk whose voice is a tone of 1 kHz at 16 kHz.
Messages MakeTone() {
  Messages messages = MakeTalk();
  int64_t at = 0;
  for (Message& m : messages) {
    if (!m.has_animation_data()) continue;
    std::string& bytes = *m.mutable_animation_data()->mutable_audio()->mutable_audio_buffer();
    for (size_t i = 0; i + 1 < bytes.size(); i += 2, ++at) {
      const double turn = 2 * 3.14159265358979 * static_cast<double>(at) / 16;
      const auto sample = static_cast<uint16_t>(std::lround(9000 * std::sin(turn)));
      bytes[i] = static_cast<char>(sample & 255);
      bytes[i + 1] = static_cast<char>(sample >> 8);
    }
  }
  return messages;
}

Messages WithoutJoints(Messages messages) {
  messages[0]
      .mutable_animation_data_stream_header()
      ->mutable_skel_animation_header()
      ->clear_joints();
  for (Message& m : messages) {
    if (!m.has_animation_data()) continue;
    m.mutable_animation_data()->mutable_skel_animation()->clear_rotations();
    m.mutable_animation_data()->mutable_skel_animation()->clear_translations();
  }
  return messages;
}

PlotCommandOptions Plotted(const std::string& name, const Messages& messages) {
  PlotCommandOptions options;
  options.in = TempPath("clip.animdata");
  options.out = TempPath(name);
  WriteClipFile(options.in, messages);
  return options;
}

std::string DrawnSvg(const PlotCommandOptions& options) {
  TestConsole c;
  EXPECT_EQ(RunPlot(options, c.console), kDone) << c.err.str();
  return Slurp(options.out);
}

TEST(PlotCommand, AToneOfOneKilohertzIsStrongestAtOneKilohertz) {
  const PlotCommandOptions options = Plotted("tone.svg", MakeTone());
  const auto s = ReadSpectrogram(options.in, {16000, 0.1, 0.9, 50});
  ASSERT_TRUE(s.ok()) << s.status();
  for (int column = 0; column < s->columns; ++column) {
    int best = 0;
    for (int row = 0; row < s->rows; ++row) {
      if (s->at(column, row) > s->at(column, best)) best = row;
    }
    EXPECT_EQ(s->row_hz(best), 1000);
  }
  EXPECT_THAT(DrawnSvg(options), HasSubstr("<image"));
}

TEST(PlotCommand, AnSvgNamesTracksAndJoints) {
  const std::string svg = DrawnSvg(Plotted("talk.svg", MakeTalk()));
  for (const char* name : {"voice", "spectrogram", "jawOpen", "mouthSmile", "r_shoulder",
                           "right wrist", "head", "hips", "left foot"}) {
    EXPECT_THAT(svg, HasSubstr(name));
  }
}

TEST(PlotCommand, LeavesOutWhatAClipDoesNotHave) {
  const std::string mute = DrawnSvg(Plotted("mute.svg", MakeTalk({.audio_hz = 0})));
  EXPECT_THAT(mute, Not(HasSubstr("<image")));
  EXPECT_THAT(mute, Not(HasSubstr("voice")));
  EXPECT_THAT(mute, HasSubstr("right wrist"));
  const std::string face = DrawnSvg(Plotted("face.svg", WithoutJoints(MakeTalk())));
  EXPECT_THAT(face, HasSubstr("<image"));
  EXPECT_THAT(face, HasSubstr("jawOpen"));
  EXPECT_THAT(face, Not(HasSubstr("wrist")));
}

TEST(PlotCommand, DrawsTheTracksThatAreNamed) {
  PlotCommandOptions options = Plotted("some.svg", MakeTalk());
  options.tracks = {"jawOpen", "r_shoulder"};
  const std::string svg = DrawnSvg(options);
  EXPECT_THAT(svg, HasSubstr("jawOpen, r_shoulder"));
  EXPECT_THAT(svg, Not(HasSubstr("mouthSmile")));
  EXPECT_THAT(svg, Not(HasSubstr("position")));
}

TEST(PlotCommand, AnotherClipGoesBehindAndBringsItsLanes) {
  PlotCommandOptions options = Plotted("plot.svg", MakeTalk({.audio_hz = 0}));
  const std::string alone = DrawnSvg(options);
  Messages other = MakeTalk({.audio_hz = 0, .seed = 2});
  other[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->set_joints(
      2, "HumanoidRoot/vl5/l_shoulder");
  options.behind = TempPath("other.animdata");
  WriteClipFile(options.behind, other);
  const std::string both = DrawnSvg(options);
  EXPECT_THAT(alone, Not(HasSubstr("l_shoulder")));
  EXPECT_THAT(both, HasSubstr("l_shoulder"));
  EXPECT_THAT(both, HasSubstr("r_shoulder"));
  EXPECT_GT(both.size(), alone.size());
}

TEST(PlotCommand, DrawsAPng) {
  const std::string png = DrawnSvg(Plotted("talk.png", MakeTalk()));
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_GT(png.size(), 20000u);
}

TEST(PlotCommand, SaysWhatIsWrongAndWritesNothing) {
  const PlotCommandOptions good = Plotted("plot.png", MakeTalk());
  const auto fails = [&](const PlotCommandOptions& o, const char* text) {
    TestConsole c;
    EXPECT_EQ(RunPlot(o, c.console), kNo);
    EXPECT_THAT(c.err.str(), HasSubstr(text));
    EXPECT_FALSE(std::filesystem::exists(o.out));
  };
  PlotCommandOptions o = good;
  o.out = TempPath("plot.bmp");
  fails(o, "plot.bmp\": the name must end in .svg or .png");
  o = good;
  o.tracks = {"jawOpen", "tail"};
  fails(o, "\"tail\"");
  o = good;
  o.instants = 1;
  fails(o, "2 to 48");
  o = good;
  o.from = std::string("5");
  fails(o, "span");
  o = good;
  o.in = "-";
  fails(o, "standard input");
}

}  // namespace
}  // namespace posewire::animclip
