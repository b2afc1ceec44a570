// Retargets clips that have a skeleton of their own to a rig.
//
// A stream only has each joint's rotation relative to its parent. Without the skeleton at rest that
// means nothing: the arms may be spread there, and a bone's axes may point anywhere. A stream has
// no field for a rest pose, and anim_graph only knows the rigs whose names it knows. Motion files
// (BVH, USD, glTF) come with skeletons of any kind, so clips played or loaded from them are
// retargeted to a rig here, message by message, by skel::RigMap.
#ifndef POSEWIRE_LIBS_RETARGET_RETARGET_H_
#define POSEWIRE_LIBS_RETARGET_RETARGET_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/recording/clip_reader.h"
#include "libs/retarget/joint_map.h"
#include "libs/skel/rig.h"

namespace posewire::retarget {

// Returns true if poses on this skeleton are meaningless on the catalog's rigs: at least eight of
// its joints are a human's bones by their names, and it is not one of those rigs. False for null.
bool IsForeign(const skel::Rig* skeleton, const skel::RigCatalog& catalog);

struct RetargetOptions {
  // The rest pose of the clip's skeleton. Null: the clip's own, or MixamoRest's.
  std::shared_ptr<const skel::Rig> rest = nullptr;
  // The assignment of joints to bones. Null: by their names.
  std::shared_ptr<const JointMap> map = nullptr;
  // Rotates the clip together with its skeleton. Absent: so that the skeleton is along +Y and faces
  // +Z at rest, if quarter turns achieve that.
  std::optional<skel::Quat> upright = std::nullopt;
  // Metres per unit of the clip, over 0. Absent: chosen so that the skeleton has a person's height.
  std::optional<float> unit_m = std::nullopt;
};

// Returns the same messages with poses of `rig`: those of its joints that the clip determines, and
// its shapes by their names. Shapes of another shape set become ARKit's (StreamShapes). Without
// `rest` and `map`, the poses of a clip on a skeleton that is not foreign pass unchanged.
//
// Everything except poses passes through unchanged. Warnings state assumptions with the first
// message, and doubts about the movement with the last. Errors, in addition to the clip's:
// INVALID_ARGUMENT for a skeleton that has nothing in common with the rig, for a `rest` that has
// none of the clip's joints, for a human's skeleton whose rest pose is unknown, and the errors of
// JointMap::NameBones.
std::unique_ptr<recording::ClipReader> Retarget(std::unique_ptr<recording::ClipReader> clip,
                                                std::shared_ptr<const skel::Rig> rig,
                                                skel::RigCatalog catalog,
                                                RetargetOptions options = {});

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_RETARGET_H_
