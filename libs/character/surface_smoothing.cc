#include "libs/character/surface_smoothing.h"

#include <algorithm>

#include "libs/character/smooth_normals.h"

namespace posewire::character {
namespace {

using skel::Vec3;

// A point is smoothed by this times the share that its heaviest joint leaves to the others.
constexpr float kByShareOfOthers = 2.5f;
constexpr float kLeastStrength = 0.01f;

}  // namespace

SurfaceSmoothing::SurfaceSmoothing(const PointSkin& skin, const Smoothing& settings)
    : rounds_(settings.rounds), twins_(TwinsOf(skin.rest(), {})), scratch_(skin.points()) {
  std::vector<std::vector<uint32_t>> round(skin.points());
  for (size_t k = 0; k + 2 < skin.triangles().size(); k += 3) {
    for (size_t e = 0; e < 3; ++e) {
      const uint32_t a = twins_[skin.triangles()[k + e]],
                     b = twins_[skin.triangles()[k + (e + 1) % 3]];
      if (a == b) continue;
      round[a].push_back(b);
      round[b].push_back(a);
    }
  }
  begin_ = {0};
  for (std::vector<uint32_t>& list : round) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    neighbours_.insert(neighbours_.end(), list.begin(), list.end());
    begin_.push_back(static_cast<uint32_t>(neighbours_.size()));
  }
  for (const float heaviest : skin.heaviest()) {
    strength_.push_back(std::clamp(kByShareOfOthers * (1 - heaviest), 0.0f, settings.strength));
  }
  if (settings.around) Spread(skin, settings);
  for (uint32_t i = 0; i < strength_.size(); ++i) {
    if (strength_[i] > 0) moved_.push_back(i);
  }
  Relax(skin.rest());
  for (size_t i = 0; i < skin.points(); ++i) rest_detail_.push_back(skin.rest()[i] - relaxed_[i]);
}

// Edges between points of different joints are strongest; around them the strength falls within the
// reach of the smoothing.
void SurfaceSmoothing::Spread(const PointSkin& skin, const Smoothing& settings) {
  std::vector<float> next(strength_.size());
  const auto neighbours = [&](size_t i) {
    return absl::MakeConstSpan(neighbours_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  };
  for (size_t i = 0; i < strength_.size(); ++i) {
    if (twins_[i] != i) continue;
    for (const uint32_t n : neighbours(i)) {
      if (skin.heaviest_nodes()[n] != skin.heaviest_nodes()[i]) strength_[i] = settings.strength;
    }
  }
  for (int round = 0; round < rounds_; ++round) {
    for (size_t i = 0; i < strength_.size(); ++i) {
      next[i] = strength_[i];
      if (twins_[i] != i || neighbours(i).empty()) continue;
      float sum = 0;
      for (const uint32_t n : neighbours(i)) sum += strength_[n];
      next[i] = std::max(next[i], sum / static_cast<float>(neighbours(i).size()));
      if (next[i] < kLeastStrength) next[i] = 0;
    }
    for (size_t i = 0; i < strength_.size(); ++i) strength_[i] = next[twins_[i]];
  }
}

void SurfaceSmoothing::Relax(absl::Span<const Vec3> points) {
  relaxed_.assign(points.begin(), points.end());
  for (int round = 0; round < rounds_; ++round) {
    for (const uint32_t i : moved_) {
      const uint32_t from = begin_[i], to = begin_[i + 1];
      scratch_[i] = relaxed_[i];
      if (twins_[i] != i || from == to) continue;
      Vec3 sum;
      for (uint32_t k = from; k < to; ++k) sum = sum + relaxed_[neighbours_[k]];
      scratch_[i] = skel::Lerp(relaxed_[i], sum * (1 / static_cast<float>(to - from)), 0.5f);
    }
    for (const uint32_t i : moved_) {
      const uint32_t twin = twins_[i];
      relaxed_[i] = strength_[twin] > 0 ? scratch_[twin] : relaxed_[twin];
    }
  }
}

void SurfaceSmoothing::Run(absl::Span<const skel::Affine> transforms, absl::Span<Vec3> points) {
  Relax(points);
  for (const uint32_t i : moved_) {
    const Vec3 smooth = relaxed_[i] + skel::TransformVector(transforms[i], rest_detail_[i]);
    points[i] = skel::Lerp(points[i], smooth, strength_[i]);
  }
}

}  // namespace posewire::character
