// The outline of a voice: smallest and largest sample of each short span, small enough to keep for
// hours of sound.
#ifndef POSEWIRE_LIBS_DIAGRAM_WAVEFORM_H_
#define POSEWIRE_LIBS_DIAGRAM_WAVEFORM_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace posewire::diagram {

class Waveform {
 public:
  // Buckets are 5 ms long. `rate_hz` at least 200.
  explicit Waveform(int rate_hz);

  // Samples may come in any order; `first_sample` counts from time 0 and is at least 0.
  void Add(int64_t first_sample, absl::Span<const int16_t> samples);

  bool empty() const { return buckets_.empty(); }
  int rate_hz() const { return rate_hz_; }
  // Returns the smallest and the largest sample in [from, to), each -1 to 1 and including 0. The
  // range is extended to steps of 5 ms. Returns {0, 0} if no samples were added there.
  std::pair<float, float> Range(double from_s, double to_s) const;

 private:
  struct Bucket {
    int16_t low = 0, high = 0;
  };
  int rate_hz_;
  int64_t bucket_samples_;
  std::vector<Bucket> buckets_;
};

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_WAVEFORM_H_
