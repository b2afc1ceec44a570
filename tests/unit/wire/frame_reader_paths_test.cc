// The fast way through the reader: when it is taken, that it takes no memory, and that it never
// says anything but what the general way and protobuf say.
#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "libs/skel/pose.h"
#include "libs/wire/frame_writer.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/wire/both_ways.h"
#include "tests/unit/wire/odd_messages.h"
#include "tests/unit/wire/status_matchers.h"

namespace posewire::wire {
namespace {

constexpr int kShapes = 5, kJoints = 21;
constexpr int64_t kRecords = 3 * kJoints;

FrameReader WideReader() {
  FrameReader reader;
  if (!Read(reader, WideHeader(kShapes, kJoints)).ok()) std::abort();
  return reader;
}

// One of our own frames.
std::string OwnFrame(double time_code_s, int samples = 533) {
  static FrameWriter& writer = *new FrameWriter(kJoints, kShapes);
  skel::Pose pose(kJoints, kShapes);
  for (int j = 0; j < kJoints; ++j) {
    const auto x = static_cast<float>(j);
    pose.span().SetTranslation(j, {x, 0, -x});
    pose.span().SetRotation(j, {0.6f, 0, 0.8f, 0});
    pose.span().SetScale(j, {1, 1, 1});
  }
  for (int s = 0; s < kShapes; ++s) pose.span().SetWeight(s, 0.5f);
  const std::vector<int16_t> audio(static_cast<size_t>(samples), 7);
  OutputFrame frame;
  frame.time_code_s = frame.audio_time_code_s = time_code_s;
  frame.pose = pose.view();
  frame.audio = audio;
  std::string bytes;
  const EncodedFrame encoded = writer.Write(frame);
  for (const auto& slice : encoded.Whole()) bytes.append(slice.begin(), slice.end());
  return bytes;
}

TEST(FrameReaderPaths, OurOwnFramesAreReadAtFixedPlaces) {
  FrameReader reader = WideReader();
  for (int i = 0; i < 10; ++i) ASSERT_THAT(ReadBytes(reader, OwnFrame(i / 30.0)), IsOk());
  EXPECT_EQ(reader.paths().fixed, 10);
  EXPECT_EQ(reader.paths().full_records, 10 * kRecords);
  EXPECT_EQ(reader.paths().by_record + reader.paths().general + reader.paths().other_records, 0);
}

TEST(FrameReaderPaths, FramesWithoutTheirZerosAreReadByRecord) {
  FrameReader reader = WideReader();
  for (int i = 0; i < 10; ++i) {
    ace::AnimationDataStream message;
    ASSERT_TRUE(message.ParseFromString(OwnFrame(i / 30.0)));
    ASSERT_THAT(Read(reader, message), IsOk());
  }
  // protobuf leaves out the zeros of translations and rotations.
  EXPECT_EQ(reader.paths().by_record, 10);
  EXPECT_EQ(reader.paths().other_records, 10 * 2 * kJoints);
  EXPECT_EQ(reader.paths().full_records, 10 * kJoints);
  EXPECT_EQ(reader.paths().fixed + reader.paths().general, 0);
}

TEST(FrameReaderPaths, ARecordInAnotherOrderIsCountedAsOne) {
  BothWays stream(WideHeader(kShapes, kJoints));
  for (int i = 0; i < 3; ++i) {
    std::string frame = OwnFrame(i / 30.0);
    const size_t at = frame.find("\x12\x14\x0d");  // a rotation
    ASSERT_NE(at, std::string::npos);
    std::swap_ranges(frame.begin() + static_cast<ptrdiff_t>(at) + 2,
                     frame.begin() + static_cast<ptrdiff_t>(at) + 7,
                     frame.begin() + static_cast<ptrdiff_t>(at) + 7);
    ASSERT_EQ(stream.Read(frame), "");
    ASSERT_THAT(stream.status(), IsOk());
  }
  EXPECT_EQ(stream.paths().by_record, 3);
  EXPECT_EQ(stream.paths().other_records, 3);
  EXPECT_EQ(stream.paths().full_records, 3 * (kRecords - 1));
}

TEST(FrameReaderPaths, OddOnesAndRejectedOnesAreReadInTheGeneralWay) {
  FrameReader reader = WideReader();
  ASSERT_THAT(ReadBytes(reader, OwnFrame(0) + "\x78\x01"), IsOk());
  EXPECT_EQ(reader.paths().general, 1);
  const std::string frame = OwnFrame(1);
  EXPECT_FALSE(ReadBytes(reader, frame.substr(0, frame.size() / 2)).ok());
  EXPECT_EQ(reader.paths().fixed, 0);
}

TEST(FrameReaderPaths, HeadersAndStatusesAreNotCounted) {
  FrameReader reader = WideReader();
  ace::AnimationDataStream status;
  status.mutable_status()->set_message("done");
  ASSERT_THAT(Read(reader, status), IsOk());
  EXPECT_EQ(reader.paths().fixed + reader.paths().by_record + reader.paths().general, 0);
}

TEST(FrameReaderPaths, AStreamIntoOneChunkTakesNoMemory) {
  FrameReader reader = WideReader();
  std::vector<std::string> frames;
  for (int i = 0; i < 60; ++i) frames.push_back(OwnFrame(i / 30.0, i % 4 == 3 ? 0 : 533 + i % 2));
  for (int i = 60; i < 120; ++i) {
    ace::AnimationDataStream stock;
    ASSERT_TRUE(stock.ParseFromString(OwnFrame(i / 30.0)));
    frames.push_back(stock.SerializeAsString());
  }
  Chunk chunk;
  for (size_t i = 0; i < 2; ++i) ASSERT_THAT(reader.Read({AsBytes(frames[i])}, &chunk), IsOk());
  const AllocationCount count;
  for (size_t i = 2; i < frames.size(); ++i) {
    if (!reader.Read({AsBytes(frames[i])}, &chunk).ok()) ADD_FAILURE();
  }
  EXPECT_EQ(count.count(), 0);
  EXPECT_EQ(reader.paths().general, 0);
}

TEST(FrameReaderPaths, ALargeMessageLeavesNoLargeMemoryBehind) {
  FrameReader reader = WideReader();
  Chunk chunk;
  const auto kept = [&](const std::string& message) {
    EXPECT_THAT(reader.Read({AsBytes(message)}, &chunk), IsOk());
    const auto& data = std::get<DataChunk>(chunk);
    return std::max(data.audio ? data.audio->samples.capacity() : 0,
                    data.pose[kRotations].values.capacity());
  };
  EXPECT_GE(kept(OwnFrame(0, 1 << 20)), 1u << 20);
  EXPECT_LT(kept(OwnFrame(70, 5)), 64u << 10);
  EXPECT_GE(kept(OwnFrame(71, 1 << 20)), 1u << 20);
  kept(OwnFrame(150, 0));
  EXPECT_LT(kept(OwnFrame(151, 5)), 64u << 10);
  // Many keys in one message.
  ace::AnimationDataStream clip;
  for (int i = 0; i < 1000; ++i) {
    const std::array<float, 4> kIdentity = {1, 0, 0, 0};
    AddRotations(160 + i / 30.0, Quats(kJoints, kIdentity), &clip);
  }
  EXPECT_GE(kept(clip.SerializeAsString()), size_t{1000} * 4 * kJoints);
  EXPECT_LT(kept(OwnFrame(200, 5)), 64u << 10);
}

TEST(FrameReaderPaths, ALimitOfElementsHoldsForEveryWay) {
  ReaderLimits limits;
  limits.elements = 60;
  FrameReader reader(limits);
  ASSERT_THAT(Read(reader, WideHeader(kShapes, kJoints)), IsOk());
  EXPECT_THAT(ReadBytes(reader, OwnFrame(0)),
              Fails(absl::StatusCode::kResourceExhausted, ::testing::HasSubstr("60 elements")));
}

TEST(FrameReaderPaths, AMessageMayBeCutAnywhere) {
  const std::string frames[] = {OwnFrame(1), OwnFrame(2)};
  for (size_t cut = 1; cut < frames[0].size(); ++cut) {
    BothWays stream(WideHeader(kShapes, kJoints));
    ASSERT_EQ(stream.Read(frames[0], cut), "");
    ASSERT_EQ(stream.Read(frames[1], frames[1].size() - cut), "");
    ASSERT_THAT(stream.status(), IsOk());
  }
}

TEST(FrameReaderPaths, EveryByteOfAFrameMayBeWrong) {
  const google::protobuf::LogSilencer silence;
  const std::string frames[] = {OwnFrame(1, 5), OwnFrame(2, 5)};
  for (size_t at = 0; at < frames[1].size(); ++at) {
    for (const int flip : {1, 4, 8, 0x10, 0x80}) {
      BothWays stream(WideHeader(kShapes, kJoints));
      ASSERT_EQ(stream.Read(frames[0]), "");
      std::string damaged = frames[1];
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      ASSERT_EQ(stream.Read(damaged), "") << at << " " << flip;
    }
  }
}

// The readers go on with what they learned until they refuse a message.
TEST(FrameReaderPaths, AllWaysAgreeOnEveryFormOfMessage) {
  const google::protobuf::LogSilencer silence;
  ReadPaths paths;
  int rejected = 0, streams = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    OddMessages messages(seed, kShapes, kJoints);
    const double zeros = messages.Chance(0.3) ? 0 : messages.Chance(0.5) ? 0.05 : 0.5;
    const double oddness = messages.Chance(0.5) ? 0 : messages.Chance(0.7) ? 0.003 : 0.05;
    BothWays stream(WideHeader(kShapes, kJoints));
    ++streams;
    for (int i = 0; i < 12 && stream.status().ok(); ++i) {
      std::string message = messages.Next(i / 30.0, zeros, oddness);
      if (messages.Chance(0.1)) message = messages.Damaged(message);
      const size_t cut =
          messages.Chance(0.2) && !message.empty() ? messages.Pick(message.size()) : 0;
      ASSERT_EQ(stream.Read(message, cut), "") << "seed " << seed << ", message " << i;
    }
    rejected += !stream.status().ok();
    paths.fixed += stream.paths().fixed;
    paths.by_record += stream.paths().by_record;
    paths.general += stream.paths().general;
  }
  // Each way, and each answer, must be met often.
  EXPECT_GT(paths.fixed, 500);
  EXPECT_GT(paths.by_record, 2000);
  EXPECT_GT(paths.general, 1000);
  EXPECT_GT(rejected, streams / 10);
  EXPECT_LT(rejected, streams * 9 / 10);
}

}  // namespace
}  // namespace posewire::wire
