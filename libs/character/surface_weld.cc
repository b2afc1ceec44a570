#include "libs/character/surface_weld.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "libs/mesh/pair_triangles.h"

namespace posewire::character {
namespace {

using skel::Vec3;

constexpr float kLeastOffset_m = 1e-7f;

// Returns a hash for each point that is the same for points that move alike. It covers the
// influences of joints and the offsets of shapes at full strength.
std::vector<size_t> MotionsOf(const Mesh& mesh) {
  std::vector<size_t> out(mesh.points.size());
  const auto per = static_cast<size_t>(mesh.per_point);
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t k = i * per; k < (i + 1) * per && k < mesh.weights.size(); ++k) {
      // A sum, because the order of the influences does not matter.
      if (mesh.weights[k] > 0) out[i] += absl::HashOf(mesh.joints[k], mesh.weights[k]);
    }
  }
  for (const mesh::BlendShape& shape : mesh.shapes) {
    const mesh::BlendShape::Blend blend = shape.Find(1);
    for (const mesh::ShapeKey* key : {blend.low, blend.high}) {
      if (key == nullptr) continue;
      for (size_t i = 0; i < key->offsets.size(); ++i) {
        const size_t p = shape.indices().empty() ? i : static_cast<size_t>(shape.indices()[i]);
        const Vec3 v = key->offsets[i];
        if (p >= out.size() || skel::Length(v) < kLeastOffset_m) continue;
        out[p] = absl::HashOf(out[p], shape.name(), v.x, v.y, v.z);
      }
    }
  }
  return out;
}

// Skin or node, position and motion.
using Key = std::tuple<int, int, float, float, float, size_t>;

}  // namespace

SurfaceWeld::SurfaceWeld(const Deformer& deformer) : character_(deformer.character()) {
  for (size_t m = 0; m < character_.meshes.size(); ++m) {
    if (!deformer.shown(m)) continue;
    const Mesh& mesh = character_.meshes[m];
    meshes_.push_back(
        {m, How::kTogether, mesh::PairTriangles(mesh.points, mesh.triangles), MotionsOf(mesh)});
  }
  // A mesh that forms no sound surface with others may form one by itself, without welding its
  // points.
  while (true) {
    Join();
    const std::vector<bool> bad = Unsound();
    bool any = false;
    for (size_t i = 0; i < meshes_.size(); ++i) {
      if (!bad[i]) continue;
      any = true;
      meshes_[i].how = meshes_[i].how == How::kTogether ? How::kAlone : How::kOut;
    }
    if (!any) break;
  }
}

void SurfaceWeld::Join() {
  faces_.clear(), sources_.clear(), owner_.clear();
  welded_ = {};
  absl::flat_hash_map<Key, uint32_t> known;
  std::vector<uint32_t> id;
  for (size_t i = 0; i < meshes_.size(); ++i) {
    const Own& own = meshes_[i];
    if (own.how == How::kOut) continue;
    const Mesh& mesh = character_.meshes[own.mesh];
    id.assign(mesh.points.size(), kNoPoint);
    const auto id_of = [&](uint32_t p) {
      if (id[p] != kNoPoint) return id[p];
      id[p] = static_cast<uint32_t>(sources_.size());
      if (own.how == How::kTogether) {
        const Vec3 at = mesh.points[p];
        const Key key{mesh.skin,   mesh.skin < 0 ? mesh.node : 0,
                      at.x + 0.0f, at.y + 0.0f,
                      at.z + 0.0f, own.motions[p]};
        id[p] = known.try_emplace(key, id[p]).first->second;
      }
      if (id[p] == sources_.size()) sources_.push_back({static_cast<uint32_t>(own.mesh), p});
      return id[p];
    };
    size_t begin = 0;
    for (const int size : own.faces.sizes) {
      AddFace(i, absl::MakeConstSpan(own.faces.corners).subspan(begin, static_cast<size_t>(size)),
              id_of);
      begin += static_cast<size_t>(size);
    }
  }
  LeaveOutUnused();
}

void SurfaceWeld::LeaveOutUnused() {
  std::vector<uint32_t> place(sources_.size(), kNoPoint);
  std::vector<Source> used;
  for (int& corner : welded_.corners) {
    uint32_t& at = place[static_cast<size_t>(corner)];
    if (at == kNoPoint) {
      at = static_cast<uint32_t>(used.size());
      used.push_back(sources_[static_cast<size_t>(corner)]);
    }
    corner = static_cast<int>(at);
  }
  sources_ = std::move(used);
  welded_.points = sources_.size();
}

// Corners that have been welded count once. A face with fewer than three corners left is dropped.
void SurfaceWeld::AddFace(size_t own, absl::Span<const int> corners,
                          absl::FunctionRef<uint32_t(uint32_t point)> id_of) {
  Face face{meshes_[own].mesh, {}};
  std::vector<int> ids;
  for (const int corner : corners) {
    const auto p = static_cast<uint32_t>(corner);
    const auto w = static_cast<int>(id_of(p));
    if (std::find(ids.begin(), ids.end(), w) != ids.end()) continue;
    ids.push_back(w);
    face.corners.push_back(p);
  }
  if (ids.size() < 3) return;
  welded_.sizes.push_back(static_cast<int>(ids.size()));
  welded_.corners.insert(welded_.corners.end(), ids.begin(), ids.end());
  faces_.push_back(std::move(face));
  owner_.push_back(own);
}

// Returns, by index in meshes_, the meshes with an edge that two faces pass in the same direction.
// If three faces share an edge, two of them do.
std::vector<bool> SurfaceWeld::Unsound() const {
  std::vector<bool> out(meshes_.size(), false);
  absl::flat_hash_map<std::pair<int, int>, size_t> passed;
  passed.reserve(welded_.corners.size());
  size_t begin = 0;
  for (size_t f = 0; f < welded_.sizes.size(); ++f) {
    const auto n = static_cast<size_t>(welded_.sizes[f]);
    for (size_t k = 0; k < n; ++k) {
      const int a = welded_.corners[begin + k], b = welded_.corners[begin + (k + 1) % n];
      const auto [first, is_new] = passed.try_emplace({a, b}, owner_[f]);
      if (!is_new) out[first->second] = out[owner_[f]] = true;
    }
    begin += n;
  }
  return out;
}

std::vector<size_t> SurfaceWeld::left_out() const {
  std::vector<size_t> out;
  for (const Own& own : meshes_) {
    if (own.how == How::kOut) out.push_back(own.mesh);
  }
  return out;
}

}  // namespace posewire::character
