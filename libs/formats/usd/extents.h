// Bounds of characters in motion.
#ifndef POSEWIRE_LIBS_FORMATS_USD_EXTENTS_H_
#define POSEWIRE_LIBS_FORMATS_USD_EXTENTS_H_

#include <cstddef>

#include "libs/asset/scene.h"
#include "libs/formats/usd/skeleton.h"
#include "libs/formats/usd/stage.h"

namespace posewire::usd {

inline constexpr size_t kMostExtentTimes = 64;

// Returns the bounds of a character over its whole motion, in the space of its place: the `extent`
// of its SkelRoot, or else the box around its joints, padded by how far the meshes that are bound
// to it reach past them at rest, as their own `extent` says. Looks at no point of a mesh, and at
// most at kMostExtentTimes times. Empty for bounds that are not finite, or over 100 m from the
// place. `root`: the character's SkelRoot; another prim has no extent that counts.
asset::Bounds BoundsOf(const Stage& stage, const SkeletonInstances& all, const Skeleton& skeleton,
                       int root, const asset::GroundPlace& place);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_EXTENTS_H_
