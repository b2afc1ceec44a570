#include "libs/stream/pull_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libs/wire/sparse_pose.h"

namespace posewire::stream {
namespace {

class PullQueueTest : public ::testing::Test {
 protected:
  wire::OutputFrame Output(int i) {
    audio_[0] = static_cast<int16_t>(i);
    wire::OutputFrame f;
    f.pose = pose_.view();
    f.audio = audio_;
    return f;
  }
  wire::EncodedFrame Frame() { return writer_.Write(Output(1)); }
  static std::string Join(const std::array<wire::EncodedFrame::Slice, 3>& slices) {
    std::string bytes;
    for (const auto& slice : slices) bytes.append(slice.begin(), slice.end());
    return bytes;
  }

  int16_t audio_[4] = {1, 2, 3, 4};
  skel::Pose pose_{1, 1};
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

TEST_F(PullQueueTest, WhatWaitsKeepsTheMemoryOfFourPosesOnly) {
  PullQueue q;
  std::vector<std::weak_ptr<const void>> whole;
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) {
    const wire::EncodedFrame frame = wire::FrameWriter(1, 1).Write(Output(i));
    whole.push_back(frame.owner());
    expected.push_back(Join(i < 16 ? frame.WithoutPose() : frame.Whole()));
    ASSERT_TRUE(q.Offer(frame, 0));
    ASSERT_TRUE(q.Offer(wire::EncodeStatus(wire::StatusChunk::kInfo, "x"), 0));
  }
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(whole[i].expired(), i < 16) << i;
  for (size_t i = 0; i < whole.size(); ++i) {
    const auto send = q.Next(0);
    EXPECT_EQ(send->without_pose, i < 16);
    EXPECT_EQ(Join(send->without_pose ? send->frame.WithoutPose() : send->frame.Whole()),
              expected[i]);
    q.Written();
    EXPECT_FALSE(q.Next(0)->frame.is_data());
    q.Written();
  }
}

TEST_F(PullQueueTest, SparseFramesAfterALostPoseGoWithoutTheirs) {
  wire::PoseChanges changes;
  changes.weights = true;
  for (auto& joints : changes.joints) joints = {1};
  PullQueue q;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(q.wants_complete());
    ASSERT_TRUE(q.Offer(writer_.WriteSparse(Output(i), changes), 0));
  }
  EXPECT_TRUE(q.wants_complete());
  ASSERT_TRUE(q.Offer(Frame(), 0));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(q.Next(0)->without_pose, i < 4) << i;
    q.Written();
  }
  EXPECT_FALSE(q.wants_complete());
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

TEST_F(PullQueueTest, PullsThatAreBehindShareTheFramesWithoutTheirPose) {
  std::array<PullQueue, 3> queues;
  for (int i = 0; i < 10; ++i) {
    const wire::EncodedFrame frame = Frame();
    for (PullQueue& q : queues) ASSERT_TRUE(q.Offer(frame, 0));
  }
  for (int i = 0; i < 10; ++i) {
    const auto first = queues[0].Next(0);
    for (PullQueue& q : {std::ref(queues[1]), std::ref(queues[2])}) {
      EXPECT_EQ(q.Next(0)->frame.owner(), first->frame.owner()) << i;
      q.Written();
    }
    queues[0].Written();
  }
}

TEST_F(PullQueueTest, ManyBytesBehindIsTooMuch) {
  const std::string value(100'000, 'x');
  const wire::MetadataEntry entry{"m", value};
  const auto heavy = [&] {
    wire::OutputFrame f = Output(1);
    f.metadata = {&entry, 1};
    return writer_.Write(f);
  };
  PullQueue q(1'000'000), small(1'000'000);
  int taken = 0;
  while (q.Offer(heavy(), 0)) ++taken;
  EXPECT_EQ(taken, 10);
  EXPECT_TRUE(small.Offer(heavy(), 0, /*memory_full=*/true)) << "one may go beyond";
  PullQueue wide(100'000'000);
  taken = 0;
  while (wide.Offer(heavy(), 0, /*memory_full=*/true)) ++taken;
  EXPECT_EQ(taken, 11) << "a MiB, when the memory of the process is full";
  wide.Clear();
  EXPECT_EQ(wide.bytes(), 0u);
  EXPECT_TRUE(wide.Offer(heavy(), 0, true));
}

}  // namespace
}  // namespace posewire::stream
