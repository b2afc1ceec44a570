// Scenes to be written: characters and props, each in its place and with its motion. What writers
// of several formats ask of a character is here too.
#ifndef POSEWIRE_LIBS_CHARACTER_SCENE_H_
#define POSEWIRE_LIBS_CHARACTER_SCENE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "libs/character/character.h"
#include "libs/character/character_motion.h"
#include "libs/skel/affine.h"

namespace posewire::character {

// Pointers are borrowed while the scene is written.
struct SceneMember {
  std::string name = {};  // unique in the scene; empty: the writer's own
  const Character* character = nullptr;
  const CharacterMotion* motion = nullptr;  // null: it does not move
  skel::Trs place = {};                     // of the character in the scene
};

// Returns the names of a mesh's shapes as files have them: a shape that one shape of the rig drives
// has that shape's name.
std::vector<std::string> ShapeNamesOf(const Character& character, size_t mesh);

// Returns, by node, whether it belongs to the body: joints, what is below and above them, and nodes
// that carry meshes without a skin or lattices; all of a character without skins. Others only held
// meshes.
std::vector<bool> BodyNodes(const Character& character);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SCENE_H_
