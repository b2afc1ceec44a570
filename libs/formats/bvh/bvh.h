// BVH (Biovision hierarchy): a hierarchy of joints, each with an offset from its parent and
// animated channels, followed by one line of numbers per frame. Motion capture libraries distribute
// it, and all animation programs read it.
//
// In a stream, a joint is its path from the root and has a translation in each frame: its OFFSET,
// or the position channels instead. Its rotation is the product of its rotation channels in the
// listed order; at rest no joint is rotated. So the skeleton survives a round trip through a
// stream.
//
// BVH has no unit. It is derived from the longest side of the skeleton's bounding box: metres up to
// 5, the CMU library's units (0.0564 m) up to 50, centimetres up to 1000, otherwise millimetres.
#ifndef POSEWIRE_LIBS_FORMATS_BVH_BVH_H_
#define POSEWIRE_LIBS_FORMATS_BVH_BVH_H_

#include <memory>

#include "absl/status/status.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::bvh {

// Keys: one per frame. Keeps the skeleton and one frame in memory. Accepts several roots, and all
// frames present, regardless of "Frames:". Frame times are as in frame_time.h. Warnings: a number
// of frames other than announced, and doubts about their time.
//
// Errors name the line: INVALID_ARGUMENT for a file that is not BVH, a line whose numbers do not
// match the channels, over 1024 joints, 256 levels or 1 MiB of paths, fewer than one channel per 8
// joints, and a joint name with a "/"; DATA_LOSS if the file ends within the skeleton or within an
// announced frame.
std::unique_ptr<asset::MotionReader> OpenBvh(std::unique_ptr<files::ByteSource> source,
                                             const asset::ReadOptions& options);

// Writes joints only: shapes, voice, camera and scales are dropped. A joint with a fixed position
// has rotation channels (Z, Y, X) only; roots and joints that move have positions too. For a
// built-in rig, all joints are written, with those that the clip does not name at rest. Frames are
// evenly spaced from the first key on. Lengths are in centimetres, or in metres or millimetres if
// centimetres would be read as another unit.
//
// INVALID_ARGUMENT for a clip without joints, for one of an unknown rig without translations, which
// determine its bone lengths, and over the limits above.
absl::Status WriteBvh(const asset::Motion& motion, asset::PutBytes put);

// Returns metres per unit for a skeleton whose bounding box has this longest side, in units.
double BvhUnit(double extent);

}  // namespace posewire::bvh

#endif  // POSEWIRE_LIBS_FORMATS_BVH_BVH_H_
