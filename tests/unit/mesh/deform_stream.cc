// Deforms meshes that another program describes on standard input, and writes the points.
//
// One mesh after another, words parted by blanks; counts stand before lists, points are x y z,
// transforms twelve numbers, row by row:
//   points N ...   shapes N {WEIGHT, indices M ..., offsets M ..., inbetweens N {W, offsets M ...}}
//   method NAME (or none), per_point N, indices ..., weights ..., geom_bind, joints N {bind, model}
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "libs/mesh/blend_shapes.h"
#include "libs/mesh/skin_job.h"

namespace {

using posewire::skel::Affine;
using posewire::skel::Vec3;
namespace mesh = posewire::mesh;

template <typename T>
T Take() {
  T value{};
  std::cin >> value;
  return value;
}

Vec3 TakePoint() {
  const auto x = Take<float>(), y = Take<float>(), z = Take<float>();
  return {x, y, z};
}

Affine TakeTransform() {
  Affine m;
  for (Vec3& row : m.row) row = TakePoint();
  return m;
}

template <typename F>
auto TakeList(F take) {
  std::vector<decltype(take())> out(Take<size_t>());
  for (auto& value : out) value = take();
  return out;
}

absl::Status Blend(std::vector<Vec3>& points) {
  std::vector<mesh::BlendShape> shapes;
  std::vector<float> weights;
  for (auto n = Take<size_t>(); n > 0; --n) {
    weights.push_back(Take<float>());
    mesh::BlendShapeParts parts;
    parts.indices = TakeList(Take<int32_t>);
    parts.offsets = TakeList(TakePoint);
    for (auto k = Take<size_t>(); k > 0; --k) {
      const auto weight = Take<float>();
      parts.inbetweens.push_back({weight, TakeList(TakePoint), {}});
    }
    auto shape = mesh::BlendShape::Make(parts);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  mesh::BlendShapesJob job;
  job.shapes = shapes;
  job.weights = weights;
  job.points = absl::MakeSpan(points);
  return job.Run();
}

absl::Status Skin(std::vector<Vec3>& points) {
  const auto method = Take<std::string>();
  mesh::SkinJob job;
  job.per_point = Take<int>();
  const std::vector<int> indices = TakeList(Take<int>);
  const std::vector<float> weights = TakeList(Take<float>);
  job.geom_bind = TakeTransform();
  std::vector<Affine> transforms;
  for (auto n = Take<size_t>(); n > 0; --n) {
    const Affine bind = TakeTransform();
    transforms.push_back(mesh::SkinningTransform(bind, TakeTransform()));
  }
  if (method == "none") return absl::OkStatus();
  const auto parsed = mesh::ParseSkinningMethod(method);
  if (!parsed.ok()) return parsed.status();
  job.method = *parsed;
  job.transforms = transforms;
  job.indices = indices;
  job.weights = weights;
  job.points = points;
  job.out_points = absl::MakeSpan(points);
  return job.Run();
}

}  // namespace

int main() {
  size_t count = 0;
  while (std::cin >> count) {
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = TakePoint();
    absl::Status status = Blend(points);
    if (status.ok()) status = Skin(points);
    if (!status.ok()) {
      std::cerr << status << "\n";
      return 1;
    }
    for (const Vec3& p : points) {
      std::printf("%.9g %.9g %.9g\n", static_cast<double>(p.x), static_cast<double>(p.y),
                  static_cast<double>(p.z));
    }
  }
  return 0;
}
