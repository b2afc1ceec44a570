// Parts of scenes that are written: nodes, fields, and interpolators that a clock drives.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SCENE_PARTS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SCENE_PARTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/scene.h"
#include "libs/formats/x3d/segment_mass.h"
#include "libs/formats/x3d/written_body.h"
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
  // Adds a segment with its mass, if that is known, to a joint. Returns its node.
  int AddSegment(int joint, const std::string& name, const SegmentMass& mass);
  // Adds limits, stiffness and sites to joints. Sites go to the segments of their joints (-1: none
  // yet, so that they get one, which is named after the joint).
  void AddBodyParts(const WrittenBody& body, const std::vector<int>& joints,
                    const std::vector<std::string>& names, std::vector<int>& segments);
  // Adds an HAnimMotion to a humanoid.
  void AddMotion(int humanoid, const std::string& def, MotionFrames frames);
  // Adds an interpolator from the clock to a field. Returns its node.
  int Drive(std::string type, std::string def, const std::string& keys, std::string values,
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
