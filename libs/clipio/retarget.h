// Clips that bring a skeleton of their own, carried over to a rig.
//
// What a stream says of a joint is how it is turned below its parent, which means nothing without
// the skeleton at rest: whether the arms are spread there, and which way a bone's axes point. A
// stream has no place for that, and anim_graph knows the rigs whose names it knows. Files of motion
// (BVH, USD, glTF) come on skeletons of any kind, and hold them; so what is played or loaded from
// them is brought over to a rig here, message by message, by skel::RigMap.
#ifndef POSEWIRE_LIBS_CLIPIO_RETARGET_H_
#define POSEWIRE_LIBS_CLIPIO_RETARGET_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clipio/clip_reader.h"
#include "libs/clipio/joint_map.h"
#include "libs/skel/rig.h"

namespace posewire::clipio {

// Of a rig file, or of an X3D file with a humanoid.
inline constexpr size_t kMostRigFile_bytes = size_t{64} << 20;

// A rig that is kAsItStands, of names, places and turns; put onto the ground where its lowest joint
// is far from it. Null for parts that are no rig.
std::shared_ptr<const skel::Rig> RestRig(skel::RigParts parts);

// Whether a file of this name may hold a skeleton.
bool HoldsSkeleton(absl::string_view path);

// The skeleton of a file (.glb, .gltf, .vrm, .bvh, .usda, .x3d, .x3dv or a rig file) as it stands
// at rest.
// INVALID_ARGUMENT for one that has none; else as ClipReader::Open and skel::Rig::Parse.
absl::StatusOr<std::shared_ptr<const skel::Rig>> ReadSkeleton(const std::string& path);

// Whether poses on this skeleton say nothing to who knows the catalog's rigs: it is a human's by at
// least eight names of bones, and not one of those rigs. Null: no.
bool IsForeign(const skel::Rig* skeleton, const skel::RigCatalog& catalog);

// The same messages with the poses of `rig`: its joints that the clip determines, and its shapes by
// their names. `rest`: how the clip's skeleton stands at rest; null: as the clip's own says, or as
// MixamoRest knows it. `map`: which joints are which bones; null: by their names. Without both, a
// clip on a skeleton that is not foreign passes as it is.
//
// All but what stands in poses passes untouched. Errors, besides the clip's: INVALID_ARGUMENT for a
// skeleton that has nothing of the rig, for a `rest` that has none of the clip's joints, for a
// human's whose rest nobody knows, and JointMap::NameBones'.
std::unique_ptr<ClipReader> Retarget(std::unique_ptr<ClipReader> clip,
                                     std::shared_ptr<const skel::Rig> rig, skel::RigCatalog catalog,
                                     std::shared_ptr<const skel::Rig> rest = nullptr,
                                     std::shared_ptr<const JointMap> map = nullptr);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_RETARGET_H_
