// Scenes as files have them: characters and props, each with its surfaces, its place and its
// motion. What writers of several formats ask of a character is here too.
#ifndef POSEWIRE_LIBS_CHARACTER_SCENE_H_
#define POSEWIRE_LIBS_CHARACTER_SCENE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/asset/scene.h"
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
  // Of a prop: how it is drawn by those who know its shape, and where it is over time. Its first
  // place is `place`. Its character has no joints, and is in the prop's own space.
  const asset::SceneProp* prop = nullptr;
  const asset::Motion* camera = nullptr;    // has camera tracks in the space of `place`
  const asset::VoiceFile* voice = nullptr;  // next to the file, for formats that refer to sounds
};

// Returns when the first of these moves or speaks, and when the last does; nothing if none does.
std::optional<std::pair<double, double>> SpanOf_s(absl::Span<const SceneMember> members);

// What a file of a scene shows.
struct SceneModels {
  struct Model {
    Character character;  // without a rig
    CharacterMotion motion;
  };
  // Of asset::Scene::characters, each in the space of its place.
  std::vector<Model> characters;
  std::vector<Character> props;  // of asset::Scene::props, each in its own space
  Character scenery;             // what belongs to none of them, in the world
  std::vector<std::string> notes;

  // Whether a character has a surface that is not only a sign of its bones.
  bool shows_characters() const;
};
// A motion may have this many transforms of nodes.
inline constexpr size_t kMostNodePlaces = 8u << 20;

// Sorts times, and keeps those that differ as 32-bit numbers, as files have them.
void KeepDistinct(std::vector<double>& times);

// Moves the meshes of one owner out of a character, with copies of what they use; as many owners as
// meshes.
Character TakeOwn(int owner, const std::vector<int>& owners, Character& whole);
// The same without nodes and skins: meshes that are drawn where they are.
Character TakeFixed(int owner, const std::vector<int>& owners, Character& whole);
// Moves the points and normals of all meshes, which have no skins. Their shapes are dropped.
void MoveMeshes(const skel::Affine& by, Character& character);
// Returns the transform from a prop's own space into the world.
skel::Affine PlaceOf(const asset::RigidPlace& place);

// Returns the names of a mesh's shapes as files have them: a shape that one shape of the rig drives
// has that shape's name.
std::vector<std::string> ShapeNamesOf(const Character& character, size_t mesh);

// Returns, by node, whether it belongs to the body: joints, what is below and above them, and nodes
// that carry meshes without a skin or lattices; all of a character without skins. Others only held
// meshes.
std::vector<bool> BodyNodes(const Character& character);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SCENE_H_
