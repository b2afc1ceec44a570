// X3D scenes with an H-Anim humanoid that moves (.x3d, .x3dv; ISO/IEC 19775-1, 19774).
//
// A joint of H-Anim rests unturned about its centre, which the file gives in the humanoid's space;
// its `rotation` and `translation` move it from there. In a stream its translation is from the
// centre of its parent to its own and on by that field. Two things move joints: interpolators that
// a TimeSensor drives over ROUTEs, and HAnimMotion, which holds frames as BVH does. Displacers are
// blend shapes. Where the humanoid stands in its scene goes to its root joints.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_X3D_H_
#define POSEWIRE_LIBS_FORMATS_X3D_X3D_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::x3d {

// Keys: at each time at which anything has one. Reads the source at once, holds the scene, and
// doubts what Humanoid::assumed has; errors come with Start.
// Of several motions the first that is on counts, or what options.prim says: the name (DEF) of a
// TimeSensor or an HAnimMotion, or a number from 0. Joints that nothing moves stand as the file has
// them.
//
// INVALID_ARGUMENT, with the line: what libs/formats/x3d refuses, a scene in which nothing moves
// the humanoid, keys and values that do not fit each other. UNIMPLEMENTED: splines.
// RESOURCE_EXHAUSTED: over 32 million turns, 8 million keys of all that moves, or 65536 joints or
// channels of an HAnimMotion.
std::unique_ptr<asset::MotionReader> OpenX3d(std::unique_ptr<files::ByteSource> source,
                                             const asset::ReadOptions& options);

// Of a scene with or without a motion: its first humanoid, and no shapes.
absl::StatusOr<asset::SkeletonAtRest> ReadX3dSkeleton(absl::string_view bytes);

// A humanoid with a segment a joint that is seen, and an interpolator for each joint that moves, or
// that a clip of its own skeleton names; shapes are displacers that move no point. Names of joints
// that the standard does not have get x_ before them, unless they stand within a chain of its own.
// Voice and camera are left out. Of a built-in rig all joints are written.
//
// Joints that are turned at rest, which H-Anim's are not, are written by how far they turn from it:
// they stand where they stood.
//
// INVALID_ARGUMENT for a clip with neither joints nor shapes, for one of an unknown rig without
// translations, and for names over 128 bytes or with control characters. RESOURCE_EXHAUSTED for
// what would not be read again: over 64 MiB, 1024 joints, 200 of them below each other, 512 shapes
// or ten million seconds.
absl::Status WriteX3d(const asset::Motion& motion, asset::PutBytes put);
// The same in the classic form.
absl::Status WriteX3dv(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_X3D_H_
