#include "libs/formats/usd/extents.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "libs/mesh/extent.h"

namespace posewire::usd {
namespace {

using mesh::Extent;
using skel::Affine;

constexpr float kFarthest_m = 100;

std::optional<Extent> ExtentAt(const Stage& stage, int prim, double time) {
  const std::vector<double> v = stage.Numbers(prim, "extent", time);
  if (v.size() != 6) return std::nullopt;
  const auto at = [&](size_t i) {
    return skel::Vec3{static_cast<float>(v[i]), static_cast<float>(v[i + 1]),
                      static_cast<float>(v[i + 2])};
  };
  const Extent out{at(0), at(3)};
  // An empty one has its corners swapped.
  if (out.low.x > out.high.x || out.low.y > out.high.y || out.low.z > out.high.z) {
    return std::nullopt;
  }
  return out;
}

// Sorts the times, and leaves some of them, with the first and the last.
void Thin(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.empty()) times.push_back(kEarliest);
  const size_t count = times.size();
  if (count <= kMostExtentTimes) return;
  for (size_t i = 0; i < kMostExtentTimes; ++i) {
    times[i] = times[i * (count - 1) / (kMostExtentTimes - 1)];
  }
  times.resize(kMostExtentTimes);
}

void Add(const Extent& extent, asset::Bounds& out) {
  out.Add(extent.low);
  out.Add(extent.high);
}

// Scales of poses are relative to those at rest.
Extent BoxOf(const Skeleton& skeleton, const std::vector<JointPlace>& pose) {
  const bool of_rest = &pose == &skeleton.rest;
  std::vector<Affine> models;
  for (size_t j = 0; j < pose.size(); ++j) {
    const skel::Vec3 s = pose[j].scale,
                     rest = of_rest ? skel::Vec3{1, 1, 1} : skeleton.rest[j].scale;
    const Affine own = skel::FromTrs(pose[j].translation, pose[j].rotation,
                                     {s.x * rest.x, s.y * rest.y, s.z * rest.z});
    const int parent = skeleton.parents[j];
    models.push_back(parent < 0 ? own : skel::Mul(own, models[static_cast<size_t>(parent)]));
  }
  return mesh::JointExtent(models);
}

// How far meshes reach past the joints at rest.
float PaddingOf(const Stage& stage, const SkeletonInstances& all, const Skeleton& skeleton) {
  const Affine to_ours =
      skel::FromTrs(skeleton.space.translation, skeleton.space.rotation, skeleton.space.scale);
  const Extent rest = BoxOf(skeleton, skeleton.rest);
  float out = 0;
  for (size_t i = 0; i < stage.nodes().size(); ++i) {
    const auto prim = static_cast<int>(i);
    if (!stage.nodes()[i].defined || stage.prim(prim).type != "Mesh") continue;
    const int bound = all.BoundAt(stage, prim);
    if (bound < 0 || all.all[static_cast<size_t>(bound)].prim != skeleton.prim) continue;
    const std::optional<Extent> own = ExtentAt(stage, prim, kEarliest);
    if (!own) continue;
    Affine bind;
    if (const int g = stage.Inherited(prim, "primvars:skel:geomBindTransform"); g >= 0) {
      bind = AffineOf(stage.Numbers(g, "primvars:skel:geomBindTransform"));
    }
    out =
        std::max(out, mesh::ExtentPadding(rest, mesh::Transformed(*own, skel::Mul(bind, to_ours))));
  }
  return out;
}

bool IsUsable(const asset::Bounds& bounds) {
  const skel::Vec3 a = bounds.low, b = bounds.high;
  const float sum = std::fabs(a.x) + std::fabs(a.y) + std::fabs(a.z) + std::fabs(b.x) +
                    std::fabs(b.y) + std::fabs(b.z);
  return bounds.any && sum < kFarthest_m;
}

}  // namespace

asset::Bounds BoundsOf(const Stage& stage, const SkeletonInstances& all, const Skeleton& skeleton,
                       int root, const asset::GroundPlace& place) {
  const Affine into = asset::Into(place);
  asset::Bounds out;
  std::vector<double> times;
  if (stage.prim(root).type == "SkelRoot" && stage.Has(root, "extent")) {
    times = stage.Times(root, "extent");
    stage.AddTimesOfPlace(root, times);
    Thin(times);
    for (const double time : times) {
      const std::optional<Extent> own = ExtentAt(stage, root, time);
      const Affine to_ours = skel::Mul(stage.ToStage(root, time), stage.to_our_space());
      if (own) Add(mesh::Transformed(*own, skel::Mul(to_ours, into)), out);
    }
    if (IsUsable(out)) return out;
    out = {};
    times.clear();
  }
  Skeleton here = skeleton;
  PutInto(into, here);
  SkeletonMotion motion(stage, here);
  for (const char* attribute : {"translations", "rotations", "scales"}) {
    for (const double time : motion.Times(attribute)) {
      if (time != kEarliest) times.push_back(time);
    }
  }
  Thin(times);
  const float padding = PaddingOf(stage, all, here);
  for (const double time : times) {
    Add(mesh::Padded(BoxOf(here, motion.PoseAt(time)), padding), out);
  }
  return IsUsable(out) ? out : asset::Bounds{};
}

}  // namespace posewire::usd
