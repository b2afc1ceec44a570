// Who an avatar is shown as: by variables and by sources, told to whoever pulls.
#include <gtest/gtest.h>

#include "google/protobuf/any.pb.h"
#include "libs/wire/appearance.h"
#include "posewire.character.v1.pb.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using wire::Appearance;

HarnessSettings Default() {
  HarnessSettings settings;
  settings.graph = "default";
  return settings;
}

// What the sink was told, in order.
std::vector<Appearance> AppearancesToldTo(const FakeSink& sink) {
  std::vector<Appearance> out;
  for (const pb::AnimationData& data : sink.data()) {
    const auto entry = data.metadata().find("posewire.appearance");
    if (entry == data.metadata().end()) continue;
    posewire::character::v1::Appearance said;
    EXPECT_TRUE(entry->second.UnpackTo(&said));
    out.push_back({said.character(), {said.look().begin(), said.look().end()}});
  }
  return out;
}

void Set(Harness& h, const char* name, const char* value) {
  ASSERT_TRUE(h.engine->control().SetVariable("stream", "", name, value, h.now).ok());
}

void PushSaying(Harness& h, FakePeer* peer, const char* request, const Appearance& appearance) {
  const auto push = h.Push(Harness::Header(request), peer);
  ASSERT_TRUE(push.ok()) << push.status();
  wire::DataChunk keys = Harness::Keys(0, 30);
  keys.metadata.push_back(wire::ToMetadata(appearance));
  h.engine->Offer(push->call, std::move(keys), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
}

TEST(EngineAppearance, NothingIsToldWhereNobodyHasSaidAnything) {
  Harness h(Default());
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(1);
  EXPECT_TRUE(AppearancesToldTo(sink).empty());
}

TEST(EngineAppearance, VariablesTellOnceAndAgainWhenTheyChange) {
  Harness h(Default());
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(0.5);
  Set(h, "hair_colour", "auburn");
  h.Run(0.5);
  Set(h, "character", "man");
  h.Run(0.5);
  Set(h, "hair_colour", "own");
  Set(h, "character", "own");
  h.Run(0.5);
  const std::vector<Appearance> wanted = {
      {"", {{"hair colour", "auburn"}}}, {"man", {{"hair colour", "auburn"}}}, {}};
  EXPECT_EQ(AppearancesToldTo(sink), wanted);
}

TEST(EngineAppearance, APullThatComesLaterIsToldWithItsFirstFrame) {
  Harness h(Default());
  FakeSink first, second;
  ASSERT_TRUE(h.Pull(&first).ok());
  h.Run(0.2);
  Set(h, "skin", "dark");
  h.Run(2);
  ASSERT_TRUE(h.Pull(&second).ok());
  h.Run(0.5);
  const Appearance dark{"", {{"skin", "dark"}}};
  EXPECT_EQ(AppearancesToldTo(second), std::vector<Appearance>{dark});
  EXPECT_EQ(second.data().at(0).metadata().count("posewire.appearance"), 1);
  EXPECT_EQ(AppearancesToldTo(first),
            (std::vector<Appearance>{dark, dark}));  // all share one frame
}

TEST(EngineAppearance, WhatASourceSaidIsKeptBeyondItsRequestAndVariablesGoBeforeIt) {
  Harness h(Default());
  FakeSink early, late;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&early).ok());
  PushSaying(h, &peer, "r", {"man", {{"skin", "dark"}, {"hat", "red"}}});
  h.Run(4);
  EXPECT_EQ(AppearancesToldTo(early),
            (std::vector<Appearance>{{"man", {{"skin", "dark"}, {"hat", "red"}}}}));
  Set(h, "skin", "fair");
  h.Run(0.5);
  ASSERT_TRUE(h.Pull(&late).ok());
  h.Run(0.5);
  EXPECT_EQ(AppearancesToldTo(late),
            (std::vector<Appearance>{{"man", {{"hat", "red"}, {"skin", "fair"}}}}));
}

TEST(EngineAppearance, AWindowIsToldWhenItsRequestBegins) {
  Harness h(Default());
  FakeSink other, window;
  FakePeer peer, next_peer;
  ASSERT_TRUE(h.Pull(&other).ok());
  Set(h, "skin", "dark");
  PushSaying(h, &peer, "first", {});
  h.Run(0.3);
  ASSERT_TRUE(h.Pull(&window, "next").ok());
  PushSaying(h, &next_peer, "next", {"woman"});  // waits for the first one's end
  h.Run(5);
  const std::vector<Appearance> told = AppearancesToldTo(window);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), (Appearance{"woman", {{"skin", "dark"}}}));
}

TEST(EngineAppearance, UnreadableAppearancesPassUnchanged) {
  Harness h(Default());
  FakeSink sink;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  const auto push = h.Push(Harness::Header("r"), &peer);
  ASSERT_TRUE(push.ok());
  wire::DataChunk keys = Harness::Keys(0, 30);
  google::protobuf::Any any;
  any.set_type_url("type.googleapis.com/somebody.else.Appearance");
  keys.metadata.push_back({"posewire.appearance", any.SerializeAsString()});
  h.engine->Offer(push->call, std::move(keys), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(3);
  int seen = 0;
  for (const pb::AnimationData& data : sink.data()) {
    const auto entry = data.metadata().find("posewire.appearance");
    if (entry == data.metadata().end()) continue;
    ++seen;
    EXPECT_EQ(entry->second.type_url(), any.type_url());
  }
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace posewire::anim_graph
