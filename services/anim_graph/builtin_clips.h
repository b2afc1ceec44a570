// The gestures that come with the program, on the rig of the avatars.
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

// How far they may be off, unless it is said otherwise.
inline constexpr double kDefaultPrecision_mm = 0.1;

// Makes them and compresses each: this takes tens of milliseconds. `catalog` holds the standard
// rig.
absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeBuiltinClips(
    const skel::RigCatalog& catalog, const std::shared_ptr<const skel::Rig>& rig,
    double precision_mm);

// What MakeBuiltinClips gives for a built-in rig and kDefaultPrecision_mm, as clip::WriteBlob
// writes it. It is made while the program is built (make_builtin_clips.cc). Empty for those that
// are not.
absl::string_view BuiltinClipsBlob(absl::string_view rig, absl::string_view shapes);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_BUILTIN_CLIPS_H_
