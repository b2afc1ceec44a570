// Weighted means of poses, a block of lanes at a time. Within a block each component takes one of
// three ways: no input has it, all have it in every lane, or some in some lanes.
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"
#include "libs/skel/mask.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/blend.cc"
#include "hwy/foreach_target.h"
// After it, for it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

using Input = BlendJob::Input;

struct Blending {
  absl::Span<const Input> inputs;
  const PoseView& below;
  float total;  // of the weights that count
};

HWY_INLINE bool Counts(const Input& in) { return in.weight > 0; }

// Presence of one component over all inputs that count.
template <class D>
struct Seen {
  Flags<D> somewhere, everywhere = Flags<D>::All();

  HWY_INLINE void Add(const uint8_t* has) {
    const Flags<D> f = Flags<D>::Load(has);
    somewhere = somewhere | f;
    everywhere = everywhere & f;
  }
};

// The lanes in which an input counts, and its weights there; 0 elsewhere.
template <bool kMasked, class D>
struct Part {
  hn::Mask<D> where;
  hn::Vec<D> weight;

  HWY_INLINE Part(D d, const Input& in, const uint8_t* has, const float* mask)
      : where(Present(d, has)), weight(hn::Set(d, in.weight)) {
    if (kMasked && in.mask != nullptr) {
      weight = hn::Mul(weight, hn::LoadU(d, mask));
      where = hn::And(where, hn::Gt(weight, hn::Zero(d)));
    }
    weight = hn::IfThenElseZero(where, weight);
  }
};

template <bool kMasked>
HWY_INLINE const float* JointMask(const Input& in, int j) {
  return kMasked && in.mask != nullptr ? in.mask->joint_row() + j : nullptr;
}
template <bool kMasked>
HWY_INLINE const float* ShapeMask(const Input& in, int s) {
  return kMasked && in.mask != nullptr ? in.mask->shape_row() + s : nullptr;
}

template <template <class, class> class Rows, bool kMasked, class D>
HWY_INLINE void BlendRows(D d, const Blending& b, const float* (*mask_of)(const Input&, int),
                          bool has_below, int i, const PoseSpan& to, int k) {
  const OutRows<Rows> out(to);
  const ConstRows<Rows> below(b.below);
  Seen<D> seen;
  for (const Input& in : b.inputs) {
    if (Counts(in)) seen.Add(ConstRows<Rows>(in.pose).has + i);
  }
  if (seen.somewhere.none()) {
    if (has_below) CopyRows<Rows>(d, b.below, i, to, k);
    (has_below ? Flags<D>::Load(below.has + i) : Flags<D>()).Store(out.has + k);
    return;
  }
  hn::Vec<D> sum[out.kRows];
  for (auto& s : sum) s = hn::Zero(d);
  if (!kMasked && seen.everywhere.all()) {
    for (const Input& in : b.inputs) {
      if (!Counts(in)) continue;
      const ConstRows<Rows> rows(in.pose);
      const auto w = hn::Set(d, in.weight);
      for (int r = 0; r < out.kRows; ++r)
        sum[r] = MulPlus(d, hn::LoadU(d, rows.row[r] + i), w, sum[r]);
    }
    const auto inv = hn::Set(d, 1 / b.total);
    for (int r = 0; r < out.kRows; ++r) hn::StoreU(hn::Mul(sum[r], inv), d, out.row[r] + k);
    seen.everywhere.Store(out.has + k);
    return;
  }
  auto total = hn::Zero(d);
  for (const Input& in : b.inputs) {
    if (!Counts(in)) continue;
    const ConstRows<Rows> rows(in.pose);
    const Part<kMasked, D> part(d, in, rows.has + i, mask_of(in, i));
    if (hn::AllFalse(d, part.where)) continue;
    total = hn::Add(total, part.weight);
    for (int r = 0; r < out.kRows; ++r) {
      const auto x = hn::IfThenElseZero(part.where, hn::LoadU(d, rows.row[r] + i));
      sum[r] = MulPlus(d, x, part.weight, sum[r]);
    }
  }
  const auto counts = hn::Gt(total, hn::Zero(d));
  const auto inv = hn::Div(hn::Set(d, 1.0f), total);
  for (int r = 0; r < out.kRows; ++r) {
    auto mean = hn::Mul(sum[r], inv);
    if (has_below) mean = hn::IfThenElse(counts, mean, hn::LoadU(d, below.row[r] + i));
    hn::StoreU(mean, d, out.row[r] + k);
  }
  StorePresent(d, has_below ? hn::Or(counts, Present(d, below.has + i)) : counts, out.has + k);
}

// Adds w q, or -w q where q points away from `first`.
template <class D>
HWY_INLINE void AddAligned(D d, const Quats<D>& first, const Quats<D>& q, hn::Vec<D> w,
                           Quats<D>& sum) {
  const auto away = hn::Lt(Dot(d, first, q), hn::Zero(d));
  w = hn::IfThenElse(away, hn::Neg(w), w);
  sum = {MulPlus(d, w, q.w, sum.w), MulPlus(d, w, q.x, sum.x), MulPlus(d, w, q.y, sum.y),
         MulPlus(d, w, q.z, sum.z)};
}

template <bool kMasked, class D>
HWY_INLINE void BlendRotations(D d, const Blending& b, bool has_below, int j, const PoseSpan& to,
                               int k) {
  Seen<D> seen;
  for (const Input& in : b.inputs) {
    if (Counts(in)) seen.Add(in.pose.has_r + j);
  }
  if (seen.somewhere.none()) {
    if (has_below) StoreRotations(d, LoadRotations(d, b.below, j), to, k);
    (has_below ? Flags<D>::Load(b.below.has_r + j) : Flags<D>()).Store(to.has_r + k);
    return;
  }
  const auto zero = hn::Zero(d);
  Quats<D> sum = {zero, zero, zero, zero};
  if (!kMasked && seen.everywhere.all()) {
    Quats<D> first = sum;
    bool any = false;
    for (const Input& in : b.inputs) {
      if (!Counts(in)) continue;
      const Quats<D> q = LoadRotations(d, in.pose, j);
      if (!any) first = q;
      any = true;
      AddAligned(d, first, q, hn::Set(d, in.weight), sum);
    }
    StoreRotations(d, Normalized(d, sum), to, k);
    seen.everywhere.Store(to.has_r + k);
    return;
  }
  Quats<D> first = sum;
  auto counts = hn::MaskFromVec(zero);
  for (const Input& in : b.inputs) {
    if (!Counts(in)) continue;
    const Part<kMasked, D> part(d, in, in.pose.has_r + j, JointMask<kMasked>(in, j));
    if (hn::AllFalse(d, part.where)) continue;
    const Quats<D> none = {zero, zero, zero, zero};
    const Quats<D> q = Select(d, part.where, LoadRotations(d, in.pose, j), none);
    first = Select(d, counts, first, q);
    counts = hn::Or(counts, part.where);
    AddAligned(d, first, q, part.weight, sum);
  }
  Quats<D> mean = Normalized(d, sum);
  if (has_below) mean = Select(d, counts, mean, LoadRotations(d, b.below, j));
  StoreRotations(d, mean, to, k);
  StorePresent(d, has_below ? hn::Or(counts, Present(d, b.below.has_r + j)) : counts, to.has_r + k);
}

template <bool kMasked>
HWY_INLINE void BlendAll(const Blending& b, const PoseSpan& out) {
  const bool below = b.below.joints > 0, shapes_below = b.below.shapes > 0;
  ForJoints(out, [&](auto d, int j, const PoseSpan& to, int k) HWY_ATTR {
    BlendRows<TranslationRows, kMasked>(d, b, JointMask<kMasked>, below, j, to, k);
    BlendRotations<kMasked>(d, b, below, j, to, k);
    BlendRows<ScaleRows, kMasked>(d, b, JointMask<kMasked>, below, j, to, k);
  });
  ForShapes(out, [&](auto d, int s, const PoseSpan& to, int k) HWY_ATTR {
    BlendRows<WeightRows, kMasked>(d, b, ShapeMask<kMasked>, shapes_below, s, to, k);
  });
}

}  // namespace

void BlendKernel(const BlendJob& job) {
  Blending b{job.inputs, job.below, 0};
  bool masked = false;
  for (const Input& in : job.inputs) {
    if (!Counts(in)) continue;
    b.total += in.weight;
    masked |= in.mask != nullptr;
  }
  if (masked) {
    BlendAll<true>(b, job.out);
  } else {
    BlendAll<false>(b, job.out);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::skel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::skel {
HWY_EXPORT(BlendKernel);
void kernels::Blend(const BlendJob& job) { HWY_DYNAMIC_DISPATCH(BlendKernel)(job); }
}  // namespace posewire::skel
#endif  // HWY_ONCE
