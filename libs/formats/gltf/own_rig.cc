#include "libs/formats/gltf/own_rig.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/character/bone_names.h"
#include "libs/formats/gltf/joints.h"
#include "libs/skel/affine.h"
#include "libs/skel/rig_limits.h"
#include "libs/skel/shape_names.h"

namespace posewire::gltf {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

// The transform, rotation and scale of a node at rest, in the file's space.
struct PlaceAtRest {
  Affine place;
  Quat turn;
  float scale = 1;
};

std::vector<PlaceAtRest> PlacesAtRest(const character::Character& scene) {
  std::vector<PlaceAtRest> out(scene.nodes.size());
  for (const int n : scene.order) {
    const character::CharacterNode& node = scene.nodes[static_cast<size_t>(n)];
    const PlaceAtRest above =
        node.parent < 0 ? PlaceAtRest{} : out[static_cast<size_t>(node.parent)];
    PlaceAtRest& here = out[static_cast<size_t>(n)];
    here.place = skel::Mul(skel::FromTrs(node.translation, node.rotation, node.scale), above.place);
    here.turn = skel::Normalized(skel::Mul(above.turn, node.rotation));
    here.scale = above.scale * std::cbrt(std::fabs(node.scale.x * node.scale.y * node.scale.z));
  }
  return out;
}

void AddStandard(const skel::Rig& standard, skel::RigParts& parts) {
  const skel::PoseView rest = standard.rest();
  for (int j = 0; j < standard.joints(); ++j) {
    const auto i = static_cast<size_t>(j);
    parts.joint_paths.push_back(standard.joint_paths()[i]);
    parts.joint_aliases.push_back(standard.joint_aliases().empty() ? ""
                                                                   : standard.joint_aliases()[i]);
    parts.rest_translations.push_back(rest.translation(j));
    parts.rest_rotations.push_back(rest.rotation(j));
    parts.bones.push_back(standard.humanoid().BoneOf(j));
  }
}

void AddShapes(const skel::Rig& standard, const character::Character& scene,
               skel::RigParts& parts) {
  std::vector<std::string> keys;
  absl::flat_hash_set<std::string> taken;
  for (const std::string& name : standard.shape_names()) {
    parts.shapes.push_back(name);
    keys.push_back(skel::ShapeKeyOf(name));
    taken.insert(absl::AsciiStrToLower(name));
  }
  for (const character::Mesh& mesh : scene.meshes) {
    for (const mesh::BlendShape& shape : mesh.shapes) {
      if (parts.shapes.size() >= skel::kMostShapes) return;
      if (!character::SourcesOf(shape.name(), keys).empty()) continue;
      if (taken.insert(absl::AsciiStrToLower(shape.name())).second) {
        parts.shapes.push_back(shape.name());
      }
    }
  }
}

// Adds the file's joints as clips have them: each below the nearest joint above it, including the
// nodes between them, with the lengths that scales result in.
void AddOwn(const std::vector<JointNode>& tree, const Joints& joints,
            const character::Character& scene, skel::RigParts& parts, character::OwnRig& own) {
  const std::vector<PlaceAtRest> places = PlacesAtRest(scene);
  for (size_t j = 0; j < joints.nodes.size(); ++j) {
    const int n = joints.nodes[j], joint = JointAbove(tree, n);
    const PlaceAtRest& here = places[static_cast<size_t>(n)];
    const PlaceAtRest above = joint < 0 ? PlaceAtRest{} : places[static_cast<size_t>(joint)];
    const Quat back = skel::Conjugate(above.turn);
    parts.joint_paths.push_back(joints.paths[j]);
    parts.joint_aliases.emplace_back();
    parts.rest_translations.push_back(skel::Rotate(back, here.place.row[3] - above.place.row[3]));
    parts.rest_rotations.push_back(skel::Normalized(skel::Mul(back, here.turn)));
    parts.bones.emplace_back();
    const int parent = scene.nodes[static_cast<size_t>(n)].parent;
    const PlaceAtRest between = parent < 0 ? PlaceAtRest{} : places[static_cast<size_t>(parent)];
    own.nodes.push_back(n);
    own.ways.push_back({skel::Mul(skel::Conjugate(between.turn), above.turn),
                        between.scale > 0 ? 1 / between.scale : 1});
  }
}

}  // namespace

character::OwnRig GltfRig(Document& document, const skel::Rig& standard,
                          character::Character& scene) {
  character::OwnRig own;
  std::vector<JointNode> tree = ReadJointNodes(document);
  if (!document.status().ok()) return own;
  const absl::StatusOr<Joints> joints = FindJoints(tree);
  if (!joints.ok()) {
    scene.notes.push_back(absl::StrCat("its joints cannot be a rig: ", joints.status().message()));
    return own;
  }
  for (const bool with_standard : {true, false}) {
    own = {};
    skel::RigParts parts;
    parts.name = "own";
    if (with_standard) AddStandard(standard, parts);
    own.first = static_cast<int>(parts.joint_paths.size());
    AddOwn(tree, *joints, scene, parts, own);
    AddShapes(standard, scene, parts);
    if (own.nodes.empty() && parts.shapes.size() == static_cast<size_t>(standard.shapes())) {
      return {};
    }
    auto rig = skel::Rig::Make(std::move(parts));
    if (rig.ok()) {
      own.rig = *std::move(rig);
      return own;
    }
    if (with_standard) continue;
    scene.notes.push_back(absl::StrCat("its joints cannot be a rig: ", rig.status().message()));
  }
  return {};
}

}  // namespace posewire::gltf
