// The gesture clips that come with the program, on the rig of the avatars.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_BUILTIN_CLIPS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_BUILTIN_CLIPS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip.h"
#include "libs/clip/clip_library.h"
#include "libs/skel/rig.h"

namespace posewire::anim_graph {

// The default error bound of compressed clips.
inline constexpr double kDefaultPrecision_mm = 0.1;

// Makes and compresses the clips, which takes tens of milliseconds. `catalog` must contain the
// standard rig.
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeBuiltinClips(
    const skel::RigCatalog& catalog, const std::shared_ptr<const skel::Rig>& rig,
    double precision_mm);

// Returns the result of MakeBuiltinClips for a built-in rig and kDefaultPrecision_mm, in the format
// of clip::WriteBlob. make_builtin_clips.cc produces it while the program is built. Returns an
// empty string for combinations that are not built in.
absl::string_view BuiltinClipsBlob(absl::string_view rig, absl::string_view shapes);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_BUILTIN_CLIPS_H_
