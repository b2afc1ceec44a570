// Where a hand holds things, and how it closes on them.
//
// Rigs disagree on the axes of a hand, and on the stance in which they show it. What all hands have
// is a thumb's side, a way that the fingers point and a palm: that is the grip's frame, found once
// from the rest pose. +Y is the thumb's side, +Z the way of the fingers; so the right palm faces +X
// and the left one -X. A handle that somebody in front of it takes upright, thumb above, has the
// same axes as their own space: Y up, Z front.
#ifndef POSEWIRE_LIBS_SKEL_HAND_GRIP_H_
#define POSEWIRE_LIBS_SKEL_HAND_GRIP_H_

#include <array>

#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// `b` as seen from the space that `a` is placed in, where `b` is given in that of `a`; and back.
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
  Placement in_wrist = {};  // the grip's frame in the wrist's space: inside the closed fist
  // Joints of the fingers, from the knuckle on, and the axis in the space of each joint's rest
  // about which it closes by positive turns; how far it closes about a thing, in radians.
  struct Finger {
    int joint = -1;
    Vec3 axis;
    float closed = 0;
  };
  std::array<Finger, 15> fingers = {};
  int finger_count = 0;

  bool complete() const { return wrist >= 0; }
};

// Of the rig's left (0) or right (1) hand. Without finger joints the fingers point along the
// forearm, and the thumb to the front.
HandGrip GripOf(const Rig& rig, int side);

// The grip's frame in model space; only of one that is complete.
Placement PlaceOfGrip(const Rig& rig, const PoseView& pose, const HandGrip& grip);

// Brings the fingers from where they are towards closed (0..1), and no further open than that.
// Rotations that the pose lacks come from rest.
void CloseFingers(const Rig& rig, const HandGrip& grip, float closed, const PoseSpan& pose);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_HAND_GRIP_H_
