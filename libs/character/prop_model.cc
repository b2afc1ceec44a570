#include "libs/character/prop_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/skel/box_scale.h"

namespace posewire::character {
namespace {

using skel::kFlat_m;
using skel::Vec3;

constexpr float kMostSize_m = 100, kFar_m = 1e4f, kCard_m = 0.3f;
constexpr int kKeptSide = 1024, kReadSide = 4096;
constexpr size_t kMostPictures = 16;

bool IsClear(const image::Image& picture) {
  for (size_t i = 3; i < picture.rgba.size(); i += 4) {
    if (picture.rgba[i] < 255) return true;
  }
  return false;
}

}  // namespace

Limits PropLimits::ForReaders() const {
  Limits limits;
  limits.bytes = bytes;
  limits.json_bytes = std::min<uint64_t>(bytes, 4u << 20);
  limits.numbers = 8ull << 20;
  limits.nodes = 1024;
  limits.points = 3 * triangles;
  limits.triangles = triangles;
  limits.joints = 256;
  limits.targets = 64;
  limits.pictures = kMostPictures;
  limits.picture = {.read_side = kReadSide, .kept_side = kKeptSide};
  return limits;
}

Vec3 PropModel::size() const {
  const Vec3 size = extent.high - extent.low;
  return {std::max(size.x, kFlat_m), std::max(size.y, kFlat_m), std::max(size.z, kFlat_m)};
}

size_t PropModel::bytes() const {
  size_t bytes = sizeof(*this);
  for (const Texture& texture : textures) bytes += texture.rgba.capacity();
  const auto of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  for (const Mesh& mesh : meshes) {
    bytes += sizeof(mesh) + of(mesh.points) + of(mesh.normals) + of(mesh.tangents) + of(mesh.uv) +
             of(mesh.colors) + of(mesh.triangles);
  }
  return bytes;
}

Vec3 PropModel::ScaleTo(Vec3 to) const { return skel::BoxScale(size(), to); }

absl::Status Finish(const PropLimits& limits, PropModel& out) {
  size_t triangles = 0, pixels = 0;
  mesh::Extent extent{{kFar_m, kFar_m, kFar_m}, {-kFar_m, -kFar_m, -kFar_m}};
  for (const Mesh& mesh : out.meshes) {
    triangles += mesh.triangles.size() / 3;
    for (const Vec3& p : mesh.points) {
      if (!(std::fabs(p.x) <= kFar_m) || !(std::fabs(p.y) <= kFar_m) ||
          !(std::fabs(p.z) <= kFar_m)) {
        return absl::InvalidArgumentError(
            absl::StrCat("mesh \"", mesh.name, "\" has a point over 10 km from the origin"));
      }
      extent.low = {std::min(extent.low.x, p.x), std::min(extent.low.y, p.y),
                    std::min(extent.low.z, p.z)};
      extent.high = {std::max(extent.high.x, p.x), std::max(extent.high.y, p.y),
                     std::max(extent.high.z, p.z)};
    }
  }
  for (const Texture& texture : out.textures) pixels += texture.rgba.size() / 4;
  if (triangles == 0) return absl::InvalidArgumentError("has no triangle");
  if (triangles > limits.triangles) return OverLimit("triangles", limits.triangles);
  if (pixels > limits.pixels) return OverLimit("pixels in its pictures", limits.pixels);
  out.extent = extent;
  const Vec3 size = out.size();
  if (std::max({size.x, size.y, size.z}) > kMostSize_m) {
    return absl::InvalidArgumentError(absl::StrCat("is ", size.x, " x ", size.y, " x ", size.z,
                                                   " m large; at most ", kMostSize_m,
                                                   " m. Is its unit not metres?"));
  }
  return absl::OkStatus();
}

void ScaleMesh(const Mesh& mesh, Vec3 scale, std::vector<Vec3>& points,
               std::vector<Vec3>& normals) {
  for (const Vec3& p : mesh.points) points.push_back({p.x * scale.x, p.y * scale.y, p.z * scale.z});
  for (const Vec3& n : mesh.normals) {
    normals.push_back(skel::Normalized(Vec3{n.x / scale.x, n.y / scale.y, n.z / scale.z}));
  }
}

Character AsCharacter(const PropModel& model, const std::string& name, Vec3 scale) {
  Character out;
  out.name = name;
  out.textures = model.textures;
  out.materials = model.materials;
  for (const Mesh& from : model.meshes) {
    Mesh& mesh = out.meshes.emplace_back(from);
    mesh.points.clear();
    mesh.normals.clear();
    ScaleMesh(from, scale, mesh.points, mesh.normals);
  }
  return out;
}

PropModel CardOf(image::Image picture) {
  const auto width = static_cast<float>(picture.width), height = static_cast<float>(picture.height);
  const float pixel_m = kCard_m / std::max({width, height, 1.0f});
  const float w = width * pixel_m, h = height * pixel_m;
  PropModel out;
  Material& material = out.materials.emplace_back();
  material.texture = 0;
  material.double_sided = true;
  if (IsClear(picture)) material.mode = Material::Alpha::kMask;
  out.textures.push_back({std::move(picture), /*repeats=*/false});
  Mesh& card = out.meshes.emplace_back();
  card.name = "card";
  card.points = {{-w / 2, 0, 0}, {w / 2, 0, 0}, {w / 2, h, 0}, {-w / 2, h, 0}};
  card.normals.assign(4, {0, 0, 1});
  card.uv = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  card.triangles = {0, 1, 2, 0, 2, 3};
  out.sites = {{"grip", {}, {}}, {"top", {0, h, 0}, {}}};
  out.extent = {{-w / 2, 0, 0}, {w / 2, h, 0}};
  return out;
}

}  // namespace posewire::character
