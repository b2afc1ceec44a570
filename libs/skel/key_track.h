// The keys of one track, arriving or of a whole clip, and their values at any time code.
#ifndef POSEWIRE_LIBS_SKEL_KEY_TRACK_H_
#define POSEWIRE_LIBS_SKEL_KEY_TRACK_H_

#include <cstddef>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace posewire::skel {

// A queue of keys in strict order of time codes. Append allocates; the rest does not. One thread.
class KeyTrack {
 public:
  // Values are quaternions (w x y z) when `rotations`, and are interpolated as such.
  KeyTrack(int width, bool rotations) : width_(static_cast<size_t>(width)), rotations_(rotations) {}

  // Takes the keys with a code after the newest held and not before `not_before_s`. Codes rise
  // strictly; `values` has width() floats per key. Returns how many keys were left out.
  int Append(absl::Span<const double> codes_s, absl::Span<const float> values,
             double not_before_s = -std::numeric_limits<double>::infinity());

  // Forgets the keys that sampling at or after `code_s` does not need.
  void DiscardBefore(double code_s);

  // The value at `code_s`: slerp the short way or lerp between keys, held outside. A key within 10
  // microseconds is returned unchanged, in place; anything else is written to `scratch`, which has
  // width() floats. Empty if no key is held. Valid until the next Append.
  absl::Span<const float> Sample(double code_s, absl::Span<float> scratch) const;

  int width() const { return static_cast<int>(width_); }
  bool ever() const { return ever_; }  // has carried anything
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // The newest code ever held; only if ever().
  double newest_s() const { return newest_s_; }
  double oldest_s() const { return code(0); }
  size_t bytes() const { return size_ * (sizeof(double) + width_ * sizeof(float)); }

 private:
  // Of key i, from the oldest.
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
  // Ring buffers with the same number of keys, a power of two.
  std::vector<double> codes_;
  std::vector<float> values_;
  size_t head_ = 0, size_ = 0;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_KEY_TRACK_H_
