// What the standard (ISO/IEC 19775-1, 19776) says of names: enough to write values and children in
// both forms, of which only the classic one shows what is a list.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_VOCABULARY_H_
#define POSEWIRE_LIBS_FORMATS_X3D_VOCABULARY_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// The field of its parent that a node goes to unless it says another: "geometry" of a Shape.
absl::string_view DefaultContainer(absl::string_view type);
// The one field of its parent that a node can be meant for, where it names a field that the parent,
// a node of H-Anim, does not have: "skeleton" for an HAnimJoint that an HAnimHumanoid has as a
// child. `use`: it is a USE. "" if the parent has the field, or is no node of H-Anim, and where
// several fields would do.
absl::string_view MeantContainer(absl::string_view parent, absl::string_view type, bool use,
                                 absl::string_view field);
// Whether a field holds a list of nodes, which the classic form puts in brackets.
bool HoldsNodes(absl::string_view field);
// How the value of a field is written, if its name says it.
std::optional<Field::Kind> KnownKind(absl::string_view field);
// As above, or by the look of an XML attribute.
Field::Kind KindOf(absl::string_view field, absl::string_view text);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_VOCABULARY_H_
