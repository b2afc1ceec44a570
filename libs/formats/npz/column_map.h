// A user's description of the columns of a table of joint rotations.
//
// One line per item. The rest of a line after a '#' is a comment:
//   rotations quaternion_xyzw       # or quaternion_wxyz, axis_angle, euler_ZXY (any order of XYZ)
//   angles radians                  # default: degrees for euler, radians for axis_angle
//   rate 60                         # frames per second
//   time Timestamp 0.001            # .csv: the column of times, and its unit in seconds
//   array poses                     # .npz: the array of rotations
//   root trans                      # .npz: the array with the position of the first joint;
//                                   # .csv: the columns trans.x, trans.y, trans.z
//   metres 0.01                     # the unit of positions
//   up Z                            # or Y
//   joint Hips pelvis               # .npz: a joint in the array's order; .csv: columns pelvis.x
//   ...
#ifndef POSEWIRE_LIBS_FORMATS_NPZ_COLUMN_MAP_H_
#define POSEWIRE_LIBS_FORMATS_NPZ_COLUMN_MAP_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::npz {

struct ColumnMap {
  enum class Rotations { kAxisAngle, kQuaternionWxyz, kQuaternionXyzw, kEuler };

  std::optional<Rotations> rotations;
  std::string euler = {};  // for kEuler: "ZXY" rotates about Y first, as a BVH's channels do
  std::optional<bool> degrees;
  std::optional<double> rate_hz;
  std::string time_column = {};
  double time_unit_s = 1;
  std::string array = "poses", root = {};
  double unit_m = 1;
  std::optional<bool> z_up;
  struct Joint {
    std::string name, column;
  };
  std::vector<Joint> joints = {};

  // INVALID_ARGUMENT: "FILE:LINE: ...".
  static absl::StatusOr<ColumnMap> Parse(absl::string_view text, absl::string_view name);
  // At most 1 MiB; other errors as in files::ReadWhole.
  static absl::StatusOr<ColumnMap> Read(const std::string& path);
};

}  // namespace posewire::npz

#endif  // POSEWIRE_LIBS_FORMATS_NPZ_COLUMN_MAP_H_
