// Parts that the kernels share: presence, vectors and quaternions of many joints at once, and the
// iteration over a pose. Included once for each target, after hwy/highway.h.
#if defined(POSEWIRE_LIBS_SKEL_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSEWIRE_LIBS_SKEL_KERNELS_LANES_INL_H_
#undef POSEWIRE_LIBS_SKEL_KERNELS_LANES_INL_H_
#else
#define POSEWIRE_LIBS_SKEL_KERNELS_LANES_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "libs/skel/pose.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// All lanes of the target, and a single lane.
using Wide = hn::ScalableTag<float>;
using Single = hn::CappedTag<float, 1>;

template <class D>
HWY_INLINE constexpr int LanesOf(D d) {
  return static_cast<int>(hn::MaxLanes(d));
}
constexpr int kMostLanes = LanesOf(Wide());

// ---- Presence: a byte, 0 or 1, for each lane.

template <class D>
class Flags {
 public:
  static constexpr Flags All() {
    Flags f;
    for (size_t i = 0; i < kWords; ++i) f.word_[i] = kOnes;
    return f;
  }
  static HWY_INLINE Flags Load(const uint8_t* p) {
    Flags f;
    std::memcpy(f.word_, p, kBytes);
    return f;
  }
  HWY_INLINE void Store(uint8_t* p) const { std::memcpy(p, word_, kBytes); }
  HWY_INLINE bool all() const {
    uint64_t missing = 0;
    for (size_t i = 0; i < kWords; ++i) missing |= word_[i] ^ kOnes;
    return missing == 0;
  }
  HWY_INLINE bool none() const {
    uint64_t any = 0;
    for (size_t i = 0; i < kWords; ++i) any |= word_[i];
    return any == 0;
  }
  HWY_INLINE Flags operator|(Flags other) const {
    for (size_t i = 0; i < kWords; ++i) other.word_[i] |= word_[i];
    return other;
  }
  HWY_INLINE Flags operator&(Flags other) const {
    for (size_t i = 0; i < kWords; ++i) other.word_[i] &= word_[i];
    return other;
  }

 private:
  static constexpr size_t kBytes = hn::MaxLanes(D());
  static constexpr size_t kWords = (kBytes + 7) / 8;
  static constexpr uint64_t kOnes = kBytes >= 8 ? 0x0101010101010101u
                                                : 0x0101010101010101u >> (64 - 8 * (kBytes % 8));
  uint64_t word_[kWords] = {};
};

template <class D>
HWY_INLINE hn::Mask<D> Present(D d, const uint8_t* has) {
  const hn::Rebind<uint8_t, D> bytes;
  const hn::Rebind<int32_t, D> words;
  return hn::RebindMask(d, hn::Ne(hn::PromoteTo(words, hn::LoadU(bytes, has)), hn::Zero(words)));
}

template <class D>
HWY_INLINE void StorePresent(D d, hn::Mask<D> mask, uint8_t* has) {
  const hn::Rebind<uint8_t, D> bytes;
  const hn::Rebind<int32_t, D> words;
  const auto ones = hn::IfThenElseZero(hn::RebindMask(words, mask), hn::Set(words, 1));
  (void)d;
  hn::StoreU(hn::DemoteTo(bytes, ones), bytes, has);
}

// ---- Vectors and quaternions, with the same arithmetic as math.h in each lane.

template <class D>
struct Vecs {
  hn::Vec<D> x, y, z;
};
template <class D>
struct Quats {
  hn::Vec<D> w, x, y, z;
};

// a b + c, rounded twice.
template <class D>
HWY_INLINE hn::Vec<D> MulPlus(D, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  return hn::Add(hn::Mul(a, b), c);
}

template <class D>
HWY_INLINE hn::Vec<D> Dot(D, const Quats<D>& a, const Quats<D>& b) {
  return hn::Add(hn::Add(hn::Add(hn::Mul(a.w, b.w), hn::Mul(a.x, b.x)), hn::Mul(a.y, b.y)),
                 hn::Mul(a.z, b.z));
}

template <class D>
HWY_INLINE Quats<D> Mul(D, const Quats<D>& a, const Quats<D>& b) {
  const auto p = [](auto x, auto y) HWY_ATTR { return hn::Mul(x, y); };
  return {hn::Sub(hn::Sub(hn::Sub(p(a.w, b.w), p(a.x, b.x)), p(a.y, b.y)), p(a.z, b.z)),
          hn::Sub(hn::Add(hn::Add(p(a.w, b.x), p(a.x, b.w)), p(a.y, b.z)), p(a.z, b.y)),
          hn::Add(hn::Add(hn::Sub(p(a.w, b.y), p(a.x, b.z)), p(a.y, b.w)), p(a.z, b.x)),
          hn::Add(hn::Sub(hn::Add(p(a.w, b.z), p(a.x, b.y)), p(a.y, b.x)), p(a.z, b.w))};
}

template <class D>
HWY_INLINE Quats<D> Scaled(D, const Quats<D>& q, hn::Vec<D> s) {
  return {hn::Mul(q.w, s), hn::Mul(q.x, s), hn::Mul(q.y, s), hn::Mul(q.z, s)};
}

// Zero becomes identity.
template <class D>
HWY_INLINE Quats<D> Normalized(D d, const Quats<D>& q) {
  const auto one = hn::Set(d, 1.0f);
  const auto square = Dot(d, q, q);
  const auto some = hn::Gt(square, hn::Zero(d));
  // Where the length is zero, the result of 1 / 0 is discarded.
  const Quats<D> n = Scaled(d, q, hn::Div(one, hn::Sqrt(square)));
  return {hn::IfThenElse(some, n.w, one), hn::IfThenElseZero(some, n.x),
          hn::IfThenElseZero(some, n.y), hn::IfThenElseZero(some, n.z)};
}

template <class D>
HWY_INLINE Quats<D> Select(D, hn::Mask<D> mask, const Quats<D>& yes, const Quats<D>& no) {
  return {hn::IfThenElse(mask, yes.w, no.w), hn::IfThenElse(mask, yes.x, no.x),
          hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}

template <class D, size_t n>
HWY_INLINE hn::Vec<D> Polynomial(D d, const float (&c)[n], hn::Vec<D> x) {
  auto sum = hn::Set(d, c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = MulPlus(d, sum, x, hn::Set(d, c[i]));
  return sum;
}

// Same as SlerpShares.
template <class D>
HWY_INLINE void Shares(D d, hn::Vec<D> cos, hn::Vec<D> t, hn::Vec<D>& a, hn::Vec<D>& b) {
  const auto one = hn::Set(d, 1.0f);
  a = hn::Sub(one, t);
  b = t;
  const auto u = hn::Sub(one, cos);
  const auto turned = hn::Gt(u, hn::Set(d, SlerpShares::kNear));
  if (hn::AllFalse(d, turned)) return;
  const auto square = hn::Mul(u, Polynomial(d, SlerpShares::kAngleSquared, u));
  const auto inv = hn::Div(one, Polynomial(d, SlerpShares::kSinc, square));
  const auto qa = Polynomial(d, SlerpShares::kSinc, hn::Mul(hn::Mul(a, a), square));
  const auto qb = Polynomial(d, SlerpShares::kSinc, hn::Mul(hn::Mul(b, b), square));
  a = hn::IfThenElse(turned, hn::Mul(hn::Mul(a, qa), inv), a);
  b = hn::IfThenElse(turned, hn::Mul(hn::Mul(b, qb), inv), b);
}

template <class D>
HWY_INLINE Quats<D> Slerp(D d, const Quats<D>& a, const Quats<D>& b, hn::Vec<D> t) {
  const auto dot = Dot(d, a, b);
  hn::Vec<D> fa, fb;
  Shares(d, hn::Abs(dot), t, fa, fb);
  fb = hn::IfThenElse(hn::Lt(dot, hn::Zero(d)), hn::Neg(fb), fb);
  return {MulPlus(d, fa, a.w, hn::Mul(fb, b.w)), MulPlus(d, fa, a.x, hn::Mul(fb, b.x)),
          MulPlus(d, fa, a.y, hn::Mul(fb, b.y)), MulPlus(d, fa, a.z, hn::Mul(fb, b.z))};
}

template <class D>
HWY_INLINE Quats<D> Nlerp(D d, const Quats<D>& a, const Quats<D>& b, hn::Vec<D> t) {
  const auto fb = hn::IfThenElse(hn::Lt(Dot(d, a, b), hn::Zero(d)), hn::Neg(t), t);
  const auto fa = hn::Sub(hn::Set(d, 1.0f), t);
  return Normalized(
      d, Quats<D>{MulPlus(d, fa, a.w, hn::Mul(fb, b.w)), MulPlus(d, fa, a.x, hn::Mul(fb, b.x)),
                  MulPlus(d, fa, a.y, hn::Mul(fb, b.y)), MulPlus(d, fa, a.z, hn::Mul(fb, b.z))});
}

template <class D, class P>
HWY_INLINE Quats<D> LoadRotations(D d, const P& pose, int j) {
  return {hn::LoadU(d, pose.qw + j), hn::LoadU(d, pose.qx + j), hn::LoadU(d, pose.qy + j),
          hn::LoadU(d, pose.qz + j)};
}
template <class D>
HWY_INLINE void StoreRotations(D d, const Quats<D>& q, const PoseSpan& pose, int j) {
  hn::StoreU(q.w, d, pose.qw + j);
  hn::StoreU(q.x, d, pose.qx + j);
  hn::StoreU(q.y, d, pose.qy + j);
  hn::StoreU(q.z, d, pose.qz + j);
}

// ---- The rows of each component of a pose, its presence, and its row of a mask.

template <class F, class B>
struct TranslationRows {
  static constexpr int kRows = 3;
  F* row[3];
  B* has;
  explicit HWY_INLINE TranslationRows(const BasicPoseSpan<F, B>& p)
      : row{p.tx, p.ty, p.tz}, has(p.has_t) {}
};
template <class F, class B>
struct RotationRows {
  static constexpr int kRows = 4;
  F* row[4];
  B* has;
  explicit HWY_INLINE RotationRows(const BasicPoseSpan<F, B>& p)
      : row{p.qw, p.qx, p.qy, p.qz}, has(p.has_r) {}
};
template <class F, class B>
struct ScaleRows {
  static constexpr int kRows = 3;
  F* row[3];
  B* has;
  explicit HWY_INLINE ScaleRows(const BasicPoseSpan<F, B>& p)
      : row{p.sx, p.sy, p.sz}, has(p.has_s) {}
};
template <class F, class B>
struct WeightRows {
  static constexpr int kRows = 1;
  F* row[1];
  B* has;
  explicit HWY_INLINE WeightRows(const BasicPoseSpan<F, B>& p) : row{p.weights}, has(p.has_w) {}
};
template <template <class, class> class Rows>
using ConstRows = Rows<const float, const uint8_t>;
template <template <class, class> class Rows>
using OutRows = Rows<float, uint8_t>;

template <template <class, class> class Rows, class D>
HWY_INLINE void CopyRows(D d, const PoseView& from, int i, const PoseSpan& to, int k) {
  const ConstRows<Rows> a(from);
  const OutRows<Rows> out(to);
  for (int r = 0; r < out.kRows; ++r) hn::StoreU(hn::LoadU(d, a.row[r] + i), d, out.row[r] + k);
}

template <class D>
HWY_INLINE void CopyJoints(D d, const PoseView& from, int i, const PoseSpan& to, int k) {
  CopyRows<TranslationRows>(d, from, i, to, k);
  StoreRotations(d, LoadRotations(d, from, i), to, k);
  CopyRows<ScaleRows>(d, from, i, to, k);
  Flags<D>::Load(from.has_t + i).Store(to.has_t + k);
  Flags<D>::Load(from.has_r + i).Store(to.has_r + k);
  Flags<D>::Load(from.has_s + i).Store(to.has_s + k);
}
template <class D>
HWY_INLINE void CopyShapes(D d, const PoseView& from, int i, const PoseSpan& to, int k) {
  CopyRows<WeightRows>(d, from, i, to, k);
  Flags<D>::Load(from.has_w + i).Store(to.has_w + k);
}

// ---- Iteration over a pose, with as many elements at once as there are lanes.

// The last elements of a pose, if they do not fill the lanes, are computed together with some of
// the previous ones. This is done first, into scratch space, because `out` may also be an input.
class LastLanes {
 public:
  HWY_INLINE LastLanes() {
    float* p = floats_;
    for (float** row : {&span_.tx, &span_.ty, &span_.tz, &span_.qw, &span_.qx, &span_.qy, &span_.qz,
                        &span_.sx, &span_.sy, &span_.sz, &span_.weights}) {
      *row = p;
      p += kMostLanes;
    }
    uint8_t* b = bytes_;
    for (uint8_t** row : {&span_.has_t, &span_.has_r, &span_.has_s, &span_.has_w}) {
      *row = b;
      b += kMostLanes;
    }
    span_.joints = span_.shapes = kMostLanes;
  }
  HWY_INLINE const PoseSpan& span() const { return span_; }

 private:
  HWY_ALIGN float floats_[11 * kMostLanes];
  uint8_t bytes_[4 * kMostLanes];
  PoseSpan span_;
};

// Calls work(d, i, to, k) for all joints. It must compute the joints from i on and write them to
// the joints from k on of `to`. Joints that it does not write keep their value in `out`.
template <class Work>
HWY_INLINE void ForJoints(const PoseSpan& out, const Work& work) {
  const Wide d;
  constexpr int kLanes = LanesOf(d);
  const int n = out.joints;
  if (n < kLanes) {
    for (int j = 0; j < n; ++j) work(Single(), j, out, j);
    return;
  }
  const bool rest = n % kLanes != 0;
  const LastLanes last;
  if (rest) {
    CopyJoints(d, out, n - kLanes, last.span(), 0);
    work(d, n - kLanes, last.span(), 0);
  }
  for (int j = 0; j + kLanes <= n; j += kLanes) work(d, j, out, j);
  if (rest) CopyJoints(d, last.span(), 0, out, n - kLanes);
}

// The same for all shapes.
template <class Work>
HWY_INLINE void ForShapes(const PoseSpan& out, const Work& work) {
  const Wide d;
  constexpr int kLanes = LanesOf(d);
  const int n = out.shapes;
  if (n < kLanes) {
    for (int s = 0; s < n; ++s) work(Single(), s, out, s);
    return;
  }
  const bool rest = n % kLanes != 0;
  const LastLanes last;
  if (rest) {
    CopyShapes(d, out, n - kLanes, last.span(), 0);
    work(d, n - kLanes, last.span(), 0);
  }
  for (int s = 0; s + kLanes <= n; s += kLanes) work(d, s, out, s);
  if (rest) CopyShapes(d, last.span(), 0, out, n - kLanes);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::skel
HWY_AFTER_NAMESPACE();

#endif  // POSEWIRE_LIBS_SKEL_KERNELS_LANES_INL_H_
