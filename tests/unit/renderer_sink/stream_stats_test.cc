#include "services/renderer_sink/core/stream_stats.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

using ::testing::HasSubstr;

struct Fixture {
  StreamStats stats;
  void Header(double epoch_s) { stats.OnHeader(HeaderOf(epoch_s).animation_data_stream_header()); }
  void Tick(int64_t k, double late_s = 0, bool pose = true) {
    stats.OnData(TickOf(k, pose).animation_data(), static_cast<double>(k) / 30 + 500 + late_s);
  }
};

TEST(StreamStats, CountsASteadyStream) {
  Fixture f;
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
  Fixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 90; ++k) {
    if (k != 40 && (k < 60 || k >= 66)) f.Tick(k);
  }
  EXPECT_EQ(f.stats.gaps(), 2);
  EXPECT_NEAR(f.stats.seconds(), 3, 1e-9);
  EXPECT_THAT(f.stats.Summary(0.05), HasSubstr("gaps 2 (0.23 s)"));
}

TEST(StreamStats, CountsLateFramesAndFramesWithoutPose) {
  Fixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 100; ++k) f.Tick(k, k % 10 == 3 ? 0.08 : 0.001, k % 20 != 5);
  EXPECT_EQ(f.stats.lateness().LaterThan(0.05), 10);
  EXPECT_EQ(f.stats.frames_without_pose(), 5);
  EXPECT_EQ(f.stats.gaps(), 0) << "a frame without its pose is a frame";
  EXPECT_THAT(f.stats.Summary(0.05), HasSubstr("late 10, without pose 5"));
}

TEST(StreamStats, AReconnectionIsAGapAndSaysSo) {
  Fixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 30; ++k) f.Tick(k);
  f.Header(1.7e9);
  for (int k = 60; k < 90; ++k) f.Tick(k);
  EXPECT_EQ(f.stats.reconnections(), 1);
  EXPECT_EQ(f.stats.gaps(), 1);
  EXPECT_NEAR(f.stats.seconds(), 3, 1e-9);
}

TEST(StreamStats, ARestartedServerIsNotLate) {
  Fixture f;
  f.Header(1.7e9);
  for (int k = 0; k < 30; ++k) f.Tick(k);
  // Its epoch was read 0.2 s after its first tick.
  f.stats.OnHeader(HeaderOf(1.7e9 + 2.2).animation_data_stream_header());
  for (int k = 0; k < 30; ++k) {
    f.stats.OnData(TickOf(k).animation_data(), 502 + static_cast<double>(k) / 30);
  }
  EXPECT_EQ(f.stats.lateness().LaterThan(0.01), 0);
}

TEST(StreamStats, MessagesWithoutCodesAreNoFrames) {
  Fixture f;
  f.Header(1.7e9);
  nvidia_ace::animation_data::v1::AnimationData data;
  (*data.mutable_metadata())["emotion"];
  f.stats.OnData(data, 1);
  EXPECT_EQ(f.stats.frames(), 0);
  EXPECT_EQ(f.stats.seconds(), 0);
}

TEST(StreamStats, CountsCodesThatDoNotRise) {
  Fixture f;
  f.Header(1.7e9);
  f.Tick(0);
  f.Tick(1);
  f.Tick(1);
  EXPECT_EQ(f.stats.repeated(), 1);
  EXPECT_THAT(f.stats.Summary(0.05), HasSubstr("repeated codes 1"));
}

}  // namespace
}  // namespace posewire::renderer_sink
