#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/skel/rig.h"

namespace posewire::graph {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::shared_ptr<const GraphAsset>> Load(const std::string& actions) {
  const auto graph = ParseGraph(absl::StrCat(
      "name: \"g\" output: \"idle\" nodes { name: \"idle\" idle {} } events: \"give\" ", actions));
  if (!graph.ok()) return graph.status();
  return MakeGraphAsset(*graph, *skel::RigCatalog::Builtin()->Find("hanim_loa3"), nullptr);
}

TEST(PropActions, AreReadAndTheirEventsAreSeenInTheTickAfterTheyFire) {
  const auto asset = Load(
      R"(prop_actions { event: "give" prop: "cup" at: "left_hand" target_object_id: "ben" }
         prop_actions { event: "give" prop: "hat" })");
  ASSERT_TRUE(asset.ok()) << asset.status();
  ASSERT_EQ((*asset)->prop_actions().size(), 2u);
  EXPECT_EQ((*asset)->prop_actions()[0].target, "ben");
  EXPECT_EQ((*asset)->prop_actions()[1].at, "");
  auto graph = (*asset)->Instantiate(*asset, 1);
  skel::Pose pose((*asset)->rig()->joints(), (*asset)->rig()->shapes());
  const auto tick = [&](int64_t k) {
    graph->Tick(k, static_cast<double>(k) / 30, 1.0 / 30, {}, pose.span());
    return graph->outputs().fired;
  };
  EXPECT_EQ(tick(0), 0u);
  graph->Fire(0);
  EXPECT_EQ(tick(1), 1u);
  EXPECT_EQ(tick(2), 0u);
}

TEST(PropActions, MistakesAreNamed) {
  const auto why = [](const char* action) {
    return std::string(Load(absl::StrCat("prop_actions { ", action, " }")).status().message());
  };
  EXPECT_THAT(why(R"(event: "gvie" prop: "cup" at: "head")"),
              HasSubstr("prop_actions[0].event: the graph has no event \"gvie\""));
  EXPECT_THAT(why(R"(event: "give" at: "head")"), HasSubstr("prop_actions[0].prop is missing"));
  EXPECT_THAT(why(R"(event: "give" prop: "cup" at: "haed")"),
              HasSubstr("prop_actions[0].at: the avatar has no site or joint \"haed\""));
  EXPECT_THAT(why(R"(event: "give" prop: "cup" target_object_id: "ben")"),
              HasSubstr("prop_actions[0].at is missing"));
  // Another avatar may have another rig.
  EXPECT_EQ(why(R"(event: "give" prop: "cup" at: "tail" target_object_id: "dog")"), "");
}

}  // namespace
}  // namespace posewire::graph
