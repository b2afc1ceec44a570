#include "libs/offsets/method.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/offsets/box_methods.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/carried_methods.h"
#include "libs/offsets/mixtures.h"
#include "libs/offsets/spline.h"

namespace posewire::offsets {
namespace {

using skel::Vec3;

class FloatChunk : public Chunk {
 public:
  explicit FloatChunk(std::vector<Vec3> values) : values_(std::move(values)) {}
  void Frame(size_t frame, absl::Span<Vec3> out) const override {
    for (size_t i = 0; i < out.size(); ++i) out[i] = values_[frame * out.size() + i];
  }
  size_t held_bytes() const override { return sizeof *this + values_.capacity() * sizeof(Vec3); }

 private:
  std::vector<Vec3> values_;
};

std::string EncodeFloats(const Offsets& offsets, const Settings&) {
  ByteWriter out;
  for (const Vec3& o : offsets.values) {
    out.Put(o.x);
    out.Put(o.y);
    out.Put(o.z);
  }
  return out.Take();
}

absl::StatusOr<std::unique_ptr<Chunk>> OpenFloats(absl::string_view bytes, size_t points,
                                                  size_t frames) {
  if (bytes.size() != 12 * points * frames) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes of floats, expected ", 12 * points * frames));
  }
  ByteReader in(bytes);
  std::vector<Vec3> values(points * frames);
  for (size_t i = 0; i < values.size(); ++i) {
    Vec3& o = values[i];
    o.x = in.Get<float>();
    o.y = in.Get<float>();
    o.z = in.Get<float>();
    if (std::isfinite(o.x) && std::isfinite(o.y) && std::isfinite(o.z)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("offset ", i, " is not finite, expected three finite numbers"));
  }
  return std::make_unique<FloatChunk>(std::move(values));
}

// Adapts a method that can encode any offsets.
template <auto encode>
absl::StatusOr<std::string> Encode(const Offsets& offsets, const Settings& settings) {
  return encode(offsets, settings);
}

size_t OpenFloatsBytes(size_t, size_t points, size_t frames) { return 12 * points * frames; }

#define POSEWIRE_BOXES(method, name, about)                                                     \
  MethodEntry {                                                                                 \
    method, name, about, Encode<EncodeBoxes<method>>, OpenBoxes<method>, OpenBoxesBytes<method> \
  }
#define POSEWIRE_CARRIED(method, name, about)                                                 \
  MethodEntry {                                                                               \
    method, name, about, EncodeCarried<method>, OpenCarried<method>, OpenCarriedBytes<method> \
  }
const std::array kMethods = {
    MethodEntry{Method::kFloat, "float", "as they are", Encode<EncodeFloats>, OpenFloats,
                OpenFloatsBytes},
    POSEWIRE_BOXES(Method::kBox8, "box8", "8 bits of a tight box"),
    POSEWIRE_BOXES(Method::kBox16, "box16", "16 bits of a tight box"),
    POSEWIRE_BOXES(Method::kMinifloat, "minifloat", "8 bits, finer in the box's middle"),
    POSEWIRE_BOXES(Method::kDelta8, "delta8", "box8's changes over frames"),
    POSEWIRE_BOXES(Method::kDelta16, "delta16", "box16's changes over frames"),
    MethodEntry{Method::kPca, "pca", "a few poses, mixed", Encode<EncodePca>, OpenPca,
                OpenPcaBytes},
    MethodEntry{Method::kClusters, "clusters", "clusters of points, a few motions each, mixed",
                Encode<EncodeClusters>, OpenClusters, OpenClustersBytes},
    MethodEntry{Method::kSpline, "spline", "curves with few knots", Encode<EncodeSplines>,
                OpenSplines, OpenSplinesBytes},
    POSEWIRE_BOXES(Method::kPng16, "png16", "box16 as a picture"),
    POSEWIRE_CARRIED(Method::kJpeg, "jpeg", "8 bits of equal boxes as JPEG pictures"),
    POSEWIRE_CARRIED(Method::kWebp, "webp", "8 bits of equal boxes as WebP pictures"),
    POSEWIRE_CARRIED(Method::kFlac, "flac", "16 bits of equal boxes as sound, lossless"),
    POSEWIRE_CARRIED(Method::kMp3, "mp3", "16 bits of equal boxes as sound"),
    POSEWIRE_CARRIED(Method::kH264, "h264", "8 bits of equal boxes as a film"),
    POSEWIRE_CARRIED(Method::kH265, "h265", "8 bits of equal boxes as a film"),
    POSEWIRE_CARRIED(Method::kVp9, "vp9", "8 bits of equal boxes as a film"),
};
#undef POSEWIRE_BOXES
#undef POSEWIRE_CARRIED

}  // namespace

absl::Span<const MethodEntry> Methods() { return kMethods; }

absl::StatusOr<Method> FindMethod(absl::string_view name) {
  for (const MethodEntry& entry : kMethods) {
    if (entry.name == name) return entry.method;
  }
  return absl::NotFoundError(
      absl::StrCat("method \"", name, "\" is not known, expected one of ",
                   absl::StrJoin(kMethods, ", ", [](std::string* out, const MethodEntry& entry) {
                     absl::StrAppend(out, entry.name);
                   })));
}

}  // namespace posewire::offsets
