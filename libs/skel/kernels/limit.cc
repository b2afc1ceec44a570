// Finds joints that may be out of their limits, one block of lanes at a time.
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"
#include "libs/skel/limit_job.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/limit.cc"
#include "hwy/foreach_target.h"
// Must follow targets.h, because it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

// The limits of a block of joints, component by component.
template <class D>
struct Bounds {
  static constexpr int kLanes = LanesOf(D());
  HWY_ALIGN float low[3][kLanes], high[3][kLanes];

  HWY_INLINE Bounds(const Rig& rig, int j) {
    for (int i = 0; i < kLanes; ++i) {
      const JointLimit& l = rig.limits()[static_cast<size_t>(j + i)];
      low[0][i] = l.min.x, low[1][i] = l.min.y, low[2][i] = l.min.z;
      high[0][i] = l.max.x, high[1][i] = l.max.y, high[2][i] = l.max.z;
    }
  }
};

// SurelyWithin, lane by lane.
template <class D>
HWY_INLINE hn::Mask<D> Within(D d, const Rig& rig, const PoseView& pose, int j) {
  const Quats<D> rest = LoadRotations(d, rig.rest(), j);
  const Quats<D> back = {rest.w, hn::Neg(rest.x), hn::Neg(rest.y), hn::Neg(rest.z)};
  Quats<D> q = Mul(d, back, LoadRotations(d, pose, j));
  q = Select(d, hn::Lt(q.w, hn::Zero(d)),
             Quats<D>{hn::Neg(q.w), hn::Neg(q.x), hn::Neg(q.y), hn::Neg(q.z)}, q);
  const auto twist_part = hn::Add(hn::Mul(q.w, q.w), hn::Mul(q.y, q.y));
  auto within = hn::And(hn::Ge(twist_part, hn::Set(d, 0.75f)), hn::Le(hn::Abs(q.y), q.w));
  const auto inv = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(twist_part));
  const hn::Vec<D> v[] = {hn::Mul(MulPlus(d, q.x, q.w, hn::Mul(q.z, q.y)), inv), hn::Div(q.y, q.w),
                          hn::Mul(hn::Sub(hn::Mul(q.z, q.w), hn::Mul(q.x, q.y)), inv)};
  const Bounds<D> bounds(rig, j);
  for (size_t i = 0; i < 3; ++i) {
    const float* factors = i == 1 ? kTwistFactors : kSwingFactors;
    const auto low = hn::LoadU(d, bounds.low[i]), high = hn::LoadU(d, bounds.high[i]);
    for (int k = 0; k < 2; ++k) {
      const auto x = hn::Mul(v[i], hn::Set(d, factors[k]));
      within = hn::And(within, hn::And(hn::Ge(x, low), hn::Le(x, high)));
    }
  }
  return within;
}

template <class D>
HWY_INLINE void Mark(D d, const Rig& rig, const PoseView& pose, int j, uint8_t* doubtful) {
  const Flags<D> flags = Flags<D>::Load(pose.has_r + j);
  if (flags.none()) {
    flags.Store(doubtful + j);
    return;
  }
  const auto has = Present(d, pose.has_r + j);
  StorePresent(d, hn::AndNot(Within(d, rig, pose, j), has), doubtful + j);
}

}  // namespace

void FindDoubtfulKernel(const Rig& rig, const PoseView& pose, uint8_t* doubtful) {
  const Wide d;
  constexpr int kLanes = LanesOf(d);
  const int n = pose.joints;
  if (n < kLanes) {
    for (int j = 0; j < n; ++j) Mark(Single(), rig, pose, j, doubtful);
    return;
  }
  for (int j = 0; j + kLanes <= n; j += kLanes) Mark(d, rig, pose, j, doubtful);
  if (n % kLanes != 0) Mark(d, rig, pose, n - kLanes, doubtful);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::skel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::skel {
HWY_EXPORT(FindDoubtfulKernel);
void kernels::FindDoubtful(const Rig& rig, const PoseView& pose, uint8_t* doubtful) {
  HWY_DYNAMIC_DISPATCH(FindDoubtfulKernel)(rig, pose, doubtful);
}
}  // namespace posewire::skel
#endif  // HWY_ONCE
