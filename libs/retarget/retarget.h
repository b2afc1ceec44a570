// Clips that bring a skeleton of their own, carried over to a rig.
//
// What a stream says of a joint is how it is turned below its parent, which means nothing without
// the skeleton at rest: whether the arms are spread there, and which way a bone's axes point. A
// stream has no place for that, and anim_graph knows the rigs whose names it knows. Files of motion
// (BVH, USD, glTF) come on skeletons of any kind, and hold them; so what is played or loaded from
// them is brought over to a rig here, message by message, by skel::RigMap.
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

// Whether poses on this skeleton mean nothing on the catalog's rigs: at least eight of its joints
// are a human's bones by their names, and it is none of those rigs. False for null.
bool IsForeign(const skel::Rig* skeleton, const skel::RigCatalog& catalog);

struct RetargetOptions {
  // How the clip's skeleton stands at rest; null: as the clip's own says, or as MixamoRest knows
  // it.
  std::shared_ptr<const skel::Rig> rest = nullptr;
  // Which joints are which bones; null: by their names.
  std::shared_ptr<const JointMap> map = nullptr;
  // Turns the clip, its skeleton with it; nothing: so that the skeleton stands along +Y and looks
  // along +Z at rest, if quarter turns bring it there.
  std::optional<skel::Quat> upright = std::nullopt;
  // How long a unit of the clip is, over 0; nothing: as makes its skeleton a person's height.
  std::optional<float> unit_m = std::nullopt;
};

// The same messages with the poses of `rig`: its joints that the clip determines, and its shapes by
// their names. Without `rest` and `map`, a clip on a skeleton that is not foreign passes as it is.
//
// Everything except poses passes through unchanged, but for fields of messages with a pose that
// this build does not know. Warnings say what was assumed, with the first message, and what the
// movement makes doubtful, with the last. Errors, besides the clip's: INVALID_ARGUMENT for a
// skeleton that has nothing of the rig, for a `rest` that has none of the clip's joints, for a
// human's whose rest pose is unknown, and JointMap::NameBones'.
std::unique_ptr<recording::ClipReader> Retarget(std::unique_ptr<recording::ClipReader> clip,
                                                std::shared_ptr<const skel::Rig> rig,
                                                skel::RigCatalog catalog,
                                                RetargetOptions options = {});

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_RETARGET_H_
