#include "libs/clip/packed_poses.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/clip/packed_poses.cc"
#include <hwy/foreach_target.h>  // NOLINT(build/include_order): before highway.h
#include <hwy/highway.h>

#ifndef POSEWIRE_LIBS_CLIP_PACKED_POSES_ONCE
#define POSEWIRE_LIBS_CLIP_PACKED_POSES_ONCE
namespace posewire::clip {

// How to extract eight values of `bits` bits from the bytes: lane i begins at bit i * bits. The
// upper four lanes are read from the byte in which lane 4 begins.
struct UnpackTable {
  alignas(32) std::array<std::array<uint8_t, 32>, kMostBits + 1> bytes{};
  alignas(32) std::array<std::array<uint32_t, kLanes>, kMostBits + 1> shift{};
  std::array<uint32_t, kMostBits + 1> mask{};
};
constexpr UnpackTable MakeUnpackTable() {
  UnpackTable table;
  for (size_t bits = 0; bits <= kMostBits; ++bits) {
    table.mask[bits] = (1u << bits) - 1;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const size_t start = lane * bits - (lane < 4 ? 0 : bits / 2 * 8);
      table.shift[bits][lane] = static_cast<uint32_t>(start % 8);
      for (size_t k = 0; k < 4; ++k) {
        table.bytes[bits][lane * 4 + k] = static_cast<uint8_t>(start / 8 + k);
      }
    }
  }
  return table;
}
inline constexpr UnpackTable kUnpack = MakeUnpackTable();

// Below this cosine of the half angle between two frames, slerp is computed by its definition.
inline constexpr float kSeriesCos = 0.9f;

// The time at which nlerp has the same result as slerp at t: t + k (c0 + k (c1 + k c2)), with k = 1
// - cos. With u = 1 - 2t and a = half of the arc, it is t = (1 - tan(ua) / tan(a)) / 2, as a series
// in a^2, and that as a series in k = 1 - cos(2a).
struct NlerpTime {
  float t, c0, c1, c2;

  explicit NlerpTime(float at) : t(at) {
    const double u = 1 - 2.0 * at, u2 = u * u;
    const double p1 = (u2 - 1) * (1.0 / 3);
    const double p2 = (2.0 / 15 * u2 - 1.0 / 9) * u2 - 1.0 / 45;
    const double p3 = ((17.0 / 315 * u2 - 2.0 / 45) * u2 - 1.0 / 135) * u2 - 2.0 / 945;
    c0 = static_cast<float>(-0.25 * u * p1);
    c1 = static_cast<float>(-0.5 * u * (p1 * (1.0 / 12) + p2 * 0.25));
    c2 = static_cast<float>(-0.5 * u * (p1 * (1.0 / 45) + p2 * (1.0 / 12) + p3 * 0.125));
  }
};

// The bits of a frame and the ranges of its segment.
struct FramePlace {
  const uint8_t* bits;
  const TurnRange* turns;
  const ValueRange* values;

  FramePlace(const PackedPoses& poses, int frame) {
    const auto s = static_cast<size_t>(frame / poses.segment_frames);
    const PackedSegment& segment = poses.segments[s];
    const auto in = static_cast<size_t>(frame % poses.segment_frames);
    bits = poses.bits.data() + segment.at + in * segment.frame_bytes;
    turns = poses.turn_ranges.data() + s * poses.turns.size();
    values = poses.value_ranges.data() + s * poses.values.size();
  }
};

// Components of eight rotations, in the order of their range.
struct alignas(32) Turns {
  float c[4][kLanes];
};

// Reorders `b` from the order of `from` to the order of `to`.
inline void Reorder(const TurnRange& from, const TurnRange& to, Turns& b) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (from.order[lane] == to.order[lane]) continue;
    float wxyz[4];
    for (int c = 0; c < 4; ++c) wxyz[from.order[lane] >> (2 * c) & 3] = b.c[c][lane];
    for (int c = 0; c < 4; ++c) b.c[c][lane] = wxyz[to.order[lane] >> (2 * c) & 3];
  }
}

// Slerp for frames that are far apart. If the fourth component passes zero, the other three may be
// longer than 1 because of rounding; between near frames this is a tenth of a step.
inline void SlerpFar(const Turns& a, const Turns& b, float t, Turns& out) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const skel::Quat p{a.c[0][lane], a.c[1][lane], a.c[2][lane], a.c[3][lane]};
    const skel::Quat q{b.c[0][lane], b.c[1][lane], b.c[2][lane], b.c[3][lane]};
    const skel::Quat r = Normalized(Slerp(Normalized(p), Normalized(q), t));
    out.c[0][lane] = r.w, out.c[1][lane] = r.x, out.c[2][lane] = r.y, out.c[3][lane] = r.z;
  }
}

inline void PlaceTurns(const TurnGroup& group, const TurnRange& range, const Turns& turns,
                       float* const (&rows)[4]) {
  uint64_t order;
  std::memcpy(&order, range.order.data(), sizeof(order));
  uint8_t row[4][kLanes];
  for (int c = 0; c < 4; ++c) {
    const uint64_t two_bits = order >> (2 * c) & 0x0303030303030303;
    std::memcpy(row[c], &two_bits, sizeof(two_bits));
  }
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const size_t j = group.joint[lane];
    for (int c = 0; c < 4; ++c) rows[row[c][lane]][j] = turns.c[c][lane];
  }
}

}  // namespace posewire::clip
#endif

HWY_BEFORE_NAMESPACE();
namespace posewire::clip::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of a fixed size, also on machines without vectors.
#if HWY_TARGET == HWY_SCALAR
constexpr size_t kWidth = 1;
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr size_t kWidth = 8;
#else
constexpr size_t kWidth = 4;
#endif
using F = hn::CappedTag<float, kWidth>;
using I = hn::RebindToSigned<F>;
using U = hn::RebindToUnsigned<F>;
using VF = hn::Vec<F>;
using VI = hn::Vec<I>;

// a b + c and c - a b, rounded twice: with a fused multiply-add, poses would differ in their last
// bits on CPUs without one.
HWY_INLINE VF MulPlus(VF a, VF b, VF c) { return hn::Add(hn::Mul(a, b), c); }
HWY_INLINE VF TakeMul(VF a, VF b, VF c) { return hn::Sub(c, hn::Mul(a, b)); }

// Unpacks the q of lanes `lane` to lane + kWidth.
HWY_INLINE VI Unpack(const uint8_t* HWY_RESTRICT p, size_t bits, size_t lane) {
#if HWY_TARGET == HWY_SCALAR
  const size_t bit = lane * bits;
  uint32_t word;
  __builtin_memcpy(&word, p + bit / 8, sizeof(word));
  return hn::Set(I(), static_cast<int32_t>(word >> (bit % 8) & kUnpack.mask[bits]));
#else
  const U du;
  const hn::Repartition<uint8_t, U> db;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::Half<decltype(db)> half;
  const auto raw = hn::Combine(db, hn::LoadU(half, p + bits / 2), hn::LoadU(half, p));
#else
  const auto raw = hn::LoadU(db, p + (lane == 0 ? 0 : bits / 2));
#endif
  const auto words = hn::BitCast(
      du, hn::TableLookupBytes(raw, hn::LoadU(db, kUnpack.bytes[bits].data() + lane * 4)));
  const auto mask = hn::Set(du, kUnpack.mask[bits]);
  return hn::BitCast(
      I(), hn::And(hn::Shr(words, hn::LoadU(du, kUnpack.shift[bits].data() + lane)), mask));
#endif
}

// Returns (base + q) * step.
HWY_INLINE VF Value(const int16_t* HWY_RESTRICT base, int shift, VI q, VF step) {
  const hn::Rebind<int16_t, I> d16;
  const VI b = hn::ShiftLeftSame(hn::PromoteTo(I(), hn::LoadU(d16, base)), shift);
  return hn::Mul(hn::ConvertTo(F(), hn::Add(b, q)), step);
}

// The four components of rotations in one frame.
struct Four {
  VF c0, c1, c2, c3;
};

HWY_INLINE Four TurnsOf(const TurnGroup& group, const TurnRange& range,
                        const uint8_t* HWY_RESTRICT p, size_t lane) {
  const F d;
  const VF step = hn::LoadU(d, group.step.data() + lane);
  const size_t n0 = range.bits[0], n1 = range.bits[1], n2 = range.bits[2];
  Four v;
  v.c0 = Value(range.base[0].data() + lane, range.shift[0], Unpack(p, n0, lane), step);
  v.c1 = Value(range.base[1].data() + lane, range.shift[1], Unpack(p + n0, n1, lane), step);
  v.c2 = Value(range.base[2].data() + lane, range.shift[2], Unpack(p + n0 + n1, n2, lane), step);
  const VF left = TakeMul(v.c2, v.c2, TakeMul(v.c1, v.c1, TakeMul(v.c0, v.c0, hn::Set(d, 1.0f))));
  v.c3 = hn::Sqrt(hn::Max(left, hn::Zero(d)));
  return v;
}

HWY_INLINE void StoreTurns(const Four& v, size_t lane, Turns& out) {
  const F d;
  hn::StoreU(v.c0, d, out.c[0] + lane);
  hn::StoreU(v.c1, d, out.c[1] + lane);
  hn::StoreU(v.c2, d, out.c[2] + lane);
  hn::StoreU(v.c3, d, out.c[3] + lane);
}
HWY_INLINE Four LoadTurns(const Turns& in, size_t lane) {
  const F d;
  return {hn::LoadU(d, in.c[0] + lane), hn::LoadU(d, in.c[1] + lane), hn::LoadU(d, in.c[2] + lane),
          hn::LoadU(d, in.c[3] + lane)};
}

HWY_INLINE VF Dot4(const Four& a, const Four& b) {
  return MulPlus(a.c3, b.c3, MulPlus(a.c2, b.c2, MulPlus(a.c1, b.c1, hn::Mul(a.c0, b.c0))));
}

// 1 / sqrt(1 - x) as a series: a chord of kSeriesCos has x <= 0.05, where it is exact to 1e-7.
HWY_INLINE VF InverseLength(VF square) {
  const F d;
  const VF one = hn::Set(d, 1.0f), x = hn::Sub(one, square);
  VF sum = MulPlus(x, hn::Set(d, 35.0f / 128), hn::Set(d, 5.0f / 16));
  sum = MulPlus(x, sum, hn::Set(d, 3.0f / 8));
  sum = MulPlus(x, sum, hn::Set(d, 0.5f));
  return MulPlus(x, sum, one);
}

// Slerp of near rotations; sets `far` to true if they are not near.
HWY_INLINE Four SlerpNear(const Four& a, const Four& b, const NlerpTime& time, bool& far) {
  const F d;
  const VF dot = Dot4(a, b), cos = hn::Abs(dot), one = hn::Set(d, 1.0f);
  far = far || !hn::AllFalse(d, hn::Lt(cos, hn::Set(d, kSeriesCos)));
  const VF k = hn::Max(hn::Sub(one, cos), hn::Zero(d));
  const VF slope =
      MulPlus(k, MulPlus(k, hn::Set(d, time.c2), hn::Set(d, time.c1)), hn::Set(d, time.c0));
  const VF at = MulPlus(k, slope, hn::Set(d, time.t));
  const VF fa = hn::Sub(one, at), fb = hn::CopySign(at, dot);
  const Four r{MulPlus(fb, b.c0, hn::Mul(fa, a.c0)), MulPlus(fb, b.c1, hn::Mul(fa, a.c1)),
               MulPlus(fb, b.c2, hn::Mul(fa, a.c2)), MulPlus(fb, b.c3, hn::Mul(fa, a.c3))};
  const VF inv = InverseLength(Dot4(r, r));
  return {hn::Mul(r.c0, inv), hn::Mul(r.c1, inv), hn::Mul(r.c2, inv), hn::Mul(r.c3, inv)};
}

HWY_INLINE size_t BytesOf(const TurnRange& range) {
  return size_t{range.bits[0]} + range.bits[1] + range.bits[2];
}

// Interpolates one group between two frames; `kSame`: both are in one segment.
template <bool kSame>
HWY_INLINE void TurnsBetween(const TurnGroup& group, const TurnRange& ra, const TurnRange& rb,
                             const uint8_t* pa, const uint8_t* pb, const NlerpTime& time,
                             Turns& out) {
  bool far = false;
  Turns moved;
  const bool reordered = !kSame && ra.order != rb.order;
  if (reordered) {
    for (size_t lane = 0; lane < kLanes; lane += kWidth) {
      StoreTurns(TurnsOf(group, rb, pb, lane), lane, moved);
    }
    Reorder(rb, ra, moved);
  }
  for (size_t lane = 0; lane < kLanes; lane += kWidth) {
    const Four a = TurnsOf(group, ra, pa, lane);
    const Four b = reordered ? LoadTurns(moved, lane) : TurnsOf(group, kSame ? ra : rb, pb, lane);
    StoreTurns(SlerpNear(a, b, time, far), lane, out);
  }
  if (HWY_LIKELY(!far)) return;
  Turns a, b;
  for (size_t lane = 0; lane < kLanes; lane += kWidth) {
    StoreTurns(TurnsOf(group, ra, pa, lane), lane, a);
    StoreTurns(reordered ? LoadTurns(moved, lane) : TurnsOf(group, rb, pb, lane), lane, b);
  }
  SlerpFar(a, b, time.t, out);
}

template <bool kSame>
HWY_INLINE void Between(const PackedPoses& poses, FramePlace a, FramePlace b, float t,
                        const skel::PoseSpan& out) {
  const F d;
  const NlerpTime time(t);
  float* const turn_rows[4] = {out.qw, out.qx, out.qy, out.qz};
  Turns turns;
  for (size_t g = 0; g < poses.turns.size(); ++g) {
    TurnsBetween<kSame>(poses.turns[g], a.turns[g], b.turns[g], a.bits, b.bits, time, turns);
    PlaceTurns(poses.turns[g], a.turns[g], turns, turn_rows);
    a.bits += BytesOf(a.turns[g]);
    b.bits += BytesOf(b.turns[g]);
  }
  float* const rows[kValueRows] = {out.tx, out.ty, out.tz, out.sx, out.sy, out.sz, out.weights};
  alignas(32) float values[kLanes];
  const VF vt = hn::Set(d, t);
  for (size_t g = 0; g < poses.values.size(); ++g) {
    const ValueGroup& group = poses.values[g];
    const ValueRange &ra = a.values[g], &rb = kSame ? a.values[g] : b.values[g];
    for (size_t lane = 0; lane < kLanes; lane += kWidth) {
      const VF step = hn::LoadU(d, group.step.data() + lane);
      const VF va = Value(ra.base.data() + lane, ra.shift, Unpack(a.bits, ra.bits, lane), step);
      const VF vb = Value(rb.base.data() + lane, rb.shift, Unpack(b.bits, rb.bits, lane), step);
      hn::StoreU(MulPlus(hn::Sub(vb, va), vt, va), d, values + lane);
    }
    for (size_t lane = 0; lane < kLanes; ++lane) {
      rows[group.place[lane] >> 12][group.place[lane] & 0xfff] = values[lane];
    }
    a.bits += ra.bits;
    b.bits += rb.bits;
  }
}

void UnpackBetween(const PackedPoses& poses, int from, int to, float t, const skel::PoseSpan& out) {
  const FramePlace a(poses, from), b(poses, to);
  if (a.turns == b.turns && a.values == b.values) {
    Between<true>(poses, a, b, t, out);
  } else {
    Between<false>(poses, a, b, t, out);
  }
}

void UnpackFrame(const PackedPoses& poses, int frame, const skel::PoseSpan& out) {
  const F d;
  FramePlace a(poses, frame);
  float* const turn_rows[4] = {out.qw, out.qx, out.qy, out.qz};
  Turns turns;
  for (size_t g = 0; g < poses.turns.size(); ++g) {
    for (size_t lane = 0; lane < kLanes; lane += kWidth) {
      const Four v = TurnsOf(poses.turns[g], a.turns[g], a.bits, lane);
      const VF inv = InverseLength(Dot4(v, v));
      StoreTurns({hn::Mul(v.c0, inv), hn::Mul(v.c1, inv), hn::Mul(v.c2, inv), hn::Mul(v.c3, inv)},
                 lane, turns);
    }
    PlaceTurns(poses.turns[g], a.turns[g], turns, turn_rows);
    a.bits += BytesOf(a.turns[g]);
  }
  float* const rows[kValueRows] = {out.tx, out.ty, out.tz, out.sx, out.sy, out.sz, out.weights};
  alignas(32) float values[kLanes];
  for (size_t g = 0; g < poses.values.size(); ++g) {
    const ValueGroup& group = poses.values[g];
    const ValueRange& range = a.values[g];
    for (size_t lane = 0; lane < kLanes; lane += kWidth) {
      const VF step = hn::LoadU(d, group.step.data() + lane);
      hn::StoreU(
          Value(range.base.data() + lane, range.shift, Unpack(a.bits, range.bits, lane), step), d,
          values + lane);
    }
    for (size_t lane = 0; lane < kLanes; ++lane) {
      rows[group.place[lane] >> 12][group.place[lane] & 0xfff] = values[lane];
    }
    a.bits += range.bits;
  }
}

}  // namespace posewire::clip::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::clip {
namespace {

HWY_EXPORT(UnpackBetween);
HWY_EXPORT(UnpackFrame);

template <typename T>
size_t BytesIn(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

}  // namespace

size_t PackedPoses::bytes() const {
  return first.bytes() + BytesIn(turns) + BytesIn(values) + BytesIn(segments) +
         BytesIn(turn_ranges) + BytesIn(value_ranges) + BytesIn(bits);
}

void UnpackBetween(const PackedPoses& poses, int from, int to, float t, const skel::PoseSpan& out) {
  HWY_DYNAMIC_DISPATCH(UnpackBetween)(poses, from, to, t, out);
}

void UnpackFrame(const PackedPoses& poses, int frame, const skel::PoseSpan& out) {
  HWY_DYNAMIC_DISPATCH(UnpackFrame)(poses, frame, out);
}

}  // namespace posewire::clip
#endif
