// Conversion between Unity's space, which VMC uses, and ours.
//
// Unity: left-handed, X the avatar's right, Y up, Z its front. Ours (ACE, H-Anim, glTF): X the
// avatar's left, Y up, Z its front, right-handed. One mirrors the other at x = 0, in the world and
// in every parent's space. Both use metres and the same scales. The conversion is its own inverse.
#ifndef POSEWIRE_LIBS_VMC_COORDINATES_H_
#define POSEWIRE_LIBS_VMC_COORDINATES_H_

#include "libs/skel/math.h"
#include "libs/skel/model_place.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {

constexpr skel::Vec3 MirrorX(skel::Vec3 p) { return {-p.x, p.y, p.z}; }
constexpr skel::Quat MirrorX(skel::Quat q) { return {q.w, q.x, -q.y, -q.z}; }

constexpr skel::Placement FromUnity(const UnityPose& pose) {
  return {MirrorX(pose.position), MirrorX(pose.rotation)};
}
// Place of a model's root without the shift for mixed reality, as EVMC4U places it. The scale for
// mixed reality has no effect: positions become those of an avatar of another size anyway, in
// proportion.
constexpr skel::Placement PlaceOfRoot(const RootPose& root) {
  UnityPose pose = root.pose;
  if (root.compositing) pose.position = pose.position - root.compositing->offset;
  return FromUnity(pose);
}
constexpr UnityPose ToUnity(const skel::Placement& place) {
  return {MirrorX(place.at), MirrorX(place.turn)};
}

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_COORDINATES_H_
