// The contents of an X3D file, uninterpreted: nodes with fields, DEF and USE, and ROUTEs.
//
// Both forms (XML, .x3d, and classic VRML, .x3dv) are parsed to the same Scene. It does not
// interpret nodes, so values stay text, as in XML: a file that is read and written again keeps each
// number to the digit. A node that is used twice is once in `nodes`, and its users refer to its
// index; no node is its own descendant.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SCENE_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SCENE_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/math.h"

namespace posewire::x3d {

struct Field {
  // Form of a value: numbers and booleans, once or as a list; a string, or a list of them, each in
  // quotation marks with \" and \\ inside.
  enum class Kind { kOne, kList, kString, kStrings };

  std::string name;
  Kind kind = Kind::kOne;
  std::string text;
  int line = 0;  // in the file, from 1; 0: not from a file
};

struct Child {
  std::string field;  // of the parent: "children", "skeleton"
  int node = -1;
};

struct X3dNode {
  std::string type;  // "HAnimJoint"
  std::string def;   // "" for none; of several with one name, the last keeps it
  int line = 0;
  std::vector<Field> fields;
  std::vector<Child> children;

  // Null if the node does not have it.
  const Field* Find(absl::string_view field) const;
};

// Passes a value from a node to another: fraction_changed of a clock to set_fraction.
struct Route {
  int from = -1;
  std::string from_field;
  int to = -1;
  std::string to_field;
  int line = 0;
};

struct Scene {
  struct Component {
    std::string name, level;
  };
  struct Meta {
    std::string name, content;
  };
  struct Unit {
    std::string category, name, factor;  // "length", "inch", "0.0254"
  };

  std::string profile = "Immersive", version = "4.0";
  std::vector<Component> components;
  std::vector<Unit> units;
  std::vector<Meta> metas;
  std::vector<X3dNode> nodes;
  std::vector<Child> roots;
  std::vector<Route> routes;
  bool vrml97 = false;                    // the first line says #VRML V2.0
  std::vector<std::string> notes;         // assumptions, with the line
  std::vector<std::string> inline_notes;  // Inlines that are left out or odd, with the line
  // Files of Inlines with their first nodes, by those.
  std::vector<std::pair<size_t, std::string>> inlined;

  // Returns the name of the Inline's file that a node is of; "" for the main file.
  absl::string_view FileOf(int node) const;
  // Returns the size of one unit of a category ("length" in metres, "angle" in radians); 1 unless
  // there is a UNIT with a numeric factor.
  float UnitOf(absl::string_view category) const;
};

// Returns all numbers of a field; none if the node does not have it. INVALID_ARGUMENT with line,
// node, field, index and word for words that are not a finite number.
absl::StatusOr<std::vector<float>> Numbers(const X3dNode& node, absl::string_view field);
// As above, and INVALID_ARGUMENT if their number is neither `count` nor 0.
absl::StatusOr<std::vector<float>> Numbers(const X3dNode& node, absl::string_view field,
                                           size_t count);
// Three numbers; `otherwise` if the node does not have the field. Errors as above.
absl::StatusOr<skel::Vec3> Vector(const X3dNode& node, absl::string_view field,
                                  skel::Vec3 otherwise);
// Returns the strings of a field, one for each pair of quotation marks; a text without is one
// string.
std::vector<std::string> Strings(const X3dNode& node, absl::string_view field);
// Returns the string of a field, "" if the node does not have it.
std::string String(const X3dNode& node, absl::string_view field);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SCENE_H_
