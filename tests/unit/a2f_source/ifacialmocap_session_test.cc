#include "services/a2f_source/core/ifacialmocap_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/a2f_source/face_changes.h"

namespace posewire::a2f_source {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

// A shape by its name on the wire, in percent.
std::string ShapeText(absl::string_view arkit, double percent) {
  std::string name(arkit);
  name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return absl::StrCat(name, "&", std::lround(percent), "|");
}

std::string HeadText(double x_deg, double y_deg, double z_deg) {
  return absl::StrCat("=head#", x_deg, ",", y_deg, ",", z_deg, ",0.01,-0.1,-0.4|");
}

// A talking face whose head turns. Weights are whole percents, as the app sends them.
std::string FaceTextAt(double t_s) {
  std::string text;
  for (size_t s = 0; s < skel::ArkitNames().size(); ++s) {
    const auto n = static_cast<double>(s);
    absl::StrAppend(&text,
                    ShapeText(skel::ArkitNames()[s], 50 + 50 * std::sin((4 + 0.1 * n) * t_s + n)));
  }
  const double deg = 1.0 / static_cast<double>(skel::kDeg);
  return text + HeadText(0.3 * deg * std::sin(2 * t_s), -0.5 * deg * std::sin(3 * t_s), 0);
}

// A session on a fake clock, ticked at 60 Hz.
struct PhoneScene {
  explicit PhoneScene(const IfacialmocapSessionSettings& settings = {})
      : session(IfacialmocapSession::Make(settings, &out).value()) {}

  // Offers text(t) and ticks, for `seconds`.
  template <typename TextAt>
  void Play(double seconds, TextAt text) {
    for (int k = 0; k < static_cast<int>(60 * seconds); ++k) {
      session->Offer(text(t_s), now_s);
      now_s += 1.0 / 60;
      t_s += 1.0 / 60;
      session->Tick(now_s);
    }
  }

  VmcRecorder out;
  std::unique_ptr<IfacialmocapSession> session;
  double now_s = 1000, t_s = 0;
};

TEST(IfacialmocapSession, AFaceBecomesARequestOfItsShapesAndTheHead) {
  PhoneScene scene;
  scene.Play(1, [](double) {
    return "jawOpen-50|mouthClose-20|eyeBlink_L-30|eyeBlink_R-0|=head#0,25,0,0,0,-0.4|";
  });
  ASSERT_EQ(scene.out.requests.size(), 1u);
  const auto& request = scene.out.requests[0];
  EXPECT_EQ(request.header.source_service_id(), "ifacialmocap");
  EXPECT_THAT(request.header.skel_animation_header().joints(), ElementsAre(EndsWith("skullbase")));
  EXPECT_NEAR(WeightOf(request, "jawOpen"), 0.3f, 1e-5) << "ACE's: without what mouthClose opens";
  EXPECT_NEAR(WeightOf(request, "mouthClose"), 0.2f, 1e-5);
  EXPECT_NEAR(WeightOf(request, "eyeBlinkLeft"), 0.3f, 1e-5);
  const auto& head = request.frames.back().skel_animation().rotations(0).values(0);
  EXPECT_NEAR(2 * std::atan2(head.j(), head.real()) / skel::kDeg, 25, 1e-3)
      << "to the person's left";
  EXPECT_TRUE(scene.out.users.empty());
}

TEST(IfacialmocapSession, AnglesAreAboutOurAxesAndYIsAppliedLast) {
  PhoneScene scene;
  scene.Play(1, [](double) { return "jawOpen-50|=head#20,-30,10,0,0,0|"; });
  const auto& q = scene.out.requests.at(0).frames.back().skel_animation().rotations(0).values(0);
  const skel::Quat want = skel::Mul(skel::FromAxisAngle({0, 1, 0}, -30 * skel::kDeg),
                                    skel::Mul(skel::FromAxisAngle({1, 0, 0}, 20 * skel::kDeg),
                                              skel::FromAxisAngle({0, 0, 1}, 10 * skel::kDeg)));
  const skel::Quat got = {q.real(), q.i(), q.j(), q.k()};
  EXPECT_NEAR(skel::AngleBetween(got, want), 0, 1e-3);
  EXPECT_LT(skel::Rotate(got, {0, 0, 1}).y, 0) << "looks down";
  EXPECT_LT(skel::Rotate(got, {0, 0, 1}).x, 0) << "to the person's right";
}

TEST(IfacialmocapSession, FactorsTurnTheHeadTheOtherWayOrLeaveItToTheGraph) {
  PhoneScene mirrored({.head = {-1, 1, 1}});
  const auto turned = [](double) { return "jawOpen-50|=head#0,25,0,0,0,0|"; };
  mirrored.Play(1, turned);
  const auto& head =
      mirrored.out.requests.at(0).frames.back().skel_animation().rotations(0).values(0);
  EXPECT_NEAR(2 * std::atan2(head.j(), head.real()) / skel::kDeg, -25, 1e-3);
  PhoneScene without({.head = {0, 0, 0}});
  without.Play(1, turned);
  EXPECT_EQ(without.out.requests.at(0).header.skel_animation_header().joints_size(), 0);
}

TEST(IfacialmocapSession, WithoutAFaceTheAvatarIdlesAndTheRequestEnds) {
  PhoneScene scene;
  scene.Play(1, FaceTextAt);
  const size_t frames = scene.out.requests.at(0).frames.size();
  const auto no_face = [](double t_s) { return "trackingStatus-0|" + FaceTextAt(t_s); };
  scene.Play(2, no_face);
  EXPECT_NEAR(static_cast<double>(scene.out.requests[0].frames.size() - frames), 30, 2);
  EXPECT_FALSE(scene.out.requests[0].ended);
  scene.Play(2, no_face);
  EXPECT_TRUE(scene.out.requests[0].ended);
  EXPECT_EQ(scene.session->counts().without_face, 240u);
  scene.Play(1, [](double t_s) { return "trackingStatus-1|" + FaceTextAt(t_s); });
  EXPECT_EQ(scene.out.requests.size(), 2u);
}

TEST(IfacialmocapSession, WhatAFrameLacksStaysAsItWas) {
  PhoneScene scene;
  scene.Play(1, [](double) { return "jawOpen-50|cheekPuff-40|=head#0,25,0,0,0,0|"; });
  scene.Play(1, [](double) { return "jawOpen-10|"; });
  ASSERT_EQ(scene.out.requests.size(), 1u);
  const auto& request = scene.out.requests[0];
  EXPECT_EQ(request.header.skel_animation_header().blend_shapes_size(), 52);
  EXPECT_NEAR(WeightOf(request, "jawOpen"), 0.1f, 1e-3);
  EXPECT_NEAR(WeightOf(request, "cheekPuff"), 0.4f, 1e-3);
  const auto& head = request.frames.back().skel_animation().rotations(0).values(0);
  EXPECT_NEAR(2 * std::atan2(head.j(), head.real()) / skel::kDeg, 25, 1e-3);
}

TEST(IfacialmocapSession, AfterASilenceAnotherPersonBeginsAnew) {
  PhoneScene scene;
  scene.Play(1, [](double) { return "jawOpen-50|cheekPuff-40|"; });
  scene.now_s += 4;
  scene.session->Tick(scene.now_s);
  scene.Play(1, [](double) { return "jawOpen-10|"; });
  ASSERT_EQ(scene.out.requests.size(), 2u);
  EXPECT_NEAR(WeightOf(scene.out.requests[1], "cheekPuff"), 0, 1e-3);
}

TEST(IfacialmocapSession, MalformedDatagramsAreCountedAndTheLastIsExplained) {
  PhoneScene scene;
  scene.session->Offer("hello", scene.now_s);
  scene.session->Offer("jawOpen-1|=head#1,2|", scene.now_s);
  scene.session->Offer("jawOpen-1|hapihapi-0|", scene.now_s);
  EXPECT_EQ(scene.session->counts().datagrams, 3u);
  EXPECT_EQ(scene.session->counts().refused, 2u);
  EXPECT_EQ(scene.session->counts().unknown, 1u);
  EXPECT_EQ(scene.session->last_refusal(), "head: fewer numbers than 6, which is valid");
}

// A minute over a network that loses and delays each datagram by chance.
VmcRecorder PhoneOverNetwork(double loss, double jitter_s) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<std::pair<double, std::string>> arrivals;
  for (int n = 0; n < 3600; ++n) {
    if (chance(random) < loss) continue;
    arrivals.emplace_back(n / 60.0 + jitter_s * chance(random), FaceTextAt(n / 60.0));
  }
  std::sort(arrivals.begin(), arrivals.end());
  VmcRecorder out;
  auto session = IfacialmocapSession::Make({}, &out).value();
  size_t next = 0;
  for (int tick = 0; tick < 3600; ++tick) {
    const double now_s = (tick + 0.5) / 60;
    for (; next < arrivals.size() && arrivals[next].first <= now_s; ++next) {
      session->Offer(arrivals[next].second, 100 + arrivals[next].first);
    }
    session->Tick(100 + now_s);
  }
  EXPECT_EQ(session->counts().refused, 0u);
  return out;
}

TEST(IfacialmocapSession, AMinuteWithLossJitterAndDisorderHasNoStepBeyondTheSendersOwn) {
  const VmcRecorder clean = PhoneOverNetwork(0, 0), bad = PhoneOverNetwork(0.05, 0.03);
  ASSERT_EQ(bad.requests.size(), 1u);
  EXPECT_GT(bad.requests[0].frames.size(), 3570u);
  const auto [want_weight, want_deg] = LargestChanges(clean.requests.at(0).frames);
  const auto [got_weight, got_deg] = LargestChanges(bad.requests[0].frames);
  std::printf("largest step sent %.1f deg %.3f, shown %.1f deg %.3f\n", want_deg, want_weight,
              got_deg, got_weight);
  EXPECT_LT(got_weight, 2.2 * want_weight);
  EXPECT_LT(got_deg, 2.2 * want_deg);
}

}  // namespace
}  // namespace posewire::a2f_source
