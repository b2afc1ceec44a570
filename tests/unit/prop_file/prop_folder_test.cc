#include "libs/prop_file/prop_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/files/read.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/gltf/prop_reader.h"
#include "libs/image/image.h"

namespace posewire::prop_file {
namespace {

using character::PropModel;
using skel::Vec3;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A sheet of two triangles, on a node that is moved and turned, with two sites.
std::string Glb(float width = 0.4f, size_t triangles = 2) {
  character::Character sheet;
  sheet.nodes = {{"surface", -1, {0, 1, 0}, {0.70710678f, 0, 0.70710678f, 0}},
                 {"top", 0, {0, 0.5f, 0}, {}},
                 {"grip", -1, {0.1f, 0, 0}, {}}};
  sheet.order = {0, 1, 2};
  sheet.materials.emplace_back().name = "head skin";
  character::Mesh& mesh = sheet.meshes.emplace_back();
  mesh.node = 0;
  mesh.points = {
      {-width / 2, 0, 0}, {width / 2, 0, 0}, {width / 2, 0.5f, 0}, {-width / 2, 0.5f, 0}};
  mesh.normals.assign(4, {0, 0, 1});
  for (size_t i = 0; i < triangles; i += 2) {
    mesh.triangles.insert(mesh.triangles.end(), {0, 1, 2, 0, 2, 3});
  }
  return *gltf::WriteCharacter(sheet);
}

std::string Png(int width, int height, uint8_t alpha) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < width * height; ++i) {
    pixels.insert(pixels.end(), {200, 100, 50, static_cast<uint8_t>(i == 0 ? alpha : 255)});
  }
  return *image::EncodePng(width, height, pixels);
}

class PropFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(testing::TempDir(), "/props_",
                           testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(files::WriteWhole(absl::StrCat(folder_, "/", name), bytes).ok());
  }
  std::string folder_;
};

TEST_F(PropFolderTest, ReadsAGlbInItsOwnSpaceWithSitesAndNoJoints) {
  Write("hat.glb", Glb());
  const auto folder = PropFolder::Open(folder_);
  ASSERT_TRUE(folder.ok()) << folder.status();
  const auto model = (*folder)->Load("hat");
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ((*model)->meshes.size(), 1u);
  const character::Mesh& mesh = (*model)->meshes[0];
  EXPECT_EQ(mesh.node, -1);
  EXPECT_EQ(mesh.skin, -1);
  // The node turns a quarter about Y and lifts it.
  EXPECT_LT(Length((*model)->extent.low - Vec3{0, 1, -0.2f}), 1e-5f);
  EXPECT_LT(Length((*model)->extent.high - Vec3{0, 1.5f, 0.2f}), 1e-5f);
  EXPECT_LT(Length(mesh.normals[0] - Vec3{1, 0, 0}), 1e-5f);
  EXPECT_FALSE((*model)->materials[0].skin) << "a prop's names say nothing about a body";
  ASSERT_EQ((*model)->sites.size(), 2u);
  EXPECT_EQ((*model)->sites[0].name, "grip") << "first, so that a hand takes it there";
  EXPECT_EQ((*model)->sites[1].name, "top");
  EXPECT_LT(Length((*model)->sites[1].position - Vec3{0, 1.5f, 0}), 1e-5f);
  EXPECT_EQ(*model, *(*folder)->Load("hat")) << "read once";
  EXPECT_EQ((*folder)->Read("hat")->sites.size(), 2u);
  EXPECT_EQ((*folder)->Read("../hat").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(PropFolderTest, APictureIsAnUprightCard) {
  Write("sign.png", Png(60, 30, 255));
  Write("leaf.png", Png(10, 20, 0));
  const auto folder = PropFolder::Open(folder_);
  const auto sign = (*folder)->Load("sign"), leaf = (*folder)->Load("leaf");
  ASSERT_TRUE(sign.ok()) << sign.status();
  EXPECT_NEAR((*sign)->size().x, 0.3f, 1e-5f);
  EXPECT_NEAR((*sign)->size().y, 0.15f, 1e-5f);
  EXPECT_EQ((*sign)->materials[0].mode, character::Material::Alpha::kOpaque);
  EXPECT_TRUE((*sign)->materials[0].double_sided);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  EXPECT_NEAR((*leaf)->size().y, 0.3f, 1e-5f);
  EXPECT_EQ((*leaf)->materials[0].mode, character::Material::Alpha::kMask);
  // Its size may be set, though it is flat.
  const Vec3 scale = (*sign)->ScaleTo({0.6f, 0.15f, 0.01f});
  EXPECT_NEAR(scale.x, 2, 1e-4f);
  EXPECT_NEAR(scale.y, 1, 1e-4f);
  EXPECT_EQ(scale.z, 1);
}

TEST_F(PropFolderTest, ANameIsOnlyComparedAndNeverAPath) {
  Write("hat.glb", Glb());
  Write("secret.glb", Glb());
  Write("two words.glb", Glb());
  Write("notes.txt", "hello");
  Write(".hidden.glb", Glb());
  Write(absl::StrCat(std::string(65, 'a'), ".glb"), Glb());
  const auto folder =
      PropFolder::Open(folder_ + "/../" + std::filesystem::path(folder_).filename().string());
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_THAT((*folder)->names(), ElementsAre("hat", "secret"));
  for (const std::string& name :
       {std::string("hat.glb"), std::string("../hat"), std::string("./hat"), std::string("/hat"),
        std::string("hat\0", 4), std::string("hat%2f"), std::string("HAT"), std::string(".hidden"),
        std::string("two words"), std::string(1 << 20, 'a'), std::string("..\\hat"),
        std::string(""), absl::StrCat(folder_, "/hat")}) {
    const auto model = (*folder)->Load(name);
    EXPECT_EQ(model.status().code(), absl::StatusCode::kNotFound) << name.substr(0, 60);
    EXPECT_LT(model.status().message().size(), 600u);
    EXPECT_THAT(std::string(model.status().message()), HasSubstr(folder_)) << "names the folder";
  }
}

TEST_F(PropFolderTest, AMeshGoesBeforeAPictureOfTheSameName) {
  Write("hat.png", Png(10, 10, 255));
  Write("hat.glb", Glb());
  EXPECT_EQ((*(*PropFolder::Open(folder_))->Load("hat"))->textures.size(), 0u);
}

TEST_F(PropFolderTest, BrokenFilesAreRefusedWithTheirPathAndNotReadAgain) {
  Write("text.glb", "no glTF at all");
  Write("cut.glb", Glb().substr(0, 300));
  Write("empty.png", "");
  Write("cut.png", Png(64, 64, 255).substr(0, 60));
  std::filesystem::create_directories(absl::StrCat(folder_, "/folder.glb"));
  const auto folder = PropFolder::Open(folder_);
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_EQ((*folder)->names().size(), 4u) << "cut is one name";
  for (const std::string& name : (*folder)->names()) {
    const auto model = (*folder)->Load(name);
    ASSERT_FALSE(model.ok()) << name;
    EXPECT_THAT(std::string(model.status().message()), HasSubstr(absl::StrCat(folder_, "/", name)));
  }
  Write("text.glb", Glb());
  EXPECT_FALSE((*folder)->Load("text").ok());
  EXPECT_EQ(PropFolder::Open(folder_ + "/nowhere").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(PropFolderTest, KeepsToItsBudgets) {
  Write("many.glb", Glb(0.4f, 100));
  Write("wide.glb", Glb(400));
  Write("dots.png", Png(100, 100, 255));
  character::PropLimits limits;
  limits.triangles = 50;
  limits.pixels = 5000;
  const auto folder = PropFolder::Open(folder_, limits);
  const auto why = [&](const char* name) {
    return std::string((*folder)->Load(name).status().message());
  };
  EXPECT_THAT(why("many"), HasSubstr("50"));
  EXPECT_THAT(why("wide"), HasSubstr("at most 100 m"));
  EXPECT_THAT(why("dots"), HasSubstr("over 5000 pixels"));
  limits.bytes = 100;
  EXPECT_EQ((*PropFolder::Open(folder_, limits))->Load("many").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(gltf::ReadProp(Glb(), limits).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(PropFolderTest, HasAtMostItsNumberOfFilesAndLettersInAName) {
  const std::string longest(PropFolder::kMostNameBytes, 'a');
  Write(absl::StrCat(longest, ".png"), "");
  Write(absl::StrCat(longest, "a.png"), "");
  EXPECT_THAT((*PropFolder::Open(folder_))->names(), ElementsAre(longest));
  for (size_t i = 1; i < PropFolder::kMostFiles; ++i) Write(absl::StrCat("p", i, ".png"), "");
  ASSERT_TRUE(PropFolder::Open(folder_).ok());
  Write("one_more.png", "");
  const absl::Status full = PropFolder::Open(folder_).status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(full.message()), HasSubstr("1024"));
}

TEST_F(PropFolderTest, KeepsNoMoreThanItsBytes) {
  for (const char* name : {"a.png", "b.png", "c.png"}) Write(name, Png(100, 100, 255));
  const auto folder = PropFolder::Open(folder_, {}, /*most_kept_bytes=*/100'000);
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_TRUE((*folder)->Load("a").ok());
  EXPECT_TRUE((*folder)->Load("b").ok());
  EXPECT_EQ((*folder)->Load("c").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE((*folder)->Load("a").ok()) << "it stays";
  EXPECT_TRUE((*folder)->Read("c").ok()) << "this keeps nothing";
}

TEST(PropReader, RefersToNoOtherFile) {
  const std::string text =
      R"({"asset":{"version":"2.0"},"buffers":[{"uri":"/etc/passwd","byteLength":36}],)"
      R"("bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"count":3,)"
      R"("componentType":5126,"type":"VEC3"}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]})";
  const auto read = gltf::ReadProp(text);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("refers to another file"));
}

}  // namespace
}  // namespace posewire::prop_file
