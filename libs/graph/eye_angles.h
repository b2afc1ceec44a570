// Gaze directions as angles, and their representation by shapes and joints.
#ifndef POSEWIRE_LIBS_GRAPH_EYE_ANGLES_H_
#define POSEWIRE_LIBS_GRAPH_EYE_ANGLES_H_

#include <array>

#include "libs/graph/body_parts.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

// Rotation of an eye when its look shape is at 1, in degrees.
inline constexpr float kLookAcrossDegrees = 35, kLookUpDegrees = 30;

// Radians to the left and up of straight ahead (+Z).
struct LookAngles {
  float left = 0, up = 0;
};
constexpr LookAngles operator+(LookAngles a, LookAngles b) {
  return {a.left + b.left, a.up + b.up};
}
constexpr LookAngles operator-(LookAngles a, LookAngles b) {
  return {a.left - b.left, a.up - b.up};
}
constexpr LookAngles operator*(LookAngles a, float s) { return {a.left * s, a.up * s}; }
inline float Length(LookAngles a) { return std::hypot(a.left, a.up); }
inline LookAngles Shortened(LookAngles a, float most) {
  const float n = Length(a);
  return n > most ? a * (most / n) : a;
}
// Returns the angles of a direction of any length; straight ahead for zero.
LookAngles AnglesOf(skel::Vec3 direction);
// Returns the rotation that points +Z in this direction: about up and then about its own left,
// without roll.
skel::Quat TurnOf(LookAngles a);
skel::Vec3 DirectionOf(LookAngles a);

// Reads and writes the eyes of a rig. `side` 0 is the left eye. Shapes and joints add up.
class Eyes {
 public:
  explicit Eyes(const BodyParts* parts);  // which must outlive this

  bool has_shapes() const { return has_shapes_; }
  bool has_joints() const { return parts_->eyes[0] >= 0 && parts_->eyes[1] >= 0; }
  bool IsLookShape(int shape) const;

  // Absent shapes count as straight ahead.
  LookAngles FromShapes(const skel::PoseView& pose, int side) const;
  LookAngles FromJoints(const skel::PoseView& pose, int side) const;
  // Weights stay within 0..1. Do nothing if the rig has no such shapes or joint.
  void ToShapes(LookAngles a, int side, const skel::PoseSpan& out) const;
  void ToJoints(LookAngles a, int side, const skel::PoseSpan& out) const;

 private:
  const BodyParts* parts_;
  std::array<std::array<int, 4>, 2> shapes_;  // left, right (of the face), up, down
  bool has_shapes_ = true;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_EYE_ANGLES_H_
