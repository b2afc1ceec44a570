// Goes down the hierarchy, one block of lanes at a time: first the matrices of the block's joints,
// all at once, then their products with those of their parents, joint by joint, with a row of a
// matrix in four lanes.
#include <array>

#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"
#include "libs/skel/rig_limits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/local_to_model.cc"
#include "hwy/foreach_target.h"
// Must follow targets.h, because it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

// The twelve numbers of a matrix, row by row, each for all joints of a block.
struct LocalBlock {
  HWY_ALIGN float at[12][kMostLanes];
};
// Four rows of four; the fourth number of each row is unused.
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
HWY_INLINE void MakeLocal(D d, const PoseView& p, const PoseView& rest, int j, LocalBlock& m) {
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
  const auto put = [&](int i, hn::Vec<D> v) HWY_ATTR { hn::StoreU(v, d, m.at[i]); };
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

// As many of the four lanes of a row as the target has.
using Row = hn::CappedTag<float, 4>;
constexpr int kRowLanes = LanesOf(Row());

// Multiplies joint `k` of a block with its parent's matrix.
HWY_INLINE void MulByParent(const LocalBlock& local, int k, const float* HWY_RESTRICT parent,
                            float* HWY_RESTRICT out) {
  const Row d;
  for (int c = 0; c < 4; c += kRowLanes) {
    const auto p0 = hn::LoadU(d, parent + c), p1 = hn::LoadU(d, parent + 4 + c);
    const auto p2 = hn::LoadU(d, parent + 8 + c), p3 = hn::LoadU(d, parent + 12 + c);
    for (int r = 0; r < 4; ++r) {
      const auto x = hn::Mul(p0, hn::Set(d, local.at[3 * r][k]));
      const auto y = hn::Mul(p1, hn::Set(d, local.at[3 * r + 1][k]));
      auto z = hn::Mul(p2, hn::Set(d, local.at[3 * r + 2][k]));
      if (r == 3) z = hn::Add(z, p3);
      hn::StoreU(hn::Add(hn::Add(x, y), z), d, out + 4 * r + c);
    }
  }
}

HWY_INLINE void CopyRoot(const LocalBlock& local, int k, float* out) {
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 3; ++c) out[4 * r + c] = local.at[3 * r + c][k];
    out[4 * r + 3] = 0;
  }
}

HWY_INLINE Vec3 RowOf(const float* matrix, int r) {
  return {matrix[4 * r], matrix[4 * r + 1], matrix[4 * r + 2]};
}

template <class D>
HWY_INLINE void WalkBlock(D d, const LocalToModelJob& job, int from, int first,
                          ModelMatrices& model) {
  LocalBlock local;
  MakeLocal(d, job.local, job.rig->rest(), first, local);
  for (int j = from; j < first + LanesOf(d); ++j) {
    const auto at = static_cast<size_t>(j);
    const int parent = job.rig->topology().parent(j);
    float* out = model.at[at];
    if (parent < 0) {
      CopyRoot(local, j - first, out);
    } else {
      MulByParent(local, j - first, model.at[parent], out);
    }
    if (!job.matrices.empty()) {
      // In all rows except the last, the unused number is overwritten by the next row.
      static_assert(sizeof(Affine) == 12 * sizeof(float));
      char* to = reinterpret_cast<char*>(&job.matrices[at]);
      for (int r = 0; r < 3; ++r) std::memcpy(to + 12 * r, out + 4 * r, 16);
      std::memcpy(to + 36, out + 12, 12);
    }
    if (!job.positions.empty()) job.positions[at] = RowOf(out, 3);
  }
}

}  // namespace

void LocalToModelKernel(const LocalToModelJob& job) {
  const Wide d;
  constexpr int kLanes = LanesOf(d);
  ModelMatrices model;
  const int n = job.local.joints;
  if (n < kLanes) {
    for (int j = 0; j < n; ++j) WalkBlock(Single(), job, j, j, model);
    return;
  }
  // The last block overlaps the one before.
  for (int j = 0; j < n; j += kLanes) WalkBlock(d, job, j, std::min(j, n - kLanes), model);
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
