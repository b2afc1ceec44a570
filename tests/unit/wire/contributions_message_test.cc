#include <memory>
#include <vector>

#include "google/protobuf/any.pb.h"
#include "gtest/gtest.h"
#include "libs/wire/contributions.h"
#include "posewire.contributions.v1.pb.h"

namespace posewire::wire {
namespace {

TEST(Contributions, GoThroughProtobufAndBack) {
  const auto catalog = skel::RigCatalog::Builtin();
  ASSERT_TRUE(catalog.ok());
  const auto rig = *catalog->Find("hanim_loa3");
  const int elbow = rig->FindJoint("l_elbow");
  std::vector<float> row(static_cast<size_t>(rig->joints()) + 1, 0.5f);
  for (int j = 0; j < rig->joints(); ++j) {
    const int parent = rig->topology().parent(j);
    const auto at = static_cast<size_t>(j);
    row[at] = j == elbow ? 0.25f : parent < 0 ? 0.5f : row[static_cast<size_t>(parent)];
  }
  ContributionsWriter writer(rig);
  writer.Begin();
  writer.Add({"wave", 77, 1.5, 0.5f, false, true, true}, row);
  const MetadataEntry entry = writer.Finish(0.125f);

  google::protobuf::Any any;
  posewire::contributions::v1::Contributions read;
  ASSERT_TRUE(any.ParseFromString(entry.any));
  ASSERT_TRUE(any.UnpackTo(&read));
  ASSERT_EQ(read.contributions_size(), 1);
  EXPECT_EQ(read.contributions(0).mask().joints_size(), 1);
  EXPECT_EQ(read.contributions(0).clip_hash(), 77u);
  EXPECT_EQ(read.left_out(), 0.125f);

  const auto ours = ReadContributions(entry);
  ASSERT_TRUE(ours);
  const Contribution& wave = ours->contributions.at(0);
  EXPECT_EQ(wave.clip, "wave");
  EXPECT_EQ(wave.time_s, 1.5);
  EXPECT_TRUE(wave.mirrored && wave.frozen && !wave.additive);
  std::vector<float> shares(static_cast<size_t>(rig->joints()));
  wave.Shares(*rig, absl::MakeSpan(shares));
  for (size_t j = 0; j < shares.size(); ++j) EXPECT_NEAR(shares[j], row[j], 1e-6) << j;

  MetadataEntry cut = entry;
  cut.any.resize(cut.any.size() - 3);
  EXPECT_FALSE(ReadContributions(cut));
}

TEST(Contributions, OfASourceAreReadAsTheyWereWritten) {
  Contributions said;
  said.left_out = 0.25f;
  said.contributions.push_back({.clip = "walk",
                                .clip_hash = 5,
                                .time_s = 2.5,
                                .weight = 0.75f,
                                .mirrored = true,
                                .mask = {{"l_shoulder", 0.5f}, {"l_elbow", 0}}});
  said.contributions.push_back({.weight = 1, .source_service_id = "camera"});
  const auto read = ReadContributions(ToMetadata(said));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->contributions.size(), 2u);
  EXPECT_EQ(read->left_out, 0.25f);
  const Contribution& walk = read->contributions[0];
  EXPECT_EQ(walk.clip, "walk");
  EXPECT_EQ(walk.clip_hash, 5u);
  EXPECT_EQ(walk.time_s, 2.5);
  EXPECT_EQ(walk.weight, 0.75f);
  EXPECT_TRUE(walk.mirrored && !walk.additive && !walk.frozen);
  EXPECT_EQ(walk.mask, said.contributions[0].mask);
  EXPECT_EQ(read->contributions[1].source_service_id, "camera");
  EXPECT_TRUE(read->contributions[1].mask.empty());
  posewire::contributions::v1::Contributions parsed;
  google::protobuf::Any any;
  ASSERT_TRUE(any.ParseFromString(ToMetadata(said).any));
  ASSERT_TRUE(any.UnpackTo(&parsed));
  EXPECT_EQ(parsed.contributions(0).mask().weights_size(), 2);
}

}  // namespace
}  // namespace posewire::wire
