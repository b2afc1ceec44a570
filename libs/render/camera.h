// The position of a character's viewer.
#ifndef POSEWIRE_LIBS_RENDER_CAMERA_H_
#define POSEWIRE_LIBS_RENDER_CAMERA_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"

namespace posewire::render {

// In the character's space; up is Y.
struct Camera {
  skel::Vec3 eye, target;
  float height_m = 2;  // height visible at the target
  float view_rad = 0.35f;
};

// Returns the camera "face", "bust" or "body", scaled to the character's head and body: from the
// front; `turn_deg` moves it around to the character's left. INVALID_ARGUMENT lists the names.
absl::StatusOr<Camera> CameraPreset(absl::string_view name, const character::Framing& framing,
                                    float turn_deg = 0);

// Returns the camera, moved along the ground with a character whose hips are more than an eighth of
// the picture's height from their rest position. `pose` is on the character's rig.
Camera Follow(const Camera& camera, const character::Character& character,
              const skel::PoseView& pose);

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_CAMERA_H_
