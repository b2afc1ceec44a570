// BVH (Biovision hierarchy): a skeleton as joints within joints, each an offset from its parent and
// the channels that move it, and then a line of numbers a frame. It is what motion capture
// libraries give away and what every animation program reads.
//
// In a stream, a joint is its path from the root and has its translation in each frame: its OFFSET,
// or what position channels say instead. A rotation is the product of the joint's rotation channels
// in the order in which they are listed; at rest none is turned. So the skeleton survives the way
// through a stream, and back.
//
// BVH says nothing of units. Going by the longest side of the box around the skeleton: metres up to
// 5, the CMU library's units (0.0564 m) up to 50, centimetres up to 1000, else millimetres.
#ifndef POSEWIRE_LIBS_FORMATS_BVH_BVH_H_
#define POSEWIRE_LIBS_FORMATS_BVH_BVH_H_

#include <memory>

#include "absl/status/status.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::bvh {

// Keys: one a frame. Holds the skeleton and one frame. Several roots are taken, and all frames that
// are there, whatever "Frames:" announces. The time of a frame is that of frame_time.h. Warnings:
// another number of frames than announced, and doubts about their time.
//
// Errors name the line: INVALID_ARGUMENT for what is no BVH, a line with more or fewer numbers than
// there are channels, over 1024 joints, 256 levels or 1 MiB of paths, fewer than one channel to 8
// joints, and for a joint name with a "/"; DATA_LOSS where the file ends within the skeleton or
// within a frame that was announced.
std::unique_ptr<asset::MotionReader> OpenBvh(std::unique_ptr<files::ByteSource> source,
                                             const asset::ReadOptions& options);

// Joints alone: shapes, voice, camera and scales are left out. A joint at its place has rotation
// channels (Z, Y, X) alone, roots and joints that wander have positions too. Of a built-in rig all
// joints are written, those that the clip does not name at rest. Frames are at even distances, from
// the first key on. Lengths are written in centimetres, or in metres or millimetres where these
// would be read as another unit.
//
// INVALID_ARGUMENT for a clip without joints, for one of an unknown rig without translations, which
// say how long its bones are, and over the limits above.
absl::Status WriteBvh(const asset::Motion& motion, asset::PutBytes put);

// Metres a unit, of a skeleton whose box has this longest side, in units.
double BvhUnit(double extent);

}  // namespace posewire::bvh

#endif  // POSEWIRE_LIBS_FORMATS_BVH_BVH_H_
