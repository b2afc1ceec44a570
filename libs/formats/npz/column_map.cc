#include "libs/formats/npz/column_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/files/read.h"
#include "libs/skel/rig_limits.h"

namespace posewire::npz {
namespace {

constexpr size_t kMostColumnMapBytes = 1 << 20;

bool Positive(const std::string& word, double* out) {
  return absl::SimpleAtod(word, out) && std::isfinite(*out) && *out > 0;
}

// Applies a line to the map. Returns the error; "" if there is none.
std::string Take(const std::vector<std::string>& words, ColumnMap& map) {
  const std::string& what = words[0];
  const auto says = [&](size_t least, size_t most) {
    return words.size() > least && words.size() <= most + 1;
  };
  double number = 0;
  if (what == "rotations" && says(1, 1)) {
    absl::string_view kind = words[1];
    if (kind == "axis_angle") {
      map.rotations = ColumnMap::Rotations::kAxisAngle;
    } else if (kind == "quaternion_wxyz") {
      map.rotations = ColumnMap::Rotations::kQuaternionWxyz;
    } else if (kind == "quaternion_xyzw") {
      map.rotations = ColumnMap::Rotations::kQuaternionXyzw;
    } else {
      std::string order(absl::ConsumePrefix(&kind, "euler_") ? kind : "");
      map.euler = order;
      std::sort(order.begin(), order.end());
      if (order != "XYZ") {
        return "rotations are axis_angle, quaternion_wxyz, quaternion_xyzw or euler_ and an order "
               "of X, Y and Z";
      }
      map.rotations = ColumnMap::Rotations::kEuler;
    }
  } else if (what == "angles" && says(1, 1)) {
    if (words[1] != "degrees" && words[1] != "radians") return "angles are degrees or radians";
    map.degrees = words[1] == "degrees";
  } else if (what == "rate" && says(1, 1)) {
    if (!Positive(words[1], &number)) return "the rate is a number of frames a second, over 0";
    map.rate_hz = number;
  } else if (what == "time" && says(1, 2)) {
    map.time_column = words[1];
    if (words.size() > 2 && !Positive(words[2], &map.time_unit_s)) {
      return "the unit of time is in seconds, over 0";
    }
  } else if (what == "array" && says(1, 1)) {
    map.array = words[1];
  } else if (what == "root" && says(1, 1)) {
    map.root = words[1];
  } else if (what == "metres" && says(1, 1)) {
    if (!Positive(words[1], &map.unit_m)) return "the unit of places is in metres, over 0";
  } else if (what == "up" && says(1, 1)) {
    if (words[1] != "Y" && words[1] != "Z") return "up is Y or Z";
    map.z_up = words[1] == "Z";
  } else if (what == "joint" && says(1, 2)) {
    if (map.joints.size() == skel::kMostJoints)
      return absl::StrCat("over ", skel::kMostJoints, " joints");
    map.joints.push_back({words[1], words.back()});
  } else {
    return "expected rotations, angles, rate, time, array, root, metres, up or joint, and what is "
           "said of it";
  }
  return "";
}

}  // namespace

absl::StatusOr<ColumnMap> ColumnMap::Parse(absl::string_view text, absl::string_view name) {
  ColumnMap map;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    if (const std::string fault = Take(words, map); !fault.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(name), ":", number, ": ", fault));
    }
  }
  return map;
}

absl::StatusOr<ColumnMap> ColumnMap::Read(const std::string& path) {
  const absl::StatusOr<std::string> text = files::ReadWhole(path, kMostColumnMapBytes);
  if (!text.ok()) return text.status();
  return Parse(*text, path);
}

}  // namespace posewire::npz
