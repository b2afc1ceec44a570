// Tables of joint rotations: numpy arrays (.npz) of motion data sets and models, and text with a
// column per number (.csv), described by a map (column_map.h).
//
// The SMPL family needs no map: an AMASS file plays unchanged. Its poses are axis times angle, and
// its bodies rest in a T and are Y up. Their world may have Z up, which is detected from where the
// heads are, unless the map states it.
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

// Keys: one per frame. If all names are SMPL's, the joints are paths and skeleton() is a T. Other
// joints have the map's names; if the map has a root, they must be those of a built-in rig, which
// determines where the other joints are.
//
// An .npz has the array `poses`, frames by joints by 3 or 4 or with both in one row, of at most
// 1024 joints; `trans`, frames by 3, the position of the first joint; and the rate,
// `mocap_framerate`, `mocap_frame_rate` or `fps`. A .csv has a line of names, then one line per
// frame; the columns of a joint are its name with .x, .y, .z and, for quaternions, .w.
//
// `columns` describes the columns, and is only used during this call; null: detected.
//
// INVALID_ARGUMENT names the file, and the array and the index of its first number or the line and
// the column: for what ReadNpz rejects, numbers that are not finite, quaternions of length 0,
// shapes that do not match, times that do not increase, and names that need a map.
// RESOURCE_EXHAUSTED: over options.max_json_bytes, and ReadNpz's.
std::unique_ptr<asset::MotionReader> OpenJointTable(std::unique_ptr<files::ByteSource> source,
                                                    const asset::ReadOptions& options,
                                                    const ColumnMap* columns);

// Returns INVALID_ARGUMENT: tables are read only.
absl::Status RejectJointTable(const asset::Motion& motion, asset::PutBytes put);

}  // namespace posewire::npz

#endif  // POSEWIRE_LIBS_FORMATS_NPZ_JOINT_TABLE_H_
