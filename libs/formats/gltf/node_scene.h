// Finds the characters, props and camera of a glTF file: see libs/asset/scene.h.
//
// A character is a human's skeleton: skins that share joints, or of which one's joints are below
// the other's. Its animation is the first that moves it, or the one that is asked for. A prop is
// the topmost node outside skeletons that has an unskinned mesh, or one below it. Props that do not
// move are included if `extras.posewire.prop` says how to draw them ({"shape": "cup", "size": [x,
// y, z]}), or their name does ("CoffeeCup"): the rest is scenery. Each, and the camera, is moved by
// the animation that is asked for, or else by the first that names it.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_NODE_SCENE_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_NODE_SCENE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/asset/scene.h"
#include "libs/formats/gltf/document.h"
#include "libs/skel/affine.h"

namespace posewire::gltf {

struct NodeScene {
  struct Character {
    size_t animation = 0;
  };
  std::vector<Character> characters;  // of scene.characters
  std::vector<int> owners;            // of each node: its character, or -1
  std::vector<int> prop_nodes;        // of scene.props
  asset::Scene scene;
  // Of the camera, if scene.has_camera.
  std::vector<double> camera_times_s;
  std::vector<asset::RigidPlace> camera_places;
  std::optional<float> focal_length_mm;  // for a picture 24 mm high
};

// `animation`: a name or a number; "": the first that moves each. Errors, with the path, for
// invalid values; RESOURCE_EXHAUSTED for over asset::kMostCharacters characters, 1024 joints in
// one, 256 levels of nodes, and for props with over kMostPropPlaces places; CANCELLED soon after
// `stopped` returns true. In a file with fewer than two characters, faults of props and camera are
// warnings.
absl::StatusOr<NodeScene> FindScene(Document& document, const std::string& animation,
                                    const std::function<bool()>& stopped);

// Returns the index of an animation by its name or number; nothing if there is none.
std::optional<size_t> FindAnimation(Document& document, const std::string& which);

// Reads the transform of a node at rest.
skel::Trs TransformOf(const Json& node);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_NODE_SCENE_H_
