// The things of a stream's scene: put, held, handed over, and told to whoever pulls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/wire/props.h"
#include "posewire.scene.v1.pb.h"
#include "services/anim_graph/core/prop_scene.h"
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
  EXPECT_EQ(scene.Attach("cup", "nothing", &avatar, "a", 1, hand).code(),
            absl::StatusCode::kNotFound);
  ASSERT_TRUE(scene.Attach("cup", "handle", &avatar, "a", 1, hand).ok());
  Vec3 before = scene.Find("cup")->place.at;
  for (int i = 0; i < 30; ++i) {
    scene.Follow(&avatar, 1, hand, 1.0 / 30);
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
  scene.Follow(&avatar, 1, hand, 1.0 / 30);
  EXPECT_LT(Length(handle().at - hand.at), 1e-5f) << "at once, with the hand";
  // The other hand, then nobody.
  const Placement left{{0.5f, 1.2f, 0.1f}, {}};
  const Vec3 was = scene.Find("cup")->place.at;
  ASSERT_TRUE(scene.Attach("cup", "handle", &avatar, "a", 0, left).ok());
  scene.Follow(&avatar, 1, hand, 1.0 / 30);
  EXPECT_LT(Length(scene.Find("cup")->place.at - was), 1e-6f) << "no longer the right hand's";
  scene.Follow(&avatar, 0, left, 1.0 / 30);
  EXPECT_LT(Length(scene.Find("cup")->place.at - was), 0.03f);
  EXPECT_TRUE(*scene.Detach("cup"));
  EXPECT_FALSE(*scene.Detach("cup"));
  const Vec3 rests = scene.Find("cup")->place.at;
  scene.Follow(&avatar, 0, hand, 1);
  EXPECT_EQ(Length(scene.Find("cup")->place.at - rests), 0);
}

TEST(PropScene, ASiteOfAnySideKeepsTheSideThatTheHandCameFrom) {
  PropScene scene;
  ASSERT_TRUE(scene.Set(Cup()).ok());
  int avatar = 0;
  // The hand is turned a quarter, its thumb tilted a little.
  const Placement hand{{0.1f, 0.85f, 0.4f}, Mul(skel::Exp({0, 1.57f, 0}), skel::Exp({0.1f, 0, 0}))};
  ASSERT_TRUE(scene.Attach("cup", "", &avatar, "a", 1, hand).ok());
  for (int i = 0; i < 30; ++i) scene.Follow(&avatar, 1, hand, 1.0 / 30);
  const Placement& cup = scene.Find("cup")->place;
  EXPECT_LT(AngleBetween(cup.turn, {}), 0.15f) << "it has not spun round in the hand";
  EXPECT_LT(Length((cup * Placement{{0, 0.05f, 0}, {}}).at - hand.at), 1e-4f);
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
  EXPECT_EQ(control.AttachProp("stream", "cup", "side", "nobody", 1).code(),
            absl::StatusCode::kNotFound);
  ASSERT_TRUE(control.AttachProp("stream", "cup", "side", "", 1).ok());
  h.Run(2);
  const auto props = *control.Props("stream");
  ASSERT_EQ(props.size(), 1u);
  EXPECT_EQ(props[0].hand, 1);
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
  EXPECT_EQ(control.Props("stream")->front().hand, -1);
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
