#include "services/anim_graph/core/pushed_clips.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "services/anim_graph/core/metadata_queue.h"
#include "tests/support/allocation_count.h"

namespace posewire::anim_graph {
namespace {

wire::Contributions Says(uint64_t hash, double time_s, bool frozen = false) {
  wire::Contribution one{.clip = "clip", .clip_hash = hash, .time_s = time_s, .weight = 0.5f};
  one.frozen = frozen;
  return {.contributions = {one}};
}

class PushedClipsTest : public testing::Test {
 protected:
  const skel::RigCatalog rigs_ = *skel::RigCatalog::Builtin();
  const std::shared_ptr<const skel::Rig> rig_ = *rigs_.Find("hanim_loa3");
  PushedClips clips_;
};

TEST_F(PushedClipsTest, ShowsTheNewestThatIsDueAndItsTimeAdvances) {
  clips_.Append(1, Says(1, 10), *rig_);
  clips_.Append(2, Says(2, 20, /*frozen=*/true), *rig_);
  clips_.Append(3, {}, *rig_);
  clips_.Advance(0.5, 0.5);
  EXPECT_TRUE(clips_.shown().empty());
  clips_.Advance(1.25, 1.25);
  ASSERT_EQ(clips_.shown().size(), 1u);
  EXPECT_EQ(clips_.shown()[0].hash, 1u);
  EXPECT_EQ(clips_.shown()[0].time_s, 10.25);
  EXPECT_EQ(clips_.shown()[0].share(5), 0.5f);
  clips_.Advance(2.75, 2.75);
  ASSERT_EQ(clips_.shown().size(), 1u);
  EXPECT_EQ(clips_.shown()[0].hash, 2u);
  EXPECT_EQ(clips_.shown()[0].time_s, 20) << "frozen";
  clips_.Advance(3, 3);
  EXPECT_TRUE(clips_.shown().empty()) << "an empty entry ends it";
}

TEST_F(PushedClipsTest, KeepsTheOrderOfCodesAndSkipsWhatIsOver) {
  clips_.Append(3, Says(3, 0), *rig_);
  clips_.Append(1, Says(1, 0), *rig_);
  clips_.Append(2, Says(2, 0), *rig_);
  clips_.Advance(1, 1);
  EXPECT_EQ(clips_.shown()[0].hash, 1u);
  clips_.Advance(5, 5);
  EXPECT_EQ(clips_.shown()[0].hash, 3u);
}

TEST_F(PushedClipsTest, CountsWhatItKeepsAndAdvancesWithoutAllocating) {
  const size_t none = clips_.bytes();
  wire::Contributions said = Says(1, 0);
  said.contributions[0].mask = {{"l_shoulder", 0.5f}};
  said.contributions.resize(wire::Contributions::kMost, said.contributions[0]);
  for (int i = 0; i < 100; ++i) clips_.Append(i, said, *rig_);
  EXPECT_GT(clips_.bytes(), none + 100 * wire::Contributions::kMost * 94 * sizeof(float));
  const AllocationCount allocations;
  for (int i = 0; i < 100; ++i) clips_.Advance(i, i);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(clips_.shown().size(), wire::Contributions::kMost);
  EXPECT_LT(clips_.bytes(), none + 2 * wire::Contributions::kMost * 600);
}

TEST_F(PushedClipsTest, WithoutAPoseEntriesAreUsedUpAllTheSame) {
  const size_t none = clips_.bytes();
  for (int i = 0; i < 50; ++i) clips_.Append(i, Says(1, i), *rig_);
  clips_.Advance(50, 3);
  EXPECT_LT(clips_.bytes(), none + 1000);
  ASSERT_EQ(clips_.shown().size(), 1u);
  EXPECT_EQ(clips_.shown()[0].time_s, 49);
  clips_.Advance(std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(clips_.shown()[0].time_s, 49);
}

TEST_F(PushedClipsTest, EarlierEntriesThatComeAgainChangeNothing) {
  for (const int code : {1, 2, 3}) clips_.Append(code, Says(static_cast<uint64_t>(code), 0), *rig_);
  clips_.Advance(3, 3);
  clips_.Append(2, Says(2, 0), *rig_);
  clips_.Advance(3.5, 3.5);
  ASSERT_EQ(clips_.shown().size(), 1u);
  EXPECT_EQ(clips_.shown()[0].hash, 3u);
}

TEST(MetadataQueue, GivesWhatIsDueInOrderAndForgetsIt) {
  MetadataQueue queue;
  wire::DataChunk chunk;
  for (int i = 0; i < 10; ++i) {
    chunk.earliest_time_code_s = i;
    ASSERT_EQ(queue.Admit(chunk), i);
    queue.Append(i, {{std::to_string(i), ""}});
  }
  chunk.earliest_time_code_s = std::numeric_limits<double>::infinity();
  EXPECT_EQ(queue.Admit(chunk), 9) << "without a code, that of the newest before it";
  queue.AppendFirst({"first", ""});
  EXPECT_GT(queue.bytes(), 0u);
  std::vector<wire::MetadataEntry> out;
  queue.TakeDue(3, 64, out);
  ASSERT_EQ(out.size(), 5u);
  EXPECT_EQ(out[0].key, "first");
  EXPECT_EQ(out[4].key, "3");
  queue.TakeDue(9, 2, out);
  EXPECT_EQ(out.size(), 7u);
  queue.TakeDue(9, 64, out);
  EXPECT_EQ(out.size(), 11u);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0u);
  queue.SetFloor(queue.newest_s());
  chunk.earliest_time_code_s = 9;
  EXPECT_FALSE(queue.Admit(chunk)) << "a resumed call repeats it";
  chunk.earliest_time_code_s = 10;
  EXPECT_TRUE(queue.Admit(chunk));
}

}  // namespace
}  // namespace posewire::anim_graph
