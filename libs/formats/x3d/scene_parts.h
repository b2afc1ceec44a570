// Parts of scenes that are written: nodes, fields, and interpolators that a clock drives.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SCENE_PARTS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SCENE_PARTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/scene.h"
#include "libs/skel/math.h"

namespace posewire::x3d {

// Values as text: "x y z"; an axis and an angle.
std::string TextOf(skel::Vec3 v);
std::string TextOf(skel::Quat q);
std::string TextOf(float number);

// Base of writers. One thread.
class SceneParts {
 protected:
  X3dNode& node(int index) { return scene_.nodes[static_cast<size_t>(index)]; }

  // Returns the index of a new node.
  int Add(std::string type, std::string def = "");
  void Set(int index, std::string name, Field::Kind kind, std::string text);
  void Put(int parent, std::string field, int child);
  void Route(int from, std::string from_field, int to, std::string to_field);

  // Adds the Viewpoint and the meta tags, and a looping clock.
  void AddSceneHead();
  void AddClock(double cycle_s);
  // Adds an interpolator from the clock to a field.
  void Drive(std::string type, std::string def, const std::string& keys, std::string values,
             int target, const std::string& field);
  template <typename T>
  static std::string Join(const std::vector<T>& values) {
    std::string out;
    for (const T& value : values) absl::StrAppend(&out, out.empty() ? "" : " ", TextOf(value));
    return out;
  }

  Scene scene_;
  int clock_ = -1;
};

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SCENE_PARTS_H_
