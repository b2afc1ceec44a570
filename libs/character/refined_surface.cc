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

// Gathers the fine points of one mesh, or of its part one level coarser. A point on a seam of its
// texture coordinates or colours appears once for each side.
class PartMaker {
 public:
  // `coarse` is a Mesh or a Part, and has so many points.
  template <typename Surface>
  PartMaker(const Surface& coarse, size_t points, Part& out)
      : uv_(coarse.uv), colors_(coarse.colors), out_(out), at_corner_(points, kNoPoint) {}

  // `fine` has the quads of a face with these corners, in the order of Subdivision::faces().
  void Add(absl::Span<const uint32_t> corners, absl::Span<const int> fine) {
    const size_t n = corners.size();
    const uint32_t middle = New(fine[2], corners);
    for (size_t k = 0; k < n; ++k) {
      const int* const quad = &fine[4 * k];
      const uint32_t v = Corner(quad[0], corners[k]),
                     after = Edge(quad[1], corners[k], corners[(k + 1) % n]),
                     before = Edge(quad[3], corners[(k + n - 1) % n], corners[k]);
      quads_.push_back({v, after, middle, before});
    }
  }

  // In the order of Subdivision::faces().
  std::vector<std::array<uint32_t, 4>> TakeQuads() { return std::move(quads_); }

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
    std::array<uint32_t, 4>& mean_of = out_.mean_of.emplace_back();
    mean_of.fill(kNoPoint);
    std::copy(of.begin(), of.end(), mean_of.begin());
    const float share = 1 / static_cast<float>(of.size());
    if (!uv_.empty()) {
      std::array<float, 2>& uv = out_.uv.emplace_back();
      for (const uint32_t p : of) {
        for (size_t k = 0; k < 2; ++k) uv[k] += share * uv_[p][k];
      }
    }
    if (!colors_.empty()) {
      std::array<float, 4> sum{};
      for (const uint32_t p : of) {
        for (size_t k = 0; k < 4; ++k) sum[k] += share * static_cast<float>(colors_[p][k]);
      }
      std::array<uint8_t, 4>& color = out_.colors.emplace_back();
      for (size_t k = 0; k < 4; ++k) color[k] = static_cast<uint8_t>(std::lround(sum[k]));
    }
    return static_cast<uint32_t>(out_.place.size() - 1);
  }

  const absl::Span<const std::array<float, 2>> uv_;
  const absl::Span<const std::array<uint8_t, 4>> colors_;
  Part& out_;
  std::vector<uint32_t> at_corner_;
  std::vector<std::array<uint32_t, 4>> quads_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> at_edge_;
};

std::string NameOf(const Character& c, size_t mesh) {
  return c.meshes[mesh].name.empty() ? absl::StrCat("mesh ", mesh) : c.meshes[mesh].name;
}

using Quads = std::vector<std::array<uint32_t, 4>>;

// Makes a part of each mesh of the weld, and returns its quads.
std::vector<Quads> FirstParts(const SurfaceWeld& weld, const Character& c, const mesh::Faces& fine,
                              std::vector<Part>& out) {
  std::vector<Quads> quads;
  out.reserve(c.meshes.size());  // makers refer to their parts
  // The faces of one mesh follow one another.
  std::optional<PartMaker> maker;
  size_t begin = 0;
  for (const SurfaceWeld::Face& face : weld.faces()) {
    if (out.empty() || out.back().mesh != face.mesh) {
      if (maker) quads.push_back(maker->TakeQuads());
      const Mesh& mesh = c.meshes[face.mesh];
      out.emplace_back().mesh = face.mesh;
      maker.emplace(mesh, mesh.points.size(), out.back());
    }
    const size_t size = 4 * face.corners.size();
    maker->Add(face.corners, absl::MakeConstSpan(fine.corners).subspan(begin, size));
    begin += size;
  }
  quads.push_back(maker->TakeQuads());
  return quads;
}

// Refines the parts, whose quads follow one another as those of the surface do.
std::vector<Quads> FinerParts(const std::vector<Quads>& coarse, const mesh::Faces& fine,
                              std::vector<Part>& parts) {
  constexpr size_t kCorners = 16;  // of the four quads that one becomes
  std::vector<Quads> quads;
  size_t begin = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    Part finer;
    finer.mesh = parts[i].mesh;
    PartMaker maker(parts[i], parts[i].place.size(), finer);
    for (const std::array<uint32_t, 4>& quad : coarse[i]) {
      maker.Add(quad, absl::MakeConstSpan(fine.corners).subspan(begin, kCorners));
      begin += kCorners;
    }
    quads.push_back(maker.TakeQuads());
    parts[i] = std::move(finer);
  }
  return quads;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RefinedSurface>> RefinedSurface::Make(const Deformer& deformer,
                                                                     int levels) {
  if (levels < 1 || levels > kMostLevels) {
    return absl::InvalidArgumentError(
        absl::StrCat("levels is ", levels, ", expected 1 to ", kMostLevels));
  }
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
  for (int level = 0; level < levels; ++level) {
    auto made = level == 0 ? mesh::Subdivision::Make(weld.welded(), out->coarse_)
                           : mesh::Subdivision::Make(out->levels_.back().weights.faces(),
                                                     out->levels_.back().points);
    if (!made.ok()) return made.status();
    const size_t points = made->points();
    out->levels_.push_back({*std::move(made), std::vector<Vec3>(points)});
    if (absl::Status s = out->RefinePoints(); !s.ok()) return s;
  }
  const mesh::Faces& fine = out->levels_.back().weights.faces();
  auto neighbours = mesh::FindNeighbours(fine, out->levels_.back().points);
  if (!neighbours.ok()) return neighbours.status();
  out->neighbours_ = *std::move(neighbours);
  out->normals_.resize(out->fine_points());

  std::vector<Quads> quads = FirstParts(weld, c, out->levels_.front().weights.faces(), out->parts_);
  if (levels == 2) quads = FinerParts(quads, fine, out->parts_);
  for (size_t i = 0; i < out->parts_.size(); ++i) {
    Part& part = out->parts_[i];
    out->part_of_[part.mesh] = i;
    for (const auto& [v, after, middle, before] : quads[i]) {
      part.triangles.insert(part.triangles.end(), {v, after, middle, v, middle, before});
    }
    part.points.resize(part.place.size());
    part.normals.resize(part.place.size());
  }
  return out;
}

absl::Status RefinedSurface::RefinePoints() {
  absl::Span<const Vec3> coarse = coarse_;
  for (Level& level : levels_) {
    const absl::Status s = level.weights.Run(coarse, absl::MakeSpan(level.points));
    if (!s.ok()) return s;
    coarse = level.points;
  }
  return absl::OkStatus();
}

absl::Status RefinedSurface::Pose(
    absl::FunctionRef<absl::Span<const skel::Vec3>(size_t mesh)> points_of) {
  if (levels_.empty()) return absl::OkStatus();
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
  if (absl::Status s = RefinePoints(); !s.ok()) return s;
  const std::vector<Vec3>& fine = levels_.back().points;
  const mesh::VertexFramesJob frames{fine, neighbours_, {}, absl::MakeSpan(normals_), {}};
  if (absl::Status s = frames.Run(); !s.ok()) return s;
  for (Part& part : parts_) {
    for (size_t i = 0; i < part.place.size(); ++i) {
      part.points[i] = fine[part.place[i]];
      part.normals[i] = normals_[part.place[i]];
    }
  }
  return absl::OkStatus();
}

}  // namespace posewire::character
