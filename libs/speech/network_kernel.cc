#include "libs/speech/network_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/speech/network_kernel.cc"
#include "hwy/foreach_target.h"
// Included after it because it includes this file once for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posewire::speech {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void AddProductKernel(const float* panels, size_t rows, size_t columns, const float* x, float* y) {
  const hn::CappedTag<float, 16> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  constexpr size_t kParts = kPanelRows / kLanes;
  for (size_t row = 0; row < rows; row += kPanelRows) {
    hn::Vec<decltype(d)> sum[kParts];
    for (size_t k = 0; k < kParts; ++k) sum[k] = hn::LoadU(d, y + row + k * kLanes);
    for (size_t c = 0; c < columns; ++c, panels += kPanelRows) {
      const auto in = hn::Set(d, x[c]);
      for (size_t k = 0; k < kParts; ++k) {
        sum[k] = hn::MulAdd(hn::LoadU(d, panels + k * kLanes), in, sum[k]);
      }
    }
    for (size_t k = 0; k < kParts; ++k) hn::StoreU(sum[k], d, y + row + k * kLanes);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace posewire::speech
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::speech {
HWY_EXPORT(AddProductKernel);
void AddProduct(const float* panels, size_t rows, size_t columns, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(AddProductKernel)(panels, rows, columns, x, y);
}
}  // namespace posewire::speech
#endif  // HWY_ONCE
