#include "libs/render/camera.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/model_place.h"

namespace posewire::render {

using skel::Vec3;

absl::StatusOr<Camera> CameraPreset(absl::string_view name, const character::Framing& framing,
                                    float turn_deg) {
  const mesh::Extent& all = framing.extent;
  const float tall = all.high.y - all.low.y;
  const float wide = std::max(all.high.x - all.low.x, all.high.z - all.low.z);
  const auto asked = [](float value, float fallback) { return value > 0 ? value : fallback; };
  Camera camera;
  if (name == "face") {
    camera.target = framing.face;
    camera.height_m = asked(framing.face_m, 1.32f * framing.head_m);
  } else if (name == "bust") {
    // Places the eyes a third of the height below the top.
    camera.height_m = asked(framing.bust_m, 3.0f * framing.head_m);
    camera.target = framing.eyes() - Vec3{0, camera.height_m / 6, 0};
  } else if (name == "body") {
    camera.height_m = asked(framing.body_m, 1.32f * std::max(tall, 0.75f * wide));
    camera.target = {(all.low.x + all.high.x) / 2, all.low.y + 0.55f * tall, 0};
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("camera is \"", name, "\", expected face, bust or body"));
  }
  const float turn = turn_deg * 3.14159265f / 180;
  const float out = std::max(wide, all.high.z - camera.target.z);
  const float far = std::max(camera.height_m / 2 / std::tan(camera.view_rad / 2), 0.9f * out);
  // A camera farther away needs a narrower angle for the same height.
  camera.view_rad = 2 * std::atan(camera.height_m / 2 / far);
  camera.eye = camera.target + Vec3{std::sin(turn) * far, far * 0.04f, std::cos(turn) * far};
  return camera;
}

Camera Follow(const Camera& camera, const character::Character& character,
              const skel::PoseView& pose) {
  const skel::Rig& rig = *character.rig;
  const int hips = rig.humanoid().joint(skel::HumanBone::kHips);
  if (hips < 0) return camera;
  const Vec3 gone = PlaceOf(rig, pose, hips).at - PlaceOf(rig, rig.rest(), hips).at;
  const Vec3 over_ground = Vec3{gone.x, 0, gone.z} * character.length_scale;
  const float way = Length(over_ground), free = camera.height_m / 8;
  if (!(way > free)) return camera;
  const Vec3 by = over_ground * (1 - free / way);
  Camera out = camera;
  out.eye = camera.eye + by, out.target = camera.target + by;
  return out;
}

}  // namespace posewire::render
