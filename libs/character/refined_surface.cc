#include "libs/character/refined_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/mesh/faces.h"
#include "libs/mesh/pair_triangles.h"

namespace posewire::character {
namespace {

using skel::Vec3;
using Source = RefinedSurface::Source;
using Part = RefinedSurface::Part;

constexpr float kLeastOffset_m = 1e-7f;
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// For each point a number by which those that move alike are told from others: by the influences
// of its joints, and where shapes take it at full strength.
std::vector<size_t> MotionsOf(const Mesh& mesh) {
  std::vector<size_t> out(mesh.points.size());
  const auto per = static_cast<size_t>(mesh.per_point);
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t k = i * per; k < (i + 1) * per && k < mesh.weights.size(); ++k) {
      // In whatever order they stand.
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

// The coarse surface: which points are one, and the faces over them.
class Weld {
 public:
  explicit Weld(const Deformer& deformer) : character_(deformer.character()) {
    for (size_t m = 0; m < character_.meshes.size(); ++m) {
      if (!deformer.shown(m)) continue;
      const Mesh& mesh = character_.meshes[m];
      meshes_.push_back(
          {m, How::kTogether, mesh::PairTriangles(mesh.points, mesh.triangles), MotionsOf(mesh)});
    }
    // A mesh that makes no surface with others may be one by itself, as its file has it.
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

  // A face of the surface, with the points of its mesh.
  struct Face {
    size_t mesh;
    std::vector<uint32_t> corners;
  };
  const std::vector<Face>& faces() const { return faces_; }
  const mesh::Faces& welded() const { return welded_; }
  const std::vector<Source>& sources() const { return sources_; }
  std::vector<size_t> LeftOut() const {
    std::vector<size_t> out;
    for (const Own& own : meshes_) {
      if (own.how == How::kOut) out.push_back(own.mesh);
    }
    return out;
  }

 private:
  enum class How { kTogether, kAlone, kOut };
  struct Own {
    size_t mesh;
    How how;
    mesh::Faces faces;  // of the mesh's points
    std::vector<size_t> motions;
  };
  // Space, place and motion.
  using Key = std::tuple<int, int, float, float, float, size_t>;

  void Join() {
    faces_.clear(), sources_.clear(), owner_.clear();
    welded_ = {};
    absl::flat_hash_map<Key, uint32_t> known;
    std::vector<uint32_t> id;
    for (size_t i = 0; i < meshes_.size(); ++i) {
      const Own& own = meshes_[i];
      if (own.how == How::kOut) continue;
      const Mesh& mesh = character_.meshes[own.mesh];
      id.assign(mesh.points.size(), kNone);
      const auto id_of = [&](uint32_t p) {
        if (id[p] != kNone) return id[p];
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

  // Points that are of no face.
  void LeaveOutUnused() {
    std::vector<uint32_t> place(sources_.size(), kNone);
    std::vector<Source> used;
    for (int& corner : welded_.corners) {
      uint32_t& at = place[static_cast<size_t>(corner)];
      if (at == kNone) {
        at = static_cast<uint32_t>(used.size());
        used.push_back(sources_[static_cast<size_t>(corner)]);
      }
      corner = static_cast<int>(at);
    }
    sources_ = std::move(used);
    welded_.points = sources_.size();
  }

  // Corners that have become one count once; what is no face any more is left out.
  template <typename IdOf>
  void AddFace(size_t own, absl::Span<const int> corners, const IdOf& id_of) {
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

  // By place in meshes_: those with an edge that two faces pass in the same way. Of three faces at
  // an edge two do.
  std::vector<bool> Unsound() const {
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

  const Character& character_;
  std::vector<Own> meshes_;
  std::vector<Face> faces_;
  std::vector<size_t> owner_;  // of each face, in meshes_
  mesh::Faces welded_;
  std::vector<Source> sources_;
};

// Gathers the fine points of one mesh, each once for each place in its coordinates and colours.
class PartMaker {
 public:
  PartMaker(const Mesh& mesh, Part& out) : mesh_(mesh), out_(out) {
    at_corner_.assign(mesh.points.size(), kNone);
  }

  // `fine` are the quads of a face of these points, as Subdivision::faces() has them.
  void Add(absl::Span<const uint32_t> corners, absl::Span<const int> fine) {
    const size_t n = corners.size();
    const uint32_t middle = New(fine[2], corners);
    for (size_t k = 0; k < n; ++k) {
      const int* const quad = &fine[4 * k];
      const uint32_t v = Corner(quad[0], corners[k]),
                     after = Edge(quad[1], corners[k], corners[(k + 1) % n]),
                     before = Edge(quad[3], corners[(k + n - 1) % n], corners[k]);
      out_.triangles.insert(out_.triangles.end(), {v, after, middle, v, middle, before});
    }
  }

 private:
  uint32_t Corner(int place, uint32_t p) {
    if (at_corner_[p] == kNone) at_corner_[p] = New(place, {&p, 1});
    return at_corner_[p];
  }
  uint32_t Edge(int place, uint32_t a, uint32_t b) {
    const uint32_t ends[] = {std::min(a, b), std::max(a, b)};
    uint32_t& at = at_edge_.try_emplace({ends[0], ends[1]}, kNone).first->second;
    if (at == kNone) at = New(place, ends);
    return at;
  }
  uint32_t New(int place, absl::Span<const uint32_t> of) {
    out_.place.push_back(static_cast<uint32_t>(place));
    const float share = 1 / static_cast<float>(of.size());
    if (!mesh_.uv.empty()) {
      std::array<float, 2>& uv = out_.uv.emplace_back();
      for (const uint32_t p : of) {
        for (size_t k = 0; k < 2; ++k) uv[k] += share * mesh_.uv[p][k];
      }
    }
    if (!mesh_.colors.empty()) {
      std::array<float, 4> sum{};
      for (const uint32_t p : of) {
        for (size_t k = 0; k < 4; ++k) sum[k] += share * static_cast<float>(mesh_.colors[p][k]);
      }
      std::array<uint8_t, 4>& color = out_.colors.emplace_back();
      for (size_t k = 0; k < 4; ++k) color[k] = static_cast<uint8_t>(std::lround(sum[k]));
    }
    return static_cast<uint32_t>(out_.place.size() - 1);
  }

  const Mesh& mesh_;
  Part& out_;
  std::vector<uint32_t> at_corner_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> at_edge_;
};

std::string NameOf(const Character& c, size_t mesh) {
  return c.meshes[mesh].name.empty() ? absl::StrCat("mesh ", mesh) : c.meshes[mesh].name;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RefinedSurface>> RefinedSurface::Make(const Deformer& deformer) {
  const Character& c = deformer.character();
  const Weld weld(deformer);
  std::unique_ptr<RefinedSurface> out(new RefinedSurface());
  out->part_of_.resize(c.meshes.size());
  for (const Mesh& mesh : c.meshes) out->points_of_.push_back(mesh.points.size());
  if (const std::vector<size_t> left = weld.LeftOut(); !left.empty()) {
    out->left_out_ = absl::StrCat(
        absl::StrJoin(left, ", ",
                      [&](std::string* text, size_t m) { absl::StrAppend(text, NameOf(c, m)); }),
        ": at an edge more than two faces meet, or two that turn against each other");
  }
  if (weld.faces().empty()) return out;
  out->sources_ = weld.sources();
  out->coarse_.resize(out->sources_.size());
  for (size_t i = 0; i < out->coarse_.size(); ++i) {
    out->coarse_[i] = c.meshes[out->sources_[i].mesh].points[out->sources_[i].point];
  }
  auto made = mesh::Subdivision::Make(weld.welded(), out->coarse_);
  if (!made.ok()) return made.status();
  const mesh::Subdivision& fine = out->subdivision_.emplace(*std::move(made));
  out->fine_.resize(fine.points());
  out->normals_.resize(fine.points());
  if (absl::Status s = fine.Run(out->coarse_, absl::MakeSpan(out->fine_)); !s.ok()) return s;
  auto neighbours = mesh::FindNeighbours(fine.faces(), out->fine_);
  if (!neighbours.ok()) return neighbours.status();
  out->neighbours_ = *std::move(neighbours);

  // Faces of one mesh stand together.
  std::optional<PartMaker> maker;
  size_t begin = 0;
  for (const Weld::Face& face : weld.faces()) {
    if (!out->has(face.mesh)) {
      const Mesh& mesh = c.meshes[face.mesh];
      out->part_of_[face.mesh] = out->parts_.size();
      out->parts_.emplace_back().mesh = face.mesh;
      maker.emplace(mesh, out->parts_.back());
    }
    const size_t size = 4 * face.corners.size();
    maker->Add(face.corners, absl::MakeConstSpan(fine.faces().corners).subspan(begin, size));
    begin += size;
  }
  for (Part& part : out->parts_) {
    part.points.resize(part.place.size());
    part.normals.resize(part.place.size());
  }
  return out;
}

absl::Status RefinedSurface::Pose(
    absl::FunctionRef<absl::Span<const skel::Vec3>(size_t mesh)> points_of) {
  if (!subdivision_) return absl::OkStatus();
  size_t mesh = kNone;
  absl::Span<const Vec3> points;
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].mesh != mesh) {
      mesh = sources_[i].mesh;
      points = points_of(mesh);
      if (points.size() != points_of_[mesh]) {
        return absl::InvalidArgumentError(absl::StrCat("mesh ", mesh, " has ", points.size(),
                                                       " points, expected ", points_of_[mesh]));
      }
    }
    coarse_[i] = points[sources_[i].point];
  }
  if (absl::Status s = subdivision_->Run(coarse_, absl::MakeSpan(fine_)); !s.ok()) return s;
  const mesh::VertexFramesJob frames{fine_, neighbours_, {}, absl::MakeSpan(normals_), {}};
  if (absl::Status s = frames.Run(); !s.ok()) return s;
  for (Part& part : parts_) {
    for (size_t i = 0; i < part.place.size(); ++i) {
      part.points[i] = fine_[part.place[i]];
      part.normals[i] = normals_[part.place[i]];
    }
  }
  return absl::OkStatus();
}

}  // namespace posewire::character
