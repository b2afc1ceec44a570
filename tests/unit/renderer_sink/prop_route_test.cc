#include "services/renderer_sink/view/prop_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/prop_shapes.h"
#include "libs/character_file/read_character.h"
#include "libs/files/read.h"
#include "libs/formats/gltf/prop_reader.h"
#include "libs/skel/rig.h"

namespace posewire::renderer_sink {
namespace {

using ::testing::HasSubstr;

// Answers requests of a route; its tasks run at once.
struct Route {
  explicit Route(std::shared_ptr<const PropModels> models)
      : route(PropRoute(std::move(models),
                        [this](auto task) {
                          if (full) return false;
                          ++tasks;
                          task();
                          return true;
                        },
                        {})) {}
  service::HttpReply Get(const std::string& shape, const std::string& width = "0.4") {
    service::HttpRequest request;
    request.query = {{"shape", shape}, {"width", width}, {"height", "0.6"}, {"depth", "0.2"}};
    service::HttpReply out;
    route.handler(request,
                  service::HttpReplier([&](const service::HttpReply& reply) { out = reply; }));
    return out;
  }
  int tasks = 0;
  bool full = false;
  service::HttpRoute route;
};

std::string Get(const std::string& shape,
                const std::shared_ptr<const PropModels>& models = *PropModels::Open("", {})) {
  return Route(models).Get(shape).body.bytes();
}

// What a browser draws is what the painter draws, corner by corner.
TEST(PropRoute, ServesTheSurfaceThatIsPainted) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok()) << rigs.status();
  for (const char* shape : {"cup", "table", "box", "something else"}) {
    character::PropShape prop;
    prop.shape = shape;
    prop.size = {0.4f, 0.6f, 0.2f};
    const auto read = character_file::ReadCharacter(Get(shape), "thing.glb", *rigs);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ((*read)->meshes.size(), 1u);
    const character::Mesh& mesh = (*read)->meshes[0];
    const character::Mesh painted = character::MeshOf({&prop, 1});
    ASSERT_EQ(mesh.triangles.size(), painted.triangles.size());
    ASSERT_EQ(mesh.colors.size(), mesh.points.size());
    for (size_t i = 0; i < mesh.triangles.size(); ++i) {
      const uint32_t a = mesh.triangles[i], b = painted.triangles[i];
      ASSERT_LT(Length(mesh.points[a] - painted.points[b]), 1e-6f) << shape << " " << i;
      ASSERT_LT(Length(mesh.normals[a] - painted.normals[b]), 1e-4f) << shape << " " << i;
      ASSERT_EQ(mesh.colors[a], painted.colors[b]) << shape << " " << i;
    }
    EXPECT_FLOAT_EQ((*read)->materials[static_cast<size_t>(mesh.material)].roughness,
                    character::kPropRoughness);
  }
}

// A folder with the example hat and a broken file.
struct Folder {
  Folder() : path(absl::StrCat(testing::TempDir(), "/prop_route")) {
    std::filesystem::create_directories(path);
    const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
    const auto hat = files::ReadWhole(
        absl::StrCat(source == nullptr ? "." : source, "/data/props/hat.glb"), 1 << 20);
    EXPECT_TRUE(hat.ok()) << hat.status();
    EXPECT_TRUE(files::WriteWhole(path + "/hat.glb", *hat).ok());
    EXPECT_TRUE(files::WriteWhole(path + "/broken.glb", hat->substr(0, 1000)).ok());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

TEST(PropRoute, ServesTheModelOfAFileInTheSizeAskedFor) {
  const Folder folder;
  const auto models = PropModels::Open(folder.path, {});
  ASSERT_TRUE(models.ok()) << models.status();
  const auto read = gltf::ReadProp(Get("hat", *models));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->meshes.size(), 2u) << "the crown and its band";
  EXPECT_NEAR(read->size().x, 0.4f, 1e-4f);
  EXPECT_NEAR(read->size().y, 0.6f, 1e-4f);
  EXPECT_NEAR(read->size().z, 0.2f, 1e-4f);
  // Without a size it has that of its file.
  std::vector<wire::Prop> props(2);
  props[0].shape = props[1].shape = "hat";
  props[0].usual_size = true;
  (*models)->SetSizes(props);
  EXPECT_NEAR(props[0].size.x, 0.35f, 1e-3f);
  EXPECT_EQ(props[1].size.x, 0.1f);
}

TEST(PropRoute, EncodesAModelOnAThreadOfItsOwnAndKeepsIt) {
  const Folder folder;
  const auto models = PropModels::Open(folder.path, {});
  ASSERT_TRUE(models.ok()) << models.status();
  Route route(*models);
  EXPECT_EQ(route.Get("cup").status, 200);
  EXPECT_EQ(route.tasks, 0);
  for (const char* width : {"0.4", "0.8", "2"}) {
    const auto read = gltf::ReadProp(route.Get("hat", width).body.bytes());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_NEAR(read->size().x, std::atof(width), 1e-4f);
  }
  EXPECT_EQ(route.tasks, 3);
  route.full = true;
  EXPECT_EQ(route.Get("hat").status, 503);
  EXPECT_EQ(route.Get("hat", "0").status, 400);
}

TEST(PropModels, ABrokenFileIsLoggedAfterManyUnknownNames) {
  const Folder folder;
  std::ostringstream log;
  const auto models = PropModels::Open(folder.path, service::Logger("test", {}, log));
  ASSERT_TRUE(models.ok()) << models.status();
  for (int i = 0; i < 100; ++i) (*models)->Find(absl::StrCat("name", i));
  (*models)->Find("broken");
  EXPECT_THAT(log.str(), HasSubstr("broken.glb"));
}

TEST(PropModels, AnUnknownNameAndABrokenFileAreBoxesAndLoggedOnce) {
  const Folder folder;
  std::ostringstream log;
  const auto models = PropModels::Open(folder.path, service::Logger("test", {}, log));
  ASSERT_TRUE(models.ok()) << models.status();
  const auto box = gltf::ReadProp(Get("box", *models));
  ASSERT_TRUE(box.ok()) << box.status();
  for (int i = 0; i < 3; ++i) {
    for (const char* shape : {"no such thing", "../hat", "broken"}) {
      const auto shown = gltf::ReadProp(Get(shape, *models));
      ASSERT_TRUE(shown.ok()) << shape << ": " << shown.status();
      EXPECT_EQ(shown->meshes[0].points.size(), box->meshes[0].points.size()) << shape;
      EXPECT_EQ(skel::Length(shown->size() - box->size()), 0) << shape;
    }
    for (const char* shape : {"cup", "table", "box", ""}) Get(shape, *models);
  }
  const std::string text = log.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_THAT(text, HasSubstr("no such thing"));
  EXPECT_THAT(text, HasSubstr(folder.path + "/broken.glb"));
  EXPECT_THAT(text, HasSubstr(absl::StrCat("folder ", folder.path)));
  // Nor does a stream of names fill the log.
  for (int i = 0; i < 1000; ++i) (*models)->Find(absl::StrCat("name", i));
  const std::string later = log.str();
  EXPECT_LT(std::count(later.begin(), later.end(), '\n'), 70);
  EXPECT_FALSE(PropModels::Open(folder.path + "/nowhere", {}).ok());
}

}  // namespace
}  // namespace posewire::renderer_sink
