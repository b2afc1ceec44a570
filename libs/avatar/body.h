// Builds the body's surfaces: jumper, trousers, shoes and hands.
#ifndef POSEWIRE_LIBS_AVATAR_BODY_H_
#define POSEWIRE_LIBS_AVATAR_BODY_H_

#include "libs/avatar/bind_pose.h"
#include "libs/avatar/model.h"

namespace posewire::avatar {

// Materials of the model, by their place in it.
enum MaterialIndex : int {
  kSkin,
  kJumper,
  kTrousers,
  kShoes,
  kSoles,
  kHair,
  kEyes,
  kTeeth,
  kTongue,
  kMouth,
  kMaterials
};

void AddBody(const BindPose& bind, Model& model);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_BODY_H_
