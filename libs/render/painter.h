// Draws the avatar: soft light, shadows, ground.
#ifndef POSEWIRE_LIBS_RENDER_PAINTER_H_
#define POSEWIRE_LIBS_RENDER_PAINTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/avatar/model.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"

namespace posewire::render {

// Where the viewer stands, in the avatar's space; up is Y.
struct Camera {
  skel::Vec3 eye, target;
  float height_m = 2;  // what the picture's height spans at the target
  float view_rad = 0.35f;
};

// "face", "bust" or "body": from the front; `turn_deg` walks round to the avatar's left.
// INVALID_ARGUMENT lists the names.
absl::StatusOr<Camera> CameraPreset(absl::string_view name, float turn_deg = 0);

// Rows from the top, three bytes per pixel, sRGB.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;
};

// Draws one model at one size. Only on the thread that made it.
class Painter {
 public:
  // The model must outlive the painter. INVALID_ARGUMENT for a size outside 16..4096; UNAVAILABLE
  // without Mesa's off-screen library, saying how to get it.
  static absl::StatusOr<std::unique_ptr<Painter>> Make(const avatar::Model& model, int width,
                                                       int height);
  virtual ~Painter() = default;

  // Draws the pose, which is on the model's rig. INTERNAL if Mesa fails.
  virtual absl::Status Draw(const skel::PoseView& pose, const Camera& camera, Picture& out) = 0;

 protected:
  Painter() = default;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_PAINTER_H_
