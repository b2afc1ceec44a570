#include "services/a2f_source/core/livelink_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/a2f_source/face_changes.h"

namespace posewire::a2f_source {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr double kNoon_s = 43200;

// A talking face whose head turns, `t_s` after noon by its phone's clock.
livelink::Packet FaceAt(double t_s, const std::string& subject = "iPhone") {
  livelink::Packet packet;
  packet.device_id = "01234567-89AB-CDEF-0123-456789ABCDEF";
  packet.subject = subject;
  packet.time = livelink::FrameTimeAt(kNoon_s + t_s, 60, 1);
  packet.has_face = true;
  for (int s = 0; s < livelink::kHeadYaw; ++s) {
    packet.curves[static_cast<size_t>(s)] =
        static_cast<float>(0.5 + 0.5 * std::sin((4 + 0.1 * s) * t_s + s));
  }
  packet.curves[livelink::kHeadYaw] = static_cast<float>(0.5 * std::sin(3 * t_s));
  packet.curves[livelink::kHeadYaw + 1] = static_cast<float>(0.3 * std::sin(2 * t_s));
  return packet;
}

std::string DatagramOf(const livelink::Packet& packet) {
  std::string bytes;
  livelink::WritePacket(packet, bytes);
  return bytes;
}

// A session on a fake clock, ticked at 60 Hz.
struct Scene {
  explicit Scene(const LivelinkSessionSettings& settings = {})
      : session(LivelinkSession::Make(settings, &out).value()) {}

  void Offer(const livelink::Packet& packet) { session->Offer(DatagramOf(packet), now_s); }
  // Offers packet(t) and ticks, for `seconds`.
  template <typename PacketAt>
  void Play(double seconds, PacketAt packet) {
    for (int k = 0; k < static_cast<int>(60 * seconds); ++k) {
      Offer(packet(t_s));
      Pass(1.0 / 60);
    }
  }
  void Pass(double seconds) {
    for (int k = 0; k < static_cast<int>(std::lround(60 * seconds)); ++k) {
      now_s += 1.0 / 60;
      t_s += 1.0 / 60;
      session->Tick(now_s);
    }
  }

  VmcRecorder out;
  std::unique_ptr<LivelinkSession> session;
  double now_s = 1000, t_s = 0;
};

TEST(LivelinkSession, AFaceBecomesARequestOfItsShapesAndTheHead) {
  Scene scene;
  scene.Play(1, [](double) {
    livelink::Packet packet = FaceAt(0);
    packet.curves.fill(0);
    packet.curves[skel::kArkitJawOpen] = 0.5f;
    packet.curves[skel::kArkitMouthClose] = 0.2f;
    packet.curves[livelink::kHeadYaw] = 0.4f;
    return packet;
  });
  ASSERT_EQ(scene.out.requests.size(), 1u);
  const auto& request = scene.out.requests[0];
  EXPECT_EQ(request.header.source_service_id(), "livelink");
  EXPECT_EQ(request.header.skel_animation_header().blend_shapes_size(), 52);
  EXPECT_THAT(request.header.skel_animation_header().joints(), ElementsAre(EndsWith("skullbase")));
  EXPECT_NEAR(WeightOf(request, "jawOpen"), 0.3f, 1e-5) << "ACE's: without what mouthClose opens";
  EXPECT_NEAR(WeightOf(request, "mouthClose"), 0.2f, 1e-5);
  const auto& head = request.frames.back().skel_animation().rotations(0).values(0);
  EXPECT_NEAR(2 * std::atan2(head.j(), head.real()), -0.4, 1e-4) << "to the person's right";
  EXPECT_TRUE(scene.out.users.empty());
}

TEST(LivelinkSession, FactorsOfZeroLeaveTheHeadToTheGraph) {
  Scene scene({.head = {0, 0, 0}});
  scene.Play(1, [](double t_s) { return FaceAt(t_s); });
  ASSERT_EQ(scene.out.requests.size(), 1u);
  EXPECT_EQ(scene.out.requests[0].header.skel_animation_header().joints_size(), 0);
}

TEST(LivelinkSession, AHeadThatIsNotStreamedIsLeftToTheGraph) {
  Scene scene;
  const auto without_head = [](double t_s) {
    livelink::Packet packet = FaceAt(t_s);
    packet.curves[livelink::kHeadYaw] = packet.curves[livelink::kHeadYaw + 1] = 0;
    return packet;
  };
  scene.Play(1, without_head);
  ASSERT_EQ(scene.out.requests.size(), 1u);
  EXPECT_EQ(scene.out.requests[0].header.skel_animation_header().joints_size(), 0);
  scene.Play(1, [](double t_s) { return FaceAt(t_s); });
  ASSERT_EQ(scene.out.requests.size(), 2u);
  EXPECT_EQ(scene.out.requests[1].header.skel_animation_header().joints_size(), 1);
}

TEST(LivelinkSession, WithoutAFaceTheAvatarIdlesAndTheRequestEnds) {
  Scene scene;
  scene.Play(1, [](double t_s) { return FaceAt(t_s); });
  const size_t frames = scene.out.requests.at(0).frames.size();
  const auto no_face = [](double t_s) {
    livelink::Packet packet = FaceAt(t_s);
    packet.has_face = false;
    return packet;
  };
  scene.Play(2, no_face);
  EXPECT_NEAR(static_cast<double>(scene.out.requests[0].frames.size() - frames), 30, 2);
  EXPECT_FALSE(scene.out.requests[0].ended);
  scene.Play(2, no_face);
  EXPECT_TRUE(scene.out.requests[0].ended);
  EXPECT_EQ(scene.session->counts().without_face, 240u);
  scene.Play(1, [](double t_s) { return FaceAt(t_s); });
  EXPECT_EQ(scene.out.requests.size(), 2u);
}

TEST(LivelinkSession, TheFirstSubjectIsShownUntilItHasGone) {
  Scene scene;
  const auto both = [&](double t_s) {
    scene.Offer(FaceAt(t_s, "two"));
    return FaceAt(t_s, "one");
  };
  scene.Offer(FaceAt(0, "one"));
  scene.Play(1, both);
  EXPECT_EQ(scene.session->subject(), "one");
  EXPECT_EQ(scene.session->other_subject(), "two");
  EXPECT_EQ(scene.session->counts().other_subjects, 60u);
  scene.Play(4, [](double t_s) { return FaceAt(t_s, "two"); });
  EXPECT_EQ(scene.session->subject(), "two");
  EXPECT_EQ(scene.out.requests.size(), 2u);
}

TEST(LivelinkSession, ANamedSubjectIsShownAlone) {
  Scene scene({.subject = "two"});
  scene.Play(1, [](double t_s) { return FaceAt(t_s, "one"); });
  EXPECT_TRUE(scene.out.requests.empty());
  scene.Play(1, [](double t_s) { return FaceAt(t_s, "two"); });
  EXPECT_EQ(scene.out.requests.size(), 1u);
}

TEST(LivelinkSession, MalformedDatagramsAreCountedAndTheLastIsExplained) {
  Scene scene;
  scene.session->Offer("\5", scene.now_s);
  livelink::Packet degrees = FaceAt(0);
  degrees.curves[livelink::kHeadYaw] = 45;
  scene.Offer(degrees);
  EXPECT_EQ(scene.session->counts().refused, 2u);
  EXPECT_EQ(scene.session->last_refusal(), "HeadYaw 45: -6.2832 to 6.2832 radians is valid");
}

TEST(LivelinkSession, MidnightAndARestartOfThePhoneAreNoReasonToIgnoreTimes) {
  Scene scene;
  scene.Play(1, [](double t_s) { return FaceAt(43200 - 0.5 + t_s); });
  scene.Play(1, [](double t_s) { return FaceAt(t_s - 5000); });
  EXPECT_FALSE(scene.session->ignores_times());
  EXPECT_EQ(scene.session->counts().without_time, 0u);
  EXPECT_EQ(scene.out.requests.size(), 1u);
}

TEST(LivelinkSession, TimesThatJumpAreIgnoredUntilAnotherSubjectComes) {
  Scene scene;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> off(-0.9, 0.9);
  const auto jumping = [&](double t_s) {
    livelink::Packet packet = FaceAt(t_s);
    packet.time = livelink::FrameTimeAt(kNoon_s + t_s + off(random), 60, 1);
    return packet;
  };
  scene.Play(2, jumping);
  EXPECT_TRUE(scene.session->ignores_times());
  EXPECT_GT(scene.session->counts().without_time, 100u);
  // What is shown follows all the same.
  EXPECT_NEAR(WeightOf(scene.out.requests.at(0), "eyeBlinkLeft"), FaceAt(scene.t_s).curves[0], 0.2);
  scene.Pass(4);
  scene.Play(1, [](double t_s) { return FaceAt(t_s, "two"); });
  EXPECT_FALSE(scene.session->ignores_times());
}

TEST(LivelinkSession, WithoutTimesArrivalCounts) {
  Scene scene;
  scene.Play(1, [](double t_s) {
    livelink::Packet packet = FaceAt(t_s);
    packet.time = {0, 0, 0, 0};
    return packet;
  });
  EXPECT_EQ(scene.session->counts().without_time, 60u);
  EXPECT_EQ(scene.out.requests.size(), 1u);
}

// A minute over a network that loses and delays each datagram by chance.
VmcRecorder OverNetwork(double loss, double jitter_s, bool timed) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<std::pair<double, std::string>> arrivals;
  for (int n = 0; n < 3600; ++n) {
    livelink::Packet packet = FaceAt(n / 60.0);
    if (!timed) packet.time = {0, 0, 0, 0};
    if (chance(random) < loss) continue;
    arrivals.emplace_back(n / 60.0 + jitter_s * chance(random), DatagramOf(packet));
  }
  std::sort(arrivals.begin(), arrivals.end());
  VmcRecorder out;
  auto session = LivelinkSession::Make({}, &out).value();
  size_t next = 0;
  for (int tick = 0; tick < 3600; ++tick) {
    const double now_s = (tick + 0.5) / 60;
    for (; next < arrivals.size() && arrivals[next].first <= now_s; ++next) {
      session->Offer(arrivals[next].second, 100 + arrivals[next].first);
    }
    session->Tick(100 + now_s);
  }
  EXPECT_EQ(session->counts().refused, 0u);
  EXPECT_FALSE(session->ignores_times());
  return out;
}

TEST(LivelinkSession, AMinuteWithLossJitterAndDisorderHasNoStepBeyondTheSendersOwn) {
  for (const bool timed : {true, false}) {
    const VmcRecorder clean = OverNetwork(0, 0, timed), bad = OverNetwork(0.05, 0.03, timed);
    ASSERT_EQ(bad.requests.size(), 1u);
    EXPECT_GT(bad.requests[0].frames.size(), 3570u);
    const auto [want_weight, want_deg] = LargestChanges(clean.requests.at(0).frames);
    const auto [got_weight, got_deg] = LargestChanges(bad.requests[0].frames);
    std::printf("%s: largest step sent %.1f deg %.3f, shown %.1f deg %.3f\n",
                timed ? "timed" : "untimed", want_deg, want_weight, got_deg, got_weight);
    EXPECT_LT(got_weight, 2.2 * want_weight);
    EXPECT_LT(got_deg, 2.2 * want_deg);
  }
}

}  // namespace
}  // namespace posewire::a2f_source
