#include "libs/avatar/glb.h"

#include <gtest/gtest.h>
#include <tiny_gltf.h>

#include <set>
#include <string>

#include "libs/avatar/model.h"
#include "libs/skel/rig.h"

namespace posewire::avatar {
namespace {

// The file as another reader of the format sees it.
class Glb : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto catalog = skel::RigCatalog::Builtin("arkit68");
    ASSERT_TRUE(catalog.ok());
    model_ = new Model(*MakeModel(*catalog->Find("hanim_loa3")));
    bytes_ = new std::string(*WriteGlb(*model_));
  }
  static void TearDownTestSuite() {
    delete model_;
    delete bytes_;
  }
  static tinygltf::Model Read() {
    tinygltf::Model gltf;
    tinygltf::TinyGLTF reader;
    std::string errors, warnings;
    EXPECT_TRUE(reader.LoadBinaryFromMemory(&gltf, &errors, &warnings,
                                            reinterpret_cast<const unsigned char*>(bytes_->data()),
                                            static_cast<unsigned>(bytes_->size())))
        << errors;
    EXPECT_EQ(errors + warnings, "");
    return gltf;
  }

  static Model* model_;
  static std::string* bytes_;
};
Model* Glb::model_ = nullptr;
std::string* Glb::bytes_ = nullptr;

TEST_F(Glb, HoldsEverySurfaceAndEveryJoint) {
  const tinygltf::Model gltf = Read();
  ASSERT_EQ(gltf.meshes.size(), model_->surfaces.size());
  for (size_t i = 0; i < gltf.meshes.size(); ++i) {
    const tinygltf::Primitive& p = gltf.meshes[i].primitives.at(0);
    const auto& points = gltf.accessors[static_cast<size_t>(p.attributes.at("POSITION"))];
    EXPECT_EQ(points.count, model_->surfaces[i].points.size());
    EXPECT_EQ(gltf.accessors[static_cast<size_t>(p.indices)].count,
              model_->surfaces[i].triangles.size());
    EXPECT_EQ(p.targets.size(), model_->surfaces[i].targets.size());
  }
  ASSERT_EQ(gltf.skins.size(), 1u);
  ASSERT_EQ(gltf.skins[0].joints.size(), 94u);
  for (size_t j = 0; j < 94; ++j) {
    EXPECT_EQ(gltf.nodes[static_cast<size_t>(gltf.skins[0].joints[j])].name,
              model_->rig->joint_names()[j]);
  }
}

TEST_F(Glb, EveryShapeOfTheRigIsATargetOfSomeMesh) {
  const tinygltf::Model gltf = Read();
  std::set<std::string> names;
  for (const tinygltf::Mesh& mesh : gltf.meshes) {
    if (mesh.primitives[0].targets.empty()) continue;
    const auto& list = mesh.extras.Get("targetNames");
    ASSERT_EQ(list.ArrayLen(), mesh.primitives[0].targets.size());
    for (size_t i = 0; i < list.ArrayLen(); ++i) {
      names.insert(list.Get(static_cast<int>(i)).Get<std::string>());
    }
  }
  const auto shapes = model_->rig->shape_names();
  EXPECT_EQ(names, std::set<std::string>(shapes.begin(), shapes.end()));
}

TEST_F(Glb, IsTheSameEveryTime) { EXPECT_EQ(*WriteGlb(*model_), *bytes_); }

TEST_F(Glb, IsSmallEnoughForAPage) { EXPECT_LT(bytes_->size(), 12u << 20); }

}  // namespace
}  // namespace posewire::avatar
