// Unpacks interleaved keys into the rows of a pose. A key in another order than the pose's is first
// reordered on the stack, one part at a time; whole blocks are then unpacked from there, or from
// the key itself.
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"
#include "libs/skel/unpack_job.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/unpack.cc"
#include "hwy/foreach_target.h"
// Must follow targets.h, because it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

constexpr float kUnitLength = 2e-6f;  // of the square

// The elements of a track, and how one block of them is copied from `values` to the pose at `to`.
struct Vectors {
  static constexpr int kWidth = 3;
  float *x, *y, *z;
  float factor;

  template <class D>
  HWY_INLINE void Take(D d, const float* values, int to) const {
    hn::Vec<D> a, b, c;
    hn::LoadInterleaved3(d, values, a, b, c);
    const auto f = hn::Set(d, factor);
    hn::StoreU(hn::Mul(a, f), d, x + to);
    hn::StoreU(hn::Mul(b, f), d, y + to);
    hn::StoreU(hn::Mul(c, f), d, z + to);
  }
};
struct Rotations {
  static constexpr int kWidth = 4;
  const PoseSpan& out;

  template <class D>
  HWY_INLINE void Take(D d, const float* values, int to) const {
    Quats<D> q;
    hn::LoadInterleaved4(d, values, q.w, q.x, q.y, q.z);
    const auto off = hn::Abs(hn::Sub(Dot(d, q, q), hn::Set(d, 1.0f)));
    const auto unit = hn::Le(off, hn::Set(d, kUnitLength));
    if (!hn::AllTrue(d, unit)) q = Select(d, unit, q, Normalized(d, q));
    StoreRotations(d, q, out, to);
  }
};

// Copies `n` consecutive elements. The last block overlaps the one before.
template <class Track>
HWY_INLINE void TakeRow(const Track& track, const float* values, int n, int to) {
  const Wide d;
  constexpr int kLanes = LanesOf(d);
  if (n < kLanes) {
    for (int i = 0; i < n; ++i) track.Take(Single(), values + i * Track::kWidth, to + i);
    return;
  }
  for (int i = 0; i + kLanes <= n; i += kLanes) track.Take(d, values + i * Track::kWidth, to + i);
  if (n % kLanes != 0) track.Take(d, values + (n - kLanes) * Track::kWidth, to + n - kLanes);
}

// Returns true if the key is not empty. Writes the presence in either case.
HWY_INLINE bool Known(const UnpackJob::Track& in, size_t width, uint8_t* has) {
  const KeyPlaces& places = *in.places;
  const auto n = static_cast<size_t>(places.size());
  if (in.key.size() != width * static_cast<size_t>(places.key_size()) || in.key.empty()) {
    std::memset(has, 0, n);
    return false;
  }
  if (n > 0) std::memcpy(has, places.has(), n);
  return true;
}

template <class Track>
HWY_INLINE void Unpack(const UnpackJob::Track& in, const Track& track, uint8_t* has) {
  constexpr int kWidth = Track::kWidth;
  if (in.places == nullptr || !Known(in, kWidth, has)) return;
  const KeyPlaces& places = *in.places;
  const float* key = in.key.data();
  if (places.IsIdentity()) {
    TakeRow(track, key, places.size(), 0);
    return;
  }
  const int32_t* from = places.from();
  if (places.IsSparse()) {
    for (const int32_t i : places.placed()) {
      track.Take(Single(), key + ptrdiff_t{from[i]} * kWidth, i);
    }
    return;
  }
  constexpr int kStretch = 128;
  HWY_ALIGN float ordered[kStretch * kWidth];
  for (int first = 0; first < places.size(); first += kStretch) {
    const int n = std::min(kStretch, places.size() - first);
    for (int i = 0; i < n; ++i) {
      std::memcpy(ordered + i * kWidth, key + ptrdiff_t{from[first + i]} * kWidth,
                  kWidth * sizeof(float));
    }
    TakeRow(track, ordered, n, first);
  }
}

HWY_INLINE void UnpackWeights(const UnpackJob::Track& in, const PoseSpan& out) {
  if (in.places == nullptr || !Known(in, 1, out.has_w)) return;
  const KeyPlaces& places = *in.places;
  const float* key = in.key.data();
  if (places.IsIdentity()) {
    std::memcpy(out.weights, key, in.key.size() * sizeof(float));
    return;
  }
  const int32_t* from = places.from();
  for (int s = 0; s < places.size(); ++s) out.weights[s] = key[from[s]];
}

}  // namespace

void UnpackKernel(const UnpackJob& job) {
  const PoseSpan& out = job.out;
  Unpack(job.translations, Vectors{out.tx, out.ty, out.tz, job.translation_scale}, out.has_t);
  Unpack(job.rotations, Rotations{out}, out.has_r);
  Unpack(job.scales, Vectors{out.sx, out.sy, out.sz, 1}, out.has_s);
  UnpackWeights(job.weights, out);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::skel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::skel {
HWY_EXPORT(UnpackKernel);
void kernels::Unpack(const UnpackJob& job) { HWY_DYNAMIC_DISPATCH(UnpackKernel)(job); }
}  // namespace posewire::skel
#endif  // HWY_ONCE
