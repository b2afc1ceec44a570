// The parts in and on the head: eyes, teeth and tongue, ears, hair.
#ifndef POSEWIRE_LIBS_AVATAR_HEAD_PARTS_H_
#define POSEWIRE_LIBS_AVATAR_HEAD_PARTS_H_

#include "libs/avatar/bind_pose.h"
#include "libs/avatar/face_form.h"
#include "libs/avatar/model.h"

namespace posewire::avatar {

// How far an eye turns when its look shape is at 1, radians.
inline constexpr float kLookUpAngle = 0.42f, kLookDownAngle = 0.44f, kLookInAngle = 0.60f,
                       kLookOutAngle = 0.60f;

void AddEyes(const BindPose& bind, Model& model);
// Teeth with gums, the tongue, and the dark space behind them.
void AddMouth(const BindPose& bind, Model& model);
void AddEars(const BindPose& bind, Model& model);
void AddHair(const BindPose& bind, const FaceForm& form, Model& model);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_HEAD_PARTS_H_
