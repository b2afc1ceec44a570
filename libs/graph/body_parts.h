// Which joints and shapes of a rig are head, neck, eyes, arms and legs, whatever it calls them.
#ifndef POSEWIRE_LIBS_GRAPH_BODY_PARTS_H_
#define POSEWIRE_LIBS_GRAPH_BODY_PARTS_H_

#include <array>
#include <memory>
#include <vector>

#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// Derived from a rig's bones (skel::Humanoid). -1 or empty where the rig has none. In arrays, left
// comes first. Made with a graph; immutable.
struct BodyParts {
  struct Limb {
    int start = -1, middle = -1, end = -1;
    skel::Vec3 hinge;  // see skel::TwoBoneIkJob
    bool complete() const { return start >= 0 && middle >= 0 && end >= 0; }
  };

  explicit BodyParts(std::shared_ptr<const skel::Rig> rig);

  std::shared_ptr<const skel::Rig> rig;
  int root = -1;  // what carries the whole body
  int top = -1;   // the topmost joint above it
  int head = -1;
  std::vector<int> neck, spine;  // from below to above
  std::array<int, 2> eyes{-1, -1}, lids{-1, -1};
  int jaw = -1;
  std::array<Limb, 2> arms, legs;
  std::array<int, 2> toes{-1, -1};
  // In model space at rest.
  std::vector<skel::Vec3> rest_at;
  std::vector<skel::Quat> rest_turn;
  skel::Vec3 between_eyes;  // in the head joint's space; without eye joints, where eyes would be
  float height_m = 1.7f;

  // Midway between the ankles, in model space; without legs, where the topmost joint is.
  skel::Vec3 BetweenFeet(const skel::PoseView& pose) const;
  // Turns the whole body about a point in model space, and carries it `by` over the ground.
  void Carry(skel::Vec3 about, skel::Quat turn, skel::Vec3 by, const skel::PoseSpan& pose) const;

  // The turn from rest in model space: where the joint's front, left and up now point.
  skel::Quat TurnFromRest(const skel::PoseView& pose, int joint) const;
  // The local rotation of a joint turned from rest by `turn`, given in the axes of the body at
  // rest, while everything above it stays at rest.
  skel::Quat LocalOf(int joint, skel::Quat turn) const;
  // The reverse of LocalOf.
  skel::Quat TurnOfLocal(int joint, skel::Quat local) const;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_BODY_PARTS_H_
