// Interpolates between two interleaved keys, one block of lanes at a time. An incomplete last block
// is computed in a separate buffer.
#include "libs/skel/kernels/kernels.h"
#include "libs/skel/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/skel/kernels/interpolate.cc"
#include "hwy/foreach_target.h"
// Must follow targets.h, because it includes this file once for each target.
#include "hwy/highway.h"
#include "libs/skel/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::skel {
namespace HWY_NAMESPACE {
namespace {

struct Lerps {
  static constexpr size_t kFloats = static_cast<size_t>(kMostLanes);
  float t;

  HWY_INLINE void operator()(const float* a, const float* b, float* out) const {
    const Wide d;
    const auto from = hn::LoadU(d, a);
    hn::StoreU(MulPlus(d, hn::Sub(hn::LoadU(d, b), from), hn::Set(d, t), from), d, out);
  }
};
struct Slerps {
  static constexpr size_t kFloats = 4 * static_cast<size_t>(kMostLanes);
  float t;

  HWY_INLINE void operator()(const float* a, const float* b, float* out) const {
    const Wide d;
    Quats<Wide> p, q;
    hn::LoadInterleaved4(d, a, p.w, p.x, p.y, p.z);
    hn::LoadInterleaved4(d, b, q.w, q.x, q.y, q.z);
    const Quats<Wide> mix = Slerp(d, p, q, hn::Set(d, t));
    hn::StoreInterleaved4(mix.w, mix.x, mix.y, mix.z, d, out);
  }
};

template <class Block>
HWY_INLINE void ForBlocks(const Block& block, const float* a, const float* b, size_t n,
                          float* out) {
  size_t i = 0;
  for (; i + Block::kFloats <= n; i += Block::kFloats) block(a + i, b + i, out + i);
  if (i == n) return;
  HWY_ALIGN float last[2][Block::kFloats] = {};
  const size_t bytes = (n - i) * sizeof(float);
  std::memcpy(last[0], a + i, bytes);
  std::memcpy(last[1], b + i, bytes);
  block(last[0], last[1], last[0]);
  std::memcpy(out + i, last[0], bytes);
}

}  // namespace

void InterpolateKernel(const float* a, const float* b, float t, bool rotations, size_t n,
                       float* out) {
  if (rotations) {
    ForBlocks(Slerps{t}, a, b, n, out);
  } else {
    ForBlocks(Lerps{t}, a, b, n, out);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::skel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::skel {
HWY_EXPORT(InterpolateKernel);
void kernels::Interpolate(const float* a, const float* b, float t, bool rotations, size_t n,
                          float* out) {
  HWY_DYNAMIC_DISPATCH(InterpolateKernel)(a, b, t, rotations, n, out);
}
}  // namespace posewire::skel
#endif  // HWY_ONCE
