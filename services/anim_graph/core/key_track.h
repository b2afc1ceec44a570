// The buffered keys of one track, and their values at any time code.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_KEY_TRACK_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_KEY_TRACK_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "libs/wire/chunk.h"

namespace posewire::anim_graph {

// A queue of keys in strict order of time codes. Append allocates; the rest does not. One thread.
class KeyTrack {
 public:
  // Values are quaternions (w x y z) when `rotations`, and are interpolated as such.
  KeyTrack(int width, bool rotations) : width_(static_cast<size_t>(width)), rotations_(rotations) {}

  // Takes the keys with a code after the newest held and not before `not_before_s`.
  // Returns how many of the others were left out.
  int Append(const wire::KeyBlock& block, double not_before_s);

  // Forgets the keys that sampling at or after `code_s` does not need.
  void DiscardBefore(double code_s);

  // The value at `code_s`: slerp the short way or lerp between keys, held outside. A key within 10
  // microseconds is passed unchanged, where it lies; anything else is written to `scratch`, which
  // has width() floats. Empty when no key is held. Valid until the next Append.
  absl::Span<const float> Sample(double code_s, absl::Span<float> scratch) const;

  int width() const { return static_cast<int>(width_); }
  bool ever() const { return ever_; }  // has carried anything
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // Newest code that was ever held; only when ever().
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
  // Rings of as many keys, a power of two.
  std::vector<double> codes_;
  std::vector<float> values_;
  size_t head_ = 0, size_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_KEY_TRACK_H_
