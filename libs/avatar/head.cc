#include "libs/avatar/head.h"

#include <utility>

#include "libs/avatar/body.h"
#include "libs/avatar/body_weights.h"
#include "libs/avatar/isosurface.h"

namespace posewire::avatar {

using skel::Vec3;

void AddHead(const BindPose& bind, Model& model) {
  const BodyWeights weights(bind);
  const Vec3 middle{0, 1.645f, -0.015f};
  const auto field = [&](Vec3 p) {
    const Vec3 d = p - middle;
    const float skull = skel::Length(Vec3{d.x / 0.74f, d.y / 1.12f, d.z / 0.94f}) - 0.1f;
    const float neck = skel::Length(Vec3{p.x, 0, p.z + 0.02f}) - 0.055f;
    return SmoothMin(skull, SmoothMax(neck, p.y - 1.6f, 0.02f), 0.03f);
  };
  Isosurface iso = Triangulate(field, {{-0.12f, 1.46f, -0.15f}, {0.12f, 1.78f, 0.13f}}, 0.007f);
  Surface head;
  head.name = "head";
  head.material = kSkin;
  for (const Vec3& p : iso.points) head.influences.push_back(weights.OfNeck(p));
  head.colors.assign(iso.points.size(), Vec3{1, 1, 1});
  head.points = std::move(iso.points);
  head.normals = std::move(iso.normals);
  head.triangles = std::move(iso.triangles);
  for (int s = 0; s < model.rig->shapes(); ++s) {
    Target target;
    target.shape = s;
    for (size_t i = 0; i < head.points.size(); ++i) {
      if (head.points[i].y > 1.56f || head.points[i].z < 0.04f) continue;
      target.indices.push_back(static_cast<int32_t>(i));
      target.offsets.push_back({0, -0.01f, 0});
    }
    head.targets.push_back(std::move(target));
  }
  model.surfaces.push_back(std::move(head));
}

}  // namespace posewire::avatar
