// Weighted means of poses, one component after the other. Four inputs are processed at a time, so
// that a block of lanes of all of them is summed in registers and written once; with more than four
// inputs, the sums are kept in separate rows for the next four. The presence of a component is
// examined first, row by row: if no input has it, the pose below is copied; if all inputs have it
// everywhere, the sums need no tests, nor, without masks, a total of weights. See
// docs/adr/0015-pose-kernels.md.
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"
#include "libs/skel/mask.h"
#include "libs/skel/pose_rows.h"
#include "libs/skel/rig_limits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/blend.cc"
#include "hwy/foreach_target.h"
// Must follow targets.h, because it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

// Otherwise gcc would not inline the bodies of the blocks, and would pass all vectors through
// memory.
#undef KERNEL_LAMBDA
#define KERNEL_LAMBDA HWY_ATTR __attribute__((always_inline))

using Input = BlendJob::Input;

struct Blending {
  absl::Span<const Input> inputs;
  const PoseView& below;
  const PoseSpan& out;
  size_t count = 0;  // number of inputs with a weight
  float total = 0;   // sum of their weights
  bool masked = false;
};

HWY_INLINE bool Counts(const Input& in) { return in.weight > 0; }

// Presence of one component over all inputs with a weight.
struct Seen {
  bool somewhere, everywhere;
};
template <template <class, class> class Rows, class D>
HWY_INLINE Seen See(D d, const Blending& b, int n) {
  constexpr int kBytes = LanesOf(d);
  const auto one = hn::Set(d, uint8_t{1});
  auto some = hn::Zero(d), every = one;
  const auto look = [&](const uint8_t* has) KERNEL_LAMBDA {
    some = hn::Or(some, hn::LoadU(d, has));
    every = hn::And(every, hn::LoadU(d, has));
  };
  for (const Input& in : b.inputs) {
    if (!Counts(in)) continue;
    const uint8_t* has = ConstRows<Rows>(in.pose).has;
    for (int i = 0; i < n - kBytes; i += kBytes) look(has + i);
    look(has + n - kBytes);
  }
  return {!hn::AllTrue(d, hn::Eq(some, hn::Zero(d))), hn::AllTrue(d, hn::Eq(every, one))};
}

// Four of the inputs with a weight; missing ones are replaced by the first, with weight 0.
constexpr int kFour = 4;
struct Four {
  const Input* in[kFour];
  float weight[kFour];  // fraction of all weights
  bool first, last;
};
template <class Work>
HWY_INLINE void ForFours(const Blending& b, const Work& work) {
  Four four;
  four.first = true;
  size_t left = b.count;
  int n = 0;
  for (const Input& in : b.inputs) {
    if (!Counts(in)) continue;
    four.in[n] = &in;
    four.weight[n++] = in.weight / b.total;
    four.last = --left == 0;
    if (n < kFour && !four.last) continue;
    for (; n < kFour; ++n) {
      four.in[n] = four.in[0];
      four.weight[n] = 0;
    }
    work(four);
    four.first = false;
    n = 0;
  }
}

// Sums over the previous groups of four, in rows as long as those of the pose.
struct Scratch {
  using Row = float[std::max(kMostJoints, kMostShapes) + kRowFloats];
  Row sum[4];
  Row first[4];  // the rotations that determine the signs
  Row total;     // sum of the weights
};

// Calls store(make(i), i) for all blocks of lanes. The last block overlaps the one before and is
// computed first, because storing may overwrite input of other blocks.
template <class D, class Make, class Store>
HWY_INLINE void ForBlocks(D d, int n, const Make& make, const Store& store) {
  constexpr int kLanes = LanesOf(d);
  const auto last = make(n - kLanes);
  for (int i = 0; i < n - kLanes; i += kLanes) store(make(i), i);
  store(last, n - kLanes);
}

template <template <class, class> class Rows>
HWY_INLINE const float* MaskRow(const Mask* mask) {
  if (mask == nullptr) return nullptr;
  return ConstRows<Rows>::kRows == 1 ? mask->shape_row() : mask->joint_row();
}

template <int kRows, class D>
struct Block {
  hn::Vec<D> row[kRows];

  template <class P>
  HWY_INLINE void Load(D d, const P& from, int i) {
    for (int r = 0; r < kRows; ++r) row[r] = hn::LoadU(d, from[r] + i);
  }
  template <class P>
  HWY_INLINE void Store(D d, P& to, int i) const {
    for (int r = 0; r < kRows; ++r) hn::StoreU(row[r], d, to[r] + i);
  }
  HWY_INLINE void KeepWhere(hn::Mask<D> mask, const Block& other) {
    for (int r = 0; r < kRows; ++r) row[r] = hn::IfThenElse(mask, row[r], other.row[r]);
  }
};

template <class D>
HWY_INLINE Quats<D> AsQuats(const Block<4, D>& b) {
  return {b.row[0], b.row[1], b.row[2], b.row[3]};
}

// Adds four inputs to the sums of one component; with the last of them, writes the mean to `out`.
// Whole: all inputs have it everywhere and none has a mask. Solid: all have it everywhere.
enum class Kind { kWhole, kSolid, kHoles };

template <template <class, class> class Rows, Kind kKind, class D>
HWY_NOINLINE void TakeFour(D d, const Blending& b, const Four& four, int n, Scratch& at) {
  constexpr int kRows = ConstRows<Rows>::kRows;
  constexpr bool kTurns = kRows == 4, kWhole = kKind == Kind::kWhole;
  using Values = Block<kRows, D>;
  const ConstRows<Rows> in[kFour] = {
      ConstRows<Rows>(four.in[0]->pose), ConstRows<Rows>(four.in[1]->pose),
      ConstRows<Rows>(four.in[2]->pose), ConstRows<Rows>(four.in[3]->pose)};
  const float* mask[kFour];
  hn::Vec<D> weight[kFour];
  for (int k = 0; k < kFour; ++k) {
    mask[k] = kWhole ? nullptr : MaskRow<Rows>(four.in[k]->mask);
    weight[k] = hn::Set(d, four.weight[k]);
  }
  const ConstRows<Rows> below(b.below);
  const OutRows<Rows> out(b.out);
  const bool begins = four.first, ends = four.last;
  const auto zero = hn::Zero(d);
  struct Sums {
    Values sum, first;
    hn::Vec<D> total;
    hn::Mask<D> has;
  };
  const auto make = [&](int i) KERNEL_LAMBDA {
    Sums s;
    s.total = zero;
    s.has = hn::MaskFromVec(zero);
    if (!begins) {
      s.sum.Load(d, at.sum, i);
      if (kTurns) s.first.Load(d, at.first, i);
      if (!kWhole) s.total = hn::LoadU(d, at.total + i);
      if (!kWhole) s.has = hn::Gt(s.total, zero);
    }
    for (int k = 0; k < kFour; ++k) {
      auto w = weight[k];
      Values x;
      x.Load(d, in[k].row, i);
      if (mask[k] != nullptr) w = hn::Mul(w, hn::LoadU(d, mask[k] + i));
      if (kKind == Kind::kHoles) {
        const auto has = Present(d, in[k].has + i);
        w = hn::IfThenElseZero(has, w);
        for (auto& row : x.row) row = hn::IfThenElseZero(has, row);
      }
      if (!kWhole) s.total = hn::Add(s.total, w);
      if (k == 0 && begins) {
        s.first = x;
        for (int r = 0; r < kRows; ++r) s.sum.row[r] = hn::Mul(x.row[r], w);
      } else {
        if constexpr (kTurns) {
          // Signs are those of the first input with a weight.
          if (!kWhole && !hn::AllTrue(d, s.has)) s.first.KeepWhere(s.has, x);
          w = hn::CopySignToAbs(w, Dot(d, AsQuats(s.first), AsQuats(x)));
        }
        for (int r = 0; r < kRows; ++r) s.sum.row[r] = MulPlus(d, x.row[r], w, s.sum.row[r]);
      }
      if (!kWhole) s.has = hn::Gt(s.total, zero);
    }
    if (!ends) return s;
    if constexpr (kTurns) {
      const Quats<D> q = Normalized(d, AsQuats(s.sum));
      s.sum.row[0] = q.w, s.sum.row[1] = q.x, s.sum.row[2] = q.y, s.sum.row[3] = q.z;
    } else if (!kWhole) {
      const auto share = hn::Div(hn::Set(d, 1.0f), s.total);
      for (auto& row : s.sum.row) row = hn::Mul(row, share);
    }
    if (!kWhole && below.has != nullptr && !hn::AllTrue(d, s.has)) {
      Values under;
      under.Load(d, below.row, i);
      s.sum.KeepWhere(s.has, under);
      s.has = hn::Or(s.has, Present(d, below.has + i));
    }
    return s;
  };
  ForBlocks(d, n, make, [&](const Sums& s, int i) KERNEL_LAMBDA {
    if (ends) {
      s.sum.Store(d, out.row, i);
      if (!kWhole) StorePresent(d, s.has, out.has + i);
    } else {
      s.sum.Store(d, at.sum, i);
      if (kTurns) s.first.Store(d, at.first, i);
      if (!kWhole) hn::StoreU(s.total, d, at.total + i);
    }
  });
  if (ends && kWhole) std::memset(out.has, 1, static_cast<size_t>(n));
}

// No input has it: copies the pose below.
template <template <class, class> class Rows>
HWY_INLINE void PassBelow(const Blending& b, int n) {
  const ConstRows<Rows> below(b.below);
  const OutRows<Rows> out(b.out);
  const auto size = static_cast<size_t>(n);
  if (below.has == nullptr) {
    std::memset(out.has, 0, size);
    return;
  }
  for (int r = 0; r < out.kRows; ++r) {
    std::memmove(out.row[r], below.row[r], size * sizeof(float));
  }
  std::memmove(out.has, below.has, size);
}

template <template <class, class> class Rows, class D>
HWY_INLINE void BlendComponent(D d, const Blending& b, int n, Scratch& at) {
  const hn::CappedTag<uint8_t, 32> bytes;
  const hn::CappedTag<uint8_t, 1> byte;
  const Seen seen = n < LanesOf(bytes) ? See<Rows>(byte, b, n) : See<Rows>(bytes, b, n);
  if (b.count == 0 || !seen.somewhere) return PassBelow<Rows>(b, n);
  ForFours(b, [&](const Four& four) KERNEL_LAMBDA {
    if (!seen.everywhere) {
      TakeFour<Rows, Kind::kHoles>(d, b, four, n, at);
    } else if (b.masked) {
      TakeFour<Rows, Kind::kSolid>(d, b, four, n, at);
    } else {
      TakeFour<Rows, Kind::kWhole>(d, b, four, n, at);
    }
  });
}

template <template <class, class> class Rows>
HWY_INLINE void BlendAll(const Blending& b, int n, Scratch& at) {
  if (n >= LanesOf(Wide())) {
    BlendComponent<Rows>(Wide(), b, n, at);
  } else if (n > 0) {
    BlendComponent<Rows>(Single(), b, n, at);
  }
}

}  // namespace

void BlendKernel(const BlendJob& job) {
  Blending b{job.inputs, job.below, job.out};
  for (const Input& in : job.inputs) {
    if (!Counts(in)) continue;
    ++b.count;
    b.total += in.weight;
    b.masked |= in.mask != nullptr;
  }
  Scratch scratch;
  BlendAll<TranslationRows>(b, b.out.joints, scratch);
  BlendAll<RotationRows>(b, b.out.joints, scratch);
  BlendAll<ScaleRows>(b, b.out.joints, scratch);
  BlendAll<WeightRows>(b, b.out.shapes, scratch);
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
