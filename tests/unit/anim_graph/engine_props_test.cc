// The things of a stream's scene: put, held, handed over, and told to whoever pulls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/wire/props.h"
#include "posewire.scene.v1.pb.h"
#include "services/anim_graph/core/prop_catalog.h"
#include "services/anim_graph/core/prop_scene.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using skel::Placement;
using skel::Vec3;
using ::testing::HasSubstr;
namespace sv = posewire::scene::v1;

SceneProp Cup(Vec3 at = {0.1f, 0.8f, 0.4f}) {
  SceneProp cup;
  cup.name = "cup", cup.shape = "cup";
  cup.place.at = at;
  cup.sites = {{"side", {{0, 0.05f, 0}, {}}, true}, {"handle", {{0.05f, 0.05f, 0}, {}}}};
  return cup;
}

std::vector<sv::Props> PropsToldTo(const FakeSink& sink) {
  std::vector<sv::Props> out;
  for (const pb::AnimationData& data : sink.data()) {
    const auto entry = data.metadata().find("posewire.props");
    if (entry == data.metadata().end()) continue;
    EXPECT_TRUE(entry->second.UnpackTo(&out.emplace_back()));
  }
  return out;
}

PropHolder Right(const void* avatar) { return HolderOf(avatar, "a", "right_hand", {}); }
PropHolder Left(const void* avatar) { return HolderOf(avatar, "a", "left_hand", {}); }

void Follow(PropScene& scene, const void* avatar, const Placement& place, double dt_s = 1.0 / 30) {
  scene.Follow(
      avatar, [&](const skel::BodySite&) { return place; }, dt_s);
}

TEST(PropScene, RejectsWhatCannotBeAndSaysWhatIsRight) {
  PropScene scene;
  const auto why = [&](auto change) {
    SceneProp cup = Cup();
    change(cup);
    const auto set = scene.Set(cup);
    EXPECT_EQ(set.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(set.status().message());
  };
  EXPECT_THAT(why([](SceneProp& p) { p.name = ""; }), HasSubstr("prop.name is \"\""));
  EXPECT_THAT(why([](SceneProp& p) { p.name = "a/b"; }), HasSubstr("none of them /"));
  EXPECT_THAT(why([](SceneProp& p) { p.place.at.x = std::nanf(""); }), HasSubstr("prop.position"));
  EXPECT_THAT(why([](SceneProp& p) { p.place.turn.w = 2; }),
              HasSubstr("prop.rotation has the length 2"));
  EXPECT_THAT(why([](SceneProp& p) { p.size = {1, -1, 1}; }), HasSubstr("prop.size has -1"));
  EXPECT_THAT(why([](SceneProp& p) { p.sites[1].name = "side"; }),
              HasSubstr("prop.sites[1].name is \"side\", as that of prop.sites[0]"));
  EXPECT_THAT(why([](SceneProp& p) { p.sites[1].place.at.y = 1e9f; }),
              HasSubstr("prop.sites[1].position has 1e+09"));
  EXPECT_THAT(why([](SceneProp& p) { p.sites.resize(17, p.sites[0]); }),
              HasSubstr("17 entries; at most 16"));
  EXPECT_TRUE(scene.empty());
  for (size_t i = 0; i < PropScene::kMost; ++i) {
    SceneProp p = Cup();
    p.name = absl::StrCat("cup", i);
    ASSERT_FALSE(*scene.Set(p));
  }
  EXPECT_EQ(scene.Set(Cup()).status().code(), absl::StatusCode::kResourceExhausted);
  SceneProp again = Cup();
  again.name = "cup3";
  EXPECT_TRUE(*scene.Set(again));
  EXPECT_THAT(std::string(scene.Remove("cup99").message()), HasSubstr("no prop \"cup99\""));
}

TEST(PropScene, AThingGlidesIntoAHandFollowsItAndStaysWhereItIsLetGo) {
  PropScene scene;
  ASSERT_TRUE(scene.Set(Cup()).ok());
  int avatar = 0;
  Placement hand{{0.05f, 0.8f, 0.4f}, skel::Exp({0, 0.3f, 0})};
  EXPECT_EQ(scene.Attach("cup", "nothing", Right(&avatar), hand).code(),
            absl::StatusCode::kNotFound);
  ASSERT_TRUE(scene.Attach("cup", "handle", Right(&avatar), hand).ok());
  Vec3 before = scene.Find("cup")->place.at;
  for (int i = 0; i < 30; ++i) {
    Follow(scene, &avatar, hand);
    const Vec3 at = scene.Find("cup")->place.at;
    EXPECT_LT(Length(at - before), 0.03f) << "no jump";
    before = at;
  }
  const auto handle = [&] {
    const SceneProp& cup = *scene.Find("cup");
    return cup.place * cup.sites[1].place;
  };
  EXPECT_LT(Length(handle().at - hand.at), 1e-5f);
  EXPECT_LT(AngleBetween(handle().turn, hand.turn), 1e-3f);
  hand = {{0.4f, 1.2f, 0.1f}, skel::Exp({0.5f, 0, 1})};
  Follow(scene, &avatar, hand);
  EXPECT_LT(Length(handle().at - hand.at), 1e-5f) << "at once, with the hand";
  // The other hand, then nobody.
  const Placement left{{0.5f, 1.2f, 0.1f}, {}};
  const Vec3 was = scene.Find("cup")->place.at;
  ASSERT_TRUE(scene.Attach("cup", "handle", Left(&avatar), left).ok());
  Follow(scene, &avatar, left);
  EXPECT_LT(Length(scene.Find("cup")->place.at - was), 0.03f);
  EXPECT_TRUE(*scene.Detach("cup"));
  EXPECT_FALSE(*scene.Detach("cup"));
  const Vec3 rests = scene.Find("cup")->place.at;
  Follow(scene, &avatar, hand, 1);
  EXPECT_EQ(Length(scene.Find("cup")->place.at - rests), 0);
}

TEST(PropScene, ASiteOfAnySideKeepsTheSideThatTheHandCameFrom) {
  PropScene scene;
  ASSERT_TRUE(scene.Set(Cup()).ok());
  int avatar = 0;
  // The hand is turned a quarter, its thumb tilted a little.
  const Placement hand{{0.1f, 0.85f, 0.4f}, Mul(skel::Exp({0, 1.57f, 0}), skel::Exp({0.1f, 0, 0}))};
  ASSERT_TRUE(scene.Attach("cup", "", Right(&avatar), hand).ok());
  for (int i = 0; i < 30; ++i) Follow(scene, &avatar, hand);
  const Placement& cup = scene.Find("cup")->place;
  EXPECT_LT(AngleBetween(cup.turn, {}), 0.15f) << "it has not spun round in the hand";
  EXPECT_LT(Length((cup * Placement{{0, 0.05f, 0}, {}}).at - hand.at), 1e-4f);
}

TEST(PropScene, WhatIsWornHasTheSiteOfThatPlaceThere) {
  PropScene scene;
  SceneProp hat = Cup();
  hat.name = "hat";
  hat.sites.push_back({"head", {{0, 0.07f, 0}, {}}});
  ASSERT_TRUE(scene.Set(hat).ok());
  int avatar = 0;
  const Placement skull{{0, 1.75f, 0}, skel::Exp({0.3f, 0, 0})};
  const PropHolder head = HolderOf(&avatar, "a", "head", {});
  ASSERT_TRUE(scene.Attach("hat", "", head, skull, /*at_once=*/true).ok());
  Follow(scene, &avatar, skull);
  const SceneProp& worn = *scene.Find("hat");
  EXPECT_EQ(worn.holder.hand, -1);
  EXPECT_TRUE(worn.is_held());
  EXPECT_LT(Length((worn.place * hat.sites.back().place).at - skull.at), 1e-5f);
  EXPECT_LT(AngleBetween(worn.place.turn, skull.turn), 1e-3f) << "not only upright, as in a hand";
  const AllocationCount allocations;
  for (int i = 0; i < 100; ++i) {
    const float turn = 0.01f * static_cast<float>(i);
    Follow(scene, &avatar, {{turn, 1.75f, 0}, skel::Exp({0, turn, 0})});
  }
  EXPECT_EQ(allocations.count(), 0) << "it follows in every tick";
  // Where it has no such site, its origin is there.
  const PropHolder back = HolderOf(&avatar, "a", "back", {});
  ASSERT_TRUE(scene.Attach("hat", "", back, skull, true).ok());
  Follow(scene, &avatar, skull);
  EXPECT_LT(Length(scene.Find("hat")->place.at - skull.at), 1e-5f);
}

TEST(PropCatalog, GivesTheSizeAndTheSitesOfTheFile) {
  PropCatalog catalog;
  catalog["hat"] = {{0.4f, 0.2f, 0.4f},
                    {{"head", {{0, 0.1f, 0}, {}}}, {"side", {{0.2f, 0, 0}, {}}}}};
  SceneProp hat = Cup();
  hat.shape = "hat";
  hat.size = {};
  hat.usual_size = true;
  Complete(catalog, hat);
  EXPECT_EQ(hat.size.x, 0.4f);
  ASSERT_EQ(hat.sites.size(), 3u) << "it has a side of its own";
  EXPECT_EQ(hat.sites.back().name, "head");
  SceneProp large = Cup();
  large.shape = "hat";
  large.size = {0.8f, 0.2f, 0.4f};
  large.sites.clear();
  Complete(catalog, large);
  ASSERT_EQ(large.sites.size(), 2u);
  EXPECT_FLOAT_EQ(large.sites[1].place.at.x, 0.4f) << "scaled with it";
  SceneProp other = Cup();
  Complete(catalog, other);
  EXPECT_EQ(other.sites.size(), Cup().sites.size());
}

TEST(PropCatalog, SitesOfAFlatPropKeepTheirDepthAndFarOnesAreLeftOut) {
  PropCatalog catalog;
  catalog["card"] = {{0.3f, 0.2f, 1e-4f},
                     {{"grip", {{0.1f, 0, 0.03f}, {}}}, {"far", {{900, 0, 0}, {}}}}};
  SceneProp card = Cup();
  card.shape = "card";
  card.size = {6, 0.2f, 0.02f};
  card.sites.clear();
  Complete(catalog, card);
  ASSERT_EQ(card.sites.size(), 1u) << "the other is over 10 km away";
  EXPECT_NEAR(card.sites[0].place.at.x, 2, 1e-5f);
  EXPECT_EQ(card.sites[0].place.at.z, 0.03f);
}

TEST(EngineProps, NothingIsToldWhereNothingIs) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(0.5);
  EXPECT_TRUE(PropsToldTo(sink).empty());
}

TEST(EngineProps, ArePutMovedAndTakenAwayForWhoeverPulls) {
  Harness h;
  FakeSink sink, late;
  StreamControl& control = h.engine->control();
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(0.3);
  EXPECT_FALSE(*control.SetProp("stream", Cup(), h.now));
  h.Run(0.3);
  ASSERT_EQ(PropsToldTo(sink).size(), 1u) << "once, not at every frame";
  EXPECT_EQ(PropsToldTo(sink)[0].props(0).name(), "cup");
  EXPECT_NEAR(PropsToldTo(sink)[0].props(0).z(), 0.4f, 1e-6f);
  EXPECT_NEAR(PropsToldTo(sink)[0].props(0).height(), 0.1f, 1e-6f) << "as cups are";
  ASSERT_TRUE(h.Pull(&late).ok());
  h.Run(0.3);
  EXPECT_EQ(PropsToldTo(late).size(), 1u) << "who comes later is told, too";
  ASSERT_TRUE(control.MoveProp("stream", "cup", {0, 1, 1}, nullptr).ok());
  h.Run(0.3);
  EXPECT_NEAR(PropsToldTo(late).back().props(0).z(), 1, 1e-6f);
  ASSERT_TRUE(control.RemoveProp("stream", "cup").ok());
  h.Run(0.3);
  EXPECT_EQ(PropsToldTo(late).back().props_size(), 0);
  EXPECT_EQ(control.RemoveProp("stream", "cup").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(control.RemoveProp("nowhere", "cup").code(), absl::StatusCode::kNotFound);
}

TEST(EngineProps, AreInTheSpaceOfTheAvatarThatIsPulled) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(0.1);
  ASSERT_TRUE(h.engine->control().SetProp("stream", Cup({0, 0.8f, 0}), h.now).ok());
  ASSERT_TRUE(h.engine->control().PlaceAvatar("stream", "", {0, -1, 180}).ok());
  h.Run(0.2);
  const sv::Prop cup = PropsToldTo(sink).back().props(0);
  EXPECT_NEAR(cup.z(), -1, 1e-5f) << "behind its back";
  EXPECT_NEAR(std::fabs(cup.rotation_y()), 1, 1e-5f);
}

TEST(EngineProps, GoWithTheHandInTheFrameThatShowsIt) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(0.2);
  StreamControl& control = h.engine->control();
  ASSERT_TRUE(control.SetProp("stream", Cup(), h.now).ok());
  EXPECT_EQ(control.AttachProp("stream", "cup", "side", "nobody", "right_hand").code(),
            absl::StatusCode::kNotFound);
  ASSERT_TRUE(control.AttachProp("stream", "cup", "side", "", "right_hand").ok());
  h.Run(2);
  const auto props = *control.Props("stream");
  ASSERT_EQ(props.size(), 1u);
  EXPECT_EQ(props[0].holder.hand, 1);
  Vec3 wrist;
  const auto sites = control.Sites("stream", "");
  ASSERT_TRUE(sites.ok());
  for (const auto& site : *sites) {
    if (site.name == "r_wrist") wrist = site.position;
  }
  EXPECT_LT(Length(props[0].place.at - wrist), 0.2f);
  const auto told = PropsToldTo(sink);
  EXPECT_TRUE(told.back().props(0).held());
  EXPECT_NEAR(told.back().props(0).x(), props[0].place.at.x, 1e-3f);
  ASSERT_TRUE(control.DetachProp("stream", "cup").ok());
  h.Run(0.5);
  EXPECT_FALSE(PropsToldTo(sink).back().props(0).held());
  EXPECT_EQ(control.Props("stream")->front().holder.hand, -1);
}

TEST(EngineProps, AreWornOnAnyPlaceOfTheBody) {
  Harness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(0.2);
  StreamControl& control = h.engine->control();
  ASSERT_TRUE(control.SetProp("stream", Cup(), h.now).ok());
  EXPECT_EQ(control.AttachProp("stream", "cup", "", "", "tail").code(),
            absl::StatusCode::kNotFound);
  for (const char* at : {"head", "back", "hips", "l_ankle", "skull_tip", "left_wrist"}) {
    ASSERT_TRUE(control.AttachProp("stream", "cup", "", "", at, true).ok()) << at;
    h.Run(0.5);
    const SceneProp cup = control.Props("stream")->front();
    EXPECT_EQ(cup.holder.at, at);
    EXPECT_EQ(cup.holder.hand, -1);
    const auto sites = *control.Sites("stream", "");
    for (const auto& site : sites) {
      if (site.name != at) continue;
      EXPECT_LT(Length(cup.place.at - site.position), 0.01f) << at;
    }
    EXPECT_TRUE(PropsToldTo(sink).back().props(0).held());
  }
}

// Both avatars have the same graph; an event goes to one of them.
TEST(EngineProps, AreGivenByEventsOfTheGraph) {
  Harness h;
  const auto graph = graph::ParseGraph(R"(
      name: "g" output: "idle" nodes { name: "idle" idle {} }
      events: "give" events: "drop" events: "wrong"
      prop_actions { event: "give" prop: "cup" site: "side" at: "left_hand" target_object_id: "ben" }
      prop_actions { event: "drop" prop: "cup" }
      prop_actions { event: "wrong" prop: "no such thing" at: "head" })");
  ASSERT_TRUE(graph.ok()) << graph.status();
  h.parts.asset = graph::MakeGraphAsset(*graph, h.rig, nullptr).value();
  struct Events : Observer {
    void On(const EngineEvent& event) override { all.push_back(event); }
    std::vector<EngineEvent> all;
  } events;
  h.parts.observer = &events;
  h.engine = std::make_unique<Engine>(h.parts, h.now);
  FakeSink anna, ben;
  ASSERT_TRUE(h.Pull(&anna, "", "anna").ok());
  ASSERT_TRUE(h.Pull(&ben, "", "ben").ok());
  h.Run(0.2);
  StreamControl& control = h.engine->control();
  const auto holder = [&] { return control.Props("stream")->front().holder; };
  ASSERT_TRUE(control.SetProp("stream", Cup(), h.now).ok());
  ASSERT_TRUE(control.AttachProp("stream", "cup", "side", "anna", "right_hand").ok());
  h.Run(0.2);
  EXPECT_EQ(holder().target, "anna");
  ASSERT_TRUE(control.FireEvent("stream", "anna", "give").ok());
  h.Run(0.2);
  EXPECT_EQ(holder().target, "ben");
  EXPECT_EQ(holder().hand, 0);
  ASSERT_TRUE(control.FireEvent("stream", "anna", "drop").ok());
  h.Run(0.2);
  EXPECT_EQ(holder().target, "ben") << "it is not hers to let go";
  ASSERT_TRUE(control.FireEvent("stream", "ben", "drop").ok());
  ASSERT_TRUE(control.FireEvent("stream", "ben", "wrong").ok());
  h.Run(0.2);
  EXPECT_EQ(holder().avatar, nullptr);
  std::vector<EngineEvent::Kind> kinds;
  for (const EngineEvent& event : events.all) {
    if (event.kind == EngineEvent::kPropAttached || event.kind == EngineEvent::kPropDetached ||
        event.kind == EngineEvent::kPropFailed) {
      kinds.push_back(event.kind);
    }
  }
  EXPECT_THAT(kinds, ::testing::ElementsAre(EngineEvent::kPropAttached, EngineEvent::kPropAttached,
                                            EngineEvent::kPropDetached, EngineEvent::kPropFailed));
  EXPECT_THAT(events.all.back().detail, HasSubstr("no such thing"));
}

TEST(EngineProps, GoWithTheirStream) {
  Harness h;
  StreamControl& control = h.engine->control();
  ASSERT_TRUE(control.SetProp("scene", Cup(), h.now).ok());
  EXPECT_EQ(control.Props("scene")->size(), 1u);
  ASSERT_TRUE(h.engine->RemoveStream("scene", h.now).ok());
  EXPECT_EQ(control.Props("scene").status().code(), absl::StatusCode::kNotFound);
  SceneProp wrong = Cup();
  wrong.size = {-1, 1, 1};
  EXPECT_FALSE(control.SetProp("scene", wrong, h.now).ok());
  EXPECT_EQ(control.Props("scene").status().code(), absl::StatusCode::kNotFound)
      << "nothing was made";
}

}  // namespace
}  // namespace posewire::anim_graph
