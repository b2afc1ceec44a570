// Converts tracks with their steps to packed poses.
#ifndef POSEWIRE_LIBS_CLIP_PACK_POSES_H_
#define POSEWIRE_LIBS_CLIP_PACK_POSES_H_

#include "libs/clip/packed_poses.h"
#include "libs/clip/stop_check.h"
#include "libs/clip/tracks.h"

namespace posewire::clip {

// Omits values that stay within half a step of the first frame's value, which is used for them.
// Returns false if a step is too small for its values (kMostBits), or when stopped.
bool PackPoses(const Tracks& tracks, PackedPoses& out, StopCheck stopped);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_PACK_POSES_H_
