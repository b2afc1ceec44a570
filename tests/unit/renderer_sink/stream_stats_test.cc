#include "services/renderer_sink/core/stream_stats.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

using ::testing::HasSubstr;

struct StatsFixture {
  StreamStats stats;
  void Header(double epoch_s) { stats.OnHeader(CheckedHeader(HeaderOf(epoch_s))); }
  void Tick(int64_t k, double late_s = 0, bool pose = true) {
    stats.OnData(CheckedData(TickOf(k, pose)), static_cast<double>(k) / 30 + 500 + late_s);
  }
};

TEST(StreamStats, CountsASteadyStream) {
  StatsFixture f;
  f.Header(1.7e9);
  for (int k = 300; k < 390; ++k) f.Tick(k);
  EXPECT_EQ(f.stats.frames(), 90);
  EXPECT_NEAR(f.stats.seconds(), 3, 1e-9);
  EXPECT_NEAR(f.stats.audio_s(), 3, 1e-9);
  EXPECT_EQ(f.stats.gaps(), 0);
  EXPECT_EQ(f.stats.Summary(0.05).find("90 frames, 3.00 s, audio 3.00 s, gaps 0"), 0u)
      << f.stats.Summary(0.05);
}

TEST(StreamStats, FindsMissingFrames) {
  StatsFixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 90; ++k) {
    if (k != 40 && (k < 60 || k >= 66)) f.Tick(k);
  }
  EXPECT_EQ(f.stats.gaps(), 2);
  EXPECT_NEAR(f.stats.seconds(), 3, 1e-9);
  EXPECT_THAT(f.stats.Summary(0.05), HasSubstr("gaps 2 (0.23 s)"));
}

TEST(StreamStats, CountsLateFramesAndFramesWithoutPose) {
  StatsFixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 100; ++k) f.Tick(k, k % 10 == 3 ? 0.08 : 0.001, k % 20 != 5);
  EXPECT_EQ(f.stats.lateness().LaterThan(0.05), 10);
  EXPECT_EQ(f.stats.frames_without_pose(), 5);
  EXPECT_EQ(f.stats.gaps(), 0) << "a frame without its pose is a frame";
  EXPECT_THAT(f.stats.Summary(0.05), HasSubstr("late 10, without pose 5"));
}

TEST(StreamStats, AReconnectionIsAGapAndSaysSo) {
  StatsFixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 30; ++k) f.Tick(k);
  f.Header(1.7e9);
  for (int k = 60; k < 90; ++k) f.Tick(k);
  EXPECT_EQ(f.stats.reconnections(), 1);
  EXPECT_EQ(f.stats.gaps(), 1);
  EXPECT_NEAR(f.stats.seconds(), 3, 1e-9);
}

TEST(StreamStats, ARestartedServerIsNotLate) {
  StatsFixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 30; ++k) f.Tick(k);
  // Its epoch was read 0.2 s after its first tick.
  f.stats.OnHeader(CheckedHeader(HeaderOf(1.7e9 + 2.2)));
  for (int k = 0; k < 30; ++k) {
    f.stats.OnData(CheckedData(TickOf(k)), 502 + static_cast<double>(k) / 30);
  }
  EXPECT_EQ(f.stats.lateness().LaterThan(0.01), 0);
}

TEST(StreamStats, MessagesWithoutCodesAreNoFrames) {
  StatsFixture f;
  f.Header(1.7e9);
  Message message;
  (*message.mutable_animation_data()->mutable_metadata())["emotion"];
  f.stats.OnData(CheckedData(message), 1);
  EXPECT_EQ(f.stats.frames(), 0);
  EXPECT_EQ(f.stats.seconds(), 0);
}

TEST(StreamStats, CountsCodesThatDoNotRise) {
  StatsFixture f;
  f.Header(1.7e9);
  f.Tick(0);
  f.Tick(1);
  f.Tick(1);
  EXPECT_EQ(f.stats.repeated(), 1);
  EXPECT_THAT(f.stats.Summary(0.05), HasSubstr("repeated time codes 1"));
}

// A file that is played in a burst may come in one message.
TEST(StreamStats, CountsTheFramesOfAMessageOneByOne) {
  StatsFixture f;
  f.Header(1.7e9);
  Message message = TickOf(0);
  for (int k = 1; k < 90; ++k) {
    if (k == 40) continue;
    *message.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights() =
        TickOf(k).animation_data().skel_animation().blend_shape_weights(0);
  }
  f.stats.OnData(CheckedData(message), 500);
  EXPECT_EQ(f.stats.frames(), 89);
  EXPECT_EQ(f.stats.gaps(), 1);
  EXPECT_NEAR(f.stats.seconds(), 3, 1e-9);
}

TEST(StreamStats, ATrackInMessagesOfItsOwnAddsNoFrames) {
  StatsFixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 3; ++k) {
    Message rotation;
    auto& key = *rotation.mutable_animation_data()->mutable_skel_animation()->add_rotations();
    key.set_time_code(k / 30.0);
    key.add_values()->set_real(1);
    f.Tick(k);
    f.stats.OnData(CheckedData(rotation), 500 + k / 30.0);
  }
  EXPECT_EQ(f.stats.frames(), 3);
  EXPECT_EQ(f.stats.repeated(), 0);
}

TEST(StreamStats, RequestsThatArePushedAreNoReconnectionsAndHaveNoGapsBetweenThem) {
  StatsFixture f{StreamStats(/*pushed=*/true)};
  f.Header(1.7e9);
  for (int k = 0; k < 30; ++k) f.Tick(k);
  f.Header(1.7e9);
  for (int k = 60; k < 90; ++k) f.Tick(k);
  EXPECT_EQ(f.stats.gaps(), 0);
  EXPECT_THAT(f.stats.Summary(0.05), HasSubstr("requests 2,"));
}

TEST(StreamStats, TellsOfFaultyMessagesWhenThereWereSome) {
  StatsFixture f;
  f.Header(1.7e9);
  EXPECT_THAT(f.stats.Summary(0.05), ::testing::Not(HasSubstr("faulty")));
  f.stats.OnFaulty();
  EXPECT_THAT(f.stats.Summary(0.05), HasSubstr("faulty messages 1,"));
}

}  // namespace
}  // namespace posewire::renderer_sink
