// The joints and shapes of a rig's head, neck, eyes, arms and legs, independent of their names.
#ifndef POSEWIRE_LIBS_GRAPH_BODY_PARTS_H_
#define POSEWIRE_LIBS_GRAPH_BODY_PARTS_H_

#include <array>
#include <memory>
#include <vector>

#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// Derived from a rig's bones (skel::Humanoid). -1 or empty if the rig has none. In arrays, left
// comes first. Made together with a graph; immutable.
struct BodyParts {
  struct Limb {
    int start = -1, middle = -1, end = -1;
    skel::Vec3 hinge;  // see skel::TwoBoneIkJob
    bool complete() const { return start >= 0 && middle >= 0 && end >= 0; }
  };

  explicit BodyParts(std::shared_ptr<const skel::Rig> rig);

  std::shared_ptr<const skel::Rig> rig;
  int root = -1;  // the joint that carries the whole body
  int top = -1;   // its topmost ancestor
  int head = -1;
  std::vector<int> neck, spine;  // from bottom to top
  std::array<int, 2> eyes{-1, -1}, lids{-1, -1};
  int jaw = -1;
  std::array<Limb, 2> arms, legs;
  std::array<int, 2> toes{-1, -1};
  // In model space at rest.
  std::vector<skel::Vec3> rest_at;
  std::vector<skel::Quat> rest_turn;
  skel::Vec3 between_eyes;  // in the head joint's space; without eye joints, an estimate
  float height_m = 1.7f;

  // Returns the middle between the ankles, in model space; without legs, the place of the topmost
  // joint.
  skel::Vec3 BetweenFeet(const skel::PoseView& pose) const;
  // Rotates the whole body about a point in model space, and moves it by `by` over the ground.
  void Carry(skel::Vec3 about, skel::Quat turn, skel::Vec3 by, const skel::PoseSpan& pose) const;

  // Returns the rotation from rest in model space: the current directions of the joint's front,
  // left and up.
  skel::Quat TurnFromRest(const skel::PoseView& pose, int joint) const;
  // Returns the local rotation of a joint that is rotated from rest by `turn`, given in the body's
  // axes at rest, while everything above it stays at rest.
  skel::Quat LocalOf(int joint, skel::Quat turn) const;
  // The inverse of LocalOf.
  skel::Quat TurnOfLocal(int joint, skel::Quat local) const;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_BODY_PARTS_H_
