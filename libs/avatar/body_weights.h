// Which joints move a point of the body, and how much.
#ifndef POSEWIRE_LIBS_AVATAR_BODY_WEIGHTS_H_
#define POSEWIRE_LIBS_AVATAR_BODY_WEIGHTS_H_

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "libs/avatar/bind_pose.h"
#include "libs/avatar/model.h"
#include "libs/avatar/surface.h"
#include "libs/skel/math.h"

namespace posewire::avatar {

// Points are in the bind pose. Weights blend smoothly from joint to joint.
class BodyWeights {
 public:
  explicit BodyWeights(const BindPose& bind);

  // A point of the dressed body: torso, arms to the wrist, legs to the ankle.
  Influences OfBody(skel::Vec3 p) const;
  // A point of the neck: `skull` of it moves with the skull, the rest with the vertebra at its
  // height.
  Influences OfNeck(skel::Vec3 p, float skull) const;
  // A point of the left hand, given in the rest pose; `side` is 'l' or 'r'.
  Influences OfHand(skel::Vec3 left_at_rest, char side) const;
  // The same for a shoe.
  Influences OfShoe(skel::Vec3 left_at_rest, char side) const;

 private:
  struct Side {
    int clavicle, acromion, shoulder, elbow, wrist, hip, knee, ankle, toes;
    std::array<std::array<int, 3>, 5> fingers;  // thumb first
  };
  void AddSpine(float y, float weight, InfluenceSum& sum) const;
  void AddArm(const Side& side, skel::Vec3 left, float weight, InfluenceSum& sum) const;
  void AddLeg(const Side& side, skel::Vec3 left, float weight, InfluenceSum& sum) const;

  std::vector<std::pair<float, int>> spine_;  // height and joint, upwards
  int skull_ = 0;
  Side left_, right_;
  skel::Vec3 shoulder_, elbow_, wrist_, hip_, knee_, ankle_, toes_, rest_wrist_, rest_ankle_;
  std::array<std::array<skel::Vec3, 4>, 5> finger_;  // joints and tip, left, at rest
};

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_BODY_WEIGHTS_H_
