#include "libs/avatar/surface.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace posewire::avatar {

using skel::Vec3;

void SmoothNormals(absl::Span<const Vec3> points, absl::Span<const int32_t> triangles,
                   absl::Span<Vec3> normals) {
  std::fill(normals.begin(), normals.end(), Vec3{});
  for (size_t i = 0; i + 2 < triangles.size(); i += 3) {
    const auto a = static_cast<size_t>(triangles[i]);
    const auto b = static_cast<size_t>(triangles[i + 1]);
    const auto c = static_cast<size_t>(triangles[i + 2]);
    const Vec3 n = skel::Cross(points[b] - points[a], points[c] - points[a]);
    normals[a] = normals[a] + n;
    normals[b] = normals[b] + n;
    normals[c] = normals[c] + n;
  }
  for (Vec3& n : normals) n = skel::Normalized(n);
}

std::vector<Vec3> SmoothNormals(absl::Span<const Vec3> points,
                                absl::Span<const int32_t> triangles) {
  std::vector<Vec3> normals(points.size());
  SmoothNormals(points, triangles, absl::MakeSpan(normals));
  return normals;
}

void DropUnused(Surface& surface) {
  std::vector<int32_t> place(surface.points.size(), -1);
  int32_t kept = 0;
  for (int32_t& t : surface.triangles) {
    if (place[static_cast<size_t>(t)] < 0) place[static_cast<size_t>(t)] = kept++;
    t = place[static_cast<size_t>(t)];
  }
  const auto pick = [&](auto& values) {
    std::remove_reference_t<decltype(values)> out(static_cast<size_t>(kept));
    for (size_t i = 0; i < place.size(); ++i) {
      if (place[i] >= 0) out[static_cast<size_t>(place[i])] = values[i];
    }
    values = std::move(out);
  };
  pick(surface.points);
  pick(surface.colors);
  pick(surface.influences);
}

void InfluenceSum::Add(int joint, float weight) {
  if (!(weight > 0)) return;
  for (size_t i = 0; i < count_; ++i) {
    if (joint_[i] == joint) {
      weight_[i] += weight;
      return;
    }
  }
  if (count_ == joint_.size()) return;
  joint_[count_] = joint;
  weight_[count_++] = weight;
}

Influences InfluenceSum::Take() const {
  std::array<size_t, 24> order{};
  for (size_t i = 0; i < count_; ++i) order[i] = i;
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count_),
            [this](size_t a, size_t b) { return weight_[a] > weight_[b]; });
  Influences out;
  float sum = 0;
  const size_t kept = std::min<size_t>(count_, 4);
  for (size_t i = 0; i < kept; ++i) sum += weight_[order[i]];
  for (size_t i = 0; i < kept; ++i) {
    out.joint[i] = static_cast<int16_t>(joint_[order[i]]);
    out.weight[i] = weight_[order[i]] / sum;
  }
  return out;
}

}  // namespace posewire::avatar
