// Checks on flat floats. This file is compiled once for each instruction set.
#include <bit>
#include <cmath>
#include <cstdint>

#include "libs/wire/record_kernels.h"

// clang-format off
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/wire/check_values.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace posewire::wire::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

bool Within(const float* values, size_t n, float bound) {
  int bad = 0;
  for (size_t i = 0; i < n; ++i) bad |= !(std::fabs(values[i]) <= bound);
  return bad == 0;
}

bool UnitLength(const float* q, size_t n) {
  for (size_t i = 0; i < n; ++i, q += 4) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    if (!(std::fabs(w * w + x * x + y * y + z * z - 1) <= 2e-6)) return false;
  }
  return true;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// Runs `test` over all of `n` floats, at least one vector, a vector at a time. The last vector
// overlaps the one before.
template <typename D, typename Test>
HWY_INLINE bool AllOf(D d, const float* values, size_t n, const Test& test) {
  const size_t lanes = hn::Lanes(d);
  auto good = test(hn::LoadU(d, values + n - lanes));
  for (size_t i = 0; i + lanes < n; i += lanes) {
    good = hn::And(good, test(hn::LoadU(d, values + i)));
  }
  return hn::AllTrue(d, good);
}

// Returns true if no lane of `v` is above `most`. Old CPUs have no such comparison of integers.
template <typename D, typename V>
HWY_INLINE bool NoneAbove(D d, V v, uint32_t most) {
  const auto limit = hn::Set(d, most);
  return hn::AllTrue(d, hn::Eq(hn::Max(v, limit), limit));
}

template <typename D, typename V>
HWY_INLINE bool NoneBelow(D d, V v, uint32_t least) {
  const auto limit = hn::Set(d, least);
  return hn::AllTrue(d, hn::Eq(hn::Min(v, limit), limit));
}

// Without their signs, floats are ordered like their bits, and NaN is above all numbers. Doubling
// the bits removes the sign.
template <typename D>
HWY_INLINE bool WithinBy(D d, const float* values, size_t n, float bound) {
  const hn::RebindToUnsigned<D> bits;
  const size_t lanes = hn::Lanes(d);
  const auto twice = [&](const float* p) HWY_ATTR {
    const auto v = hn::BitCast(bits, hn::LoadU(d, p));
    return hn::Add(v, v);
  };
  auto most = twice(values + n - lanes);
  for (size_t i = 0; i + lanes < n; i += lanes) most = hn::Max(most, twice(values + i));
  return NoneAbove(bits, most, 2 * std::bit_cast<uint32_t>(bound));
}

// Returns the squared lengths of the quaternions in four vectors.
template <typename D, typename V>
HWY_INLINE V SquaresOf(D d, V a, V b, V c, V e) {
  const hn::Repartition<uint64_t, D> pairs;
  const auto half = [d](V p, V q) HWY_ATTR {
    const V low = hn::InterleaveLower(d, p, q), high = hn::InterleaveUpper(d, p, q);
    return hn::MulAdd(low, low, hn::Mul(high, high));
  };
  const auto x = hn::BitCast(pairs, half(a, b)), y = hn::BitCast(pairs, half(c, e));
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, x, y)),
                 hn::BitCast(d, hn::InterleaveUpper(pairs, x, y)));
}

// A float sum of four squares near 1 is off by less than 5e-7.
constexpr float kSquareError = 1.5e-6f;

// For at least four vectors of quaternions. The last four overlap those before.
template <typename D>
HWY_INLINE bool ManyUnitLength(D d, const float* q, size_t n) {
  const hn::RebindToUnsigned<D> bits;
  const size_t lanes = hn::Lanes(d);
  const auto squares = [&](const float* p) HWY_ATTR {
    return hn::BitCast(bits, SquaresOf(d, hn::LoadU(d, p), hn::LoadU(d, p + lanes),
                                       hn::LoadU(d, p + 2 * lanes), hn::LoadU(d, p + 3 * lanes)));
  };
  auto least = squares(q + 4 * n - 4 * lanes), most = least;
  for (size_t i = 0; i + 4 * lanes < 4 * n; i += 4 * lanes) {
    const auto s = squares(q + i);
    least = hn::Min(least, s);
    most = hn::Max(most, s);
  }
  return NoneAbove(bits, most, std::bit_cast<uint32_t>(1 + kSquareError)) &&
         NoneBelow(bits, least, std::bit_cast<uint32_t>(1 - kSquareError));
}

template <typename D>
HWY_INLINE bool UnitLengthBy(D d, const float* q, size_t n) {
  const auto one = hn::Set(d, 1.0f), most = hn::Set(d, kSquareError);
  return AllOf(d, q, 4 * n, [&](auto v) HWY_ATTR {
    auto sum = hn::Mul(v, v);
    sum = hn::Add(sum, hn::Shuffle2301(sum));
    sum = hn::Add(sum, hn::Shuffle1032(sum));
    return hn::Le(hn::Abs(hn::Sub(sum, one)), most);
  });
}

bool Within(const float* values, size_t n, float bound) {
  const hn::ScalableTag<float> d;
  if (n >= hn::Lanes(d)) return WithinBy(d, values, n, bound);
  bool good = true;
  for (size_t i = 0; i < n; ++i) good &= std::fabs(values[i]) <= bound;
  return good;
}

bool UnitLength(const float* q, size_t n) {
  const hn::ScalableTag<float> d;
  if (n >= hn::Lanes(d)) return ManyUnitLength(d, q, n);
  if (4 * n >= hn::Lanes(d)) return UnitLengthBy(d, q, n);
  const hn::FixedTag<float, 4> one;
  return n == 0 || UnitLengthBy(one, q, n);
}

#endif

}  // namespace posewire::wire::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::wire {

HWY_EXPORT(Within);
HWY_EXPORT(UnitLength);

void ChooseCheckKernels(RecordKernels* kernels) {
  const size_t target = hwy::GetChosenTarget().GetIndex();
  kernels->all_within = HWY_DISPATCH_TABLE(Within)[target];
  kernels->all_unit_length = HWY_DISPATCH_TABLE(UnitLength)[target];
}

RecordKernels ChooseKernels() {
  hwy::ChosenTarget& chosen = hwy::GetChosenTarget();
  if (!chosen.IsInitialized()) chosen.Update(hwy::SupportedTargets());
  RecordKernels kernels;
  ChooseReadKernels(&kernels);
  ChooseWriteKernels(&kernels);
  ChooseCheckKernels(&kernels);
  return kernels;
}

}  // namespace posewire::wire
#endif
