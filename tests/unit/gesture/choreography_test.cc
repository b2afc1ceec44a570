// Gestures from text: what is made of them, and what is said of what is wrong.
#include "libs/gesture_loader/choreography.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "libs/gesture_loader/builtin_files.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/skel/local_to_model_job.h"

namespace posewire::gesture {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const skel::Rig> Standard() {
  static const auto& catalog = *new skel::RigCatalog(*skel::RigCatalog::Builtin("arkit68"));
  return *catalog.Find("hanim_loa3");
}

std::string Slurp(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::filesystem::path Source() { return POSEWIRE_SOURCE_DIR; }

std::string Wrong(const std::string& moves, const std::string& more = "") {
  const auto file = ParseChoreography(
      absl::StrCat("gestures {\n  name: \"a\"\n  length_s: 2\n", more, moves, "\n}\n"), "a.txt");
  EXPECT_FALSE(file.ok());
  return std::string(file.status().message());
}

std::shared_ptr<const clip::Clip> Made(const std::string& text) {
  const auto file = ParseChoreography(text, "");
  EXPECT_TRUE(file.ok()) << file.status();
  return MakeClip(file->gestures(0), *Body::Make(*Standard()), Standard());
}

TEST(Choreography, EveryBuiltInFileIsRightAndEachOfItsGesturesIsThere) {
  size_t gestures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Source() / "data" / "gestures")) {
    if (entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(Slurp(entry.path()), BuiltinGestureFile(name)) << name;
    const auto file = ParseChoreography(BuiltinGestureFile(name), name);
    ASSERT_TRUE(file.ok()) << file.status();
    gestures += static_cast<size_t>(file->gestures_size());
  }
  EXPECT_EQ(gestures, GestureNames().size());
  EXPECT_EQ(gestures, 100u);
}

TEST(Choreography, TheExampleOfTheDocsIsTheFileAndWaves) {
  const std::string text = Slurp(Source() / "data/gestures/examples/my_wave.gesture.txtpb");
  EXPECT_THAT(Slurp(Source() / "docs/gestures.md"), HasSubstr("```\n" + text + "```"));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  const auto wave = Made(text);
  EXPECT_EQ(wave->name(), "my_wave");
  const auto wrist = static_cast<size_t>(Body::Make(*Standard())->arm(Side::kRight).wrist);
  const auto high = [&](int frame) {
    skel::LocalToModelJob walk;
    std::vector<skel::Vec3> places(static_cast<size_t>(Standard()->joints()));
    walk.rig = Standard().get();
    walk.local = wave->frame(frame);
    walk.positions = absl::MakeSpan(places);
    EXPECT_TRUE(walk.Run());
    return places[wrist].y;
  };
  EXPECT_LT(high(0), 1.0f);
  EXPECT_NEAR(high(20), 1.52f, 0.05f);
}

TEST(Choreography, SidesWithoutANameAreBothAndAStarIsLeftAndRight) {
  const auto clip = Made(R"(gestures { name: "a" length_s: 1
      moves { at_s: [0.1, 0.5] arm { bends { joint: ELBOW degrees: 90 } } }
      moves { at_s: [0.1, 0.3, 0.6, 0.9] shape { names: "mouthSmile*" weight: 1 } } })");
  const skel::PoseView pose = clip->frame(15);
  for (const char* joint : {"l_elbow", "r_elbow"}) {
    EXPECT_TRUE(pose.has_r[Standard()->FindJoint(joint)]) << joint;
  }
  for (const char* shape : {"mouthSmileLeft", "mouthSmileRight"}) {
    EXPECT_NEAR(pose.weights[Standard()->FindShape(shape)], 1, 0.02) << shape;
  }
  EXPECT_FALSE(pose.has_w[Standard()->FindShape("jawOpen")]);
}

TEST(Choreography, ErrorsNameTheLineAndWhatIsValid) {
  EXPECT_THAT(Wrong("moves { at_s: [0.5, 0.2] home {} }"),
              HasSubstr("a.txt:4: gesture \"a\", moves[0]: at_s goes back from 0.5 to 0.2"));
  EXPECT_THAT(Wrong("moves { at_s: [0.1] home {} }"), HasSubstr("at_s has 1 times; two"));
  EXPECT_THAT(Wrong("moves { at_s: [0.1, nan] home {} }"), HasSubstr("at_s is nan; 0 to 7"));
  EXPECT_THAT(
      Wrong("moves { at_s: [0, 1] arm { place: \"upp\" } }",
            "places { name: \"up\" wrist: [0,1,0] fingers: [0,1,0] palm: [0,0,1] }\n"),
      HasSubstr("a.txt:5: gesture \"a\", moves[0]: there is no place \"upp\"; did you mean up"));
  EXPECT_THAT(Wrong("moves { at_s: [0, 1] home {} }", "places { name: \"up\" wrist: [0, 1] }\n"),
              HasSubstr("a.txt:4: gesture \"a\", place \"up\": wrist has 2 numbers; three"));
  EXPECT_THAT(Wrong("moves { at_s: [0, 1] turn { to: [0, 999, 0] } }"),
              HasSubstr("turn.to is 999; -180 to 180 is right"));
  EXPECT_THAT(Wrong("moves { at_s: [0, 1, 2] keys { joint: ELBOW degrees: 3 } }"),
              HasSubstr("at_s has 3 times, and keys.degrees 1 values"));
  EXPECT_THAT(Wrong("moves { swing { times: 1 } shape { names: \"jawOpen\" } }"),
              HasSubstr("swing is of kind POSTURE and LAYER alone"));
  EXPECT_THAT(Wrong("moves { at_s: [0, 1] }"), HasSubstr("one of arm, home, hand"));
  EXPECT_THAT(Wrong("moves { at_s: [0, 1] turm {} }"),
              HasSubstr("there is no field \"turm\" here"));
  EXPECT_THAT(Wrong(""), HasSubstr("it has no moves"));
  const std::string two = Wrong("moves { at_s: [0.1] home {} }\nmoves { at_s: [0, 1] }");
  EXPECT_THAT(two, HasSubstr("a.txt:4: "));
  EXPECT_THAT(two, HasSubstr("\na.txt:5: "));
}

TEST(Choreography, NamesAndLengthsHaveBounds) {
  const auto wrong = [](const std::string& text) {
    return std::string(ParseChoreography(text, "a").status().message());
  };
  const std::string rest = " moves { at_s: [0, 0.1] home {} } }";
  EXPECT_THAT(wrong("gestures { name: \"a b\" length_s: 1" + rest), HasSubstr("letters, digits"));
  EXPECT_THAT(wrong("gestures { name: \"a\" length_s: 61" + rest),
              HasSubstr("length_s is 61; 0.2 to 60 is right"));
  EXPECT_THAT(wrong("gestures { name: \"a\" length_s: 1" + rest +
                    " gestures { name: \"a\" length_s: 1" + rest),
              HasSubstr("the name is used twice"));
  EXPECT_THAT(wrong(""), HasSubstr("no gestures"));
  EXPECT_THAT(wrong(std::string(2 << 20, ' ')), HasSubstr("more than 1048576 bytes"));
  std::string many = "gestures { name: \"a\" length_s: 1";
  for (int i = 0; i < 1001; ++i) many += " moves { at_s: [0, 0.1] home {} }";
  EXPECT_THAT(wrong(many + "}"), HasSubstr("more than 1000 moves"));
}

TEST(Choreography, ALoopHasNoSeam) {
  const auto clip = Made(R"(gestures { name: "a" kind: POSTURE length_s: 4
      moves { turn { part: TRUNK to: [4, 0, 0] } }
      moves { swing { times: 2 phase: 0.25 } turn { part: PELVIS to: [0, 5, 0] } }
      moves { at_s: [3, 3.5, 4.2, 4.8] turn { to: [0, 20, 0] } }
      moves { breath { times: 1 depth: 1 } } })");
  EXPECT_TRUE(clip->loops());
  EXPECT_EQ(clip->frames(), 120);
  const int head = Standard()->FindJoint("skullbase");
  const auto turn = [&](int a, int b) {
    const float dot = std::fabs(Dot(clip->frame(a).rotation(head), clip->frame(b).rotation(head)));
    return 2 * std::acos(std::min(1.0f, dot));
  };
  EXPECT_LT(turn(119, 0), 0.04f);
  EXPECT_GT(turn(60, 0), 0.05f);
}

TEST(Choreography, AFileThatCannotBeReadIsNamed) {
  EXPECT_THAT(std::string(ReadGestures("/nowhere/a.gesture.txtpb", Standard()).status().message()),
              HasSubstr("/nowhere/a.gesture.txtpb: cannot open: No such file"));
  EXPECT_FALSE(ReadGestures("/dev/zero", Standard()).ok());
}

}  // namespace
}  // namespace posewire::gesture
