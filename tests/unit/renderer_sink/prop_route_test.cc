#include "services/renderer_sink/view/prop_route.h"

#include <gtest/gtest.h>

#include <string>

#include "libs/character_file/read_character.h"
#include "libs/render/prop_shapes.h"
#include "libs/skel/rig.h"

namespace posewire::renderer_sink {
namespace {

std::string Get(const std::string& shape) {
  service::HttpRequest request;
  request.query = {{"shape", shape}, {"width", "0.4"}, {"height", "0.6"}, {"depth", "0.2"}};
  std::string body;
  PropRoute({}).handler(request, service::HttpReplier([&](const service::HttpReply& reply) {
                          body = reply.body.bytes();
                        }));
  return body;
}

// What a browser draws is what the painter draws, corner by corner.
TEST(PropRoute, ServesTheSurfaceThatIsPainted) {
  const auto rigs = skel::RigCatalog::Builtin();
  ASSERT_TRUE(rigs.ok()) << rigs.status();
  for (const char* shape : {"cup", "table", "box", "something else"}) {
    render::PropShape prop;
    prop.shape = shape;
    prop.size = {0.4f, 0.6f, 0.2f};
    const auto read = character_file::ReadCharacter(Get(shape), "thing.glb", *rigs);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ((*read)->meshes.size(), 1u);
    const character::Mesh& mesh = (*read)->meshes[0];
    const character::Mesh painted = render::MeshOf({&prop, 1});
    ASSERT_EQ(mesh.triangles.size(), painted.triangles.size());
    ASSERT_EQ(mesh.colors.size(), mesh.points.size());
    for (size_t i = 0; i < mesh.triangles.size(); ++i) {
      const uint32_t a = mesh.triangles[i], b = painted.triangles[i];
      ASSERT_LT(Length(mesh.points[a] - painted.points[b]), 1e-6f) << shape << " " << i;
      ASSERT_LT(Length(mesh.normals[a] - painted.normals[b]), 1e-4f) << shape << " " << i;
      ASSERT_EQ(mesh.colors[a], painted.colors[b]) << shape << " " << i;
    }
    EXPECT_FLOAT_EQ((*read)->materials[static_cast<size_t>(mesh.material)].roughness,
                    render::kPropRoughness);
  }
}

}  // namespace
}  // namespace posewire::renderer_sink
