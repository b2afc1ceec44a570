// Motions of characters, as files have them: transforms of nodes and weights of shapes.
#ifndef POSEWIRE_LIBS_CHARACTER_CHARACTER_MOTION_H_
#define POSEWIRE_LIBS_CHARACTER_CHARACTER_MOTION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/character/character.h"
#include "libs/character/deformer.h"
#include "libs/mesh/extent.h"
#include "libs/skel/affine.h"
#include "libs/skel/pose.h"

namespace posewire::character {

// An animation of a character's nodes and shapes.
struct CharacterMotion {
  std::string name;
  std::vector<double> times_s;  // ascending
  // For each time, the local transform of each node.
  std::vector<std::vector<skel::Trs>> nodes;
  // For each mesh, the weights of all its shapes, time after time; an empty list: they rest.
  std::vector<std::vector<float>> weights;
  // Of all points at each time, in character space; empty: not known.
  std::vector<mesh::Extent> extents = {};
};

// INVALID_ARGUMENT unless the motion has times, and the nodes, meshes and shapes of the character.
absl::Status CheckMotion(const CharacterMotion& motion, const Character& character);

// Records how poses move a character: everything that Deformer does to nodes and shapes, including
// springs, correctives and contacts. One thread.
class MotionRecorder {
 public:
  MotionRecorder(std::shared_ptr<const Character> character, std::string name);

  // Adds a pose of the character's rig. Times ascend. Errors: those of Deformer::Pose.
  absl::Status Add(double time_s, const skel::PoseView& pose);
  // Nodes that hardly ever leave their place on their parent have it exactly. Call once.
  CharacterMotion Take();

 private:
  std::shared_ptr<const Character> character_;
  Deformer deformer_;
  CharacterMotion motion_;
};

// Gives nodes that hardly move or grow on their parents their exact places at rest.
void StillNodes(const Character& character, CharacterMotion& motion);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_CHARACTER_MOTION_H_
