// Clips of other rigs, made ready for an avatar's.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_CARRY_CLIPS_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_CARRY_CLIPS_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "libs/clip/clip_library.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// Every clip as one of `rig`, by skel::RigMap where it is of another; those that share nothing with
// it are left out. `clips` may be null: an empty library.
std::shared_ptr<const clip::ClipLibrary> CarryClips(
    const std::shared_ptr<const clip::ClipLibrary>& clips,
    const std::shared_ptr<const skel::Rig>& rig);

// True for the names of the built-in clips. Graphs may name them even where they are missing, on a
// rig that shares nothing with a human body: there they play nothing.
bool MayBeMissing(absl::string_view clip);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_CARRY_CLIPS_H_
