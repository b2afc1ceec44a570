#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/avatar/body.h"
#include "libs/avatar/face_form.h"
#include "libs/avatar/head_parts.h"
#include "libs/avatar/isosurface.h"
#include "libs/avatar/lattice.h"
#include "libs/avatar/surface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

constexpr int kAround = 56;

// Rings from the middle of the shell to its rim, and behind it back to the head.
struct Ring {
  float radius;  // 1: the rim
  bool behind;
};
constexpr Ring kRings[] = {{0.03f, false}, {0.15f, false}, {0.30f, false}, {0.42f, false},
                           {0.52f, false}, {0.62f, false}, {0.71f, false}, {0.79f, false},
                           {0.86f, false}, {0.92f, false}, {0.97f, false}, {1.00f, false},
                           {0.985f, true}, {0.93f, true},  {0.80f, true},  {0.60f, true}};

// How far the shell stands out over its own plane.
float Height(float radius, float angle, float px, float py, bool behind) {
  const float back = 0.5f + 0.5f * std::cos(angle - 0.5f);  // 1 at the upper back, 0 at the front
  if (behind) return -0.0035f - 0.0120f * (1 - radius) / 0.4f;
  float h = -0.0075f *
            std::exp(-std::pow(std::hypot((px + 0.002f) / 0.0085f, (py + 0.002f) / 0.0120f), 3.0f));
  h += 0.0030f * std::exp(-std::pow((radius - 0.62f) / 0.12f, 2.0f)) * back;
  h -= 0.0012f * std::exp(-std::pow((radius - 0.79f) / 0.08f, 2.0f)) * back;
  h += 0.0038f * std::exp(-std::pow((radius - 0.94f) / 0.08f, 2.0f)) * (0.25f + 0.75f * back);
  h += 0.0050f * Bell(px + 0.0115f, py + 0.004f, 0.0040f, 0.0060f);  // the lid before the canal
  return h;
}

Surface LeftEar() {
  const Vec3 center{0.0715f, 1.6205f, -0.0125f};
  const Vec3 back = skel::Normalized(Vec3{0.40f, 0.06f, -0.90f});
  const Vec3 up = skel::Normalized(Vec3{0.06f, 0.98f, -0.13f});
  const Vec3 out = skel::Normalized(skel::Cross(back, up));
  Surface ear;
  ear.name = "ears";
  ear.material = kSkin;
  for (const Ring& ring : kRings) {
    for (int k = 0; k < kAround; ++k) {
      const float a = 6.2831853f * static_cast<float>(k) / kAround;
      const float c = std::cos(a), s = std::sin(a);
      const float low = SmoothStep(0.2f, -1.0f, s);
      const float px = ring.radius * c * (c > 0 ? 0.0185f : 0.0145f) * (1 - 0.38f * low);
      const float py = ring.radius * s * 0.0315f;
      const float h = Height(ring.radius, a, px, py, ring.behind);
      ear.points.push_back(center + back * px + up * py + out * (h + 0.002f));
      const float shade = ring.behind ? 0.75f : std::clamp(1.0f + h * 60, 0.55f, 1.0f);
      ear.colors.push_back({1.0f * (0.5f + 0.5f * shade), 0.92f * shade, 0.90f * shade});
    }
  }
  ear.triangles = Weave(static_cast<int>(std::size(kRings)), kAround, true);
  return ear;
}

}  // namespace

void AddEars(const BindPose& bind, Model& model) {
  Surface ears = LeftEar();
  const size_t count = ears.points.size(), triangles = ears.triangles.size();
  for (size_t i = 0; i < count; ++i) {
    const Vec3 p = ears.points[i];
    ears.points.push_back({-p.x, p.y, p.z});
    ears.colors.push_back(ears.colors[i]);
  }
  // Woven from the middle outwards, the left one comes out inside out.
  for (size_t i = 0; i < triangles; i += 3) {
    for (size_t k : {size_t{0}, size_t{1}, size_t{2}}) {
      ears.triangles.push_back(ears.triangles[i + k] + static_cast<int32_t>(count));
    }
    std::swap(ears.triangles[i + 1], ears.triangles[i + 2]);
  }
  ears.normals = SmoothNormals(ears.points, ears.triangles);
  Influences skull;
  skull.joint[0] = static_cast<int16_t>(bind.Joint("skullbase"));
  skull.weight[0] = 1;
  ears.influences.assign(ears.points.size(), skull);
  model.surfaces.push_back(std::move(ears));
}

}  // namespace posewire::avatar
