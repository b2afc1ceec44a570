// Retargets clips of other rigs to an avatar's rig.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_CARRY_CLIPS_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_CARRY_CLIPS_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "libs/clip/clip_library.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// Returns every clip on `rig`, retargeted with skel::RigMap if necessary. Clips that share nothing
// with it are omitted. `clips` may be null: an empty library.
std::shared_ptr<const clip::ClipLibrary> CarryClips(
    const std::shared_ptr<const clip::ClipLibrary>& clips,
    const std::shared_ptr<const skel::Rig>& rig);

// Returns true for the names of built-in clips. On a rig that shares nothing with a human body
// these clips are missing, but graphs may name them: they play nothing there.
bool MayBeMissing(absl::string_view clip);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_CARRY_CLIPS_H_
