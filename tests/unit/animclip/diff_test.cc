#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/clip_diff.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Diff : public testing::Test {
 protected:
  ClipDiff Of(const Messages& a, const Messages& b, const ClipDiffOptions& options = {}) {
    WriteClipFile(a_, a);
    WriteClipFile(b_, b);
    const auto diff = DiffClips(a_, b_, options, c_.console);
    EXPECT_TRUE(diff.ok()) << diff.status();
    return *diff;
  }
  std::string a_ = TempPath("a.animdata"), b_ = TempPath("b.animdata");
  TestConsole c_;
};

auto* Skel(Message& m) { return m.mutable_animation_data()->mutable_skel_animation(); }

TEST_F(Diff, AClipEqualsItself) {
  const ClipDiff diff = Of(MakeTalk(), MakeTalk());
  for (int t : {wire::kWeights, wire::kTranslations, wire::kRotations}) {
    EXPECT_TRUE(diff.tracks[t].present);
    EXPECT_EQ(diff.tracks[t].error, 0);
    EXPECT_EQ(diff.tracks[t].instants, 31);
  }
  EXPECT_FALSE(diff.tracks[wire::kScales].present);
  EXPECT_EQ(diff.audio.different, 0);
  EXPECT_EQ(diff.audio.samples, 16533);
  EXPECT_TRUE(Within(diff, 0));
}

TEST_F(Diff, TellsThatTheLastStatusesDiffer) {
  Messages unended = MakeTalk();
  unended.pop_back();
  WriteClipFile(a_, MakeTalk());
  WriteClipFile(b_, unended);
  EXPECT_EQ(RunDiff({.a = a_, .b = b_, .tolerance = 0}, c_.console), kDone) << "no motion differs";
  EXPECT_THAT(c_.out.str(), HasSubstr("SUCCESS done in A, none in B"));
}

TEST_F(Diff, FindsTheLargestErrorWithNameAndTime) {
  Messages changed = MakeTalk();
  auto* weights = Skel(changed[13])->mutable_blend_shape_weights(0);
  weights->set_values(1, weights->values(1) + 0.25f);
  auto* root = Skel(changed[21])->mutable_translations(0)->mutable_values(0);
  root->set_y(root->y() - 0.5f);
  const ClipDiff diff = Of(MakeTalk(), changed);
  EXPECT_NEAR(diff.tracks[wire::kWeights].error, 0.25, 1e-6);
  EXPECT_EQ(diff.tracks[wire::kWeights].where, "mouthSmileLeft");
  EXPECT_NEAR(diff.tracks[wire::kWeights].time_s, 12 / 30.0, 1e-9);
  EXPECT_NEAR(diff.tracks[wire::kTranslations].error, 0.5, 1e-6);
  EXPECT_EQ(diff.tracks[wire::kTranslations].where, "HumanoidRoot");
  EXPECT_NEAR(diff.tracks[wire::kTranslations].time_s, 20 / 30.0, 1e-9);
  EXPECT_FALSE(Within(diff, 0.49));
  EXPECT_TRUE(Within(diff, 0.51));
}

TEST_F(Diff, ARotationAndItsNegativeAreEqual) {
  Messages flipped = MakeTalk();
  for (Message& m : flipped) {
    if (!m.has_animation_data()) continue;
    for (auto& q : *Skel(m)->mutable_rotations(0)->mutable_values()) {
      q.set_real(-q.real()), q.set_i(-q.i()), q.set_j(-q.j()), q.set_k(-q.k());
    }
  }
  EXPECT_LT(Of(MakeTalk(), flipped).tracks[wire::kRotations].degrees, 1e-3);
}

TEST_F(Diff, RotationErrorsAreInDegrees) {
  Messages a = MakeTalk({.frames = 1}), b = a;
  const auto set = [](Message& m, double degrees) {
    auto* q = Skel(m)->mutable_rotations(0)->mutable_values(2);
    q->set_real(static_cast<float>(std::cos(degrees * M_PI / 360)));
    q->set_i(static_cast<float>(std::sin(degrees * M_PI / 360)));
    q->set_j(0), q->set_k(0);
  };
  set(a[1], 10);
  set(b[1], 47);
  const TrackDiff d = Of(a, b).tracks[wire::kRotations];
  EXPECT_NEAR(d.degrees, 37, 1e-3);
  EXPECT_EQ(d.where, "r_shoulder");
}

TEST_F(Diff, JointsOfOneLastElementAreComparedEachWithItsOwn) {
  Messages a = MakeTalk();
  auto* names = a[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (int j = 0; j < 3; ++j) names->set_joints(j, j == 0 ? "Body" : j == 1 ? "L/Tip" : "R/Tip");
  Messages b = a;
  names = b[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (int j = 0; j < 3; ++j) names->set_joints(j, "/Root/" + names->joints(j));
  EXPECT_TRUE(Within(Of(a, b), 0));
  names->set_joints(1, "/Root/R/Tip");
  names->set_joints(2, "/Root/L/Tip");
  EXPECT_FALSE(Within(Of(a, b), 1e-3));
  names->set_joints(1, "/Root/Tip");
  const ClipDiff diff = Of(a, b);
  EXPECT_THAT(diff.only_in_a, ElementsAre("R/Tip"));
  EXPECT_THAT(diff.only_in_b, ElementsAre("Root/Tip"));
}

TEST_F(Diff, ComparesBetweenTheKeysOfTheOther) {
  // Every second frame of B is missing, and A is not straight there.
  Messages sparse = MakeTalk({.audio_hz = 0});
  for (size_t i = 2; i <= 30; i += 2) Skel(sparse[i])->clear_blend_shape_weights();
  const Messages full = MakeTalk({.audio_hz = 0});
  const ClipDiff diff = Of(full, sparse);
  double worst = 0;
  for (size_t i = 2; i <= 30; i += 2) {
    const auto value = [&](size_t k, int s) {
      return double{full[k].animation_data().skel_animation().blend_shape_weights(0).values(s)};
    };
    for (int s = 0; s < 2; ++s) {
      worst = std::max(worst, std::fabs(value(i, s) - (value(i - 1, s) + value(i + 1, s)) / 2));
    }
  }
  EXPECT_NEAR(diff.tracks[wire::kWeights].error, worst, 1e-6);
}

TEST_F(Diff, AlignedClipsMayStartAtDifferentCodes) {
  const Messages late = MakeTalk({.start_s = 77.5});
  const ClipDiff diff = Of(MakeTalk(), late, {.align = true});
  EXPECT_NEAR(diff.shift_s, -77.5, 1e-9);
  EXPECT_TRUE(Within(diff, 1e-5));
  EXPECT_EQ(diff.audio.different, 0);
  EXPECT_TRUE(Within(Of(MakeTalk(), late, {.shift_s = -77.5}), 1e-5));
  EXPECT_FALSE(Within(Of(MakeTalk(), late), 1e-5));
}

// Sound stands at whole samples: it may begin up to half a sample before the first key.
TEST_F(Diff, ClipsAreAlignedByTheirKeysAndNotByTheirSound) {
  Messages late = MakeTalk({.start_s = 77.5});
  for (auto& message : late) {
    if (!message.has_animation_data() || !message.animation_data().has_audio()) continue;
    auto* audio = message.mutable_animation_data()->mutable_audio();
    audio->set_time_code(audio->time_code() - 3e-5);
  }
  const ClipDiff diff = Of(MakeTalk(), late, {.align = true});
  EXPECT_NEAR(diff.shift_s, -77.5, 1e-9);
  EXPECT_TRUE(Within(diff, 1e-5));
}

TEST_F(Diff, AnyShiftComesToAnEnd) {
  const Messages talk = MakeTalk({.frames = 5, .audio_hz = 0});
  for (double shift : {-0.5, 0.1, 1.0 / 3, -1e-3, 12345.6789, -0.7}) {
    const Messages late = MakeTalk({.frames = 5, .start_s = 2, .audio_hz = 0});
    EXPECT_TRUE(
        Within(Of(late, MakeTalk({.frames = 5, .start_s = 2 - shift + 20000, .audio_hz = 0}),
                  {.shift_s = shift - 20000}),
               1e-4))
        << shift;
    Of(talk, late, {.shift_s = shift});
  }
}

TEST_F(Diff, MatchesJointsByLeafAndShapesIgnoringCase) {
  Messages other = MakeTalk();
  auto* names = other[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names->set_joints(2, "r_shoulder");
  names->set_blend_shapes(0, "JawOpen");
  EXPECT_TRUE(Within(Of(MakeTalk(), other), 0));
}

TEST_F(Diff, NamesThatBLacksAreADifferenceAndOthersOfItsOwnAreNot) {
  Messages other = MakeTalk();
  auto* names = other[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names->set_joints(1, "somewhere");
  const ClipDiff diff = Of(MakeTalk(), other);
  EXPECT_THAT(diff.only_in_a, ElementsAre("vl5"));
  EXPECT_THAT(diff.only_in_b, ElementsAre("somewhere"));
  EXPECT_FALSE(Within(diff, 9));
}

TEST_F(Diff, AudioIsComparedBySample) {
  Messages other = MakeTalk();
  std::string* bytes = other[7].mutable_animation_data()->mutable_audio()->mutable_audio_buffer();
  (*bytes)[20] = static_cast<char>((*bytes)[20] ^ 1);
  const ClipDiff diff = Of(MakeTalk(), other);
  EXPECT_EQ(diff.audio.different, 1);
  EXPECT_EQ(diff.audio.largest, 1);
  EXPECT_EQ(diff.audio.first_different, 3200 + 10);
  EXPECT_FALSE(Within(diff, 9));
}

TEST_F(Diff, AudioInOtherChunksIsEqual) {
  const Messages talk = MakeTalk();
  Messages one = talk;
  std::string all;
  for (size_t i = 1; i < one.size(); ++i) {
    if (!one[i].animation_data().has_audio()) continue;
    all += one[i].animation_data().audio().audio_buffer();
    one[i].mutable_animation_data()->clear_audio();
  }
  one[1].mutable_animation_data()->mutable_audio()->set_audio_buffer(all);
  EXPECT_TRUE(Within(Of(talk, one), 0));
}

TEST_F(Diff, AShorterBIsADifference) {
  Messages shorter = MakeTalk();
  shorter.erase(shorter.begin() + 26, shorter.begin() + 32);
  const ClipDiff diff = Of(MakeTalk(), shorter);
  EXPECT_NEAR(diff.tracks[wire::kRotations].uncovered_s, 6 / 30.0, 1e-9);
  EXPECT_GT(diff.audio.uncovered, 3000);
  EXPECT_FALSE(Within(diff, 9));
}

TEST_F(Diff, NamesTheFramesThatBMissesAndSaysWhetherTheOthersAreRight) {
  Messages torn = MakeTalk({.audio_hz = 0});
  torn.erase(torn.begin() + 21);
  torn.erase(torn.begin() + 11, torn.begin() + 14);
  const ClipDiff diff = Of(MakeTalk({.audio_hz = 0}), torn);
  const TrackDiff& turns = diff.tracks[wire::kRotations];
  EXPECT_EQ(turns.missed(), 4);
  ASSERT_EQ(turns.gaps.size(), 2u);
  EXPECT_NEAR(turns.gaps[0].first_s, 10 / 30.0, 1e-9);
  EXPECT_NEAR(turns.gaps[0].last_s, 12 / 30.0, 1e-9);
  EXPECT_EQ(turns.gaps[0].keys, 3);
  EXPECT_GT(turns.error, 0);
  EXPECT_EQ(turns.error_outside_gaps, 0);
  EXPECT_FALSE(Within(diff, 1e-5));
  EXPECT_TRUE(WithinOutsideGaps(diff, 1e-5));
  EXPECT_EQ(RunDiff({.a = a_, .b = b_, .tolerance = 1e-5}, c_.console), kNo);
  EXPECT_THAT(c_.out.str(), HasSubstr("B misses 4 frames of weights, translations, rotations, at "
                                      "0.3333 to 0.4000, 0.6667 s\n"));
  EXPECT_THAT(c_.out.str(), HasSubstr("only where B misses frames"));
}

TEST_F(Diff, ARateThatIsHigherOrBesideTheFramesIsNoGap) {
  const ClipDiff twice = Of(MakeTalk({.audio_hz = 0}), MakeTalk({.frames = 61, .fps = 60}));
  EXPECT_TRUE(twice.tracks[wire::kRotations].gaps.empty());
  const ClipDiff beside =
      Of(MakeTalk({.audio_hz = 0}), MakeTalk({.frames = 31, .start_s = 0.01, .audio_hz = 0}));
  EXPECT_TRUE(beside.tracks[wire::kRotations].gaps.empty());
  const ClipDiff half = Of(MakeTalk({.frames = 61, .fps = 60}), MakeTalk());
  EXPECT_EQ(half.tracks[wire::kRotations].missed(), 30);
}

TEST_F(Diff, TellsTheErrorOfEachElement) {
  Messages changed = MakeTalk();
  auto* weights = Skel(changed[13])->mutable_blend_shape_weights(0);
  weights->set_values(1, weights->values(1) + 0.25f);
  auto* root = Skel(changed[21])->mutable_translations(0)->mutable_values(2);
  root->set_y(root->y() - 0.5f);
  WriteClipFile(a_, MakeTalk());
  WriteClipFile(b_, changed);
  EXPECT_EQ(RunDiff({.a = a_, .b = b_, .by_element = true}, c_.console), kDone);
  EXPECT_THAT(c_.out.str(), HasSubstr("translations\n  r_shoulder             0.5 m"));
  EXPECT_THAT(c_.out.str(), HasSubstr("  2 more                 equal\n"));
  EXPECT_THAT(c_.out.str(), HasSubstr("weights\n  mouthSmileLeft         0.25"));
}

TEST_F(Diff, TheCommandAnswersByItsExitCode) {
  Messages changed = MakeTalk();
  auto* weights = Skel(changed[13])->mutable_blend_shape_weights(0);
  weights->set_values(0, weights->values(0) + 0.01f);
  WriteClipFile(a_, MakeTalk());
  WriteClipFile(b_, changed);
  DiffOptions options{.a = a_, .b = b_, .tolerance = {}};
  EXPECT_EQ(RunDiff(options, c_.console), kDone);
  EXPECT_THAT(c_.out.str(), AllOf(HasSubstr("jawOpen"), HasSubstr("0.4000 s"),
                                  HasSubstr("rotations              equal"),
                                  HasSubstr("audio                  equal")));
  options.tolerance = 0.001;
  EXPECT_EQ(RunDiff(options, c_.console), kNo);
  EXPECT_THAT(c_.out.str(), HasSubstr("OVER"));
  options.tolerance = 0.1;
  EXPECT_EQ(RunDiff(options, c_.console), kDone);
  options.tolerance = -1;
  EXPECT_EQ(RunDiff(options, c_.console), kNo);
}

}  // namespace
}  // namespace posewire::animclip
