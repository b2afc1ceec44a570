// OBJ files as characters that no joint moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "libs/character_file/read_character.h"
#include "libs/image/image.h"

namespace posewire::character {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::map<std::string, std::string>& Files() {
  static auto& kFiles = *new std::map<std::string, std::string>();
  return kFiles;
}

absl::StatusOr<std::shared_ptr<const Character>> ReadObj(const std::string& text,
                                                         const Limits& limits = {}) {
  static const auto& kRigs = *new skel::RigCatalog(*skel::RigCatalog::Builtin());
  return character_file::ReadCharacter(
      text, "mesh.obj", kRigs,
      {.limits = limits,
       .read_sidecar = [](const std::string& name) -> absl::StatusOr<std::string> {
         const auto it = Files().find(name);
         if (it == Files().end()) return absl::NotFoundError("no such file");
         return it->second;
       }});
}

constexpr char kTwo[] =
    "# two objects, as modelling tools write them\n"
    "mtllib look.mtl\r\n"
    "o body\r\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0.25 0.75\n"
    "vn 0 0 2\n"
    "usemtl skin\n"
    "s off\n"
    "f 1/1/1 2/2/1 3/3/1 4/4/1\n"
    "usemtl cloth\n"
    "f 1/4/1 2/2/1 3/3/1\n"
    "o hat\n"
    "v 0 2 0\nv 1 2 0\nv 1 2 1\n"
    "f -3 -2 -1\n";

TEST(ObjCharacter, ReadsObjectsMaterialsAndCorners) {
  Files()["look.mtl"] =
      "newmtl skin\nKd 0.5 0.25 1\nd 0.5\nnewmtl cloth\nmap_Kd -s 1 1 1 red.png\n";
  Files()["red.png"] = *image::EncodePng(1, 1, {255, 0, 0, 255});
  const auto got = ReadObj(kTwo);
  ASSERT_TRUE(got.ok()) << got.status();
  const Character& c = **got;
  ASSERT_EQ(c.meshes.size(), 3u);
  EXPECT_EQ(c.meshes[0].name, "body");
  EXPECT_THAT(c.meshes[0].triangles, ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_EQ(c.meshes[0].file_points, 4u);
  EXPECT_FLOAT_EQ(c.meshes[0].uv[3][1], 0.25f) << "counted from the top";
  EXPECT_FLOAT_EQ(c.meshes[0].normals[0].z, 1);
  const Material& skin = c.materials[static_cast<size_t>(c.meshes[0].material)];
  EXPECT_EQ(skin.name, "skin");
  EXPECT_FLOAT_EQ(skin.color.y, 0.25f);
  EXPECT_FLOAT_EQ(skin.alpha, 0.5f);
  EXPECT_TRUE(skin.double_sided);
  const Material& cloth = c.materials[static_cast<size_t>(c.meshes[1].material)];
  EXPECT_EQ(cloth.texture, 0);
  ASSERT_EQ(c.textures.size(), 1u);
  EXPECT_EQ(c.meshes[2].name, "hat");
  EXPECT_TRUE(c.meshes[2].uv.empty());
  EXPECT_THAT(c.meshes[2].point_of, ElementsAre(0, 1, 2)) << "of its object";
  EXPECT_FLOAT_EQ(c.meshes[2].normals[0].y, -1) << "of its triangle";
  EXPECT_THAT(c.notes, ::testing::Contains(HasSubstr("no joint moves the character")));
}

TEST(ObjCharacter, NotesWhatIsLeftOut) {
  Files().clear();
  const auto got = ReadObj(kTwo);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT((*got)->notes, ::testing::Contains("look.mtl is left out: no such file"));
  Files()["look.mtl"] = "newmtl skin\nmap_Kd none.png\nKd a\n";
  const auto other = ReadObj(kTwo);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_THAT((*other)->notes, ::testing::Contains("none.png is left out: no such file"));
  EXPECT_THAT((*other)->notes,
              ::testing::Contains(HasSubstr("look.mtl is left out: line 3: \"a\"")));
}

TEST(ObjCharacter, NamesTheLineOfAFault) {
  const auto fault = [](const std::string& text) {
    return std::string(ReadObj(text).status().message());
  };
  EXPECT_THAT(fault("v 0 0\n"), HasSubstr("mesh.obj: line 1: \"\" is no number"));
  EXPECT_THAT(fault("v 0 0 nan\n"), HasSubstr("\"nan\" is no number"));
  const std::string points = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
  EXPECT_THAT(fault(points + "f 1 2 4\n"), HasSubstr("line 4: \"4\" is no point, expected 1 to 3"));
  EXPECT_THAT(fault(points + "f 1 2 -4\n"), HasSubstr("\"-4\" is no point"));
  EXPECT_THAT(fault(points + "f 1/1 2 3\n"), HasSubstr("\"1\" is no vt, expected 1 to 0"));
  EXPECT_THAT(fault(points + "f 1 2\n"), HasSubstr("a face has 2 corners, expected at least 3"));
  EXPECT_THAT(fault(points + "o b\nv 0 0 0\nf 1 2 4\n"), HasSubstr("a face has points of two"));
  EXPECT_THAT(fault(points), HasSubstr("it has no faces"));
  Limits few;
  few.points = 2;
  EXPECT_EQ(ReadObj(points, few).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace posewire::character
