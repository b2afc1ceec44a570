#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/avatar/body.h"
#include "libs/avatar/face_form.h"
#include "libs/avatar/head_parts.h"
#include "libs/avatar/lattice.h"
#include "libs/avatar/surface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

constexpr int kAround = 40;
constexpr float kPupil = 0.200f, kIris = 0.500f;  // angles from the middle of the cornea, radians

// Rings from the front to behind the equator; colours change between twins at one angle.
struct Ring {
  float angle;
  Vec3 color;
};
constexpr std::array kRings = {
    Ring{0.03f, {0.008f, 0.007f, 0.007f}}, Ring{0.19f, {0.008f, 0.007f, 0.007f}},
    Ring{0.205f, {0.06f, 0.042f, 0.03f}},  Ring{0.26f, {0.16f, 0.095f, 0.05f}},
    Ring{0.34f, {0.145f, 0.085f, 0.047f}}, Ring{0.42f, {0.10f, 0.06f, 0.036f}},
    Ring{0.475f, {0.04f, 0.026f, 0.018f}}, Ring{0.515f, {0.10f, 0.085f, 0.08f}},
    Ring{0.56f, {0.62f, 0.60f, 0.60f}},    Ring{0.66f, {0.80f, 0.78f, 0.77f}},
    Ring{0.85f, {0.80f, 0.76f, 0.75f}},    Ring{1.05f, {0.74f, 0.66f, 0.65f}},
    Ring{1.30f, {0.66f, 0.54f, 0.53f}},    Ring{1.60f, {0.60f, 0.45f, 0.44f}},
    Ring{1.95f, {0.55f, 0.40f, 0.40f}}};

// Looking to `angle` about an axis, as a shape's offsets.
std::vector<Vec3> Turned(const std::vector<Vec3>& points, Vec3 center, Vec3 axis, float angle) {
  const skel::Quat q = skel::FromAxisAngle(axis, angle);
  std::vector<Vec3> out;
  out.reserve(points.size());
  for (const Vec3& p : points) out.push_back(skel::Rotate(q, p - center) - (p - center));
  return out;
}

Surface Eyeball(Vec3 center) {
  Surface eye;
  eye.material = kEyes;
  eye.points.push_back(center + Vec3{0, 0, kEyeRadius});
  eye.colors.push_back(kRings[0].color);
  for (const Ring& ring : kRings) {
    // The cornea stands out a little.
    const float bulge = 0.0006f * std::max(0.0f, 1 - std::pow(ring.angle / 0.56f, 2.0f));
    const float r = kEyeRadius + bulge;
    for (int k = 0; k < kAround; ++k) {
      const float a = 6.2831853f * static_cast<float>(k) / kAround;
      eye.points.push_back(center + Vec3{r * std::sin(ring.angle) * std::cos(a),
                                         r * std::sin(ring.angle) * std::sin(a),
                                         r * std::cos(ring.angle)});
      // Rays of the iris.
      const bool iris = ring.angle > kPupil && ring.angle < kIris;
      const float ray = iris ? 1 + 0.22f * std::sin(9 * a + 1) * std::sin(5 * a) : 1;
      eye.colors.push_back(ring.color * ray);
    }
  }
  eye.points[0].z += 0.0006f;
  const auto at = [](int ring, int k) {
    return static_cast<int32_t>(1 + ring * kAround + k % kAround);
  };
  for (int k = 0; k < kAround; ++k) {
    eye.triangles.insert(eye.triangles.end(), {0, at(0, k), at(0, k + 1)});
    for (int r = 0; r + 1 < static_cast<int>(kRings.size()); ++r) {
      eye.triangles.insert(eye.triangles.end(), {at(r, k), at(r + 1, k), at(r + 1, k + 1), at(r, k),
                                                 at(r + 1, k + 1), at(r, k + 1)});
    }
  }
  return eye;
}

// The flesh in the corners of the eyes, where lids reach beyond the ball: a flat dish that comes
// out of the ball near its sides.
Surface Corners() {
  constexpr int kRings = 9;
  Surface out;
  out.name = "eye corners";
  out.material = kEyes;
  for (const float side : {1.0f, -1.0f}) {
    const auto first = static_cast<int32_t>(out.points.size());
    for (int r = 0; r < kRings; ++r) {
      const float v = 0.55f + 1.35f * static_cast<float>(r) / (kRings - 1);
      for (int k = 0; k < kAround; ++k) {
        const float a = 6.2831853f * static_cast<float>(k) / kAround;
        const bool nose = side * std::cos(a) < 0;
        const float wide = nose ? 0.0190f : 0.0158f;
        // Beside the nose the lids lie farther in front.
        const float forward =
            nose ? 0.0090f * std::fabs(std::cos(a)) * std::pow(std::sin(std::min(v, 1.57f)), 6.0f)
                 : 0;
        out.points.push_back({side * kEye.x + wide * std::sin(v) * std::cos(a),
                              kEye.y + 0.0124f * std::sin(v) * std::sin(a),
                              kEye.z + 0.0068f * std::cos(v) + forward});
        out.colors.push_back(nose ? Vec3{0.66f, 0.36f, 0.34f} : Vec3{0.62f, 0.44f, 0.42f});
      }
    }
    for (int32_t t : Weave(kRings, kAround, true)) out.triangles.push_back(first + t);
  }
  // Woven outwards from the middle, they come out inside out.
  for (size_t i = 0; i < out.triangles.size(); i += 3) {
    std::swap(out.triangles[i + 1], out.triangles[i + 2]);
  }
  out.normals = SmoothNormals(out.points, out.triangles);
  return out;
}

}  // namespace

void AddEyes(const BindPose& bind, Model& model) {
  Surface corners = Corners();
  Influences skull;
  skull.joint[0] = static_cast<int16_t>(bind.Joint("skullbase"));
  skull.weight[0] = 1;
  corners.influences.assign(corners.points.size(), skull);
  model.surfaces.push_back(std::move(corners));
  for (const bool left : {true, false}) {
    const Vec3 center{left ? kEye.x : -kEye.x, kEye.y, kEye.z};
    Surface eye = Eyeball(center);
    eye.name = left ? "left eye" : "right eye";
    eye.normals = SmoothNormals(eye.points, eye.triangles);
    Influences own;
    own.joint[0] = static_cast<int16_t>(bind.Joint(left ? "l_eyeball_joint" : "r_eyeball_joint"));
    own.weight[0] = 1;
    eye.influences.assign(eye.points.size(), own);
    // Up is a turn about -X; to the avatar's left one about +Y.
    const float outward = left ? 1.0f : -1.0f;
    const std::pair<const char*, std::pair<Vec3, float>> looks[] = {
        {"eyeLookUp", {{1, 0, 0}, -kLookUpAngle}},
        {"eyeLookDown", {{1, 0, 0}, kLookDownAngle}},
        {"eyeLookIn", {{0, 1, 0}, -outward * kLookInAngle}},
        {"eyeLookOut", {{0, 1, 0}, outward * kLookOutAngle}}};
    for (const auto& [stem, turn] : looks) {
      Target target;
      target.shape = model.rig->FindShape(absl::StrCat(stem, left ? "Left" : "Right"));
      if (target.shape < 0) continue;
      target.offsets = Turned(eye.points, center, turn.first, turn.second);
      for (size_t i = 0; i < eye.points.size(); ++i) {
        target.indices.push_back(static_cast<int32_t>(i));
      }
      eye.targets.push_back(std::move(target));
    }
    model.surfaces.push_back(std::move(eye));
  }
}

}  // namespace posewire::avatar
