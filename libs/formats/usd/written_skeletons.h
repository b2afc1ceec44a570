// The skeletons of a character as a stage has them, and where its meshes are bound.
#ifndef POSEWIRE_LIBS_FORMATS_USD_WRITTEN_SKELETONS_H_
#define POSEWIRE_LIBS_FORMATS_USD_WRITTEN_SKELETONS_H_

#include <optional>
#include <string>
#include <vector>

#include "libs/character/character.h"
#include "libs/character/character_motion.h"
#include "libs/mesh/extent.h"
#include "libs/skel/affine.h"

namespace posewire::usd {

// Joints, parents first, in metres and without uniform scales: those are merged into the lengths
// below them, because animations have scales as half floats.
struct WrittenSkeleton {
  std::vector<std::string> tokens, labels;
  std::vector<skel::Trs> rest;
  std::vector<skel::Affine> bind, model;  // `model` at rest
};

// Refers to the character. Immutable.
class WrittenSkeletons {
 public:
  explicit WrittenSkeletons(const character::Character& character);

  // One skeleton, and one more for each skin that binds a joint elsewhere than those before; none
  // without joints. All have the same joints.
  const std::vector<WrittenSkeleton>& all() const { return skeletons_; }
  size_t OfSkin(int skin) const { return skeleton_of_[static_cast<size_t>(skin)]; }
  // The nodes that are joints, and the joint of a node; -1: none.
  const std::vector<int>& joints() const { return joints_; }
  int JointOf(int node) const { return joint_of_[static_cast<size_t>(node)]; }

  // Converts a node's transform on its parent to that of its joint.
  skel::Trs Local(size_t node, const skel::Trs& own) const;
  // From the points of a mesh to metres, at bind.
  skel::Affine PlaceOf(const character::Mesh& mesh) const;

  // Bounds at each time of a motion, or at rest: of the joints, and of the points. Those of a
  // motion that does not know its own are the joints', padded as far as the meshes are outside at
  // rest.
  std::vector<mesh::Extent> JointExtents(const character::CharacterMotion* motion) const;
  std::vector<mesh::Extent> PointExtents(const character::CharacterMotion* motion) const;

 private:
  void FindNodes();
  mesh::Extent PointsAtRest() const;
  std::optional<skel::Affine> BindOf(const character::Skin& skin, size_t joint) const;
  void MakeSkeletons();

  const character::Character& of_;
  const skel::Affine root_;
  std::vector<int> joints_, joint_of_;
  std::vector<float> sizes_;  // by node: its uniform scale at rest, in metres per unit
  std::vector<WrittenSkeleton> skeletons_;
  std::vector<size_t> skeleton_of_;  // by skin
};

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_WRITTEN_SKELETONS_H_
