#include "services/anim_graph/core/pull_queue.h"

#include <gtest/gtest.h>

namespace posewire::anim_graph {
namespace {

class PullQueueTest : public ::testing::Test {
 protected:
  wire::EncodedFrame Frame() {
    const int16_t audio[4] = {1, 2, 3, 4};
    skel::Pose pose(1, 1);
    wire::OutputFrame f;
    f.pose = pose.view();
    f.audio = audio;
    return writer_.Write(f);
  }
  wire::FrameWriter writer_{1, 1};
};

TEST_F(PullQueueTest, AFastConsumerGetsEveryFrameWhole) {
  PullQueue q;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(q.Offer(Frame(), i / 30.0));
    const auto send = q.Next(i / 30.0);
    ASSERT_TRUE(send);
    EXPECT_FALSE(send->without_pose);
    EXPECT_FALSE(q.Next(i / 30.0));
    q.Written();
  }
  EXPECT_TRUE(q.idle());
}

TEST_F(PullQueueTest, MoreThanFourBehindTheOldestGoWithoutTheirPose) {
  PullQueue q;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(q.Offer(Frame(), 0));
  for (int i = 0; i < 10; ++i) {
    const auto send = q.Next(0);
    ASSERT_TRUE(send);
    EXPECT_EQ(send->without_pose, i < 6) << i;
    q.Written();
  }
  EXPECT_EQ(q.dropped_poses(), 6);
}

TEST_F(PullQueueTest, StatusesAndHeadersAreNeverDropped) {
  PullQueue q;
  ASSERT_TRUE(q.Offer(wire::EncodeHeader({}), 0));
  ASSERT_TRUE(q.Offer(wire::EncodeStatus(wire::StatusChunk::kInfo, "x"), 0));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(q.Offer(Frame(), 0));
  for (int i = 0; i < 2; ++i) {
    const auto send = q.Next(0);
    EXPECT_FALSE(send->frame.is_data());
    EXPECT_FALSE(send->without_pose);
    q.Written();
  }
}

TEST_F(PullQueueTest, FiveSecondsBehindIsTooMuch) {
  PullQueue q;
  ASSERT_TRUE(q.Offer(Frame(), 0));
  ASSERT_TRUE(q.Next(0));
  for (double t = 0; t <= 5; t += 0.1) ASSERT_TRUE(q.Offer(Frame(), t)) << t;
  EXPECT_FALSE(q.Offer(Frame(), 5.05));
}

TEST_F(PullQueueTest, AnOldFrameInTheQueueIsTooMuchThoughWritesGoOn) {
  PullQueue q;
  for (double t = 0; t <= 5; t += 1.0 / 30) ASSERT_TRUE(q.Offer(Frame(), t));
  ASSERT_TRUE(q.Next(5));
  EXPECT_FALSE(q.Offer(Frame(), 5.2));
}

}  // namespace
}  // namespace posewire::anim_graph
