// X3D scenes with an animated H-Anim humanoid (.x3d, .x3dv; ISO/IEC 19775-1, 19774).
//
// A joint of H-Anim rests without rotation about its centre, which the file has in the humanoid's
// space; its `rotation` and `translation` move it from there. In a stream, its translation goes
// from the centre of its parent to its own, plus that field. Two things animate joints:
// interpolators that a TimeSensor drives over ROUTEs, and HAnimMotion, which has frames as BVH
// does. Displacers are blend shapes. The humanoid's place in its scene is applied to its root
// joints.
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

// Keys: at each time at which anything has one. Reads the source at once, keeps the scene in
// memory, and reports Humanoid::assumed as doubts; errors are returned by Start. Of several
// motions, uses the first enabled one, or the one in options.prim: the name (DEF) of a TimeSensor
// or an HAnimMotion, or a number from 0. Joints without animation stay as in the file.
//
// INVALID_ARGUMENT, with the line: files that libs/formats/x3d rejects, a scene without animation
// of the humanoid, keys and values that do not match. RESOURCE_EXHAUSTED:
// over 32 million rotations, 8 million keys in total, or 65536 joints or channels of an
// HAnimMotion.
std::unique_ptr<asset::MotionReader> OpenX3d(std::unique_ptr<files::ByteSource> source,
                                             const asset::ReadOptions& options);

// Reads a scene with or without a motion: its first humanoid, and no shapes.
absl::StatusOr<asset::SkeletonAtRest> ReadX3dSkeleton(absl::string_view bytes);

// Writes a humanoid with a visible segment per joint, and an interpolator for each joint that
// moves, or that a clip of its own skeleton names; shapes are displacers that move no point. Names
// of joints that the standard does not have get the prefix x_, unless they are within a chain of
// its own. Voice and camera are dropped. For a built-in rig, all joints are written.
//
// H-Anim's joints have no rotation at rest. Joints that have one are written by their rotation from
// it, at the same positions.
//
// INVALID_ARGUMENT for a clip with neither joints nor shapes, for one of an unknown rig without
// translations, and for names over 128 bytes or with control characters. RESOURCE_EXHAUSTED for a
// scene that could not be read back: over 64 MiB, 1024 joints, 200 of them below each other, 512
// shapes or ten million seconds.
absl::Status WriteX3d(const asset::Motion& motion, asset::PutBytes put);
// The same in the classic form.
absl::Status WriteX3dv(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_X3D_H_
