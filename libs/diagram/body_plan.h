// The parts of a rig to draw, and how: its bones with side and thickness, its head, hands and feet.
//
// Limbs are found by topology from a few bones (wrists, ankles, head), so that H-Anim at any level,
// the ACE biped and Unity's humanoid get a body. On a rig without these bones (skel::Humanoid),
// every joint is drawn as a thin bone to its parent.
#ifndef POSEWIRE_LIBS_DIAGRAM_BODY_PLAN_H_
#define POSEWIRE_LIBS_DIAGRAM_BODY_PLAN_H_

#include <cstdint>
#include <vector>

#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

enum class Side : uint8_t { kLeft, kRight, kMiddle };
enum class Part : uint8_t { kSpine, kArm, kHand, kLeg, kFoot, kFace };

// A point that moves with a joint.
struct Anchor {
  int joint = -1;
  skel::Vec3 offset;  // in the joint's space, metres
};

struct Bone {
  Anchor from, to;
  Side side = Side::kMiddle;
  Part part = Part::kSpine;
  float radius_from_m = 0.01f, radius_to_m = 0.01f;
};

struct Head {
  int joint = -1;
  skel::Vec3 center;      // of the skull's ellipsoid, in the joint's space
  skel::Vec3 half_axes;   // width, height, depth
  int eye[2] = {-1, -1};  // left, right; -1: the rig has no eye joints
};

struct BodyPlan {
  std::vector<Bone> bones;
  std::vector<Side> side;  // per joint
  std::vector<Part> part;  // per joint
  // The greatest distance from each joint to anything below it, in metres.
  std::vector<float> reach_m;
  Head head;
  int wrist[2] = {-1, -1};  // left, right
  int ankle[2] = {-1, -1};
  // First joints of the index and the little finger, across the palm.
  int index[2] = {-1, -1}, little[2] = {-1, -1};
  int shoulder[2] = {-1, -1};
  int hip[2] = {-1, -1};
  // The joints from which the legs and the arms branch; the spine runs between them.
  int pelvis = -1, chest = -1;
  float floor_y_m = 0;  // lowest point at rest
  float height_m = 1.75f;
};

BodyPlan MakeBodyPlan(const skel::Rig& rig);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_BODY_PLAN_H_
