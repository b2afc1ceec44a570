// glTF 2.0 animations (.glb, .gltf): what Blender, Mixamo's converters, game engines and the web
// give and take.
//
// In a stream, a joint is the path of its node among the joints (libs/formats/gltf/joints.h): the
// nodes of all skins and those above them that an animation moves; without a skin, all that one
// moves. Nodes between them that stand still are taken into the joint below, and so are scales,
// which make bones longer or shorter and are not streamed themselves. Units and axes are those of a
// stream: metres, Y up. Weights are those of morph targets by their names (`extras.targetNames`, as
// Blender and Khronos' samples have them).
//
// Times in a glTF file are 32-bit; those that are of a rate become the very seconds of its frames.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_GLTF_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_GLTF_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::gltf {

// Keys: at each time at which anything has one. Holds the file. Of several
// animations the first counts, or what options.prim says: a name, or a number from 0. Keys of a
// CUBICSPLINE sampler get others between them, 60 a second and at most 64; a STEP is one of 0.1 ms.
//
// INVALID_ARGUMENT, with the path of the JSON: what libs/formats/gltf refuses, a file without an
// animation, times that do not rise, names over 1 MiB. RESOURCE_EXHAUSTED: over 1024 joints, 256
// levels of nodes, or 32 million turns in all.
std::unique_ptr<asset::MotionReader> OpenGltf(std::unique_ptr<files::ByteSource> source,
                                              const asset::ReadOptions& options);

// Of a file with or without an animation: as GltfAnimation::Skeleton, and the names of its morph
// targets.
absl::StatusOr<asset::SkeletonAtRest> ReadGltfSkeleton(absl::string_view bytes);

// The skeleton's nodes and one animation of them, and a skinned mesh of a spike a bone, so that any
// program shows it; the weights are those of morph targets of that mesh, which move no point. Voice
// and camera are left out. Of a built-in rig all joints are written, those that the clip does not
// name at rest. Of a node that stands still in all frames, only where it stands is written.
//
// INVALID_ARGUMENT for a clip with neither joints nor shapes, and for one of an unknown rig without
// translations; RESOURCE_EXHAUSTED for one over 2 GiB.
absl::Status WriteGlb(const asset::Motion& motion, asset::PutBytes put);
// The same as JSON, with the bytes in it.
absl::Status WriteGltf(const asset::Motion& motion, asset::PutBytes put);

// A VRM animation (VRMC_vrm_animation 1.0), as .glb: the bones of the `vrm` rig in its T-pose,
// moved as skel::RigMap carries the clip's poses over from the built-in rig that its joints are of;
// of translations the hips' alone. Shapes of ARKit's become custom expressions by their names, with
// Apple's mouthClose, and VRM's presets what these look most like, for avatars without them; other
// shapes are custom expressions. `lookAt` has where the eyes look, by joints or else by shapes.
// What OpenGltf reads from it are the same poses and shapes.
//
// INVALID_ARGUMENT for a clip without joints of a built-in rig and without shapes, and for joints
// of another skeleton: animclip retarget carries these over first.
absl::Status WriteVrma(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_GLTF_H_
