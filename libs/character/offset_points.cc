#include "libs/character/offset_points.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/offsets/offsets_file.h"
#include "libs/skel/pose_hash.h"

namespace posewire::character {

using skel::Affine;
using skel::Vec3;

namespace {

template <typename T>
uint64_t HashOf(absl::Span<const T> values, uint64_t seed) {
  return offsets::ContentHash(
      {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}, seed);
}

template <typename T>
uint64_t HashOfValue(const T& value, uint64_t seed) {
  return HashOf(absl::MakeConstSpan(&value, 1), seed);
}

// The keys around a weight, which are all of a shape without in-betweens.
uint64_t HashOf(const mesh::BlendShape::Blend& blend, uint64_t hash) {
  for (const auto& [key, part] :
       {std::pair{blend.low, blend.low_part}, std::pair{blend.high, blend.high_part}}) {
    if (key == nullptr) continue;
    hash = HashOfValue(part, hash);
    hash = HashOf(absl::MakeConstSpan(key->offsets), hash);
  }
  return hash;
}

uint64_t HashOf(const Drive& drive, uint64_t hash) {
  if (drive.kind != Drive::Kind::kTurn) return hash;
  for (const int n : {drive.mesh, drive.shape, drive.joint}) {
    hash = HashOfValue(n, hash);
  }
  for (const float x :
       {drive.gain, drive.axis.x, drive.axis.y, drive.axis.z, drive.from_rad, drive.to_rad}) {
    hash = HashOfValue(x, hash);
  }
  return hash;
}

// Adds nothing for a character without them.
uint64_t HashOf(const SkinDeformers& rules, uint64_t hash) {
  for (const Lattice& lattice : rules.lattices) {
    hash = HashOfValue(lattice.node, hash);
    for (const Vec3 corner : {lattice.low, lattice.high}) hash = HashOfValue(corner, hash);
    hash = HashOfValue(lattice.divisions, hash);
    hash = HashOf(absl::MakeConstSpan(lattice.meshes), hash);
    for (const Lattice::Move& move : lattice.moves) {
      hash = HashOf(move.drive, hash);
      for (const Lattice::Push& push : move.pushes) {
        hash = HashOfValue(push.at, hash);
        hash = HashOfValue(push.by, hash);
      }
    }
  }
  if (rules.smoothing) {
    hash = HashOfValue(rules.smoothing->rounds, hash);
    hash = HashOfValue(rules.smoothing->strength, hash);
  }
  return hash;
}

}  // namespace

uint64_t MeshHash(const PointSkin& skin, const Character& character) {
  uint64_t hash = HashOf(skin.rest(), offsets::kHashSeed);
  hash = HashOf(skin.triangles(), hash);
  for (const size_t m : skin.meshes()) {
    hash = HashOf(absl::MakeConstSpan(character.meshes[m].joints), hash);
    hash = HashOf(absl::MakeConstSpan(character.meshes[m].weights), hash);
    for (const mesh::BlendShape& shape : character.meshes[m].shapes) {
      hash = offsets::ContentHash(shape.name(), hash);
      hash = HashOf(shape.indices(), hash);
      for (const float weight : {0.5f, 1.0f}) hash = HashOf(shape.Find(weight), hash);
    }
  }
  for (const Drive& drive : character.drives) hash = HashOf(drive, hash);
  return HashOf(character.after_skin, hash);
}

uint64_t MeshHash(const Deformer& shown) { return MeshHash(PointSkin(shown), shown.character()); }

std::vector<std::array<float, 2>> PointUv(const PointSkin& skin, const Character& character) {
  std::vector<std::array<float, 2>> out;
  out.reserve(skin.points());
  for (size_t k = 0; k < skin.meshes().size(); ++k) {
    const Mesh& mesh = character.meshes[skin.meshes()[k]];
    const size_t points = mesh.points.size();
    for (size_t i = 0; i < points; ++i) {
      const std::array<float, 2> line = {0.5f, static_cast<float>(i) / static_cast<float>(points)};
      const std::array<float, 2> uv = mesh.uv.empty() ? line : mesh.uv[i];
      // Keeps meshes apart even if their coordinates go beyond the edge of the texture.
      const auto in = [](float x) { return std::isfinite(x) ? std::clamp(x, -8.0f, 8.0f) : 0; };
      out.push_back({in(uv[0]) + 17 * static_cast<float>(k), in(uv[1])});
    }
  }
  return out;
}

uint64_t PoseHash(const skel::PoseView& pose, uint64_t seed) { return skel::PoseHash(pose, seed); }

OffsetPoints::OffsetPoints(const Character& c, PointSkin skin, SurfaceTurns turns)
    : skin_(std::move(skin)), turns_(std::move(turns)) {
  for (const size_t m : skin_.meshes()) {
    const Mesh& mesh = c.meshes[m];
    rest_normals_.insert(rest_normals_.end(), mesh.normals.begin(), mesh.normals.end());
  }
  rest_normals_.resize(skin_.points());
  for (Vec3& n : rest_normals_) n = UnitNormal(n);
}

absl::StatusOr<std::unique_ptr<OffsetPoints>> OffsetPoints::Make(const Deformer& deformer) {
  PointSkin skin(deformer);
  auto turns = SurfaceTurns::Make(skin.rest(), skin.triangles());
  if (!turns.ok()) return turns.status();
  std::unique_ptr<OffsetPoints> made(
      new OffsetPoints(deformer.character(), std::move(skin), *std::move(turns)));
  const absl::Span<const Vec3> rest = made->skin_.rest();
  made->rest_frames_.resize(rest.size());
  made->frames_.resize(rest.size());
  made->points_.resize(rest.size());
  made->normals_.resize(rest.size());
  made->transforms_.resize(rest.size());
  if (absl::Status s = made->turns_.Frames(rest, absl::MakeSpan(made->rest_frames_)); !s.ok()) {
    return s;
  }
  return made;
}

absl::Status OffsetPoints::Pose(const Deformer& deformer,
                                absl::Span<const mesh::WeighedOffsets> clips) {
  for (const mesh::WeighedOffsets& clip : clips) {
    if (clip.offsets.size() == skin_.points()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the offsets have ", clip.offsets.size(), " points, and what is shown of \"",
                     deformer.character().name, "\" has ", skin_.points(),
                     ": they were made of another character, or of other hair or clothes"));
  }
  size_t singular = 0;
  if (absl::Status s = skin_.Transforms(deformer, absl::MakeSpan(transforms_), &singular);
      !s.ok()) {
    return s;
  }
  skin_.Gather(deformer, absl::MakeSpan(points_), {});
  const mesh::ReconstructJob points{transforms_, points_, clips, absl::MakeSpan(points_)};
  if (absl::Status s = points.Run(); !s.ok()) return s;
  return FindNormals();
}

absl::Status OffsetPoints::PoseSkinned(const Deformer& deformer) {
  if (deformer.skinned().empty()) return Pose(deformer, {});
  size_t singular = 0;
  if (absl::Status s = skin_.Transforms(deformer, absl::MakeSpan(transforms_), &singular);
      !s.ok()) {
    return s;
  }
  points_.assign(deformer.skinned().begin(), deformer.skinned().end());
  return FindNormals();
}

absl::Status OffsetPoints::FindNormals() {
  if (absl::Status s = turns_.Frames(points_, absl::MakeSpan(frames_)); !s.ok()) return s;
  for (size_t i = 0; i < normals_.size(); ++i) {
    normals_[i] = rest_normals_[i];
    if (!turns_.Turn(i, rest_frames_, frames_, normals_[i])) {
      normals_[i] = UnitNormal(skel::TransformVector(transforms_[i], rest_normals_[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status OffsetPoints::UnskinnedNormals(absl::Span<Vec3> out) const {
  if (out.size() != normals_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("out has ", out.size(), " entries, expected ", normals_.size()));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    // Computes n S^-1. The columns of the inverse are cross products of the rows, divided by the
    // determinant.
    const auto& row = transforms_[i].row;
    const Vec3 x = skel::Cross(row[1], row[2]), y = skel::Cross(row[2], row[0]),
               z = skel::Cross(row[0], row[1]);
    const Vec3 n = normals_[i];
    const Vec3 before{skel::Dot(n, x), skel::Dot(n, y), skel::Dot(n, z)};
    const float length = std::sqrt(skel::Dot(before, before));
    const float sign = skel::Dot(row[0], x) < 0 ? -1.0f : 1.0f;
    out[i] = length > 1e-6f ? before * (sign / length) : rest_normals_[i];
  }
  return absl::OkStatus();
}

absl::Span<const Vec3> OffsetPoints::Of(size_t mesh, const std::vector<Vec3>& all) const {
  const absl::Span<const size_t> meshes = skin_.meshes();
  const auto at = std::find(meshes.begin(), meshes.end(), mesh);
  if (at == meshes.end()) return {};
  const auto k = static_cast<size_t>(at - meshes.begin());
  const size_t end = k + 1 < meshes.size() ? skin_.first()[k + 1] : all.size();
  return absl::MakeConstSpan(all).subspan(skin_.first()[k], end - skin_.first()[k]);
}

}  // namespace posewire::character
