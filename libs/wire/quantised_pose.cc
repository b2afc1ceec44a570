#include "libs/wire/quantised_pose.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "libs/timecode/track_order.h"
#include "libs/wire/sparse_pose.h"
#include "libs/wire/tracks.h"

namespace posewire::wire {
namespace {

// The first byte: one bit for each track that follows, by PoseTrack, and this one.
constexpr uint8_t kCompleteBit = 1 << kPoseTracks;
constexpr float kFullScale = 32767;
constexpr float kMostQuantisedValue = 1e9f;

constexpr size_t MaskBytes(size_t elements) { return (elements + 7) / 8; }
constexpr float NeutralOf(size_t track, size_t number) {
  return track == kScales || (track == kRotations && number == 0) ? 1.0f : 0.0f;
}

class BytePen {
 public:
  explicit BytePen(uint8_t* to) : p_(to) {}
  template <typename T>
  void Put(T value) {
    std::memcpy(p_, &value, sizeof(value));
    p_ += sizeof(value);
  }
  uint8_t* Skip(size_t bytes) {
    uint8_t* const at = p_;
    std::fill_n(p_, bytes, uint8_t{0});
    p_ += bytes;
    return at;
  }
  uint8_t* position() const { return p_; }

 private:
  uint8_t* p_;
};

int16_t Short(float number) {
  return static_cast<int16_t>(std::lround(std::clamp(number, -1.0f, 1.0f) * kFullScale));
}

// Writes a track: the mask, then the elements in it. `sent` is null for a complete pose, which
// leaves out what is neutral. Returns whether there are any; if not, nothing was written.
template <size_t kNumbers, typename PutElement>
bool PutQuantised(size_t track, const float* const (&rows)[kNumbers], int elements,
                  const uint8_t* sent, BytePen* pen, const PutElement& put_element) {
  const BytePen before = *pen;
  uint8_t* const mask = pen->Skip(MaskBytes(static_cast<size_t>(elements)));
  bool any = false;
  for (int e = 0; e < elements; ++e) {
    bool put = sent != nullptr && sent[e] != 0;
    for (size_t i = 0; i < kNumbers && sent == nullptr; ++i) {
      put = put || rows[i][e] != NeutralOf(track, i);
    }
    if (!put) continue;
    any = true;
    mask[e / 8] = static_cast<uint8_t>(mask[e / 8] | 1 << e % 8);
    put_element(e);
  }
  if (!any) *pen = before;
  return any;
}

// Reads from bytes that anyone may have sent.
class ByteEye {
 public:
  explicit ByteEye(absl::Span<const uint8_t> bytes) : left_(bytes) {}
  template <typename T>
  bool Take(T* value) {
    if (left_.size() < sizeof(T)) return false;
    std::memcpy(value, left_.data(), sizeof(T));
    left_.remove_prefix(sizeof(T));
    return true;
  }
  bool TakeBytes(size_t n, absl::Span<const uint8_t>* bytes) {
    if (left_.size() < n) return false;
    *bytes = left_.first(n);
    left_.remove_prefix(n);
    return true;
  }
  bool done() const { return left_.empty(); }

 private:
  absl::Span<const uint8_t> left_;
};

bool TakeElement(size_t track, float* out, ByteEye* eye) {
  if (track == kRotations) {
    QuantisedRotation numbers;
    if (!eye->Take(&numbers) || numbers == QuantisedRotation{}) return false;
    const skel::Quat q = RotationOf(numbers);
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
    return true;
  }
  for (int i = 0; i < kTracks[track].floats; ++i) {
    if (!eye->Take(out + i) || !(std::fabs(out[i]) <= kMostQuantisedValue)) return false;
  }
  return true;
}

bool TakeTrack(size_t track, size_t elements, float* values, ByteEye* eye) {
  absl::Span<const uint8_t> mask;
  if (!eye->TakeBytes(MaskBytes(elements), &mask)) return false;
  const auto floats = static_cast<size_t>(kTracks[track].floats);
  for (size_t e = 0; e < elements; ++e) {
    if ((mask[e / 8] >> e % 8 & 1) == 0) continue;
    if (!TakeElement(track, values + e * floats, eye)) return false;
  }
  return true;
}

}  // namespace

QuantisedRotation Quantise(const skel::Quat& rotation) {
  return {Short(rotation.w), Short(rotation.x), Short(rotation.y), Short(rotation.z)};
}

skel::Quat RotationOf(const QuantisedRotation& numbers) {
  return skel::Normalized({static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
                           static_cast<float>(numbers[2]), static_cast<float>(numbers[3])});
}

size_t MostQuantisedBytes(int joints, int shapes) {
  const auto j = static_cast<size_t>(joints), s = static_cast<size_t>(shapes);
  return 1 + sizeof(double) + 3 * MaskBytes(j) + j * (2 * 3 * sizeof(float) + 4 * sizeof(int16_t)) +
         MaskBytes(s) + s * sizeof(float);
}

void QuantisePose(double time_code_s, const skel::PoseView& pose,
                  absl::Span<const QuantisedRotation> rotations, const PoseChanges* changes,
                  std::vector<uint8_t>* out) {
  out->resize(MostQuantisedBytes(pose.joints, pose.shapes));
  BytePen pen(out->data());
  uint8_t* const tracks = pen.Skip(1);
  pen.Put(time_code_s);
  if (changes == nullptr) *tracks = kCompleteBit;
  const auto put = [&]<size_t kNumbers>(size_t track, const float* const(&rows)[kNumbers],
                                        int elements, const std::vector<uint8_t>* sent) {
    const uint8_t* const which = changes == nullptr ? nullptr : sent->data();
    const auto element = [&](int e) {
      if (track == kRotations) return pen.Put(rotations[static_cast<size_t>(e)]);
      for (const float* row : rows) pen.Put(row[e]);
    };
    if (elements > 0 && PutQuantised(track, rows, elements, which, &pen, element)) {
      *tracks = static_cast<uint8_t>(*tracks | 1 << track);
    }
  };
  const auto of = [&](size_t track) {
    return changes == nullptr ? nullptr : &changes->joints[track];
  };
  put(kWeights, {pose.weights}, pose.shapes, changes == nullptr ? nullptr : &changes->shapes);
  put(kTranslations, {pose.tx, pose.ty, pose.tz}, pose.joints, of(kTranslations));
  put(kRotations, {pose.qw, pose.qx, pose.qy, pose.qz}, pose.joints, of(kRotations));
  put(kScales, {pose.sx, pose.sy, pose.sz}, pose.joints, of(kScales));
  out->resize(static_cast<size_t>(pen.position() - out->data()));
}

bool ApplyQuantised(absl::Span<const uint8_t> bytes, size_t joints, size_t shapes,
                    KeyBlock (&tracks)[kPoseTracks]) {
  ByteEye eye(bytes);
  uint8_t which = 0;
  double time_code_s = 0;
  if (!eye.Take(&which) || which >= 2 * kCompleteBit || !eye.Take(&time_code_s)) return false;
  if (!(time_code_s >= 0 && time_code_s <= timecode::kMaxCode_s)) return false;
  for (size_t track = 0; track < kPoseTracks; ++track) {
    const size_t elements = track == kWeights ? shapes : joints;
    KeyBlock& block = tracks[track];
    const auto floats = static_cast<size_t>(kTracks[track].floats);
    block.width = static_cast<int>(elements * floats);
    if (elements == 0) continue;
    if ((which & kCompleteBit) != 0) {
      block.values.resize(elements * floats);
      for (size_t i = 0; i < block.values.size(); ++i) {
        block.values[i] = NeutralOf(track, i % floats);
      }
    } else if (block.empty()) {
      return false;
    }
    block.time_codes_s.assign(1, time_code_s);
    const bool has = (which >> track & 1) != 0;
    if (has && !TakeTrack(track, elements, block.values.data(), &eye)) return false;
  }
  return eye.done();
}

}  // namespace posewire::wire
