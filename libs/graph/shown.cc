#include "libs/graph/shown.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "libs/graph/presence.h"

namespace posewire::graph {
namespace {

// What is compared at once: floats of a line of the cache.
constexpr int kBlock = 16;
constexpr int kMostBlocks = 32;  // two bits each

// Whether `has` says any of n joints.
bool Any(const uint8_t* has, int n) {
  return std::memchr(has, 1, static_cast<size_t>(n)) != nullptr;
}

// Whether three rows are those of another pose, bit by bit.
using Three = std::array<const float*, 3>;
bool Same(const Three& a, const Three& b, int at, int n) {
  uint32_t difference = 0;
  for (size_t r = 0; r < a.size(); ++r) {
    const float *p = a[r] + at, *q = b[r] + at;
    const auto compare = [&](int i) {
      difference |= std::bit_cast<uint32_t>(p[i]) ^ std::bit_cast<uint32_t>(q[i]);
    };
    if (n == kBlock) {
      for (int i = 0; i < kBlock; ++i) compare(i);
    } else {
      for (int i = 0; i < n; ++i) compare(i);
    }
  }
  return difference == 0;
}

void CopyRotations(const skel::PoseView& from, const skel::PoseSpan& to) {
  for (int j = 0; j < from.joints; j += kBlock) {
    const int n = std::min(from.joints - j, kBlock);
    if (!Any(from.has_r + j, n)) continue;
    std::copy_n(from.qw + j, n, to.qw + j);
    std::copy_n(from.qx + j, n, to.qx + j);
    std::copy_n(from.qy + j, n, to.qy + j);
    std::copy_n(from.qz + j, n, to.qz + j);
  }
}

}  // namespace

Shown::Shown(int first, int joints, int shapes, const skel::PoseView& rest) : first_(first) {
  for (Kept& kept : poses_) kept.pose.Resize(joints, shapes);
  if (rest.joints < first + joints || joints > kMostBlocks * kBlock) return;
  rest_ = Part(rest, first, joints);
  for (Kept& kept : poses_) {
    const skel::PoseSpan& to = kept.pose.span();
    std::copy_n(rest_.tx, joints, to.tx);
    std::copy_n(rest_.ty, joints, to.ty);
    std::copy_n(rest_.tz, joints, to.tz);
    std::copy_n(rest_.sx, joints, to.sx);
    std::copy_n(rest_.sy, joints, to.sy);
    std::copy_n(rest_.sz, joints, to.sz);
  }
}

// Translations and scales.
void Shown::CopyPlaces(const skel::PoseView& from, Kept& kept) const {
  const skel::PoseSpan& to = kept.pose.span();
  const auto copy = [&](const uint8_t* has, const Three& row, const Three& rest,
                        const std::array<float*, 3>& out, int bits) {
    uint64_t bit = uint64_t{1} << bits;
    for (int j = 0; j < from.joints; j += kBlock, bit <<= 1) {
      const int n = std::min(from.joints - j, kBlock);
      if (!Any(has + j, n)) continue;
      const bool known = rest_.joints > 0;
      const bool moved = !known || !Same(row, rest, j, n);
      if (!moved && (kept.moved & bit) == 0) continue;
      for (size_t r = 0; r < row.size(); ++r) std::copy_n(row[r] + j, n, out[r] + j);
      if (known) kept.moved = moved ? kept.moved | bit : kept.moved & ~bit;
    }
  };
  copy(from.has_t, {from.tx, from.ty, from.tz}, {rest_.tx, rest_.ty, rest_.tz},
       {to.tx, to.ty, to.tz}, 0);
  copy(from.has_s, {from.sx, from.sy, from.sz}, {rest_.sx, rest_.sy, rest_.sz},
       {to.sx, to.sy, to.sz}, kMostBlocks);
}

void Shown::Copy(const skel::PoseView& from, Kept& kept) const {
  const skel::PoseSpan& to = kept.pose.span();
  CopyPlaces(from, kept);
  CopyRotations(from, to);
  const auto joints = static_cast<size_t>(from.joints), shapes = static_cast<size_t>(from.shapes);
  if (shapes > 0 && Any(from.has_w, from.shapes)) std::copy_n(from.weights, shapes, to.weights);
  const bool all = SaysAll(from);
  if (!all || !kept.says_all) {
    std::copy_n(from.has_t, joints, to.has_t);
    std::copy_n(from.has_r, joints, to.has_r);
    std::copy_n(from.has_s, joints, to.has_s);
    std::copy_n(from.has_w, shapes, to.has_w);
  }
  kept.says_all = all;
}

void Shown::Keep(double dt_s, const skel::PoseView& pose) {
  newest_ = 1 - newest_;
  Copy(pose, poses_[newest_]);
  dt_s_ = dt_s;
  ticks_ = std::min(ticks_ + 1, 2);
}

void Shown::Write(int ago, const skel::PoseSpan& out) const {
  Part(out, first_, joints()).CopyFrom(ago == 0 ? newest() : before());
}

}  // namespace posewire::graph
