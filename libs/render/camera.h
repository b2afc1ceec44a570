// Where the viewer of a character stands.
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
  float height_m = 2;  // what the picture's height spans at the target
  float view_rad = 0.35f;
};

// "face", "bust" or "body", by the size of the character's head and body, be it a giant or a dwarf:
// from the front; `turn_deg` walks round to its left. INVALID_ARGUMENT lists the names.
absl::StatusOr<Camera> CameraPreset(absl::string_view name, const character::Framing& framing,
                                    float turn_deg = 0);

// The camera, gone along over the ground with a character whose hips have left their place at rest
// by more than an eighth of the picture's height. `pose` is on the character's rig.
Camera Follow(const Camera& camera, const character::Character& character,
              const skel::PoseView& pose);

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_CAMERA_H_
