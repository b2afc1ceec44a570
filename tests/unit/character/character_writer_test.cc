#include "libs/formats/gltf/character_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "libs/character/deformer.h"
#include "libs/character_file/read_character.h"
#include "tests/unit/character/x3d_person.h"

namespace posewire::gltf {
namespace {

using character::Character;
using skel::Vec3;

const skel::RigCatalog& Rigs() {
  static const auto& kRigs = *new skel::RigCatalog(*skel::RigCatalog::Builtin());
  return kRigs;
}

// A trunk of skin with a displacer, two arms in segments, a picture, vertex colours.
std::shared_ptr<const Character> Ann() {
  character::X3dPerson person;
  person.attributes["vl5"] = "skinCoordIndex='0 1 2 3' skinCoordWeight='1 1 0.5 0.25'";
  person.attributes["skullbase"] = "skinCoordIndex='2 3' skinCoordWeight='0.5 0.75'";
  person.inside["l_elbow"] =
      "<HAnimSegment name='l_forearm'><Shape><Appearance><Material diffuseColor='1 0.5 0'/>"
      "</Appearance><Box size='0.1 0.2 0.1'/></Shape></HAnimSegment>";
  person.inside["skullbase"] =
      "<HAnimSegment name='skull'><Coordinate DEF='face' containerField='coord' "
      "point='0 1.6 0 0.1 1.6 0 0 1.7 0'/><HAnimDisplacer name='x_jawOpen_action' coordIndex='2' "
      "displacements='0 0 0.2'/><Shape><IndexedFaceSet coordIndex='0 1 2 -1' solid='false'>"
      "<Coordinate USE='face'/><Color color='1 0 0 0 1 0 0 0 1'/></IndexedFaceSet></Shape>"
      "</HAnimSegment>";
  person.more =
      "<Coordinate DEF='all' containerField='skinCoord' point='0 1 0 0.2 1 0 0.2 1.5 0 0 1.5 0.1'/>"
      "<Shape containerField='skin'><Appearance><Material/></Appearance><IndexedFaceSet "
      "coordIndex='0 1 2 3 -1'><Coordinate USE='all'/></IndexedFaceSet></Shape>";
  const auto read = character_file::ReadCharacter(person.Text(), "ann.x3d", Rigs());
  EXPECT_TRUE(read.ok()) << read.status();
  return read.ok() ? *read : nullptr;
}

// All points in a pose, in an order of their own: readers may cut meshes otherwise.
std::vector<Vec3> Points(const std::shared_ptr<const Character>& who, const skel::PoseView& pose) {
  character::Deformer deformer(who);
  EXPECT_TRUE(deformer.Pose(pose).ok());
  std::vector<Vec3> out;
  for (size_t m = 0; m < who->meshes.size(); ++m) {
    for (const uint32_t p : who->meshes[m].triangles) out.push_back(deformer.points(m)[p]);
  }
  return out;
}

TEST(WriteCharacter, IsReadBackWithItsPointsWhereTheyWere) {
  const auto ann = Ann();
  ASSERT_NE(ann, nullptr);
  const auto glb = WriteCharacter(*ann);
  ASSERT_TRUE(glb.ok()) << glb.status();
  const auto back = character_file::ReadCharacter(*glb, "ann.glb", Rigs());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)->triangles(), ann->triangles());
  // Bones of the rig's names, each about its own centre.
  std::mt19937 random(3);
  std::normal_distribution<float> any;
  for (int k = 0; k < 4; ++k) {
    skel::Pose pose(ann->rig->joints(), ann->rig->shapes());
    pose.span().CopyFrom(ann->rig->rest());
    for (const char* name : {"l_shoulder", "l_elbow", "vl5", "skullbase"}) {
      const int j = ann->rig->FindJoint(name);
      if (j < 0 || k == 0) continue;
      pose.span().SetRotation(
          j, skel::Normalized(skel::Quat{4, any(random), any(random), any(random)}));
    }
    if (const int jaw = ann->rig->FindShape("jawOpen"); jaw >= 0) {
      pose.span().SetWeight(jaw, 0.5f);
    }
    const std::vector<Vec3> was = Points(ann, pose.view());
    skel::Pose other((*back)->rig->joints(), (*back)->rig->shapes());
    other.span().CopyFrom((*back)->rig->rest());
    for (int j = 0; j < ann->rig->joints(); ++j) {
      const int there = (*back)->rig->FindJoint(ann->rig->joint_paths()[static_cast<size_t>(j)]);
      if (there >= 0) other.span().SetRotation(there, pose.view().rotation(j));
    }
    for (int s = 0; s < ann->rig->shapes(); ++s) {
      const int there = (*back)->rig->FindShape(ann->rig->shape_names()[static_cast<size_t>(s)]);
      if (there >= 0) other.span().SetWeight(there, pose.view().weights[s]);
    }
    const std::vector<Vec3> is = Points(*back, other.view());
    ASSERT_EQ(is.size(), was.size());
    for (size_t p = 0; p < is.size(); ++p) {
      EXPECT_LT(skel::Length(is[p] - was[p]), 1e-4f) << p << " in pose " << k;
    }
  }
}

TEST(WriteCharacter, KeepsTangentsOfMeshesWithANormalMap) {
  auto bumpy = std::make_shared<Character>(*Ann());
  character::Texture map;
  map.width = map.height = 1;
  map.rgba = {128, 128, 255, 255};
  bumpy->textures.push_back(map);
  std::vector<std::vector<std::array<float, 4>>> expected;
  for (character::Mesh& mesh : bumpy->meshes) {
    character::Material& material = bumpy->materials[static_cast<size_t>(mesh.material)];
    material.normal_map = static_cast<int>(bumpy->textures.size()) - 1;
    mesh.uv.assign(mesh.points.size(), {0.5f, 0.25f});
    for (size_t p = 0; p < mesh.points.size(); ++p) {
      mesh.tangents.push_back({0, p % 2 == 0 ? 1.0f : -1.0f, 0, p % 3 == 0 ? -1.0f : 1.0f});
    }
    expected.push_back(mesh.tangents);
  }
  const auto read = [](const std::string& glb) {
    const auto back = character_file::ReadCharacter(glb, "ann.glb", Rigs());
    EXPECT_TRUE(back.ok()) << back.status();
    std::vector<std::vector<std::array<float, 4>>> out;
    for (const character::Mesh& mesh : (*back)->meshes) out.push_back(mesh.tangents);
    return out;
  };
  const auto glb = WriteCharacter(*bumpy);
  ASSERT_TRUE(glb.ok()) << glb.status();
  EXPECT_EQ(read(*glb), expected);
  // Of no use without a normal map.
  for (character::Material& material : bumpy->materials) material.normal_map = -1;
  for (const auto& tangents : read(*WriteCharacter(*bumpy))) EXPECT_TRUE(tangents.empty());
}

TEST(WriteCharacter, NamesShapesAsTheRigDoes) {
  const auto glb = WriteCharacter(*Ann());
  ASSERT_TRUE(glb.ok());
  EXPECT_NE(glb->find("\"targetNames\":[\"jawOpen\"]"), std::string::npos);
}

TEST(WriteCharacter, KeepsTheNumbersOfThePointsAndTheNamesOfTheirMeshes) {
  const auto ann = Ann();
  const auto glb = WriteCharacter(*ann);
  ASSERT_TRUE(glb.ok()) << glb.status();
  const auto back = character_file::ReadCharacter(*glb, "ann.glb", Rigs());
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ((*back)->meshes.size(), ann->meshes.size());
  int numbered = 0;
  for (size_t m = 0; m < ann->meshes.size(); ++m) {
    const character::Mesh &was = ann->meshes[m], &is = (*back)->meshes[m];
    EXPECT_EQ(is.point_of, was.point_of) << m;
    if (was.point_of.empty()) continue;
    ++numbered;
    EXPECT_EQ(is.file_points, was.file_points) << m;
    EXPECT_EQ(is.name, was.name) << m;
  }
  EXPECT_GT(numbered, 0);
}

TEST(WriteCharacter, WritesAMotionWithChannelsForWhatMoves) {
  const auto ann = Ann();
  character::CharacterMotion motion{.name = "nod", .times_s = {0, 0.5}, .nodes = {}, .weights = {}};
  for (int k = 0; k < 2; ++k) {
    std::vector<skel::Trs>& frame = motion.nodes.emplace_back();
    for (const character::CharacterNode& node : ann->nodes) {
      frame.push_back({node.translation, node.rotation, node.scale});
    }
  }
  motion.nodes[1][1].rotation = skel::FromAxisAngle({1, 0, 0}, 0.2f);
  const auto glb = WriteCharacter(*ann, &motion);
  ASSERT_TRUE(glb.ok()) << glb.status();
  EXPECT_NE(glb->find("\"animations\":[{\"name\":\"nod\""), std::string::npos);
  EXPECT_NE(
      glb->find("\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}]"),
      std::string::npos)
      << "one channel";
  motion.nodes[1].pop_back();
  EXPECT_EQ(WriteCharacter(*ann, &motion).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace posewire::gltf
