#include "libs/formats/bvh/bvh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/format_table.h"
#include "libs/recording/clip_reader.h"
#include "libs/skel/math.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/clips.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr MemoryFile kBvh{"take.bvh"};

// A root of 6 channels and a joint 100 units above it with these; the numbers of one frame.
std::string Small(const std::string& channels, const std::string& numbers,
                  const std::string& frame_time = "0.0333333") {
  const int count = 1 + static_cast<int>(std::count(channels.begin(), channels.end(), ' '));
  return absl::StrFormat(
      "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n"
      "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
      "  JOINT Spine\n  {\n    OFFSET 0 100 0\n    CHANNELS %d %s\n"
      "    End Site\n    {\n      OFFSET 0 70 0\n    }\n  }\n}\n"
      "MOTION\nFrames: 1\nFrame Time: %s\n0 0 0 0 0 0 %s\n",
      count, channels, frame_time, numbers);
}

skel::Quat About(char axis, float degrees) {
  return skel::FromAxisAngle({axis == 'X' ? 1.f : 0, axis == 'Y' ? 1.f : 0, axis == 'Z' ? 1.f : 0},
                             degrees * (std::numbers::pi_v<float> / 180));
}

void ExpectNear(skel::Quat a, skel::Quat b, float tolerance = 1e-6f) {
  if (skel::Dot(a, b) < 0) b = -b;
  EXPECT_NEAR(a.w, b.w, tolerance);
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Bvh, TurnsInTheOrderInWhichChannelsAreListed) {
  std::string order = "XYZ";
  int orders = 0;
  do {
    const std::string channels =
        absl::StrFormat("%crotation %crotation %crotation", order[0], order[1], order[2]);
    const ReadClip read = kBvh.Read(Small(channels, "30 -40 75"));
    ASSERT_THAT(read.end, IsOk()) << order;
    ASSERT_EQ(read.frames(), 1u);
    ExpectNear(read.turn(0, 1), skel::Mul(skel::Mul(About(order[0], 30), About(order[1], -40)),
                                          About(order[2], 75)));
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 6);
}

TEST(Bvh, MeetsWhatIsKnownOfTwoOrders) {
  const ReadClip zyx = kBvh.Read(Small("Zrotation Yrotation Xrotation", "90 0 90"));
  ExpectNear(zyx.turn(0, 1), {.5f, .5f, .5f, .5f});
  const ReadClip xyz = kBvh.Read(Small("Xrotation Yrotation Zrotation", "90 0 90"));
  ExpectNear(xyz.turn(0, 1), {.5f, .5f, -.5f, .5f});
}

TEST(Bvh, TakesAnyChannelsInAnyOrder) {
  const ReadClip read = kBvh.Read(Small("yROTATION Zposition XPOSITION Zrotation", "20 5 -6 30"));
  ASSERT_THAT(read.end, IsOk());
  ExpectNear(read.turn(0, 1), skel::Mul(About('Y', 20), About('Z', 30)));
  // Positions stand for the OFFSET; what has no channel keeps it. 170 units high: centimetres.
  EXPECT_FLOAT_EQ(read.place(0, 1).x, -0.06f);
  EXPECT_FLOAT_EQ(read.place(0, 1).y, 1.0f);
  EXPECT_FLOAT_EQ(read.place(0, 1).z, 0.05f);
}

TEST(Bvh, KeepsBlanksAndColonsOfNamesAndTakesSeveralRoots) {
  const ReadClip read = kBvh.Read(
      "\xef\xbb\xbfhierarchy\r\nROOT rig:Left Arm {\r\nOFFSET 0 0 0\r\nCHANNELS 1 Xrotation\r\n"
      "JOINT b c\r\n{\r\nOFFSET 0 2 0\r\nCHANNELS 0\r\n}\r\n}\r\n"
      "ROOT Ball\r\n{\r\nOFFSET 1 0 0\r\nCHANNELS 3 Xposition Yposition Zposition\r\n}\r\n"
      "MOTION\r\nFrames: 2\r\nFrame Time: 0.5\r\n90 1 2 3\r\n0 4 5 6\r\n");
  ASSERT_THAT(read.end, IsOk());
  EXPECT_THAT(read.joints(), ElementsAre("rig:Left Arm", "rig:Left Arm/b c", "Ball"));
  ASSERT_EQ(read.frames(), 2u);
  ExpectNear(read.turn(0, 0), About('X', 90));
  EXPECT_FLOAT_EQ(read.place(1, 2).z, 6);
  EXPECT_EQ(read.messages.back().status().code(), nvidia_ace::status::v1::Status::SUCCESS);
}

TEST(Bvh, TimesAreThoseOfTheRateThatIsMeant) {
  const struct {
    const char* text;
    double num, den;
  } cases[] = {{"0.0333333", 1, 30},
               {"0.033333", 1, 30},
               {"0.0083333", 1, 120},
               {"0.016667", 1, 60},
               {"0.0333667", 1001, 30000},
               {"0.01", 1, 100},
               {"0.033333333333333333", 1, 30},
               {"0.03", 3, 100},
               {"0.0421234", 0.0421234, 1}};
  for (const auto& c : cases) {
    std::string text = Small("Xrotation", "1", c.text);
    text = absl::StrReplaceAll(text, {{"Frames: 1", "Frames: 200"}});
    for (int i = 1; i < 200; ++i) absl::StrAppend(&text, "0 0 0 0 0 0 1\n");
    const ReadClip read = kBvh.Read(text);
    ASSERT_THAT(read.end, IsOk());
    for (size_t k : {1u, 7u, 199u}) {
      const double time_code_s = read.frame(k).rotations(0).time_code();
      EXPECT_DOUBLE_EQ(time_code_s, static_cast<double>(k) * c.num / c.den) << c.text;
    }
  }
}

// Several joints, levels and leaves in a random skeleton, and a random walk.
Messages RandomClip(std::mt19937& random, double num, double den) {
  std::normal_distribution<float> normal;
  Messages messages(1);
  auto& names =
      *messages[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.add_joints("Root");
  wire::Float3s offsets = {{0, 1, 0}};
  for (int j = 1; j < 12; ++j) {
    const int parent = static_cast<int>(random() % static_cast<unsigned>(j));
    names.add_joints(absl::StrCat(names.joints(parent), "/j", j));
    offsets.push_back({normal(random) * .3f, normal(random) * .3f, normal(random) * .3f});
  }
  for (int k = 0; k < 9; ++k) {
    wire::Float3s places = offsets;
    places[0] = {normal(random), normal(random), normal(random)};
    places[5][1] += normal(random);
    wire::Quats turns;
    for (size_t j = 0; j < offsets.size(); ++j) {
      const skel::Quat q = skel::Normalized(
          skel::Quat{normal(random), normal(random), normal(random), normal(random)});
      turns.push_back({q.w, q.x, q.y, q.z});
    }
    // One with Y upright, where Z and X are one.
    const skel::Quat upright = skel::Mul(About('Z', 25), About('Y', k % 2 == 0 ? 90 : -90));
    turns[3] = {upright.w, upright.x, upright.y, upright.z};
    messages.emplace_back();
    wire::AddTranslations(k * den / num, places, &messages.back());
    wire::AddRotations(k * den / num, turns, &messages.back());
  }
  messages.emplace_back().mutable_status();
  return messages;
}

TEST(Bvh, AWrittenFileReadsBack) {
  std::mt19937 random(5);
  const std::pair<double, double> rates[] = {{24, 1}, {30, 1}, {30000, 1001}, {120, 1}, {7.3, 1}};
  for (const auto& [num, den] : rates) {
    const Messages clip = RandomClip(random, num, den);
    const auto text = kBvh.Written(clip);
    ASSERT_THAT(text, IsOk());
    const ReadClip back = kBvh.Read(*text);
    ASSERT_THAT(back.end, IsOk());
    ASSERT_EQ(back.messages.size(), clip.size());
    const ReadClip before{clip, {}};
    const std::vector<std::string> names = before.joints(), names_back = back.joints();
    for (size_t k = 0; k < back.frames(); ++k) {
      const double time_code_s = before.frame(k).rotations(0).time_code();
      EXPECT_NEAR(back.frame(k).rotations(0).time_code(), time_code_s, num == 7.3 ? 1e-12 : 0);
      for (size_t j = 0; j < names.size(); ++j) {
        const auto found = std::find(names_back.begin(), names_back.end(), names[j]);
        ASSERT_NE(found, names_back.end()) << names[j];
        const int b = static_cast<int>(found - names_back.begin());
        ExpectNear(back.turn(k, b), before.turn(k, static_cast<int>(j)), 2e-6f);
        const skel::Vec3 off = back.place(k, b) - before.place(k, static_cast<int>(j));
        EXPECT_LT(skel::Length(off), 1e-6f);
      }
    }
    // And the text of what was read is the same once more.
    const auto again = kBvh.Written(back.messages);
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(kBvh.Read(*again).messages.size(), clip.size());
  }
}

TEST(Bvh, AllOrdersReadBackAfterWriting) {
  std::string order = "XYZ";
  do {
    const std::string channels =
        absl::StrFormat("%crotation %crotation %crotation", order[0], order[1], order[2]);
    const ReadClip read = kBvh.Read(Small(channels, "-130 85 12.5"));
    const auto text = kBvh.Written(read.messages);
    ASSERT_THAT(text, IsOk());
    const ReadClip back = kBvh.Read(*text);
    ExpectNear(back.turn(0, 1), read.turn(0, 1));
    EXPECT_FLOAT_EQ(back.place(0, 1).y, read.place(0, 1).y);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Bvh, AnglesDoNotJumpBetweenFrames) {
  Messages clip(1);
  auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.add_joints("Root");
  for (int k = 0; k <= 40; ++k) {
    clip.emplace_back();
    const skel::Quat q = About('Z', static_cast<float>(k) * 20);  // more than two turns
    wire::AddTranslations(k / 30.0, {{0, 0, 0}}, &clip.back());
    wire::AddRotations(k / 30.0, {{q.w, q.x, q.y, q.z}}, &clip.back());
  }
  const auto text = kBvh.Written(clip);
  ASSERT_THAT(text, IsOk());
  EXPECT_THAT(*text, HasSubstr("\n0.000000 0.000000 0.000000 800.00"));
}

TEST(Bvh, LengthsReadBackInMetresWhateverTheSize) {
  for (const float size_m : {0.01f, 0.3f, 0.5f, 1.7f, 9.f, 11.f, 300.f}) {
    Messages clip(1);
    auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
    names.add_joints("A");
    names.add_joints("A/B");
    clip.emplace_back();
    wire::AddTranslations(0, {{0, 0, 0}, {0, size_m, 0}}, &clip.back());
    const auto text = kBvh.Written(clip);
    ASSERT_THAT(text, IsOk());
    EXPECT_NEAR(kBvh.Read(*text).place(0, 1).y, size_m, size_m * 1e-5f) << size_m;
  }
}

TEST(Bvh, WritesTheWholeBodyOfABuiltInRig) {
  Messages clip(1);
  auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (const char* name : {"l_shoulder", "l_elbow", "r_shoulder"}) names.add_joints(name);
  clip.emplace_back();
  const skel::Quat up = About('Z', 70);
  wire::AddRotations(0, {{1, 0, 0, 0}, {up.w, up.x, up.y, up.z}, {1, 0, 0, 0}}, &clip.back());
  const auto text = kBvh.Written(clip);
  ASSERT_THAT(text, IsOk());
  const ReadClip back = kBvh.Read(*text);
  ASSERT_THAT(back.end, IsOk());
  ASSERT_GT(back.joints().size(), 17u);
  EXPECT_THAT(back.joints(), ::testing::Contains(::testing::EndsWith("l_shoulder/l_elbow")));
  for (size_t j = 0; j < back.joints().size(); ++j) {
    const bool elbow = back.joints()[j].ends_with("/l_elbow");
    ExpectNear(back.turn(0, static_cast<int>(j)), elbow ? up : skel::Quat{});
  }
}

TEST(Bvh, ClipsThatItCannotHoldAreRejected) {
  ace::AnimationDataStream unknown;
  unknown.mutable_animation_data_stream_header()->mutable_skel_animation_header()->add_joints("x");
  EXPECT_THAT(kBvh.Written({unknown}), Invalid(HasSubstr("no translations")));
  ace::AnimationDataStream face;
  face.mutable_animation_data_stream_header()->mutable_skel_animation_header()->add_blend_shapes(
      "jawOpen");
  EXPECT_THAT(kBvh.Written({face}), Invalid(HasSubstr("the clip has no joints")));
  EXPECT_THAT(kBvh.Written({wire::Weights(0, {1})}), testing::Not(IsOk()));
  const auto joint = [](const std::string& name, float y, double end_s) {
    Messages clip(1);
    auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
    names.add_joints(name);
    names.add_joints("b");
    clip.emplace_back();
    wire::AddTranslations(0, {{0, y, 0}, {0, 0, 0}}, &clip.back());
    wire::AddTranslations(end_s, {{0, y, 0}, {0, 0, 0}}, &clip.back());
    return kBvh.Written(clip);
  };
  EXPECT_THAT(joint("a", 1, 1), IsOk());
  EXPECT_THAT(joint("a{", 1, 1), Invalid(HasSubstr("joint \"a{\"")));
  EXPECT_THAT(joint("c/b", 1, 1), Invalid(HasSubstr("two joints \"b\"")));
}

TEST(Bvh, UnevenKeysBecomeAFewFramesEach) {
  Messages clip(1);
  auto& names = *clip[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.add_joints("a");
  clip.emplace_back();
  for (const double time_code_s : {0.0, 1e-9, 2e-9, 200.0}) {
    wire::AddTranslations(time_code_s, {{static_cast<float>(time_code_s), 0, 0}}, &clip.back());
  }
  const auto text = kBvh.Written(clip);
  ASSERT_THAT(text, IsOk());
  const ReadClip back = kBvh.Read(*text);
  EXPECT_EQ(back.frames(), 65u);
  EXPECT_FLOAT_EQ(back.place(32, 0).x, 100);
}

TEST(Bvh, ErrorsNameTheLine) {
  const std::string good = Small("Xrotation", "1");
  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"HIERARCHY", "HIERARCHIE", "line 1: \"HIERARCHIE\" stands where HIERARCHY should"},
      {"ROOT Hips", "ROOT", "line 3: a joint has no name"},
      {"JOINT Spine", "JOINT a/b", "line 6: the joint's name \"a/b\" holds a \"/\""},
      {"OFFSET 0 100 0", "OFFSET 0 nan 0", "line 8: \"nan\" stands for a part of OFFSET"},
      {"OFFSET 0 100 0", "OFFSET 0 1e39 0", "line 8: \"1e39\" is too large"},
      {"CHANNELS 1", "CHANNELS 12", "line 9: CHANNELS 12; must be 0 to 9"},
      {"1 Xrotation", "1 Wrotation", "line 9: channel 0 is \"Wrotation\""},
      {"Frames: 1", "Frames: one", "line 17: Frames: \"one\"; must be a whole number"},
      {"Frame Time: 0.0333333", "Frame Time: nan", "line 18: Frame Time: \"nan\"; must be seconds"},
      {"Frame Time: 0.0333333", "Frame Time: 3e9", "line 18: Frame Time: \"3e9\"; must be seconds"},
      {"0 0 0 0 0 0 1", "0 0 0 0,5 0 0 1", "line 19: \"0,5\" stands for a channel"},
      {"0 0 0 0 0 0 1", "0 0 0 0 0 0 1\nend", "line 20: \"end\" stands for a channel"},
      {"CHANNELS 1 Xrotation", "CHANNELS 0 JOINT B\n{ } JOINT B\n{ }",
       "line 10: there are two joints \"B\""},
  };
  for (const auto& c : cases) {
    const std::string text = absl::StrReplaceAll(good, {{c.from, c.to}});
    ASSERT_NE(text, good) << c.from;
    EXPECT_THAT(kBvh.Read(text).end,
                Invalid(AllOf(HasSubstr("take.bvh: line "), HasSubstr(c.says))))
        << c.from;
  }
  const ReadClip torn = kBvh.Read(good.substr(0, good.size() - 3));
  EXPECT_EQ(torn.end.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(torn.end.message()), HasSubstr("ends within frame 0 of 1"));
  EXPECT_EQ(kBvh.Read(good.substr(0, good.find("JOINT"))).end.code(), absl::StatusCode::kDataLoss);
}

TEST(Bvh, HugeCountsTakeNoMemoryAndNestingEnds) {
  const std::string many =
      absl::StrReplaceAll(Small("Xrotation", "1"), {{"Frames: 1", "Frames: 9000000000000000000"}});
  EXPECT_EQ(kBvh.Read(many).frames(), 1u);
  std::string deep = "HIERARCHY ROOT a\n{\n";
  for (int i = 0; i < 300; ++i) deep += "JOINT a\n{\n";
  EXPECT_THAT(kBvh.Read(deep).end, Invalid(HasSubstr("over 256 joints within each other")));
  std::string wide = "HIERARCHY ROOT a\n{\n";
  for (int i = 0; i < 1100; ++i) absl::StrAppend(&wide, "JOINT b", i, "\n{\n}\n");
  EXPECT_THAT(kBvh.Read(wide).end, Invalid(HasSubstr("over 1024 joints")));
  std::string idle = "HIERARCHY ROOT a\n{\nCHANNELS 1 Xrotation\n";
  for (int i = 0; i < 100; ++i) absl::StrAppend(&idle, "JOINT b", i, "\n{\n}\n");
  EXPECT_THAT(kBvh.Read(idle + "}\nMOTION\n").end,
              Invalid(HasSubstr("101 joints have 1 channels")));
}

TEST(Bvh, IsToldByItsEndingAndByItsFirstWord) {
  EXPECT_EQ(*FormatOf("Walk.BVH"), Format::kBvh);
  EXPECT_EQ(FormatOfBytes(Small("Xrotation", "1")), Format::kBvh);
}

// A take that somebody else captured, where there is one beside the tree.
TEST(Bvh, TakesAFileOfAnotherProgram) {
  const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) + "/../shared/data/freebvh.bvh",
                     std::ios::binary);
  if (!file) GTEST_SKIP() << "no ../shared/data/freebvh.bvh";
  const ReadClip read = kBvh.Read({std::istreambuf_iterator<char>(file), {}});
  ASSERT_THAT(read.end, IsOk());
  ASSERT_GT(read.frames(), 1u);
  const auto text = kBvh.Written(read.messages);
  ASSERT_THAT(text, IsOk());
  const ReadClip back = kBvh.Read(*text);
  ASSERT_EQ(back.joints(), read.joints());
  ASSERT_EQ(back.frames(), read.frames());
  for (size_t k = 0; k < read.frames(); ++k) {
    EXPECT_EQ(back.frame(k).rotations(0).time_code(), read.frame(k).rotations(0).time_code());
    for (int j = 0; j < static_cast<int>(read.joints().size()); ++j) {
      ExpectNear(back.turn(k, j), read.turn(k, j));
      EXPECT_LT(skel::Length(back.place(k, j) - read.place(k, j)), 1e-6f);
    }
  }
}

TEST(Bvh, NothingIsAppendedToOne) {
  WriteOptions options;
  options.append = true;
  EXPECT_THAT(ClipWriter::Open(testing::TempDir() + "/none.bvh", options),
              Invalid(HasSubstr("nothing can be appended to .bvh")));
}

}  // namespace
}  // namespace posewire::clipio
