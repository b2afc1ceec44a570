// Tables of joint rotations: numpy's arrays (.npz), as motion data sets and models come, and text
// with a column for each number (.csv), with a map that says what is what (column_map.h).
//
// What is known of the SMPL family needs no map: an AMASS file plays as it is. Its poses are axis
// times angle, its bodies rest in a T and are Y up; the world that they move in may have Z up,
// which is told from where their heads are, unless the map says it.
#ifndef POSEWIRE_LIBS_FORMATS_NPZ_JOINT_TABLE_H_
#define POSEWIRE_LIBS_FORMATS_NPZ_JOINT_TABLE_H_

#include <memory>

#include "absl/status/status.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"
#include "libs/formats/npz/column_map.h"

namespace posewire::npz {

// Keys: one a frame. Of SMPL's names (all of them) the joints are paths and
// skeleton() is a T; of others they are as the map names them, and where the map names a root they
// must be those of a built-in rig, which says where the others lie.
//
// An .npz: the array `poses`, of frames by joints by 3 or 4 or with both in one row, of at most
// 1024 joints; `trans`, frames by 3, the place of the first joint; and the rate, `mocap_framerate`,
// `mocap_frame_rate` or `fps`. A .csv: a line of names, then a line a frame; the columns of a joint
// are its name with .x, .y, .z and, of quaternions, .w.
//
// `columns` says what the columns are, and is read by this call only; null: as is known.
//
// INVALID_ARGUMENT names the file, and the array and the index of its first number or the line and
// the column: what ReadNpz refuses, numbers that are not finite, quaternions of no length, shapes
// that do not fit, times that do not rise, and what is not known without a map. RESOURCE_EXHAUSTED:
// over options.max_json_bytes, and ReadNpz's.
std::unique_ptr<asset::MotionReader> OpenJointTable(std::unique_ptr<files::ByteSource> source,
                                                    const asset::ReadOptions& options,
                                                    const ColumnMap* columns);

// INVALID_ARGUMENT: tables are only read.
absl::Status RefuseJointTable(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::npz

#endif  // POSEWIRE_LIBS_FORMATS_NPZ_JOINT_TABLE_H_
