// A steady avatar allocates nothing in Tick: counted at operator new.
#include <gtest/gtest.h>

#include "libs/wire/source_binding.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

class AvatarAllocation : public ::testing::TestWithParam<graph::GraphKind> {};

TEST_P(AvatarAllocation, TicksOfAPlayingAvatarAllocateNothing) {
  EngineSettings settings;
  settings.graph = GetParam();
  settings.start_wait_s = 0;
  Harness h(settings);
  auto gestures = *gesture::MakeGestures(h.parts.rig);
  Avatar avatar(h.parts.rig, gestures, settings, 1);
  for (const char* rig : {"hanim_loa3", "ace_biped"}) {
    ++(*avatar.OpenLayout(*h.parts.catalog->Find(rig)))->users;
  }
  for (uint64_t id : {1, 2}) {
    auto header = Harness::Header(id == 1 ? "a" : "b");
    header.source_service_id = id == 1 ? "one" : "two";
    auto binding = wire::SourceBinding::Make(header, h.parts.rig, *h.parts.catalog, {});
    ASSERT_TRUE(binding.ok());
    auto playback =
        std::make_unique<Playback>(id, header, *std::move(binding), settings.source, settings,
                                   h.parts.rig->joints(), h.parts.rig->shapes());
    playback->Append(Harness::Keys(0, 600), 0);
    ASSERT_TRUE(avatar.Add(std::move(playback)).ok());
  }
  int64_t k = 0;
  for (; k < 60; ++k) avatar.Tick(k, static_cast<double>(k) / 30);
  if (GetParam() == graph::GraphKind::kDefault) {
    ASSERT_TRUE(avatar.composite().SetGesture("wave").ok());
  }
  const AllocationCount allocations;
  for (; k < 300; ++k) avatar.Tick(k, static_cast<double>(k) / 30);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(avatar.playbacks().at(0)->state(), PlayState::kPlaying);
}

INSTANTIATE_TEST_SUITE_P(Graphs, AvatarAllocation,
                         ::testing::Values(graph::GraphKind::kPassthrough,
                                           graph::GraphKind::kDefault));

}  // namespace
}  // namespace posewire::anim_graph
