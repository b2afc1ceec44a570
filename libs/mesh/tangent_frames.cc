#include "libs/mesh/tangent_frames.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/mesh/check_size.h"

namespace posewire::mesh {
namespace {

using skel::Vec3;

// Twice the area of a triangle in the picture; below zero where it is not mirrored, because V grows
// downwards.
float AreaOf(absl::Span<const std::array<float, 2>> uv, const uint32_t* corners) {
  const auto &a = uv[corners[0]], &b = uv[corners[1]], &c = uv[corners[2]];
  return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
}

Vec3 Perpendicular(const Vec3& tangent, const Vec3& normal) {
  return skel::Normalized(tangent - normal * skel::Dot(normal, tangent));
}

bool IsTangent(const std::array<float, 4>& t) {
  return std::isfinite(t[0] + t[1] + t[2] + t[3]) && t[3] != 0 &&
         skel::Length({t[0], t[1], t[2]}) > 1e-6f;
}

absl::Status CheckSurface(const TangentSurface& rest) {
  const size_t n = rest.points.size();
  if (absl::Status s = CheckSize("normals", rest.normals.size(), n); !s.ok()) return s;
  if (absl::Status s = CheckSize("uv", rest.uv.size(), n); !s.ok()) return s;
  if (!rest.tangents.empty()) {
    if (absl::Status s = CheckSize("tangents", rest.tangents.size(), n); !s.ok()) return s;
  }
  if (rest.triangles.size() % 3 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("triangles has ", rest.triangles.size(), " entries, expected three for each"));
  }
  for (size_t i = 0; i < rest.triangles.size(); ++i) {
    if (rest.triangles[i] >= n) {
      return absl::InvalidArgumentError(
          absl::StrCat("triangles[", i, "] is ", rest.triangles[i], ", expected below ", n));
    }
  }
  return absl::OkStatus();
}

}  // namespace

// Sets triangles_, repeats_ and signs_.
void TangentFrames::Split(const TangentSurface& rest) {
  const size_t n = rest.points.size();
  std::vector<char> plain(n, 0), mirrored(n, 0);
  for (size_t t = 0; t < rest.triangles.size(); t += 3) {
    const float area = AreaOf(rest.uv, &rest.triangles[t]);
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t p = rest.triangles[t + k];
      if (area < 0) plain[p] = 1;
      if (area > 0) mirrored[p] = 1;
    }
  }
  signs_.assign(n, 1);
  std::vector<uint32_t> second(n, 0);
  for (uint32_t p = 0; p < n; ++p) {
    if (mirrored[p] == 0) continue;
    if (plain[p] == 0) {
      signs_[p] = -1;
      continue;
    }
    second[p] = static_cast<uint32_t>(n + repeats_.size());
    repeats_.push_back(p);
  }
  signs_.resize(n + repeats_.size(), -1);
  triangles_.assign(rest.triangles.begin(), rest.triangles.end());
  for (size_t t = 0; t < triangles_.size(); t += 3) {
    if (!(AreaOf(rest.uv, &rest.triangles[t]) > 0)) continue;
    for (size_t k = 0; k < 3; ++k) {
      uint32_t& p = triangles_[t + k];
      if (second[p] != 0) p = second[p];
    }
  }
}

absl::StatusOr<TangentFrames> TangentFrames::Make(const TangentSurface& rest) {
  if (absl::Status s = CheckSurface(rest); !s.ok()) return s;
  TangentFrames out;
  out.Split(rest);
  std::vector<Vec3> points(rest.points.begin(), rest.points.end());
  for (const uint32_t p : out.repeats_) points.push_back(rest.points[p]);
  Faces faces;
  faces.points = points.size();
  std::vector<std::array<float, 2>> uv;
  for (size_t t = 0; t < out.triangles_.size(); t += 3) {
    const uint32_t* const c = &out.triangles_[t];
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    faces.sizes.push_back(3);
    for (size_t k = 0; k < 3; ++k) {
      faces.corners.push_back(static_cast<int>(c[k]));
      uv.push_back(rest.uv[rest.triangles[t + k]]);
    }
  }
  auto rules = FindTangents(faces, points, uv);
  if (!rules.ok()) return rules.status();
  out.rules_ = *std::move(rules);
  if (!rest.tangents.empty()) {
    if (absl::Status s = out.TakeTurns(rest); !s.ok()) return s;
  }
  return out;
}

// Sets turns_, and the signs of the file.
absl::Status TangentFrames::TakeTurns(const TangentSurface& rest) {
  std::vector<Vec3> places(points()), normals(points()), computed(points());
  const absl::Status s = Run(rest.points, rest.normals, absl::MakeSpan(places),
                             absl::MakeSpan(normals), absl::MakeSpan(computed));
  if (!s.ok()) return s;
  turns_.assign(points(), {1, 0});
  for (size_t i = 0; i < points(); ++i) {
    const size_t p = i < rest.points.size() ? i : repeats_[i - rest.points.size()];
    const std::array<float, 4>& file = rest.tangents[p];
    if (!IsTangent(file)) continue;
    signs_[i] = file[3] < 0 ? -1.0f : 1.0f;
    const Vec3 own = Perpendicular({file[0], file[1], file[2]}, normals[i]);
    const float c = skel::Dot(own, computed[i]),
                sine = skel::Dot(own, skel::Cross(normals[i], computed[i]));
    const float length = std::hypot(c, sine);
    if (length > 0.5f) turns_[i] = {c / length, sine / length};
  }
  return absl::OkStatus();
}

absl::Status TangentFrames::Run(absl::Span<const Vec3> points, absl::Span<const Vec3> normals,
                                absl::Span<Vec3> out_points, absl::Span<Vec3> out_normals,
                                absl::Span<Vec3> out_tangents) const {
  const size_t all = rules_.size(), own = all - repeats_.size();
  if (absl::Status s = CheckSize("points", points.size(), own); !s.ok()) return s;
  if (absl::Status s = CheckSize("normals", normals.size(), own); !s.ok()) return s;
  if (absl::Status s = CheckSize("out_points", out_points.size(), all); !s.ok()) return s;
  if (absl::Status s = CheckSize("out_normals", out_normals.size(), all); !s.ok()) return s;
  std::copy(points.begin(), points.end(), out_points.begin());
  std::copy(normals.begin(), normals.end(), out_normals.begin());
  for (size_t k = 0; k < repeats_.size(); ++k) {
    out_points[own + k] = points[repeats_[k]];
    out_normals[own + k] = normals[repeats_[k]];
  }
  const VertexFramesJob job{out_points, {}, rules_, {}, out_tangents};
  if (absl::Status s = job.Run(); !s.ok()) return s;
  for (size_t i = 0; i < all; ++i) {
    const Vec3 n = skel::Normalized(out_normals[i]), t = Perpendicular(out_tangents[i], n);
    out_tangents[i] = turns_.empty() ? t : t * turns_[i][0] + skel::Cross(n, t) * turns_[i][1];
  }
  return absl::OkStatus();
}

}  // namespace posewire::mesh
