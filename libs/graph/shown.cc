#include "libs/graph/shown.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "libs/graph/presence.h"

namespace posewire::graph {
namespace {

// One component of all joints: its presence, and its rows where any joint has it.
void CopyRows(int joints, const uint8_t* has, uint8_t* to_has,
              std::initializer_list<std::pair<const float*, float*>> rows) {
  const auto n = static_cast<size_t>(joints);
  std::memcpy(to_has, has, n);
  if (n == 0 || std::memchr(has, 1, n) == nullptr) return;
  for (const auto& [from, to] : rows) std::memcpy(to, from, n * sizeof(float));
}

// The whole of a pose whose rows lie as in a skel::Pose, in both, at once. False where they do not.
bool CopyBlock(const skel::PoseView& from, const skel::PoseSpan& to) {
  const auto row = from.ty - from.tx, end = from.weights + from.shapes - from.tx;
  const auto lies = [row](const auto& p) {
    const float* at = p.tx;
    for (const float* next : {p.ty, p.tz, p.qw, p.qx, p.qy, p.qz, p.sx, p.sy, p.sz, p.weights}) {
      if (next != (at += row)) return false;
    }
    return p.has_r == p.has_t + p.joints && p.has_s == p.has_r + p.joints &&
           p.has_w == p.has_s + p.joints;
  };
  if (row < from.joints || !lies(from) || !lies(to)) return false;
  std::memcpy(to.tx, from.tx, static_cast<size_t>(end) * sizeof(float));
  std::memcpy(to.has_t, from.has_t, static_cast<size_t>(3 * from.joints + from.shapes));
  return true;
}

void Copy(const skel::PoseView& from, const skel::PoseSpan& to) {
  if (SaysAll(from)) {
    if (!CopyBlock(from, to)) to.CopyFrom(from);
    return;
  }
  CopyRows(from.joints, from.has_t, to.has_t,
           {{from.tx, to.tx}, {from.ty, to.ty}, {from.tz, to.tz}});
  CopyRows(from.joints, from.has_r, to.has_r,
           {{from.qw, to.qw}, {from.qx, to.qx}, {from.qy, to.qy}, {from.qz, to.qz}});
  CopyRows(from.joints, from.has_s, to.has_s,
           {{from.sx, to.sx}, {from.sy, to.sy}, {from.sz, to.sz}});
  CopyRows(from.shapes, from.has_w, to.has_w, {{from.weights, to.weights}});
}

}  // namespace

Shown::Shown(int first, int joints, int shapes)
    : first_(first), poses_{skel::Pose(joints, shapes), skel::Pose(joints, shapes)} {}

void Shown::Keep(double dt_s, const skel::PoseView& pose) {
  newest_ = 1 - newest_;
  Copy(pose, poses_[newest_].span());
  dt_s_ = dt_s;
  ticks_ = std::min(ticks_ + 1, 2);
}

void Shown::Take(const Shown& other) {
  ticks_ = other.ticks_;
  dt_s_ = other.dt_s_;
  const int low = std::max(first_, other.first_);
  const int high = std::min(first_ + joints(), other.first_ + other.joints());
  const int n = std::max(high - low, 0);
  const auto take = [&](const skel::PoseView& from, const skel::PoseSpan& to) {
    if (n > 0) {
      Copy(Part(from, low - other.first_, n), Part(to, low - first_, n));
    } else {
      Copy(Part(from, 0, 0), Part(to, 0, 0));
    }
  };
  if (ticks_ > 0) take(other.newest(), poses_[newest_].span());
  if (ticks_ > 1) take(other.before(), poses_[1 - newest_].span());
}

}  // namespace posewire::graph
