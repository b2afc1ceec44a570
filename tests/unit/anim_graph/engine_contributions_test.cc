#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "google/protobuf/any.pb.h"
#include "libs/wire/contributions.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

struct Seen {
  double time_code_s = 0;
  wire::Contributions said;
};

class EngineContributions : public testing::Test {
 protected:
  EngineContributions() {
    CallContext context = h.Context({"", "stream", ""});
    PullCallOptions asks;
    asks.contributions = true;
    EXPECT_TRUE(h.engine->OpenPull(context, asks, &asking, h.now).ok());
    EXPECT_TRUE(h.Pull(&plain).ok());
  }
  // Ten messages of six keys each.
  void Push(const std::vector<wire::MetadataEntry>& entries) {
    const auto push = h.Push(Harness::Header("r"), &peer);
    ASSERT_TRUE(push.ok()) << push.status();
    for (int64_t m = 0; m < 10; ++m) {
      wire::DataChunk keys = Harness::Keys(6 * m, 6 * m + 6);
      if (static_cast<size_t>(m) < entries.size()) {
        keys.metadata.push_back(entries[static_cast<size_t>(m)]);
      }
      h.engine->Offer(push->call, std::move(keys), h.now);
    }
    answer = h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
    h.Run(2.5);
  }
  std::vector<Seen> Heard() const {
    std::vector<Seen> out;
    for (const pb::AnimationData& data : asking.data()) {
      const auto entry = data.metadata().find(std::string(wire::kContributionsKey));
      if (entry == data.metadata().end()) continue;
      const auto said = wire::ReadContributions(
          {std::string(wire::kContributionsKey), entry->second.SerializeAsString()});
      EXPECT_TRUE(said.has_value());
      if (said) out.push_back({data.skel_animation().rotations(0).time_code(), *said});
    }
    return out;
  }
  void ExpectPlainPullsHearNothing() const {
    for (const pb::AnimationData& data : plain.data()) EXPECT_EQ(data.metadata_size(), 0);
  }

  Harness h;
  FakeSink asking, plain;
  FakePeer peer;
  wire::StatusChunk answer;
};

// The source says it once; between its messages the time in the clip advances.
TEST_F(EngineContributions, OfASourceGoToThePullsThatAsk) {
  wire::Contribution walk{.clip = "walk", .clip_hash = 77, .time_s = 3, .weight = 1};
  walk.mask = {{"l_shoulder", 0.5f}};
  Push({wire::ToMetadata({.contributions = {walk}})});
  ExpectPlainPullsHearNothing();
  int told = 0;
  double first_s = -1;
  for (const Seen& seen : Heard()) {
    for (const wire::Contribution& one : seen.said.contributions) {
      if (one.clip != "walk" || one.frozen) continue;
      if (first_s < 0) first_s = seen.time_code_s;
      EXPECT_EQ(one.clip_hash, 77u);
      EXPECT_EQ(one.source_service_id, "test");
      EXPECT_NEAR(one.time_s, 3 + seen.time_code_s - first_s, 1e-6);
      std::vector<float> shares(static_cast<size_t>(h.rig->joints()));
      one.Shares(*h.rig, absl::MakeSpan(shares));
      EXPECT_NEAR(shares[static_cast<size_t>(h.rig->FindJoint("skullbase"))], 1, 1e-5);
      EXPECT_NEAR(shares[static_cast<size_t>(h.rig->FindJoint("l_shoulder"))], 0.5, 1e-5);
      EXPECT_EQ(shares[static_cast<size_t>(h.rig->FindJoint("r_shoulder"))], 0) << "not pushed";
      ++told;
    }
  }
  EXPECT_GE(told, 55);
}

TEST_F(EngineContributions, TheNextEntryReplacesTheOneBefore) {
  std::vector<wire::MetadataEntry> entries;
  for (uint64_t m = 0; m < 10; ++m) {
    entries.push_back(wire::ToMetadata(
        {.contributions = {{.clip = "c", .clip_hash = 100 + m / 5, .time_s = 1, .weight = 1}}}));
  }
  entries.back() = wire::ToMetadata(wire::Contributions());
  Push(entries);
  int first = 0, second = 0, live = 0;
  for (const Seen& seen : Heard()) {
    for (const wire::Contribution& one : seen.said.contributions) {
      first += one.clip_hash == 100 && !one.frozen;
      second += one.clip_hash == 101 && !one.frozen;
      live += one.clip.empty();
      EXPECT_LT(one.time_s, 1.21);
    }
  }
  EXPECT_NEAR(first, 30, 2);
  EXPECT_NEAR(second, 24, 2);
  EXPECT_GE(live, 5);
}

TEST_F(EngineContributions, WhatCannotBeReadIsCountedAndDisturbsNothing) {
  google::protobuf::Any any;
  any.set_type_url("type.googleapis.com/example.Other");
  Push({{std::string(wire::kContributionsKey), any.SerializeAsString()}});
  ExpectPlainPullsHearNothing();
  EXPECT_GE(Heard().size(), 55u);
  for (const Seen& seen : Heard()) {
    for (const wire::Contribution& one : seen.said.contributions) EXPECT_TRUE(one.clip.empty());
  }
  EXPECT_NE(answer.message.find("1 entries posewire.contributions that cannot be read"),
            std::string::npos)
      << answer.message;
}

}  // namespace
}  // namespace posewire::anim_graph
