// The keys of one track, received incrementally or from a whole clip, and interpolation between
// them.
#ifndef POSEWIRE_LIBS_SKEL_KEY_TRACK_H_
#define POSEWIRE_LIBS_SKEL_KEY_TRACK_H_

#include <cstddef>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace posewire::skel {

// A queue of keys with strictly increasing time codes. Append allocates; nothing else does. One
// thread.
class KeyTrack {
 public:
  // `rotations`: values are quaternions (w x y z), and are interpolated as such.
  KeyTrack(int width, bool rotations) : width_(static_cast<size_t>(width)), rotations_(rotations) {}

  // Adds the keys with a time code after the newest one and not before `not_before_s`. Time codes
  // must strictly increase; `values` has width() floats per key. Returns how many keys were
  // dropped.
  int Append(absl::Span<const double> time_codes_s, absl::Span<const float> values,
             double not_before_s = -std::numeric_limits<double>::infinity());

  // Removes keys that are not needed to sample at or after `time_code_s`.
  void DiscardBefore(double time_code_s);

  // Returns the value at `time_code_s`: slerp (the shorter way) or lerp between keys, constant
  // outside. A key within 10 microseconds is returned unchanged, in place; other values are written
  // to `scratch`, which has width() floats. Empty if there are no keys. Valid until the next
  // Append.
  absl::Span<const float> Sample(double time_code_s, absl::Span<float> scratch) const;

  int width() const { return static_cast<int>(width_); }
  bool ever() const { return ever_; }  // has ever had a key
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // The newest time code ever added; requires ever().
  double newest_s() const { return newest_s_; }
  double oldest_s() const { return code(0); }
  size_t bytes() const { return size_ * (sizeof(double) + width_ * sizeof(float)); }

 private:
  // Key i, counted from the oldest.
  size_t place(size_t i) const { return (head_ + i) & (codes_.size() - 1); }
  double code(size_t i) const { return codes_[place(i)]; }
  absl::Span<const float> key(size_t i) const {
    return {values_.data() + place(i) * width_, width_};
  }
  void Reserve(size_t keys);

  size_t width_;
  bool rotations_;
  bool ever_ = false;
  double newest_s_ = 0;
  // Ring buffers for the same number of keys, a power of two.
  std::vector<double> codes_;
  std::vector<float> values_;
  size_t head_ = 0, size_ = 0;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_KEY_TRACK_H_
