// glTF 2.0 animations (.glb, .gltf), as exchanged with Blender, Mixamo's converters, game engines
// and the web.
//
// In a stream, a joint is the path of its node among the joints (libs/formats/gltf/joints.h): the
// nodes of all skins and those above them that are animated; without a skin, all animated nodes.
// Nodes between them that do not move are merged into the joint below. So are scales, which change
// bone lengths and are not streamed. Units and axes are those of a stream: metres, Y up. Weights
// are those of morph targets by their names (`extras.targetNames`, as in Blender and Khronos'
// samples).
//
// Times in a glTF file are 32-bit; times of a frame rate are converted to the exact seconds of its
// frames.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_GLTF_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_GLTF_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/asset/scene.h"
#include "libs/files/byte_source.h"

namespace posewire::gltf {

// Keys: at each time at which anything has one. Keeps the file in memory. Of several animations,
// uses the first, or the one in options.prim: a name, or a number from 0. CUBICSPLINE samplers get
// additional keys, 60 a second and at most 64 between two; a STEP takes 0.1 ms.
//
// Of a scene's character (options.character): the joints of its skins and those above, relative to
// its place; options.prim names the animation of all characters.
//
// INVALID_ARGUMENT, with the path in the JSON: files that libs/formats/gltf rejects, a file without
// an animation, times that do not increase, names over 1 MiB. RESOURCE_EXHAUSTED: over 1024 joints,
// 256 levels of nodes, or 32 million rotations in total.
std::unique_ptr<asset::MotionReader> OpenGltf(std::unique_ptr<files::ByteSource> source,
                                              const asset::ReadOptions& options);

// Returns what is in the file besides one clip: see libs/formats/gltf/node_scene.h.
absl::StatusOr<asset::Scene> ReadGltfScene(std::unique_ptr<files::ByteSource> source,
                                           const asset::ReadOptions& options);

// Reads the skeleton of a file with or without an animation: see GltfAnimation::Skeleton; and the
// names of its morph targets.
absl::StatusOr<asset::SkeletonAtRest> ReadGltfSkeleton(absl::string_view bytes);

// Writes the skeleton's nodes, one animation of them, and a skinned mesh with a spike per bone, so
// that any program shows it. Weights are those of morph targets of that mesh, which move no points.
// Voice and camera are dropped. For a built-in rig, all joints are written, with those that the
// clip does not name at rest. For a node that never moves, only its place is written.
//
// INVALID_ARGUMENT for a clip with neither joints nor shapes, and for one of an unknown rig without
// translations; RESOURCE_EXHAUSTED for one over 2 GiB.
absl::Status WriteGlb(const asset::Motion& motion, asset::PutBytes put);
// The same as JSON, with the bytes in it.
absl::Status WriteGltf(const asset::Motion& motion, asset::PutBytes put);

// Writes a scene: for each clip a node at its place, with the nodes of WriteGlb below it and
// their mesh next to it; the lead's has the camera. Each prop is a node with a box of its size, and
// `extras.posewire.prop`. One animation moves all. Errors: those of WriteGlb, after the character's
// name; INVALID_ARGUMENT without a clip.
absl::Status WriteGlbScene(const std::vector<asset::SceneClip>& clips,
                           const std::vector<asset::SceneProp>& props, asset::PutBytes put);
absl::Status WriteGltfScene(const std::vector<asset::SceneClip>& clips,
                            const std::vector<asset::SceneProp>& props, asset::PutBytes put);

// Writes a VRM animation (VRMC_vrm_animation 1.0), as .glb: the bones of the `vrm` rig in its
// T-pose, animated by retargeting the clip's poses from its built-in rig with skel::RigMap; only
// the hips have translations. ARKit shapes become custom expressions of the same names, with
// Apple's mouthClose, and also the VRM presets that resemble them most, for avatars without custom
// ones. Other shapes become custom expressions. `lookAt` has the direction of the eyes, by joints
// or else by shapes. OpenGltf reads the same poses and shapes back.
//
// INVALID_ARGUMENT for a clip without joints of a built-in rig and without shapes, and for joints
// of another skeleton: use animclip retarget first.
absl::Status WriteVrma(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_GLTF_H_
