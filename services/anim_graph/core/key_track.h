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

  // Writes the value at `code_s`: slerp the short way or lerp between keys, held outside. A key
  // within 10 microseconds is passed unchanged. False when no key is held. `out` has width()
  // floats.
  bool Sample(double code_s, absl::Span<float> out) const;

  int width() const { return static_cast<int>(width_); }
  bool ever() const { return ever_; }  // has carried anything
  bool empty() const { return head_ == codes_.size(); }
  size_t size() const { return codes_.size() - head_; }
  // Newest code that was ever held; only when ever().
  double newest_s() const { return newest_s_; }
  double oldest_s() const { return codes_[head_]; }
  size_t bytes() const { return size() * (sizeof(double) + width_ * sizeof(float)); }

 private:
  const float* key(size_t i) const { return values_.data() + i * width_; }

  size_t width_;
  bool rotations_;
  bool ever_ = false;
  double newest_s_ = 0;
  std::vector<double> codes_;
  std::vector<float> values_;
  size_t head_ = 0;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_KEY_TRACK_H_
