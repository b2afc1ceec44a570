// Conversions of places and rotations between posewire.control.v1 and plain values.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CONTROL_VALUES_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CONTROL_VALUES_H_

#include "libs/skel/math.h"
#include "posewire.control.v1.pb.h"

namespace posewire::anim_graph {

inline skel::Vec3 ToVec3(const control::v1::Vector& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}
// If all components are zero, the rotation is absent: returns identity.
inline skel::Quat ToQuat(const control::v1::Rotation& r) {
  const skel::Quat q{static_cast<float>(r.w()), static_cast<float>(r.x()),
                     static_cast<float>(r.y()), static_cast<float>(r.z())};
  return Dot(q, q) == 0 ? skel::Quat{} : q;
}
inline void Fill(skel::Vec3 from, control::v1::Vector* to) {
  to->set_x(from.x), to->set_y(from.y), to->set_z(from.z);
}
inline void Fill(skel::Quat from, control::v1::Rotation* to) {
  to->set_w(from.w), to->set_x(from.x), to->set_y(from.y), to->set_z(from.z);
}

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CONTROL_VALUES_H_
