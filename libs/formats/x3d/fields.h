// Fields of X3D nodes, as what moves a humanoid has them.
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

// INVALID_ARGUMENT that begins with the line and the type of a node.
absl::Status AtNode(const Node& node, absl::string_view what);
// The `name`, else the DEF.
std::string NameOf(const Node& node);
// A field's name in a ROUTE without what makes it an input or an output: "set_", "_changed".
absl::string_view BareField(absl::string_view field);

// `otherwise` if the node does not have the field. INVALID_ARGUMENT with the line for what is none.
absl::StatusOr<double> Number(const Node& node, absl::string_view field, double otherwise);
// What stands in the strings of a field, apart by blanks and commas. RESOURCE_EXHAUSTED over 65536.
absl::StatusOr<std::vector<std::string>> Words(const Node& node, absl::string_view field);

// Of four numbers, an axis of any length and an angle in radians. One without an axis turns
// nothing.
skel::Quat TurnOf(const float* axis_angle);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_FIELDS_H_
