#include "libs/character/refined_surface.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace posewire::character {
namespace {

using skel::Vec3;
using Part = RefinedSurface::Part;

// Gathers the fine points of one mesh. A point on a seam of its texture coordinates or colours
// appears once for each side.
class PartMaker {
 public:
  PartMaker(const Mesh& mesh, Part& out) : mesh_(mesh), out_(out) {
    at_corner_.assign(mesh.points.size(), kNoPoint);
  }

  // `fine` has the quads of a face with these corners, in the order of Subdivision::faces().
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
    if (at_corner_[p] == kNoPoint) at_corner_[p] = New(place, {&p, 1});
    return at_corner_[p];
  }
  uint32_t Edge(int place, uint32_t a, uint32_t b) {
    const uint32_t ends[] = {std::min(a, b), std::max(a, b)};
    uint32_t& at = at_edge_.try_emplace({ends[0], ends[1]}, kNoPoint).first->second;
    if (at == kNoPoint) at = New(place, ends);
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
  const SurfaceWeld weld(deformer);
  std::unique_ptr<RefinedSurface> out(new RefinedSurface());
  out->part_of_.resize(c.meshes.size());
  for (const Mesh& mesh : c.meshes) out->points_of_.push_back(mesh.points.size());
  if (const std::vector<size_t> left = weld.left_out(); !left.empty()) {
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

  // The faces of one mesh follow one another.
  std::optional<PartMaker> maker;
  size_t begin = 0;
  for (const SurfaceWeld::Face& face : weld.faces()) {
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
  size_t mesh = 0;
  absl::Span<const Vec3> points;
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (i == 0 || sources_[i].mesh != mesh) {
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
