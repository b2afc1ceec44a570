// What scenes of files show: the surfaces of characters and props, each in its own space.
#include "libs/character_file/scene_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/character/scene.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/usd/character_writer.h"

namespace posewire::character {
namespace {

using skel::Vec3;
using ::testing::HasSubstr;

mesh::Extent BoundsOf(const Character& c) {
  mesh::Extent out{{1e9f, 1e9f, 1e9f}, {-1e9f, -1e9f, -1e9f}};
  for (const Mesh& mesh : c.meshes) {
    for (const Vec3 p : mesh.points) {
      out.low = {std::min(out.low.x, p.x), std::min(out.low.y, p.y), std::min(out.low.z, p.z)};
      out.high = {std::max(out.high.x, p.x), std::max(out.high.y, p.y), std::max(out.high.z, p.z)};
    }
  }
  return out;
}

void ExpectAt(Vec3 a, Vec3 b, const std::string& what) {
  EXPECT_LT(skel::Length(a - b), 1e-4f) << what << ": " << a.x << " " << a.y << " " << a.z;
}

TEST(SceneModels, PropsAreInTheirOwnSpacesAndTheRestIsScenery) {
  const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
  for (const char* const name : {"two_people.usda", "two_people.gltf"}) {
    const auto scene = character_file::OpenSceneModels(
        absl::StrCat(source == nullptr ? "." : source, "/tests/data/scenes/", name));
    ASSERT_TRUE(scene.ok()) << scene.status();
    EXPECT_EQ(scene->characters.size(), 2u) << name;
    EXPECT_FALSE(scene->shows_characters()) << name;
    ASSERT_EQ(scene->props.size(), 2u) << name;
    const mesh::Extent table = BoundsOf(scene->props[0]), cup = BoundsOf(scene->props[1]);
    ExpectAt(table.low, {-0.5f, 0, -0.3f}, name);
    ExpectAt(table.high, {0.5f, 0.74f, 0.3f}, name);
    EXPECT_NEAR(cup.low.y, 0, 1e-4f) << name;
    EXPECT_NEAR(cup.high.y, 0.1f, 1e-4f) << name;
    EXPECT_NEAR(BoundsOf(scene->scenery).low.z, -2, 0.01f) << name;
  }
}

TEST(SceneModels, OfABrokenFileSayWhy) {
  const auto none = character_file::OpenSceneModels("no_such.glb");
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("no_such.glb"));
  const auto broken = character_file::ReadSceneModels("#usda 1.0\ndef {", {}, nullptr);
  EXPECT_THAT(std::string(broken.status().message()), HasSubstr("line 2"));
}

// A cube that a prop is: one corner is at its origin.
Character Corner() {
  Character out;
  out.name = "corner";
  out.materials.emplace_back();
  Mesh& mesh = out.meshes.emplace_back();
  mesh.name = "corner";
  mesh.points = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.2f, 0}, {0, 0, 0.3f}};
  mesh.normals.assign(4, Vec3{0, 1, 0});
  mesh.triangles = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
  return out;
}

TEST(SceneModels, AWrittenPropIsAtItsPlacesAndHasItsPoints) {
  const Character corner = Corner();
  asset::SceneProp prop;
  prop.name = "Corner";
  prop.shape = "corner";
  prop.size = {0.1f, 0.2f, 0.3f};
  prop.times_s = {0, 1};
  const float s = std::sqrt(0.5f);
  prop.places = {{{1, 2, 3}, {s, 0, s, 0}}, {{1, 2, 4}, {s, 0, s, 0}}};
  const SceneMember member = {
      .name = "Corner",
      .character = &corner,
      .place = {prop.places[0].at, prop.places[0].turn, {1, 1, 1}},
      .prop = &prop,
  };
  EXPECT_EQ(*SpanOf_s({&member, 1}), std::pair(0.0, 1.0));
  const auto glb = gltf::WriteScene({&member, 1});
  ASSERT_TRUE(glb.ok()) << glb.status();
  const auto stage = usd::WriteScene({&member, 1}, "scene");
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_THAT(stage->usda, HasSubstr("endTimeCode = 30"));
  for (const std::string& bytes : {*glb, stage->usda}) {
    const auto back = character_file::ReadSceneModels(bytes, {}, nullptr);
    ASSERT_TRUE(back.ok()) << back.status();
    ASSERT_EQ(back->props.size(), 1u);
    const mesh::Extent extent = BoundsOf(back->props[0]);
    ExpectAt(extent.low, {0, 0, 0}, "low");
    ExpectAt(extent.high, {0.1f, 0.2f, 0.3f}, "high");
  }
}

}  // namespace
}  // namespace posewire::character
