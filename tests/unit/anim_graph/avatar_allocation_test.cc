// A steady avatar allocates nothing in Tick: counted at operator new.
#include <gtest/gtest.h>

#include "libs/wire/source_binding.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

class AvatarAllocation : public ::testing::TestWithParam<const char*> {};

TEST_P(AvatarAllocation, TicksOfAPlayingAvatarAllocateNothing) {
  HarnessSettings settings;
  settings.graph = GetParam();
  settings.clips = *gesture::MakeGestures(*skel::RigCatalog::Builtin()->Find("hanim_loa3"));
  settings.start_wait_s = 0;
  Harness h(settings);
  TickScratch scratch(settings, h.rig->joints(), h.rig->shapes());
  Avatar avatar(h.parts.asset, settings, 1, &scratch);
  for (const char* rig : {"hanim_loa3", "ace_biped"}) {
    const auto found = *h.parts.catalog->Find(rig);
    ++(*avatar.OpenOutputFormat(found))->users;
    for (const auto form : {wire::PoseForm::kSparse, wire::PoseForm::kQuantised}) {
      Avatar::OutputFormat* const sparse = *avatar.OpenOutputFormat(found, false, form);
      ++sparse->users;
      ++sparse->incomplete;
    }
  }
  for (uint64_t id : {1u, 2u}) {
    auto header = Harness::Header(id == 1 ? "a" : "b");
    header.source_service_id = id == 1 ? "one" : "two";
    auto binding = wire::SourceBinding::Make(header, h.rig, *h.parts.catalog, {});
    ASSERT_TRUE(binding.ok());
    auto playback = std::make_unique<Playback>(id, header, *std::move(binding), settings.source,
                                               settings, h.rig);
    playback->Append(Harness::Keys(0, 600), 0);
    ASSERT_TRUE(avatar.Add(std::move(playback)).ok());
  }
  int64_t k = 0;
  for (; k < 60; ++k) avatar.Tick(k, static_cast<double>(k) / 30);
  if (std::string(GetParam()) == "default") {
    graph::Variables& variables = avatar.graph_instance().variables();
    const int gesture = variables.set().Find("gesture_state");
    variables.Set(gesture, *variables.set().spec(gesture).Parse("wave"));
  }
  const AllocationCount allocations;
  for (; k < 300; ++k) avatar.Tick(k, static_cast<double>(k) / 30);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(avatar.playbacks().at(0)->state(), PlayState::kPlaying);
}

INSTANTIATE_TEST_SUITE_P(Graphs, AvatarAllocation, ::testing::Values("passthrough", "default"));

}  // namespace
}  // namespace posewire::anim_graph
