// What an X3D file holds, as it stands there: nodes with fields, DEF and USE, and ROUTEs.
//
// Both written forms (XML, .x3d, and classic VRML, .x3dv) become the same Scene. It knows nothing
// of what nodes mean, so values stay text, the way XML writes them: a file that is read and written
// again keeps each number to the digit. A node that is used twice stands once in `nodes`, and its
// users name its index; no node is its own descendant.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SCENE_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SCENE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/math.h"

namespace posewire::x3d {

struct Field {
  // How a value is written: numbers and booleans, once or as a list; a string, or a list of them,
  // each in quotation marks with \" and \\ inside.
  enum class Kind { kOne, kList, kString, kStrings };

  std::string name;
  Kind kind = Kind::kOne;
  std::string text;
  int line = 0;  // in the file, from 1; 0: from no file
};

struct Child {
  std::string field;  // of the parent: "children", "skeleton"
  int node = -1;
};

struct Node {
  std::string type;  // "HAnimJoint"
  std::string def;   // "" for none; the last of several with one name keeps it
  int line = 0;
  std::vector<Field> fields;
  std::vector<Child> children;

  // Null if the node does not have it.
  const Field* Find(absl::string_view field) const;
};

// A value that goes from a node to another: fraction_changed of a clock to set_fraction.
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
  std::vector<Node> nodes;
  std::vector<Child> roots;
  std::vector<Route> routes;
  bool vrml97 = false;             // the first line says #VRML V2.0
  std::vector<std::string> notes;  // what was assumed, with the line

  // How much one unit of a category is ("length" in metres, "angle" in radians); 1 unless a UNIT
  // says otherwise, by a factor that is a number.
  float UnitOf(absl::string_view category) const;
};

// What errors of a VRML97 file end with.
inline constexpr char kIsVrml97[] =
    "the file is VRML97 (#VRML V2.0 utf8), whose humanoids are prototypes: convert it to X3D";

// The numbers of a field, as many as stand there; none if the node does not have it.
// INVALID_ARGUMENT with line, node, field, index and word for what is not a finite number.
absl::StatusOr<std::vector<float>> Numbers(const Node& node, absl::string_view field);
// As above, and INVALID_ARGUMENT for another number of them than `count`, unless there are none.
absl::StatusOr<std::vector<float>> Numbers(const Node& node, absl::string_view field, size_t count);
// Three numbers; `otherwise` if the node does not have the field. Errors as above.
absl::StatusOr<skel::Vec3> Vector(const Node& node, absl::string_view field, skel::Vec3 otherwise);
// The strings of a field, one for each pair of quotation marks; a text without is one string.
std::vector<std::string> Strings(const Node& node, absl::string_view field);
// The string of a field, "" if the node does not have it.
std::string String(const Node& node, absl::string_view field);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SCENE_H_
