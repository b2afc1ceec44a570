#include "libs/render/prop_glb.h"

#include <gtest/gtest.h>

#include <string>

#include "libs/character_file/read_character.h"
#include "libs/skel/rig.h"

namespace posewire::render {
namespace {

// What a browser draws is what the painter draws, corner by corner.
TEST(PropGlb, IsReadBackAsTheSurfaceThatIsPainted) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok()) << rigs.status();
  for (const char* shape : {"cup", "table", "box", "something else"}) {
    Prop prop;
    prop.shape = shape;
    prop.size = {0.4f, 0.6f, 0.2f};
    const auto glb = PropGlb(prop);
    ASSERT_TRUE(glb.ok()) << glb.status();
    const auto read = character_file::ReadCharacter(*glb, "thing.glb", *rigs);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ((*read)->meshes.size(), 1u);
    const character::Mesh& mesh = (*read)->meshes[0];
    const PropMesh painted = MeshOf({&prop, 1});
    ASSERT_EQ(mesh.triangles.size(), painted.triangles.size());
    ASSERT_EQ(mesh.colors.size(), mesh.points.size());
    for (size_t i = 0; i < mesh.triangles.size(); ++i) {
      const uint32_t a = mesh.triangles[i], b = painted.triangles[i];
      ASSERT_LT(Length(mesh.points[a] - painted.points[b]), 1e-6f) << shape << " " << i;
      ASSERT_LT(Length(mesh.normals[a] - painted.normals[b]), 1e-4f) << shape << " " << i;
      ASSERT_EQ(mesh.colors[a], painted.colors[b]) << shape << " " << i;
    }
    EXPECT_FLOAT_EQ((*read)->materials[static_cast<size_t>(mesh.material)].roughness,
                    kPropRoughness);
  }
}

}  // namespace
}  // namespace posewire::render
