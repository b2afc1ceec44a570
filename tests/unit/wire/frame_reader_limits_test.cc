// Hostile messages: refused by count, with memory flat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/memory_of.h"
#include "libs/wire/wire_writer.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMessage = 4u << 20;
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

// `n` bytes of empty sub-messages with field number `number`.
std::string EmptyMessages(uint32_t number, size_t n) {
  std::string s;
  for (size_t i = 0; i + 2 <= n; i += 2) {
    s.push_back(static_cast<char>(number << 3 | kLength));
    s.push_back(0);
  }
  return s;
}

std::string Wrap(uint32_t number, const std::string& inner) {
  std::string s(LengthFieldSize(inner.size()), '\0');
  WireWriter w(reinterpret_cast<uint8_t*>(s.data()));
  w.TextField(number, inner);
  return s;
}

constexpr size_t kRoom = 64;

TEST(FrameReaderLimits, FloodsOfEmptySubMessagesAreRejectedWithMemoryFlat) {
  const std::string flood = EmptyMessages(2, kMessage - kRoom);
  struct Case {
    const char* name;
    std::string bytes;
  };
  const Case cases[] = {
      {"values of one key", Wrap(2, Wrap(1, Wrap(2, flood)))},
      {"keys", Wrap(2, Wrap(1, flood))},
      {"keys of weights", Wrap(2, Wrap(1, EmptyMessages(1, kMessage - kRoom)))},
      {"camera keys", Wrap(2, Wrap(3, flood))},
      {"skel_animation", Wrap(2, EmptyMessages(1, kMessage - kRoom))},
      {"audio", Wrap(2, flood)},
      {"camera", Wrap(2, EmptyMessages(3, kMessage - kRoom))},
      {"metadata", Wrap(2, EmptyMessages(4, kMessage - kRoom))},
      {"animation_data", flood},
  };
  for (const Case& c : cases) {
    FrameReader reader = ReaderAfterHeader();
    const AllocationCount count;
    const absl::Status s = ReadBytes(reader, c.bytes).status();
    EXPECT_FALSE(s.ok()) << c.name;
    EXPECT_LT(count.bytes(), 16 << 10) << c.name << ": " << s;
  }
}

TEST(FrameReaderLimits, AFloodWithoutNamesIsRejectedByCount) {
  ace::AnimationDataStream header = SmallHeader();
  header.mutable_animation_data_stream_header()->clear_skel_animation_header();
  FrameReader reader;
  ASSERT_THAT(Read(reader, header), IsOk());
  const std::string bytes = Wrap(2, Wrap(1, EmptyMessages(2, kMessage - kRoom)));
  const AllocationCount count;
  EXPECT_THAT(ReadBytes(reader, bytes), Fails(kExhausted, HasSubstr("more than 1310720 elements")));
  EXPECT_LT(count.bytes(), 16 << 10);
}

TEST(FrameReaderLimits, FloodsInTheHeaderAreRejectedWithMemoryFlat) {
  for (const uint32_t number : {1u, 2u}) {
    FrameReader reader;
    const std::string bytes = Wrap(1, Wrap(4, EmptyMessages(number, kMessage - kRoom)));
    const AllocationCount count;
    EXPECT_THAT(ReadBytes(reader, bytes), Fails(kExhausted, HasSubstr("at most")));
    EXPECT_LT(count.bytes(), 16 << 10);
  }
}

TEST(FrameReaderLimits, AMapOf200000KeysIsRejectedWithMemoryFlat) {
  ace::AnimationDataStream m;
  for (int i = 0; i < 200000; ++i) {
    (*m.mutable_animation_data()->mutable_metadata())[absl::StrCat("k", i)];
  }
  FrameReader reader = ReaderAfterHeader();
  const std::string bytes = m.SerializeAsString();
  const AllocationCount count;
  EXPECT_THAT(ReadBytes(reader, bytes), Fails(kExhausted, HasSubstr("more than 32 entries")));
  EXPECT_LT(count.bytes(), 16 << 10);
}

TEST(FrameReaderLimits, ThirtyTwoMetadataEntriesPass) {
  ace::AnimationDataStream m;
  for (int i = 0; i < 32; ++i) {
    (*m.mutable_animation_data()->mutable_metadata())[absl::StrCat("k", i)];
  }
  FrameReader reader = ReaderAfterHeader();
  const auto chunk = ReadData(reader, m);
  ASSERT_THAT(chunk, IsOk());
  EXPECT_EQ(chunk->metadata.size(), 32u);
}

TEST(FrameReaderLimits, AMessageOverTheLimitIsRejectedUnread) {
  FrameReader reader = ReaderAfterHeader();
  const std::string half(kMessage / 2 + 1, '\xff');
  const absl::Span<const uint8_t> slices[] = {AsBytes(half), AsBytes(half)};
  const AllocationCount count;
  EXPECT_THAT(reader.Read(slices),
              Fails(kExhausted, HasSubstr("4194306 bytes long; at most 4194304")));
  EXPECT_LT(count.bytes(), 16 << 10);
}

// The dearest legal message: zeros left out, two bytes a vector. What is held is bounded by the
// number of elements.
TEST(FrameReaderLimits, TheDearestLegalMessageTakesBoundedMemory) {
  ace::AnimationDataStream header = SmallHeader();
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.Clear();
  for (int i = 0; i < 1024; ++i) names.add_joints(absl::StrCat("j", i));
  ace::AnimationDataStream m;
  for (int k = 0; k < 1000; ++k) {
    AddTranslations(k, Float3s(1024, {0, 0, 0}), &m);
  }
  const std::string bytes = m.SerializeAsString();
  FrameReader reader;
  ASSERT_THAT(Read(reader, header), IsOk());
  const AllocationCount count;
  const auto chunk = ReadBytes(reader, bytes);
  ASSERT_THAT(chunk, IsOk());
  EXPECT_LT(count.bytes(), 13 << 20);
  EXPECT_GT(MemoryOf(std::get<DataChunk>(*chunk)), 12000000u);
}

TEST(FrameReaderLimits, AWholeClipOfNearly4MiBPasses) {
  ace::AnimationDataStream header = SmallHeader();
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.Clear();
  for (int i = 0; i < 94; ++i) names.add_joints(absl::StrCat("j", i));
  for (int i = 0; i < 52; ++i) names.add_blend_shapes(absl::StrCat("s", i));
  ace::AnimationDataStream m;
  for (int k = 0; m.ByteSizeLong() < kMessage - 7000; ++k) {
    AddWeights(k / 30.0, std::vector<float>(52, 0.5f), &m);
    AddTranslations(k / 30.0, Float3s(94, {0.1f, 0.2f, 0.3f}), &m);
    AddRotations(k / 30.0, Quats(94, {0.5f, 0.5f, 0.5f, 0.5f}), &m);
    AddScales(k / 30.0, Float3s(94, {1, 1, 1}), &m);
  }
  FrameReader reader;
  ASSERT_THAT(Read(reader, header), IsOk());
  const auto chunk = ReadData(reader, m);
  ASSERT_THAT(chunk, IsOk());
  EXPECT_GT(chunk->pose[kWeights].time_codes_s.size(), 700u);
}

TEST(FrameReaderLimits, DeepNestingIsRejectedCleanly) {
  for (const int depth : {101, 1000, 1000000}) {
    FrameReader reader = ReaderAfterHeader();
    std::string bytes(static_cast<size_t>(depth), static_cast<char>(7 << 3 | kStartGroup));
    bytes += std::string(static_cast<size_t>(depth), static_cast<char>(7 << 3 | kEndGroup));
    EXPECT_THAT(ReadBytes(reader, bytes), Invalid(HasSubstr("no protobuf message"))) << depth;
  }
  FrameReader reader = ReaderAfterHeader();
  EXPECT_THAT(ReadBytes(reader, std::string(100, 7 << 3 | kStartGroup) +
                                    std::string(100, 7 << 3 | kEndGroup)),
              IsOk());
}

TEST(FrameReaderLimits, LimitsAreSettings) {
  ReaderLimits limits;
  limits.elements = 3;
  limits.max_jump_s = 1;
  FrameReader reader = ReaderAfterHeader(limits);
  // One skel_animation, one key, two values.
  EXPECT_THAT(Read(reader, Weights(0, {0, 0})),
              Fails(kExhausted, HasSubstr("more than 3 elements")));
}

}  // namespace
}  // namespace posewire::wire
