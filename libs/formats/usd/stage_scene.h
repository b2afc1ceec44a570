// Finds the characters and props of a stage: see libs/asset/scene.h.
//
// A character is a SkelRoot with an animated skeleton of a human (the first one below it), and each
// further instance of that Skeleton; with BindingRules also such a skeleton outside any SkelRoot.
// Without a human in the stage, the instances of a Skeleton with several are characters. A prop is
// the topmost prim outside SkelRoots that has a shape below it, and a transform of its own or the
// shape itself. Props that do not move are included if the file says how to draw them (`token
// posewire:shape`), or the name does ("CoffeeCup"): the rest is scenery. `float3 posewire:size` is
// the size in metres, else that of the shapes.
#ifndef POSEWIRE_LIBS_FORMATS_USD_STAGE_SCENE_H_
#define POSEWIRE_LIBS_FORMATS_USD_STAGE_SCENE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/asset/scene.h"
#include "libs/formats/usd/skeleton.h"
#include "libs/formats/usd/stage.h"

namespace posewire::usd {

inline constexpr char kShapeAttribute[] = "posewire:shape", kSizeAttribute[] = "posewire:size";

struct StageScene {
  struct Character {
    Skeleton skeleton;
    // The SkelRoot, or the Skeleton; of a further instance, the prim that binds it.
    int root = -1;
  };
  std::vector<Character> characters;  // of scene.characters; the one below defaultPrim first
  std::vector<int> prop_prims;        // of scene.props
  asset::Scene scene;
  double first = 0;  // time code of the first key of any character
  double shift = 0;  // is added to time codes, so that none is negative
};

// Errors: those of ReadSkeletons; RESOURCE_EXHAUSTED for over asset::kMostCharacters characters,
// and for props with over kMostPropPlaces places. In a stage with fewer than two characters, the
// latter is a warning.
absl::StatusOr<StageScene> FindScene(const Stage& stage, const BindingRules& rules = {});

// Returns the index of the character to which a prim belongs: the one whose instance `bound` (null:
// none) is, or else the one whose root is the nearest above the prim; -1: none.
int CharacterOf(const Stage& stage, const StageScene& scene, int prim, const Skeleton* bound);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_STAGE_SCENE_H_
