// The standard's rules for names (ISO/IEC 19775-1, 19776): enough to write values and children in
// both forms, of which only the classic one shows which fields are lists.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_VOCABULARY_H_
#define POSEWIRE_LIBS_FORMATS_X3D_VOCABULARY_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// Returns the default field of its parent for a node: "geometry" of a Shape.
absl::string_view DefaultContainer(absl::string_view type);
// Returns the only field of its parent that a node can be meant for, if it names a field that the
// parent, an H-Anim node, does not have: "skeleton" for an HAnimJoint that an HAnimHumanoid has as
// a child. `use`: it is a USE. "" if the parent has the field, or is not an H-Anim node, and if
// several fields are possible.
absl::string_view MeantContainer(absl::string_view parent, absl::string_view type, bool use,
                                 absl::string_view field);
// Returns the node of X3D for a name of H-Anim's prototypes or nodes: "HAnimJoint" for Joint and
// HAnimJoint; "" for others.
absl::string_view HAnimNodeOf(absl::string_view prototype);
// Returns true if a field holds a list of nodes, which is in brackets in the classic form.
bool HoldsNodes(absl::string_view field);
// Returns the form of a field's value, if its name determines it.
std::optional<Field::Kind> KnownKind(absl::string_view field);
// As above, or by the form of an XML attribute.
Field::Kind KindOf(absl::string_view field, absl::string_view text);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_VOCABULARY_H_
