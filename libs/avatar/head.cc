#include "libs/avatar/head.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/avatar/body.h"
#include "libs/avatar/body_weights.h"
#include "libs/avatar/face_form.h"
#include "libs/avatar/face_grid.h"
#include "libs/avatar/face_shapes.h"
#include "libs/avatar/head_parts.h"
#include "libs/avatar/isosurface.h"
#include "libs/avatar/surface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

Vec3 Blend(Vec3 a, Vec3 b, float t) { return skel::Lerp(a, b, std::clamp(t, 0.0f, 1.0f)); }
Vec3 Times(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

// Red of the lips, flush of the cheeks, brows, the lids' edges, dark of nostrils and mouth.
Vec3 SkinColor(const FacePoint& point, Vec3 p, const FaceForm& form) {
  const float x = std::fabs(p.x);
  Vec3 c{1, 1, 1};
  c = Times(c, Blend({1, 1, 1}, {1.0f, 0.86f, 0.84f},
                     0.8f * Bell(x - 0.040f, p.y - 1.596f, 0.016f, 0.014f)));
  c = Times(c,
            Blend({1, 1, 1}, {1.0f, 0.86f, 0.84f}, 0.5f * Bell(x, p.y - 1.591f, 0.012f, 0.008f)));
  const float h = p.y - form.Loft(kMouthRow, point.angle).y;
  const float t = std::min(1.0f, x / (kMouthHalfWidth * 1.02f));
  const float taper = std::sqrt(std::max(0.0f, 1 - t * t));
  const bool upper = point.mouth == Lip::kUpper;
  const float bow = upper ? 0.0072f - 0.0016f * Bell(x, 0, 0.0030f, 1) : 0.0094f;
  const float lip = p.z > 0.05f && std::fabs(h) < 0.02f && t < 1
                        ? 1 - SmoothStep(bow * taper - 0.0008f, bow * taper + 0.0012f, std::fabs(h))
                        : 0;
  c = Blend(c, {0.80f, 0.52f, 0.50f}, lip * 0.85f);
  c = Times(c, Blend({1, 1, 1}, {0.55f, 0.40f, 0.38f}, 0.8f * lip * Bell(0, h, 1, 0.0011f)));
  c = Times(c, Blend({1, 1, 1}, {0.30f, 0.19f, 0.18f},
                     p.z > 0.05f ? Bell(x - 0.0066f, p.y - 1.5818f, 0.0034f, 0.0019f) : 0));
  // Brows: an arc that thins out to the temple.
  const float s = std::clamp((x - 0.013f) / 0.036f, 0.0f, 1.0f);
  const float arc = 1.6523f + 0.0034f * std::sin(2.5f * s) - 0.0016f * s;
  const float thick = (0.0039f - 0.0019f * s * s);
  const float brow = std::exp(-std::pow((p.y - arc) / thick, 4.0f)) *
                     SmoothStep(0.0105f, 0.0150f, x) * (1 - SmoothStep(0.046f, 0.051f, x));
  c = Blend(c, {0.11f, 0.085f, 0.075f}, p.z > 0.02f ? 0.88f * brow : 0);
  // The socket is a little darker.
  c = Times(c, Blend({1, 1, 1}, {0.80f, 0.68f, 0.66f},
                     0.75f * Bell(x - 0.030f, p.y - 1.6350f, 0.020f, 0.0105f)));
  if (point.row == kEyeRow && std::fabs(x - kEye.x) < kEyeHalfWidth && p.z > 0.045f) {
    // Lashes line the upper lid; behind the edges lies flesh.
    constexpr Vec3 kFlesh{0.85f, 0.55f, 0.52f};
    const float lash = SmoothStep(-1.0f, -0.7f, (x - kEye.x) / kEyeHalfWidth);
    c = point.eye == Lip::kUpper ? Blend(kFlesh, {0.10f, 0.07f, 0.06f}, lash)
                                 : Vec3{0.72f, 0.50f, 0.48f};
    if (point.depth > 0) c = kFlesh;
  }
  if (point.row == kMouthRow && point.depth > 1)
    c = Blend({0.45f, 0.16f, 0.15f}, {0.15f, 0.04f, 0.04f},
              static_cast<float>(point.depth - 2) / 2);
  return c;
}

Target TargetOf(int shape, const std::vector<Vec3>& offsets) {
  Target target;
  target.shape = shape;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (skel::Length(offsets[i]) < 2e-5f) continue;
    target.indices.push_back(static_cast<int32_t>(i));
    target.offsets.push_back(offsets[i]);
  }
  return target;
}

Influences HeadInfluences(const BindPose& bind, const BodyWeights& weights,
                          const FaceShapes& shapes, const FacePoint& point, size_t i) {
  const Influences base = weights.OfNeck(shapes.neutral()[i], SkullShare(point.row, point.angle));
  const float jaw = shapes.Jaw(i);
  const float left = shapes.UpperLid(i, true), right = shapes.UpperLid(i, false);
  InfluenceSum sum;
  for (size_t k = 0; k < 4; ++k) {
    sum.Add(base.joint[k], base.weight[k] * (1 - jaw) * (1 - left) * (1 - right));
  }
  sum.Add(bind.Joint("temporomandibular"), jaw);
  sum.Add(bind.Joint("l_eyelid_joint"), left);
  sum.Add(bind.Joint("r_eyelid_joint"), right);
  return sum.Take();
}

}  // namespace

void AddHead(const BindPose& bind, Model& model) {
  const FaceForm form;
  const FaceGrid grid = MakeFaceGrid(form);
  const FaceShapes shapes(form, grid);
  const BodyWeights weights(bind);
  Surface head;
  head.name = "head";
  head.material = kSkin;
  head.points = shapes.neutral();
  head.triangles = grid.triangles;
  head.normals = SmoothNormals(head.points, head.triangles);
  for (size_t i = 0; i < head.points.size(); ++i) {
    head.colors.push_back(SkinColor(grid.points[i], head.points[i], form));
    head.influences.push_back(HeadInfluences(bind, weights, shapes, grid.points[i], i));
  }
  for (int s = 0; s < model.rig->shapes(); ++s) {
    Target target = TargetOf(s, shapes.Offsets(model.rig->shape_names()[static_cast<size_t>(s)]));
    if (!target.indices.empty()) head.targets.push_back(std::move(target));
  }
  model.surfaces.push_back(std::move(head));
  AddEyes(bind, model);
  AddMouth(bind, model);
  AddEars(bind, model);
  AddHair(bind, form, model);
}

}  // namespace posewire::avatar
