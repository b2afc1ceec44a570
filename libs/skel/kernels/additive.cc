// Differences of poses and their sums, one block of lanes at a time.
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/additive.cc"
#include "hwy/foreach_target.h"
// Must follow targets.h, because it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

// out = subtract(pose, reference), for the lanes that have both.
template <template <class, class> class Rows, class D, class Subtract>
HWY_INLINE void TakeOutRows(D d, const MakeAdditiveJob& job, int i, const PoseSpan& to, int k,
                            const Subtract& subtract) {
  const ConstRows<Rows> a(job.pose), b(job.reference);
  const OutRows<Rows> out(to);
  const Flags<D> both = Flags<D>::Load(a.has + i) & Flags<D>::Load(b.has + i);
  both.Store(out.has + k);
  if (both.none()) return;
  for (int r = 0; r < out.kRows; ++r) {
    const auto x = subtract(hn::LoadU(d, a.row[r] + i), hn::LoadU(d, b.row[r] + i));
    hn::StoreU(x, d, out.row[r] + k);
  }
}

template <class D>
HWY_INLINE void TakeOutRotations(D d, const MakeAdditiveJob& job, int j, const PoseSpan& to,
                                 int k) {
  const Flags<D> both =
      Flags<D>::Load(job.pose.has_r + j) & Flags<D>::Load(job.reference.has_r + j);
  both.Store(to.has_r + k);
  if (both.none()) return;
  const Quats<D> r = LoadRotations(d, job.reference, j);
  const Quats<D> back = {r.w, hn::Neg(r.x), hn::Neg(r.y), hn::Neg(r.z)};
  StoreRotations(d, Mul(d, back, LoadRotations(d, job.pose, j)), to, k);
}

// The lanes that have both, and among those the ones with a weight.
template <class D>
struct Both {
  Flags<D> flags;
  hn::Mask<D> where;

  HWY_INLINE Both(D d, hn::Vec<D> weight, const uint8_t* a, const uint8_t* b)
      : flags(Flags<D>::Load(a) & Flags<D>::Load(b)), where(hn::Gt(weight, hn::Zero(d))) {
    if (!flags.all()) where = hn::And(where, hn::And(Present(d, a), Present(d, b)));
  }
};

// to = add(to, delta), for the lanes that have both.
template <template <class, class> class Rows, class D, class Sum>
HWY_INLINE void AddRows(D d, const PoseView& below, const PoseView& delta, hn::Vec<D> weight, int i,
                        const PoseSpan& to, int k, const Sum& sum) {
  const ConstRows<Rows> a(below), b(delta);
  const OutRows<Rows> out(to);
  const Both<D> both(d, weight, a.has + i, b.has + i);
  if (both.flags.none()) return;
  for (int r = 0; r < out.kRows; ++r) {
    const auto x = hn::LoadU(d, a.row[r] + i);
    const auto y = sum(x, hn::LoadU(d, b.row[r] + i));
    hn::StoreU(hn::IfThenElse(both.where, y, x), d, out.row[r] + k);
  }
}

// Returns the fraction `w`, 0..1, of a rotation from identity.
template <class D>
HWY_INLINE Quats<D> PartOf(D d, const Quats<D>& q, hn::Vec<D> w) {
  hn::Vec<D> fa, fb;
  Shares(d, hn::Abs(q.w), w, fa, fb);
  fb = hn::IfThenElse(hn::Lt(q.w, hn::Zero(d)), hn::Neg(fb), fb);
  return {MulPlus(d, fb, q.w, fa), hn::Mul(fb, q.x), hn::Mul(fb, q.y), hn::Mul(fb, q.z)};
}

template <class D>
HWY_INLINE void AddRotations(D d, const PoseView& below, const PoseView& delta, bool whole,
                             hn::Vec<D> weight, int j, const PoseSpan& to, int k) {
  const Both<D> both(d, weight, below.has_r + j, delta.has_r + j);
  if (both.flags.none()) return;
  const Quats<D> a = LoadRotations(d, below, j), b = LoadRotations(d, delta, j);
  const Quats<D> sum = Normalized(d, Mul(d, a, whole ? b : PartOf(d, b, weight)));
  StoreRotations(d, Select(d, both.where, sum, a), to, k);
}

}  // namespace

void MakeAdditiveKernel(const MakeAdditiveJob& job) {
  const auto difference = [](auto a, auto b) HWY_ATTR { return hn::Sub(a, b); };
  ForJoints(job.out, [&](auto d, int j, const PoseSpan& to, int k) HWY_ATTR {
    TakeOutRows<TranslationRows>(d, job, j, to, k, difference);
    TakeOutRotations(d, job, j, to, k);
    TakeOutRows<ScaleRows>(d, job, j, to, k, [d](auto a, auto b) HWY_ATTR {
      return hn::IfThenElse(hn::Eq(b, hn::Zero(d)), hn::Set(d, 1.0f), hn::Div(a, b));
    });
  });
  ForShapes(job.out, [&](auto d, int s, const PoseSpan& to, int k)
                         HWY_ATTR { TakeOutRows<WeightRows>(d, job, s, to, k, difference); });
}

void AddKernel(const PoseView& delta, float weight, const Mask* mask, const PoseSpan& out) {
  const bool whole = mask == nullptr && weight == 1;
  const auto amount = [weight](auto d, const float* row, int i) HWY_ATTR {
    const auto w = hn::Set(d, weight);
    return row == nullptr ? w : hn::Mul(w, hn::LoadU(d, row + i));
  };
  const float* joint_mask = mask == nullptr ? nullptr : mask->joint_row();
  const float* shape_mask = mask == nullptr ? nullptr : mask->shape_row();
  ForJoints(out, [&](auto d, int j, const PoseSpan& to, int k) HWY_ATTR {
    const auto w = amount(d, joint_mask, j);
    if (hn::AllFalse(d, hn::Gt(w, hn::Zero(d)))) return;
    AddRows<TranslationRows>(d, out, delta, w, j, to, k,
                             [d, w](auto a, auto b) HWY_ATTR { return MulPlus(d, b, w, a); });
    AddRotations(d, out, delta, whole, w, j, to, k);
    AddRows<ScaleRows>(d, out, delta, w, j, to, k, [d, w](auto a, auto b) HWY_ATTR {
      const auto one = hn::Set(d, 1.0f);
      return hn::Mul(a, MulPlus(d, hn::Sub(b, one), w, one));
    });
  });
  ForShapes(out, [&](auto d, int s, const PoseSpan& to, int k) HWY_ATTR {
    const auto w = amount(d, shape_mask, s);
    AddRows<WeightRows>(d, out, delta, w, s, to, k,
                        [d, w](auto a, auto b) HWY_ATTR { return MulPlus(d, b, w, a); });
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::skel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::skel {
HWY_EXPORT(MakeAdditiveKernel);
void kernels::MakeAdditive(const MakeAdditiveJob& job) {
  HWY_DYNAMIC_DISPATCH(MakeAdditiveKernel)(job);
}
HWY_EXPORT(AddKernel);
void kernels::Add(const PoseView& delta, float weight, const Mask* mask, const PoseSpan& out) {
  HWY_DYNAMIC_DISPATCH(AddKernel)(delta, weight, mask, out);
}
}  // namespace posewire::skel
#endif  // HWY_ONCE
