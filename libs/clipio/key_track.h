// The keys of one track of a whole clip, sampled at any time.
#ifndef POSEWIRE_LIBS_CLIPIO_KEY_TRACK_H_
#define POSEWIRE_LIBS_CLIPIO_KEY_TRACK_H_

#include <vector>

#include "absl/types/span.h"
#include "libs/wire/chunk.h"

namespace posewire::clipio {

// Between keys: lerp, and slerp the short way for rotations (w x y z); outside: hold. One thread.
class KeyTrack {
 public:
  explicit KeyTrack(bool rotations = false) : rotations_(rotations) {}

  // Keys that lie behind all there are; the width must stay the same.
  void Append(const wire::KeyBlock& keys);

  bool empty() const { return codes_s_.empty(); }
  double first_s() const { return codes_s_.front(); }
  double last_s() const { return codes_s_.back(); }

  // The values at `t_s`, valid until the next call; empty without keys.
  absl::Span<const float> Sample(double t_s);

 private:
  bool rotations_;
  size_t width_ = 0;
  std::vector<double> codes_s_;
  std::vector<float> values_;
  std::vector<float> sample_;
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_KEY_TRACK_H_
