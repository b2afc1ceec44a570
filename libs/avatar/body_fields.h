// The body as implicit functions: torso, arms, legs, hands and shoes, in the bind pose or, hands
// and shoes, in the rest pose of the left side.
#ifndef POSEWIRE_LIBS_AVATAR_BODY_FIELDS_H_
#define POSEWIRE_LIBS_AVATAR_BODY_FIELDS_H_

#include <vector>

#include "libs/avatar/bind_pose.h"
#include "libs/avatar/spline.h"
#include "libs/skel/math.h"

namespace posewire::avatar {

// A limb: balls of varying size along a chain of straight pieces, flattened across `flat`.
class Limb {
 public:
  // `radius` over the chain's length, 0 at its start to 1 at its end.
  Limb(std::vector<skel::Vec3> chain, Spline radius, skel::Vec3 flat = {1, 0, 0},
       float flatness = 1);
  float operator()(skel::Vec3 p) const;

 private:
  std::vector<skel::Vec3> chain_;
  std::vector<float> start_;  // where each piece starts, 0..1
  Spline radius_;
  skel::Vec3 flat_;
  float stretch_;
};

// The torso from hips to neck: at each height an oval, with its own width, front and back.
class Torso {
 public:
  Torso();
  float operator()(skel::Vec3 p) const;

 private:
  Spline width_, front_, back_;
};

// Everything clothed, as one: cloth and shoes are cut from it.
class Body {
 public:
  explicit Body(const BindPose& bind);
  float Trunk(skel::Vec3 p) const;  // torso with shoulders
  float Arm(skel::Vec3 p) const;    // both
  float Leg(skel::Vec3 p) const;    // both
  float Shirt(skel::Vec3 p) const;  // a jumper with long sleeves
  float Trousers(skel::Vec3 p) const;

 private:
  skel::Vec3 wrist_, arm_end_, ankle_, leg_end_;
  Torso torso_;
  std::vector<Limb> yokes_, arms_, legs_, seats_;
};

// The left hand and shoe, at rest.
class Hand {
 public:
  explicit Hand(const BindPose& bind);
  float operator()(skel::Vec3 p) const;

 private:
  std::vector<Limb> fingers_, palm_;
};

class Shoe {
 public:
  explicit Shoe(const BindPose& bind);
  float Upper(skel::Vec3 p) const;
  float Sole(skel::Vec3 p) const;

 private:
  float Foot(skel::Vec3 p) const;
  std::vector<Limb> parts_;
};

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_BODY_FIELDS_H_
