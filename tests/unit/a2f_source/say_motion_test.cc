// The face, the head and the gestures of a speaker, over phrases of known words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "libs/speech/face_track.h"
#include "services/a2f_source/core/say_body.h"
#include "services/a2f_source/core/say_gestures.h"
#include "tests/unit/speech/talk.h"

namespace posewire::a2f_source {
namespace {

constexpr double kFrame_s = 1.0 / 30;

size_t JointIndex(absl::string_view name) {
  const auto names = HeadJointNames();
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Runs both tracks as the source does, and calls `frame` with each frame's values.
template <typename Frame>
double Perform(const std::vector<speech::Phrase>& phrases, uint64_t seed, Frame frame) {
  speech::FaceTrack face(seed);
  Random random(seed);
  speech::HeadTrack head(random);
  size_t added = 0;
  bool finished = false;
  const double end_s = phrases.back().end_s + 0.5;
  speech::FaceWeights weights;
  HeadPose pose;
  for (double t = 0; t <= end_s + 0.01; t += kFrame_s) {
    while (added < phrases.size() && phrases[added].start_s < t + 0.8) {
      face.Add(phrases[added]);
      head.Add(phrases[added++], random);
    }
    if (added == phrases.size() && !finished && t + 0.8 > phrases.back().end_s) {
      finished = true;
      face.Finish(end_s - kFrame_s);
      head.Finish(end_s - kFrame_s);
    }
    const speech::HeadAngles angles = head.At(t);
    PoseHead(angles, absl::MakeSpan(pose));
    face.At(t, speech::MouthPose{}, angles.look(), weights);
    frame(t, weights, pose);
  }
  return end_s;
}

TEST(SayMotion, IsBoundedAndSmooth) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    speech::FaceWeights last{};
    HeadPose last_pose;
    bool first = true;
    Perform(speech::Talk(seed, 15), seed,
            [&](double t, const speech::FaceWeights& w, const HeadPose& pose) {
              for (size_t i = 0; i < w.size(); ++i) {
                ASSERT_TRUE(w[i] >= 0 && w[i] <= 1) << speech::FaceShapeNames()[i] << " at " << t;
                const float step = first ? 0 : std::abs(w[i] - last[i]);
                ASSERT_LE(step, 0.35f) << speech::FaceShapeNames()[i] << " at " << t;
              }
              for (size_t j = 0; j < pose.size(); ++j) {
                ASSERT_NEAR(Dot(pose[j], pose[j]), 1, 1e-4);
                const float step = first ? 0 : AngleBetween(pose[j], last_pose[j]);
                ASSERT_LE(step, 0.26f) << HeadJointNames()[j] << " at " << t;
              }
              last = w;
              last_pose = pose;
              first = false;
            });
  }
}

TEST(SayMotion, StartsAndEndsAtRest) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<speech::Phrase> phrases = speech::Talk(static_cast<uint32_t>(seed), 3);
    const double end_s = phrases.back().end_s + 0.5;
    Perform(phrases, seed, [&](double t, const speech::FaceWeights& w, const HeadPose& pose) {
      if (t > 0 && t < end_s - kFrame_s) return;
      for (size_t i = 0; i < w.size(); ++i)
        EXPECT_NEAR(w[i], 0, 1e-4) << speech::FaceShapeNames()[i];
      for (size_t j = 0; j < kHeadJoints; ++j) EXPECT_LT(AngleBetween(pose[j], {}), 1e-3f);
    });
  }
}

TEST(SayMotion, IsTheSameForTheSameSeedOnly) {
  const auto record = [](uint64_t seed) {
    std::vector<float> all;
    Perform(speech::Talk(3, 4), seed,
            [&](double, const speech::FaceWeights& w, const HeadPose& pose) {
              all.insert(all.end(), w.begin(), w.end());
              for (const skel::Quat& q : pose) all.insert(all.end(), {q.w, q.x, q.y, q.z});
            });
    return all;
  };
  EXPECT_EQ(record(1), record(1));
  EXPECT_NE(record(1), record(2));
}

TEST(SayMotion, HeadNodsDownAndTurnsToEitherSide) {
  float down = 0, left = 0, right = 0;
  const size_t head = JointIndex("skullbase");
  Perform(speech::Talk(2, 12), 4, [&](double, const speech::FaceWeights&, const HeadPose& pose) {
    const skel::Vec3 front = Rotate(pose[head], {0, 0, 1});
    down = std::max(down, -front.y);
    left = std::max(left, front.x);
    right = std::max(right, -front.x);
  });
  EXPECT_GT(down, 0.03f);
  EXPECT_GT(left, 0.01f);
  EXPECT_GT(right, 0.01f);
}

using wire::SpeechGesture;

// What is announced for these phrases, with times from the request's start.
std::vector<SpeechGesture> Announced(const std::vector<speech::Phrase>& phrases, uint64_t seed) {
  GesturePlan plan(seed);
  size_t added = 0;
  std::vector<SpeechGesture> all;
  for (int64_t frame = 0; static_cast<double>(frame) * kFrame_s < phrases.back().end_s; ++frame) {
    const double t = static_cast<double>(frame) * kFrame_s;
    while (added < phrases.size() && phrases[added].start_s < t + 2) plan.Add(phrases[added++]);
    auto gesture = plan.Take(t);
    if (!gesture) continue;
    EXPECT_LE(gesture->stroke_in_s, GesturePlan::kTextAhead_s + 1e-9);
    if (t > 0.1) {
      EXPECT_GT(gesture->stroke_in_s, GesturePlan::kTextAhead_s - 0.25);
    }
    gesture->stroke_in_s += t;
    gesture->end_in_s += t;
    all.push_back(*gesture);
  }
  return all;
}

TEST(GesturePlan, StrokesFallOnAccentsAndApart) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    const std::vector<speech::Phrase> phrases = speech::Talk(seed, 12);
    std::vector<double> accents;
    for (const auto& p : phrases) {
      for (const auto& w : p.words) accents.push_back(w.beat_s);
    }
    const auto all = Announced(phrases, seed);
    ASSERT_GT(all.size(), 5u);
    double last = -10;
    for (const SpeechGesture& g : all) {
      const auto on = [&](double s) { return std::abs(s - g.stroke_in_s) < 1e-6; };
      EXPECT_TRUE(std::any_of(accents.begin(), accents.end(), on));
      EXPECT_GE(g.stroke_in_s - last, GesturePlan::kApart_s - 1e-6);
      EXPECT_GE(g.end_in_s, g.stroke_in_s);
      last = g.stroke_in_s;
    }
  }
}

TEST(GesturePlan, WordsSayWhichGesture) {
  const struct {
    std::vector<std::string> words;
    speech::SpeechEnding ending;
    SpeechGesture::Kind kind;
    int number = 0;
  } cases[] = {
      {{"hello"}, speech::SpeechEnding::kStatement, SpeechGesture::kGreeting},
      {{"hi"}, speech::SpeechEnding::kStatement, SpeechGesture::kGreeting},
      {{"good", "morning"}, speech::SpeechEnding::kStatement, SpeechGesture::kGreeting},
      {{"good", "apples"}, speech::SpeechEnding::kStatement, SpeechGesture::kBeat},
      {{"never"}, speech::SpeechEnding::kStatement, SpeechGesture::kNegation},
      {{"three"}, speech::SpeechEnding::kStatement, SpeechGesture::kNumber, 3},
      {{"but"}, speech::SpeechEnding::kStatement, SpeechGesture::kContrast},
      {{"this"}, speech::SpeechEnding::kStatement, SpeechGesture::kPoint},
      {{"me"}, speech::SpeechEnding::kStatement, SpeechGesture::kSelf},
      {{"you"}, speech::SpeechEnding::kStatement, SpeechGesture::kYou},
      {{"red", "apples"}, speech::SpeechEnding::kClause, SpeechGesture::kList},
      {{"really"}, speech::SpeechEnding::kQuestion, SpeechGesture::kQuestion},
      {{"really"}, speech::SpeechEnding::kStatement, SpeechGesture::kBeat},
  };
  for (const auto& c : cases) {
    const auto all = Announced({speech::MakePhrase(1.0, c.words, c.ending)}, 1);
    ASSERT_EQ(all.size(), 1u) << c.words[0];
    EXPECT_EQ(all[0].kind, c.kind) << c.words[0];
    EXPECT_EQ(all[0].number, c.number);
  }
}

TEST(GesturePlan, ANewTopicIsToldWithItsFirstWord) {
  using enum speech::SpeechEnding;
  // The first sentence opens nothing that was not open, and no cue counts within a sentence.
  std::vector<speech::Phrase> phrases = {
      speech::MakePhrase(1, {"now", "we", "begin"}, kStatement),
      speech::MakePhrase(4, {"apples", "are", "red"}, kClause),
      speech::MakePhrase(7, {"so", "they", "say"}, kStatement),
      speech::MakePhrase(10, {"anyway", "it", "rains"}, kStatement),
      speech::MakePhrase(13, {"rain", "falls", "down"}, kStatement),
      speech::MakePhrase(16, {"cats", "are", "soft"}, kStatement),
  };
  phrases[5].begins_paragraph = true;
  std::vector<double> told_s;
  for (const SpeechGesture& g : Announced(phrases, 1)) {
    if (g.kind == SpeechGesture::kTopic) told_s.push_back(g.stroke_in_s);
  }
  ASSERT_EQ(told_s.size(), 2u);
  EXPECT_NEAR(told_s[0], phrases[3].speech_start_s, 1e-6);
  EXPECT_NEAR(told_s[1], phrases[5].speech_start_s, 1e-6);
}

}  // namespace
}  // namespace posewire::a2f_source
