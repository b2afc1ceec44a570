#include "libs/avatar/body.h"

#include <utility>

#include "libs/avatar/body_fields.h"
#include "libs/avatar/body_weights.h"
#include "libs/avatar/isosurface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

// Cloth lies in the shade of what stands over it.
Vec3 Shade(float openness) {
  const float s = 0.45f + 0.55f * openness;
  return {s, s, s};
}

Surface SurfaceOf(std::string name, int material, Field field, Isosurface iso) {
  Surface out;
  out.name = std::move(name);
  out.material = material;
  for (size_t i = 0; i < iso.points.size(); ++i) {
    out.colors.push_back(Shade(Openness(field, iso.points[i], iso.normals[i])));
  }
  out.points = std::move(iso.points);
  out.normals = std::move(iso.normals);
  out.triangles = std::move(iso.triangles);
  return out;
}

// Both sides of what is modelled on the left at rest.
Surface BothSides(const BindPose& bind, const char* joint, const Surface& left) {
  Surface out = left;
  out.points.clear();
  out.normals.clear();
  out.influences.clear();
  const auto count = static_cast<int32_t>(left.points.size());
  for (size_t i = 0; i < left.points.size(); ++i) {
    out.points.push_back(bind.FromRest(joint, left.points[i]));
    out.normals.push_back(bind.FromRestVector(joint, left.normals[i]));
  }
  for (size_t i = 0; i < left.points.size(); ++i) {
    const Vec3 p = out.points[i], n = out.normals[i];
    out.points.push_back({-p.x, p.y, p.z});
    out.normals.push_back({-n.x, n.y, n.z});
    out.colors.push_back(left.colors[i]);
  }
  for (size_t i = 0; i < left.triangles.size(); i += 3) {
    for (size_t k : {0, 2, 1}) out.triangles.push_back(left.triangles[i + k] + count);
  }
  return out;
}

void AddHands(const BindPose& bind, const BodyWeights& weights, Model& model) {
  const Hand hand(bind);
  const Vec3 wrist = bind.AtRest("l_wrist");
  Surface left = SurfaceOf(
      "hands", kSkin, hand,
      Triangulate(hand, {wrist + Vec3{-0.05f, -0.21f, -0.075f}, wrist + Vec3{0.05f, 0.03f, 0.15f}},
                  0.0047f));
  Surface both = BothSides(bind, "l_wrist", left);
  for (char side : {'l', 'r'}) {
    for (const Vec3& p : left.points) both.influences.push_back(weights.OfHand(p, side));
  }
  model.surfaces.push_back(std::move(both));
}

void AddShoes(const BindPose& bind, const BodyWeights& weights, Model& model) {
  const Shoe shoe(bind);
  const Vec3 ankle = bind.AtRest("l_ankle");
  const Box box{{ankle.x - 0.09f, -0.02f, -0.16f}, {ankle.x + 0.09f, 0.12f, 0.18f}};
  const auto add = [&](const char* name, int material, Field field, float cell) {
    Surface left = SurfaceOf(name, material, field, Triangulate(field, box, cell));
    Surface both = BothSides(bind, "l_ankle", left);
    for (char side : {'l', 'r'}) {
      for (const Vec3& p : left.points) both.influences.push_back(weights.OfShoe(p, side));
    }
    model.surfaces.push_back(std::move(both));
  };
  add(
      "shoes", kShoes, [&](Vec3 p) { return shoe.Upper(p); }, 0.0095f);
  add(
      "soles", kSoles, [&](Vec3 p) { return shoe.Sole(p); }, 0.0075f);
}

}  // namespace

void AddBody(const BindPose& bind, Model& model) {
  const Body body(bind);
  const BodyWeights weights(bind);
  const auto add = [&](const char* name, int material, Field field, const Box& box, float cell) {
    Surface surface = SurfaceOf(name, material, field, Triangulate(field, box, cell));
    for (const Vec3& p : surface.points) surface.influences.push_back(weights.OfBody(p));
    model.surfaces.push_back(std::move(surface));
  };
  const Vec3 wrist = bind.At("l_wrist"), ankle = bind.At("l_ankle");
  add(
      "jumper", kJumper, [&](Vec3 p) { return body.Shirt(p); },
      {{-wrist.x - 0.07f, 0.88f, -0.22f}, {wrist.x + 0.07f, 1.60f, 0.17f}}, 0.0115f);
  add(
      "trousers", kTrousers, [&](Vec3 p) { return body.Trousers(p); },
      {{-ankle.x - 0.09f, 0.02f, -0.22f}, {ankle.x + 0.09f, 1.06f, 0.17f}}, 0.0125f);
  AddShoes(bind, weights, model);
  AddHands(bind, weights, model);
}

}  // namespace posewire::avatar
