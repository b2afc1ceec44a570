// Blends one pose on top of another, one block of lanes at a time.
#include "libs/skel/job_check.h"
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/layer.cc"
#include "hwy/foreach_target.h"
// Must follow targets.h, because it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

// The layer's weight in each lane.
template <class D>
struct Amount {
  hn::Vec<D> t;
  hn::Mask<D> some, part;  // above 0; and of those, below 1

  HWY_INLINE Amount(D d, float weight, const float* mask) : t(hn::Set(d, weight)) {
    if (mask != nullptr) t = hn::Mul(t, hn::LoadU(d, mask));
    some = hn::Gt(t, hn::Zero(d));
    part = hn::And(some, hn::Lt(t, hn::Set(d, 1.0f)));
  }
};

// Lanes of a component where the layer has an effect, and those that mix both.
template <class D>
struct Taken {
  Flags<D> below, layer;
  hn::Mask<D> lay, mix;

  HWY_INLINE Taken(D d, const Amount<D>& amount, const uint8_t* has_below, const uint8_t* has_layer)
      : below(Flags<D>::Load(has_below)),
        layer(Flags<D>::Load(has_layer)),
        lay(amount.some),
        mix(amount.part) {
    if (!layer.all()) lay = hn::And(lay, Present(d, has_layer));
    if (!layer.all() || !below.all()) {
      mix = hn::And(hn::And(mix, lay), Present(d, has_below));
    }
  }
  // Presence where the layer has an effect: as before, or now present.
  HWY_INLINE void StoreFlags(D d, const uint8_t* has_below, uint8_t* out) const {
    if (below.all()) {
      below.Store(out);
    } else {
      StorePresent(d, hn::Or(lay, Present(d, has_below)), out);
    }
  }
};

template <template <class, class> class Rows, class D>
HWY_INLINE void LayRows(D d, const LayerJob& job, const Amount<D>& amount, int i,
                        const PoseSpan& to, int k) {
  const ConstRows<Rows> below(job.below), layer(job.layer);
  const OutRows<Rows> out(to);
  const Taken<D> taken(d, amount, below.has + i, layer.has + i);
  if (taken.layer.none()) {
    if (!taken.below.none()) CopyRows<Rows>(d, job.below, i, to, k);
    taken.below.Store(out.has + k);
    return;
  }
  for (int r = 0; r < out.kRows; ++r) {
    const auto a = hn::LoadU(d, below.row[r] + i), b = hn::LoadU(d, layer.row[r] + i);
    const auto mix = MulPlus(d, hn::Sub(b, a), amount.t, a);
    hn::StoreU(hn::IfThenElse(taken.mix, mix, hn::IfThenElse(taken.lay, b, a)), d, out.row[r] + k);
  }
  taken.StoreFlags(d, below.has + i, out.has + k);
}

template <class D>
HWY_INLINE void LayRotations(D d, const LayerJob& job, const Amount<D>& amount, int j,
                             const PoseSpan& to, int k) {
  const Taken<D> taken(d, amount, job.below.has_r + j, job.layer.has_r + j);
  const Quats<D> a = LoadRotations(d, job.below, j);
  if (taken.layer.none()) {
    StoreRotations(d, a, to, k);
    taken.below.Store(to.has_r + k);
    return;
  }
  const Quats<D> b = LoadRotations(d, job.layer, j);
  Quats<D> q = Select(d, taken.lay, b, a);
  if (!hn::AllFalse(d, taken.mix)) {
    const bool slerp = job.rotations == LayerJob::Rotations::kSlerp;
    const Quats<D> mix = slerp ? Slerp(d, a, b, amount.t) : Nlerp(d, a, b, amount.t);
    q = Select(d, taken.mix, mix, q);
  }
  StoreRotations(d, q, to, k);
  taken.StoreFlags(d, job.below.has_r + j, to.has_r + k);
}

}  // namespace

void LayerKernel(const LayerJob& job) {
  const float weight = ClampWeight(job.weight);
  const bool in_place = job.out.tx == job.below.tx;
  const float* joint_mask = job.mask == nullptr ? nullptr : job.mask->joint_row();
  const float* shape_mask = job.mask == nullptr ? nullptr : job.mask->shape_row();
  ForJoints(job.out, [&](auto d, int j, const PoseSpan& to, int k) HWY_ATTR {
    using D = decltype(d);
    const Amount<D> amount(d, weight, joint_mask == nullptr ? nullptr : joint_mask + j);
    if (hn::AllFalse(d, amount.some)) {
      if (!in_place) CopyJoints(d, job.below, j, to, k);
      return;
    }
    LayRows<TranslationRows>(d, job, amount, j, to, k);
    LayRotations(d, job, amount, j, to, k);
    LayRows<ScaleRows>(d, job, amount, j, to, k);
  });
  ForShapes(job.out, [&](auto d, int s, const PoseSpan& to, int k) HWY_ATTR {
    using D = decltype(d);
    const Amount<D> amount(d, weight, shape_mask == nullptr ? nullptr : shape_mask + s);
    if (hn::AllFalse(d, amount.some)) {
      if (!in_place) CopyShapes(d, job.below, s, to, k);
      return;
    }
    LayRows<WeightRows>(d, job, amount, s, to, k);
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::skel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::skel {
HWY_EXPORT(LayerKernel);
void kernels::Layer(const LayerJob& job) { HWY_DYNAMIC_DISPATCH(LayerKernel)(job); }
}  // namespace posewire::skel
#endif  // HWY_ONCE
