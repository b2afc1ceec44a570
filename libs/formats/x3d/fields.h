// Reads the fields of X3D nodes that animate a humanoid.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_FIELDS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_FIELDS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/scene.h"
#include "libs/skel/math.h"

namespace posewire::x3d {

// Returns INVALID_ARGUMENT that begins with the line and the type of a node.
absl::Status AtNode(const X3dNode& node, absl::string_view what);
// Returns the `name`, or else the DEF.
std::string NameOf(const X3dNode& node);
// Returns a field's name in a ROUTE without "set_" or "_changed".
absl::string_view BareField(absl::string_view field);

// Returns `otherwise` if the node does not have the field. INVALID_ARGUMENT with the line if it is
// not a number.
absl::StatusOr<double> Number(const X3dNode& node, absl::string_view field, double otherwise);
// Returns the words in the strings of a field, separated by blanks and commas. RESOURCE_EXHAUSTED
// over 65536.
absl::StatusOr<std::vector<std::string>> Words(const X3dNode& node, absl::string_view field);

// Converts four numbers, an axis of any length and an angle in radians. A zero axis means no
// rotation.
skel::Quat TurnOf(const float* axis_angle);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_FIELDS_H_
