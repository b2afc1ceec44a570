// Builds the head's surfaces, and what each face shape does to them.
#ifndef POSEWIRE_LIBS_AVATAR_HEAD_H_
#define POSEWIRE_LIBS_AVATAR_HEAD_H_

#include "libs/avatar/bind_pose.h"
#include "libs/avatar/model.h"

namespace posewire::avatar {

void AddHead(const BindPose& bind, Model& model);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_HEAD_H_
