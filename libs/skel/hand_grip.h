// The place where a hand holds objects, and the closing of its fingers.
//
// Rigs differ in the axes of a hand and in its rest stance. All hands have a thumb side, a
// direction of the fingers and a palm; these define the grip's frame, found once from the rest
// pose. +Y is the thumb's side, +Z the direction of the fingers, so the right palm faces +X and the
// left one -X. A handle that a person takes upright in front of them, with the thumb up, has the
// same axes as the person's space: Y up, Z front.
#ifndef POSEWIRE_LIBS_SKEL_HAND_GRIP_H_
#define POSEWIRE_LIBS_SKEL_HAND_GRIP_H_

#include <array>

#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Converts `b` from the space of placement `a` to the parent space; Inverse converts back.
inline Placement operator*(const Placement& a, const Placement& b) {
  return {a.at + Rotate(a.turn, b.at), Normalized(Mul(a.turn, b.turn))};
}
inline Placement Inverse(const Placement& p) {
  return {Rotate(Conjugate(p.turn), p.at * -1), Conjugate(p.turn)};
}

// One hand of a rig. Plain data, found once; the functions below may run on any thread.
struct HandGrip {
  int side = 0;             // 0: left, 1: right
  int wrist = -1;           // -1: the rig has no such hand
  Placement in_wrist = {};  // the grip's frame in the wrist's space, inside the closed fist
  // Joints of the fingers, from the knuckle on. `axis` is in the space of the joint's rest;
  // positive rotations about it close the finger. `closed` is the angle around an object, in
  // radians.
  struct Finger {
    int joint = -1;
    Vec3 axis;
    float closed = 0;
  };
  std::array<Finger, 15> fingers = {};
  int finger_count = 0;

  bool complete() const { return wrist >= 0; }
};

// Finds the grip of the rig's left (0) or right (1) hand. Without finger joints, the fingers point
// along the forearm, and the thumb to the front.
HandGrip GripOf(const Rig& rig, int side);

// Returns the grip's frame in model space. The grip must be complete.
Placement PlaceOfGrip(const Rig& rig, const PoseView& pose, const HandGrip& grip);

// Moves the fingers from their current pose towards closed (0..1), but never opens them. Rotations
// that the pose lacks come from rest.
void CloseFingers(const Rig& rig, const HandGrip& grip, float closed, const PoseSpan& pose);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_HAND_GRIP_H_
