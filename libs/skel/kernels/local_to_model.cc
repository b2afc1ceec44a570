// The walk down the hierarchy. First every joint's own matrix, a block of lanes at a time; then the
// products, joint by joint, a row of a matrix in four lanes.
#include <array>

#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"
#include "libs/skel/rig_limits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/local_to_model.cc"
#include "hwy/foreach_target.h"
// After it, for it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

// Of each joint the twelve numbers of its matrix, row by row, each in a row of its own.
struct LocalMatrices {
  HWY_ALIGN float at[12][kMostJoints];
};
// Four rows of four; the fourth of each row says nothing.
struct ModelMatrices {
  HWY_ALIGN float at[kMostJoints][16];
};

template <class D>
HWY_INLINE hn::Vec<D> OrRest(D d, const float* local, const float* rest, const uint8_t* has,
                             bool all) {
  const auto x = hn::LoadU(d, local);
  return all ? x : hn::IfThenElse(Present(d, has), x, hn::LoadU(d, rest));
}

template <class D>
HWY_INLINE void MakeLocal(D d, const PoseView& p, const PoseView& rest, int j, LocalMatrices& m) {
  const bool all_t = Flags<D>::Load(p.has_t + j).all(), all_r = Flags<D>::Load(p.has_r + j).all(),
             all_s = Flags<D>::Load(p.has_s + j).all();
  const auto w = OrRest(d, p.qw + j, rest.qw + j, p.has_r + j, all_r);
  const auto x = OrRest(d, p.qx + j, rest.qx + j, p.has_r + j, all_r);
  const auto y = OrRest(d, p.qy + j, rest.qy + j, p.has_r + j, all_r);
  const auto z = OrRest(d, p.qz + j, rest.qz + j, p.has_r + j, all_r);
  const auto sx = OrRest(d, p.sx + j, rest.sx + j, p.has_s + j, all_s);
  const auto sy = OrRest(d, p.sy + j, rest.sy + j, p.has_s + j, all_s);
  const auto sz = OrRest(d, p.sz + j, rest.sz + j, p.has_s + j, all_s);
  const auto one = hn::Set(d, 1.0f);
  const auto x2 = hn::Add(x, x), y2 = hn::Add(y, y), z2 = hn::Add(z, z);
  const auto xx = hn::Mul(x, x2), yy = hn::Mul(y, y2), zz = hn::Mul(z, z2);
  const auto xy = hn::Mul(x, y2), xz = hn::Mul(x, z2), yz = hn::Mul(y, z2);
  const auto wx = hn::Mul(w, x2), wy = hn::Mul(w, y2), wz = hn::Mul(w, z2);
  const auto put = [&](int i, hn::Vec<D> v) HWY_ATTR { hn::StoreU(v, d, m.at[i] + j); };
  put(0, hn::Mul(sx, hn::Sub(one, hn::Add(yy, zz))));
  put(1, hn::Mul(sx, hn::Add(xy, wz)));
  put(2, hn::Mul(sx, hn::Sub(xz, wy)));
  put(3, hn::Mul(sy, hn::Sub(xy, wz)));
  put(4, hn::Mul(sy, hn::Sub(one, hn::Add(xx, zz))));
  put(5, hn::Mul(sy, hn::Add(yz, wx)));
  put(6, hn::Mul(sz, hn::Add(xz, wy)));
  put(7, hn::Mul(sz, hn::Sub(yz, wx)));
  put(8, hn::Mul(sz, hn::Sub(one, hn::Add(xx, yy))));
  put(9, OrRest(d, p.tx + j, rest.tx + j, p.has_t + j, all_t));
  put(10, OrRest(d, p.ty + j, rest.ty + j, p.has_t + j, all_t));
  put(11, OrRest(d, p.tz + j, rest.tz + j, p.has_t + j, all_t));
}

HWY_INLINE void MakeAllLocal(const PoseView& local, const PoseView& rest, LocalMatrices& m) {
  const Wide d;
  constexpr int kLanes = LanesOf(d);
  const int n = local.joints;
  if (n < kLanes) {
    for (int j = 0; j < n; ++j) MakeLocal(Single(), local, rest, j, m);
    return;
  }
  for (int j = 0; j + kLanes <= n; j += kLanes) MakeLocal(d, local, rest, j, m);
  if (n % kLanes != 0) MakeLocal(d, local, rest, n - kLanes, m);
}

// As many of the four lanes of a row as the target has.
using Row = hn::CappedTag<float, 4>;

HWY_INLINE void MulByParent(const LocalMatrices& local, int j, const float* HWY_RESTRICT parent,
                            float* HWY_RESTRICT out) {
  const Row d;
  for (int c = 0; c < 4; c += LanesOf(d)) {
    const auto p0 = hn::LoadU(d, parent + c), p1 = hn::LoadU(d, parent + 4 + c);
    const auto p2 = hn::LoadU(d, parent + 8 + c), p3 = hn::LoadU(d, parent + 12 + c);
    for (int r = 0; r < 4; ++r) {
      auto sum = hn::Mul(p0, hn::Set(d, local.at[3 * r][j]));
      sum = MulPlus(d, p1, hn::Set(d, local.at[3 * r + 1][j]), sum);
      sum = MulPlus(d, p2, hn::Set(d, local.at[3 * r + 2][j]), sum);
      if (r == 3) sum = hn::Add(sum, p3);
      hn::StoreU(sum, d, out + 4 * r + c);
    }
  }
}

HWY_INLINE void Walk(const LocalMatrices& local, const absl::Span<const int16_t> parents,
                     ModelMatrices& model) {
  for (size_t j = 0; j < parents.size(); ++j) {
    float* out = model.at[j];
    if (parents[j] >= 0) {
      MulByParent(local, static_cast<int>(j), model.at[parents[j]], out);
      continue;
    }
    for (size_t r = 0; r < 4; ++r) {
      for (size_t c = 0; c < 3; ++c) out[4 * r + c] = local.at[3 * r + c][j];
      out[4 * r + 3] = 0;
    }
  }
}

}  // namespace

void LocalToModelKernel(const LocalToModelJob& job) {
  LocalMatrices local;
  ModelMatrices model;
  MakeAllLocal(job.local, job.rig->rest(), local);
  Walk(local, job.rig->topology().parents(), model);
  for (size_t j = 0; j < job.matrices.size(); ++j) {
    for (size_t r = 0; r < 4; ++r) {
      const float* row = model.at[j] + 4 * r;
      job.matrices[j].row[r] = {row[0], row[1], row[2]};
    }
  }
  for (size_t j = 0; j < job.positions.size(); ++j) {
    const float* row = model.at[j] + 12;
    job.positions[j] = {row[0], row[1], row[2]};
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::skel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::skel {
HWY_EXPORT(LocalToModelKernel);
void kernels::LocalToModel(const LocalToModelJob& job) {
  HWY_DYNAMIC_DISPATCH(LocalToModelKernel)(job);
}
}  // namespace posewire::skel
#endif  // HWY_ONCE
